//! Fitting: held-out folds calibrate the scores and teach the decision rules, then all pages train the model.
//!
//! With a second pass both are fitted so: the first pass's held-out scores give the second its columns, so that it
//! learns from scores such as the first gives pages that it has not seen.

use super::classes::ClassModels;
use super::corpus::Form;
use super::gather::Gathered;
use super::recipe::Parts;
use super::switches::Confined;
use super::weights::weights;
use super::{ClassifierRecipe, Corpus, CorpusPage, HeldOut, Recipe, learn};
use crate::block::ParagraphClass;
use crate::classifier::calibration::Sigmoid;
use crate::classifier::{self, Classifier, Model, TrainingSet};
use crate::decision::LearnedRules;
use crate::error::{Error, Result};
use crate::features::Vocabularies;
use crate::filter::FilterChoice;
use crate::progress::Progress;
use crate::rescore::{self, Structure};
use ndarray::{Array2, ArrayView2, CowArray, Ix2};
use rayon::prelude::*;
use rustc_hash::FxHashSet;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;

/// A fitted classifier with its calibration and threshold.
#[derive(Debug)]
pub struct Fit {
    /// What learned features rest on.
    pub vocabularies: Vocabularies,
    /// The classifier's model.
    pub model: Box<dyn Model>,
    /// From its decision values to scores.
    pub sigmoid: Sigmoid,
    /// The second pass.
    pub second: Option<SecondPass>,
    /// What tells classes of paragraphs apart, where the gold has them.
    pub classes: Option<ClassModels>,
    /// The number of the recipe's decision rule; for the rule `threshold` the least score of a kept block.
    pub threshold: f32,
    /// The numbers of all rules.
    pub learned: Arc<LearnedRules>,
    /// The filter of the recipe, with which these were learned.
    pub filter: FilterChoice,
    /// How it did on held-out pages.
    pub held_out: HeldOut,
}

/// What scores the blocks again.
#[derive(Debug)]
pub struct SecondPass {
    /// A model of the first pass's columns and, after them, [`rescore::COLUMNS`].
    pub model: Box<dyn Model>,
    /// From its decision values to scores.
    pub sigmoid: Sigmoid,
}

impl Fit {
    /// Calibrated scores of the blocks of one page in order, `x` of shape (n_blocks, n_features).
    ///
    /// # Errors
    /// Where `x` has another number of columns.
    pub fn scores(&self, x: ArrayView2<'_, f32>, structure: &Structure) -> Result<Vec<f32>> {
        let scores = self.first_scores(x)?;
        let Some(second) = &self.second else { return Ok(scores) };
        let wide = widened(x, structure, &scores);
        Ok(second.sigmoid.apply(&classifier::decide(second.model.as_ref(), wide.view())?))
    }

    /// Those of the first pass.
    pub(super) fn first_scores(&self, x: ArrayView2<'_, f32>) -> Result<Vec<f32>> {
        Ok(self.sigmoid.apply(&classifier::decide(self.model.as_ref(), x)?))
    }

    /// Class of each block of a page, `x` of shape (n_blocks, n_features), where the model tells them apart.
    ///
    /// # Errors
    /// As [`Fit::scores`].
    pub fn classes(&self, x: ArrayView2<'_, f32>) -> Result<Option<Vec<ParagraphClass>>> {
        match classifier::classes(self.model.as_ref(), x)? {
            Some(classes) => Ok(Some(classes)),
            None => self.classes.as_ref().map(|c| c.classes(x)).transpose(),
        }
    }

    /// Features of a page of a corpus, the learned ones by what this fit learned, as [`Pipeline::extract`](super::Pipeline::extract) has
    /// them.
    pub(crate) fn values_on<'a>(&self, corpus: &'a Corpus, page: usize) -> CowArray<'a, f32, Ix2> {
        let mut values: CowArray<'_, f32, Ix2> = match self.vocabularies.is_empty() {
            true => corpus.values_of(page).into(),
            false => corpus.values_with(page, &self.vocabularies).into(),
        };
        let CorpusPage { policy, told, .. } = &corpus.pages[page];
        let confined = Confined::of(corpus.columns(), *policy, self.filter);
        if !confined.is_empty() {
            confined.confine(values.view_mut(), told);
        }
        values
    }
}

/// The columns of the second pass: those of the first and the score columns.
pub(super) fn widened(x: ArrayView2<'_, f32>, structure: &Structure, scores: &[f32]) -> Array2<f32> {
    let (num_blocks, width) = x.dim();
    let stride = width + rescore::COLUMNS.len();
    let mut values = vec![0.0; num_blocks * stride];
    for (row, out) in x.rows().into_iter().zip(values.chunks_exact_mut(stride)) {
        row.iter().zip(out).for_each(|(v, out)| *out = *v);
    }
    rescore::fill(structure, scores, &mut values, width, stride);
    Array2::from_shape_vec((num_blocks, stride), values).unwrap_or_default()
}

/// One pass over the pages: an algorithm, its settings and its columns.
struct Pass<'a> {
    classifier: &'static Classifier,
    recipe: &'a ClassifierRecipe,
    columns: Vec<String>,
    /// Whether vocabularies are learned anew for every fold; else all columns are as they stand.
    learns: bool,
}

/// Fits the recipe's classifier on `pages` of the corpus.
pub(crate) fn fit(
    corpus: &mut Corpus,
    pages: &[usize],
    recipe: &Recipe,
    parts: &Parts,
    progress: &dyn Progress,
) -> Result<Fit> {
    if pages.is_empty() {
        return Err(Error::data("no page to train on").expected("pages with gold that is found in them"));
    }
    let columns = corpus.columns().to_vec();
    let first = Pass { classifier: parts.classifier, recipe: &recipe.classifier, columns, learns: true };
    let mut pass = first.fit(corpus, pages, recipe, progress)?;
    let (model, sigmoid) = (pass.model, pass.sigmoid);
    let vocabularies = std::mem::take(&mut pass.vocabularies);
    let mut second = None;
    if let (Some(classifier), Some(settings)) = (parts.rescore, &recipe.rescore) {
        corpus.fill_scores(pages, &pass.scores);
        let score_columns = parts.score_columns().iter().map(|c| (*c).to_owned());
        let columns = corpus.columns().iter().cloned().chain(score_columns).collect();
        pass = Pass { classifier, recipe: settings, columns, learns: false }
            .fit(corpus, pages, recipe, progress)?;
        second = Some(SecondPass { model: pass.model, sigmoid: pass.sigmoid });
    }
    let learn::Outcome { learned: rules, number, token_f1 } =
        learn::learn(corpus, pages, &pass.scores, parts.rule, recipe.decision.threshold, parts.filter);
    let held_out = HeldOut { folds: pass.folds, token_f1, log_loss: pass.log_loss };
    let classes = ClassModels::fit(corpus, pages, &recipe.weights, recipe.seed)?;
    Ok(Fit {
        vocabularies,
        model,
        sigmoid,
        second,
        classes,
        threshold: number,
        learned: Arc::new(rules),
        filter: parts.filter,
        held_out,
    })
}

/// What a pass came to.
struct Passed {
    model: Box<dyn Model>,
    sigmoid: Sigmoid,
    /// Held-out scores of all blocks, page after page.
    scores: Vec<f32>,
    /// Folds that were held out; 0 where none could be.
    folds: usize,
    /// Log loss of the scores.
    log_loss: f64,
    /// What was learned from all pages; empty for a pass that does not learn.
    vocabularies: Vocabularies,
}

impl Pass<'_> {
    fn fit(
        &self,
        corpus: &mut Corpus,
        pages: &[usize],
        recipe: &Recipe,
        progress: &dyn Progress,
    ) -> Result<Passed> {
        let fold_of = corpus.folds(pages, recipe.decision.folds, recipe.seed);
        let num_folds = fold_of.iter().max().map_or(0, |m| m + 1);
        progress.start(&format!("fitting {}", self.classifier.name), num_folds as u64 + 1);
        let held_out = self.decide_held_out(corpus, pages, recipe, &fold_of, num_folds, progress)?;
        let vocabularies = self.learn(corpus, pages, &[]);
        let model = self.fit_variants(corpus, pages, recipe)?;
        progress.step();
        progress.finish();
        // without a page to hold out, the training pages themselves must do; the summary says so
        let (decisions, folds) = match held_out {
            Some(decisions) => (decisions, num_folds),
            None => (self.decide_all(corpus, pages, model.as_ref())?.concat(), 0),
        };
        let labels = corpus.labels_of(pages);
        let forms: Vec<Form<'_>> = pages.iter().map(|&p| corpus.pages[p].form()).collect();
        let weight = weights(&forms, &recipe.weights, false);
        let sigmoid = Sigmoid::fit(&decisions, &labels, &weight);
        let scores = sigmoid.apply(&decisions);
        let log_loss = classifier::calibration::log_loss(&scores, &labels, &weight);
        Ok(Passed { model, sigmoid, scores, folds, log_loss, vocabularies })
    }

    fn learn(&self, corpus: &mut Corpus, train: &[usize], others: &[usize]) -> Vocabularies {
        if !self.learns {
            return Vocabularies::new();
        }
        let learned = corpus.learn(train);
        corpus.fill_learned(&learned, train, others);
        learned.into_iter().map(|(name, l)| (name.to_owned(), l.vocabulary)).collect()
    }

    /// Fits the model with some pages in another form or under another policy and all rows of these pages together, and puts them back.
    fn fit_variants(&self, corpus: &mut Corpus, pages: &[usize], recipe: &Recipe) -> Result<Box<dyn Model>> {
        // a second pass looks at scores, which grown forms do not have
        let of: FxHashSet<usize> =
            if self.learns { pages.iter().copied().collect() } else { FxHashSet::default() };
        let grown = || corpus.grown_rows.iter().filter(|g| of.contains(&g.0));
        let rows = pages.iter().map(|&p| corpus.rows_of(p)).chain(grown().map(|g| g.1.clone()));
        let (rows, grown): (Vec<_>, Vec<_>) = (rows.collect(), grown().map(|g| g.0).collect());
        // pages that are held out stay under their sets' policies, by which scores and rules are measured; so do those that a second pass
        // learns from, as the scores of the first are under these
        let is_switching = recipe.policy.switch && self.learns;
        let switched = if is_switching { corpus.switch_policies(pages) } else { Vec::new() };
        corpus.swap_bare(pages);
        let rows = corpus.gather(&rows);
        // a panic is one cell's of a comparison; the others go on with the same corpus
        let fit = || self.fit_model(corpus, &rows, pages, &grown, recipe);
        let model = catch_unwind(AssertUnwindSafe(fit));
        corpus.put_back(&rows);
        corpus.swap_bare(pages);
        corpus.switch_back(switched);
        model.unwrap_or_else(|panic| resume_unwind(panic))
    }

    /// Fits on `rows`, those of `pages` and then those of the grown forms of `grown`.
    fn fit_model(
        &self,
        corpus: &Corpus,
        rows: &Gathered,
        pages: &[usize],
        grown: &[usize],
        recipe: &Recipe,
    ) -> Result<Box<dyn Model>> {
        let grown = grown.iter().filter_map(|&p| corpus.pages[p].grown.as_ref());
        let forms = pages.iter().map(|&p| corpus.pages[p].form());
        let forms: Vec<Form<'_>> = forms.chain(grown.map(|g| g.form())).collect();
        let labels: Vec<bool> = forms.iter().flat_map(|f| f.labels).copied().collect();
        let page: Vec<u32> =
            forms.iter().zip(0u32..).flat_map(|(f, i)| std::iter::repeat_n(i, f.labels.len())).collect();
        let weight = weights(&forms, &recipe.weights, true);
        let class: Vec<_> = forms.iter().flat_map(|f| f.class).copied().collect();
        let set = TrainingSet {
            x: corpus.gathered(rows, self.columns.len()),
            y: &labels,
            weight: &weight,
            page: &page,
            class: &class,
            columns: &self.columns,
        };
        (self.classifier.fit)(&set, &self.recipe.params, recipe.seed)
    }

    /// Decision values of every page.
    fn decide_all(&self, corpus: &Corpus, pages: &[usize], model: &dyn Model) -> Result<Vec<Vec<f32>>> {
        let width = self.columns.len();
        pages.par_iter().map(|&p| classifier::decide(model, corpus.wide_values_of(p, width))).collect()
    }

    /// Decision values of every block by a model that has not seen its site; `None` where that cannot be had. Of a second pass the columns with the
    /// first's scores, and the learned ones, come from folds that are divided otherwise, and so in part from models that have.
    fn decide_held_out(
        &self,
        corpus: &mut Corpus,
        pages: &[usize],
        recipe: &Recipe,
        fold_of: &[usize],
        num_folds: usize,
        progress: &dyn Progress,
    ) -> Result<Option<Vec<f32>>> {
        let in_fold = |fold: usize, inside: bool| -> Vec<usize> {
            pages.iter().zip(fold_of).filter(|f| (*f.1 == fold) == inside).map(|f| *f.0).collect()
        };
        let both_classes = |corpus: &Corpus, fold: usize| {
            let pages = in_fold(fold, false);
            let mut labels = pages.iter().flat_map(|&p| &corpus.pages[p].labels);
            labels.clone().any(|&l| l) && labels.any(|&l| !l)
        };
        // by the labels that are learned from, too
        let all_can_train = |corpus: &Corpus| (0..num_folds).all(|fold| both_classes(corpus, fold));
        let switched = if recipe.policy.switch { corpus.switch_policies(pages) } else { Vec::new() };
        let can_train_switched = all_can_train(corpus);
        corpus.switch_back(switched);
        if num_folds < 2 || !can_train_switched || !all_can_train(corpus) {
            return Ok(None);
        }
        let mut by_page = vec![Vec::new(); corpus.pages.len()];
        for fold in 0..num_folds {
            let (train, test) = (in_fold(fold, false), in_fold(fold, true));
            self.learn(corpus, &train, &test);
            let model = self.fit_variants(corpus, &train, recipe)?;
            let decisions = self.decide_all(corpus, &test, model.as_ref())?;
            test.into_iter().zip(decisions).for_each(|(page, d)| by_page[page] = d);
            progress.step();
        }
        Ok(Some(pages.iter().flat_map(|&p| std::mem::take(&mut by_page[p])).collect()))
    }
}

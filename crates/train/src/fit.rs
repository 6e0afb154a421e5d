//! Fitting: held-out folds calibrate the scores and tune the decision rules; then all pages train the
//! classifier.

use crate::corpus::Corpus;
use crate::example::Example;
use crate::learned_columns::{LearnedFamilies, vocabularies};
use crate::page_models::HeldOutPage;
use crate::stacking::{FittedOn, held_out_decisions, in_fold};
use crate::weights::weights;
use crate::{page_models, paragraph_classes, summary, tune_decision};
use ndarray::Array2;
use serde_json::Value;
use std::borrow::Cow;
use std::sync::Arc;
use threshr_core::progress::Progress;
use threshr_core::{Budget, Error, Result, stop};
use threshr_extract::correction::Corrections;
use threshr_extract::model::{Fitted, HeldOut, Model};
use threshr_extract::page_level::PageModels;
use threshr_extract::recipe::{ClassifierRecipe, Parts, Recipe};
use threshr_fit::calibration::{fit_sigmoid, log_loss};
use threshr_fit::{Classifier, Classifiers, RowView, TrainingRows, TrainingSet};
use threshr_models::{self as models, FittedClassifier};

/// Trains a model on the pages that [`Corpus::into_training`] keeps.
///
/// # Errors
/// If the recipe is invalid, the corpus has other columns, or the pages do not have blocks of both classes.
pub fn train(
    corpus: Corpus,
    recipe: &Recipe,
    classifiers: &Classifiers,
    progress: &dyn Progress,
) -> Result<Model> {
    train_with_pages(corpus, recipe, classifiers, progress).map(|trained| trained.0)
}

/// As [`train`], with what is predicted of held-out pages. The list is empty if the recipe asks for no
/// page-level model.
///
/// # Errors
/// Like [`train`].
pub fn train_with_pages(
    corpus: Corpus,
    recipe: &Recipe,
    classifiers: &Classifiers,
    progress: &dyn Progress,
) -> Result<(Model, Vec<HeldOutPage>)> {
    let parts = recipe.parts()?;
    if corpus.columns() != &parts.features.names()[..] {
        return Err(Error::features("the corpus has other columns than the recipe")
            .expected("a corpus read with the columns of the recipe"));
    }
    let corpus = corpus.into_training(recipe)?;
    let pages: Vec<usize> = (0..corpus.pages.len()).collect();
    let (mut fitted, scores) = fit(&corpus, &pages, recipe, &parts, classifiers, progress)?;
    let (pages_with_gold, scores) = corpus.with_gold_among(&pages, &scores);
    let (page_level, held_out) =
        page_models::fit(&corpus, &pages_with_gold, &scores, &fitted, &parts, recipe)?;
    stop::check()?;
    fitted.page_level = page_level;
    let summary = summary::of(&corpus, &pages, recipe, fitted.held_out.clone());
    Ok((Model::new(recipe.clone(), parts, fitted, summary), held_out))
}

/// Fits the recipe's classifier, calibration and decision rules on some pages of a corpus. The corpus keeps
/// all pages.
///
/// # Errors
/// Like [`train`].
pub fn fit_pages(
    corpus: &Corpus,
    pages: &[usize],
    recipe: &Recipe,
    classifiers: &Classifiers,
    progress: &dyn Progress,
) -> Result<Fitted> {
    fit(corpus, pages, recipe, &recipe.parts()?, classifiers, progress).map(|fitted| fitted.0)
}

/// What all fits of a training run have in common.
struct Run<'a> {
    corpus: &'a Corpus,
    recipe: &'a Recipe,
    classifiers: &'a Classifiers,
}

/// A classifier with the settings of the recipe.
#[derive(Clone, Copy)]
struct Method<'a> {
    classifier: &'static Classifier,
    params: &'a Value,
}

impl<'a> Method<'a> {
    fn of(recipe: &'a ClassifierRecipe, classifiers: &Classifiers) -> Result<Self> {
        Ok(Method { classifier: classifiers.by_name(&recipe.name)?, params: &recipe.params })
    }
}

/// The fit, and the calibrated scores of the blocks of `pages`, page by page. They are held out unless the
/// fit has 0 folds.
fn fit(
    corpus: &Corpus,
    pages: &[usize],
    recipe: &Recipe,
    parts: &Parts,
    classifiers: &Classifiers,
    progress: &dyn Progress,
) -> Result<(Fitted, Vec<f32>)> {
    if !pages.iter().any(|&page| corpus.pages[page].gold.is_some()) {
        return Err(Error::data("no page to train on").expected("pages whose gold is found in their blocks"));
    }
    let method = Method::of(&recipe.classifier, classifiers)?;
    let run = Run { corpus, recipe, classifiers };
    let fold_of = corpus.folds(pages, recipe.decision.folds, recipe.seed);
    let num_folds = fold_of.iter().max().map_or(0, |m| m + 1);
    progress.start(&format!("fitting {}", method.classifier.name()), num_folds as u64 + 1);
    let held_out = match run.can_hold_out(pages, &fold_of, num_folds) {
        false => None,
        true => Some(held_out_decisions(corpus, pages, &fold_of, |train| {
            let fitted = run.fit_on(method, train, corpus.learn(train))?;
            progress.step();
            Ok(fitted)
        })?),
    };
    let learned = corpus.learn(pages);
    let classes = paragraph_classes::fit(corpus, pages, &learned, &recipe.weights, recipe.seed)?;
    // with too few sites for folds, the training pages calibrate the scores; the model's summary has 0 folds
    let (decisions, folds, (classifier, vocabularies)) = match held_out {
        Some(decisions) => (decisions, num_folds, run.fit_on(method, pages, learned)?),
        None => {
            let classifier = run.fit_classifier(method, pages, &learned)?;
            let x = corpus.plain_rows(pages, &learned);
            let decisions = run.decide_training_pages(pages, &x, classifier.as_ref())?;
            drop(x);
            (decisions, 0, (classifier, vocabularies(learned)))
        }
    };
    progress.step();
    progress.finish();
    let labels = corpus.labels_of(pages);
    let examples: Vec<Example<'_>> = pages.iter().map(|&p| corpus.pages[p].example()).collect();
    let weight = weights(&examples, &recipe.weights, false);
    let sigmoid = fit_sigmoid(&decisions, &labels, &weight);
    let scores = sigmoid.apply(&decisions);
    let log_loss = log_loss(&scores, &labels, &weight);
    let (with_gold, gold_scores) = corpus.with_gold_among(pages, &scores);
    let tune_decision::Outcome { learned, parameter, token_f1 } = tune_decision::learn(
        corpus,
        &with_gold,
        &gold_scores,
        parts.rule,
        recipe.decision.threshold,
        parts.filter,
    );
    let fitted = Fitted {
        vocabularies,
        classifier,
        corrections: Corrections::default(),
        sigmoid,
        classes,
        threshold: parameter,
        learned: Arc::new(learned),
        filter: parts.filter,
        held_out: HeldOut { folds, token_f1, log_loss },
        page_level: PageModels::default(),
    };
    Ok((fitted, scores))
}

impl Run<'_> {
    fn fit_on(&self, method: Method<'_>, pages: &[usize], learned: LearnedFamilies) -> Result<FittedOn> {
        let classifier = self.fit_classifier(method, pages, &learned)?;
        Ok((classifier, vocabularies(learned)))
    }

    fn fit_classifier(
        &self,
        method: Method<'_>,
        pages: &[usize],
        learned: &LearnedFamilies,
    ) -> Result<Box<dyn FittedClassifier>> {
        let view = self.corpus.training_view(pages, learned, self.recipe);
        let set = TrainingSet {
            x: (&view.rows).into(),
            y: &view.labels,
            weight: &view.weight,
            page: &view.page,
            class: &view.class,
            columns: self.corpus.columns(),
        };
        stop::check()?;
        let fitted = (method.classifier.fit)(&set, method.params, self.recipe.seed, self.classifiers);
        // a classifier that is stopped may return what it has, or an error about it
        stop::check()?;
        fitted
    }

    /// Decision values of the blocks of training pages, page by page. `rows` has one row a block.
    fn decide_training_pages(
        &self,
        pages: &[usize],
        rows: &RowView<'_>,
        classifier: &dyn FittedClassifier,
    ) -> Result<Vec<f32>> {
        let mut start = 0;
        let mut decisions = Vec::new();
        for &page in pages {
            let end = start + self.corpus.rows_of(page).len();
            let x = TrainingRows::from(rows).select(&(start..end).collect::<Vec<_>>());
            decisions.extend(models::decide(classifier, x.view(), &Budget::UNLIMITED)?);
            start = end;
        }
        Ok(decisions)
    }

    /// Whether the training pages of every fold have blocks of both classes, with and without policy
    /// overrides.
    fn can_hold_out(&self, pages: &[usize], fold_of: &[usize], num_folds: usize) -> bool {
        let overrides = self.corpus.policy_overrides(pages, self.recipe);
        let mut overridden = vec![None; self.corpus.pages.len()];
        pages.iter().zip(&overrides).for_each(|(&page, o)| overridden[page] = o.labels.as_deref());
        let has_both = |fold: usize, is_overridden: bool| {
            let train = in_fold(pages, fold_of, fold, false);
            let labels = |page: usize| {
                let own = &self.corpus.pages[page].labels[..];
                overridden[page].filter(|_| is_overridden).unwrap_or(own)
            };
            let has = |class: bool| train.iter().any(|&page| labels(page).contains(&class));
            has(true) && has(false)
        };
        num_folds >= 2 && (0..num_folds).all(|fold| has_both(fold, false) && has_both(fold, true))
    }
}

impl Corpus {
    /// Those of `pages` that have gold, and their part of `scores`, which has one score for each block of `pages`.
    fn with_gold_among<'s>(&self, pages: &[usize], scores: &'s [f32]) -> (Vec<usize>, Cow<'s, [f32]>) {
        let has_gold = |&page: &usize| self.pages[page].gold.is_some();
        if pages.iter().all(has_gold) {
            return (pages.to_vec(), Cow::Borrowed(scores));
        }
        let (mut rest, mut kept) = (scores, Vec::new());
        for page in pages {
            let (own, after) = rest.split_at(self.rows_of(*page).len().min(rest.len()));
            rest = after;
            if has_gold(page) {
                kept.extend_from_slice(own);
            }
        }
        (pages.iter().copied().filter(has_gold).collect(), Cow::Owned(kept))
    }

    /// Feature rows of a page as prediction computes them: learned columns by the vocabularies of `fitted`,
    /// confined properties visible to their own blocks only.
    pub fn values_for(&self, fitted: &Fitted, page: usize) -> Array2<f32> {
        let mut values = match fitted.vocabularies.is_empty() {
            true => self.values_of(page),
            false => self.values_with(page, &fitted.vocabularies),
        };
        let corpus_page = &self.pages[page];
        let confined = fitted.confined(self.columns(), corpus_page.policy);
        if !confined.is_empty() {
            self.confine(&mut values, corpus_page, &confined);
        }
        values
    }
}

//! Fitting of a model. Held-out scores are used to calibrate the scores and to tune the decision rules. Then
//! the classifier is fitted on all pages.

pub(crate) mod page_models;
mod paragraph_classes;
mod stacking;
pub(crate) mod tune_decision;

use crate::corpus::Corpus;
use crate::fit::page_models::HeldOutPage;
use crate::fit::stacking::{FittedOn, held_out_decisions, in_fold};
use crate::labels::example::Example;
use crate::summary;
use crate::view::learned_columns::{LearnedFamilies, vocabularies};
use crate::view::weights::weights;
use ndarray::Array2;
use std::borrow::Cow;
use std::sync::Arc;
use threshr_core::progress::Progress;
use threshr_core::{Budget, Error, Result, stop};
use threshr_extract::correction::Corrections;
use threshr_extract::model::{Fitted, HeldOut, Model};
use threshr_extract::recipe::{Parts, Recipe};
use threshr_extract::type_and_quality::PageModels;
use threshr_fit::calibration::{fit_sigmoid, log_loss};
use threshr_fit::{Classifier, Classifiers, RowView, TrainingRows, TrainingSet};
use threshr_models::{self as models, FittedClassifier};

/// Trains a model on the pages that [`Corpus::into_training`] keeps.
///
/// # Errors
/// If the recipe is invalid, the corpus has other columns than the recipe, or the pages do not have blocks of
/// both classes.
pub fn train(
    corpus: Corpus,
    recipe: &Recipe,
    classifiers: &Classifiers,
    progress: &dyn Progress,
) -> Result<Model> {
    train_with_pages(corpus, recipe, classifiers, progress).map(|trained| trained.0)
}

/// Like [`train`], but also returns the held-out predictions for pages. The list is empty if the recipe does
/// not request models for page type or quality.
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
    let features = recipe.feature_set(&corpus.families())?;
    if corpus.columns() != &features.names()[..] {
        return Err(Error::features("the corpus has other columns than the recipe")
            .expected("a corpus read with the columns of the recipe"));
    }
    let corpus = corpus.into_training(recipe)?;
    let pages: Vec<usize> = (0..corpus.pages.len()).collect();
    let (mut fitted, scores) = fit(&corpus, &pages, recipe, &parts, classifiers, progress)?;
    let (pages_with_gold, scores) = corpus.with_gold_among(&pages, &scores);
    let (type_and_quality, held_out) =
        page_models::fit(&corpus, &pages_with_gold, &scores, &fitted, &parts, recipe)?;
    stop::check()?;
    fitted.type_and_quality = type_and_quality;
    let summary = summary::of(&corpus, &pages, recipe, fitted.held_out.clone());
    Ok((Model::new(recipe.clone(), parts, features, fitted, summary), held_out))
}

/// Fits the recipe's classifier, calibration and decision rules on some pages of a corpus. The corpus is not
/// modified.
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

/// Data that all fits of a training run share.
struct Run<'a> {
    corpus: &'a Corpus,
    recipe: &'a Recipe,
    classifiers: &'a Classifiers,
    /// The recipe's classifier.
    classifier: &'static Classifier,
}

/// Returns the fit, and the calibrated scores of the blocks of `pages`, page by page. The scores are held-out
/// scores unless the fit has 0 folds.
fn fit(
    corpus: &Corpus,
    pages: &[usize],
    recipe: &Recipe,
    parts: &Parts,
    classifiers: &Classifiers,
    progress: &dyn Progress,
) -> Result<(Fitted, Vec<f32>)> {
    if !pages.iter().any(|&page| corpus.pages[page].gold.is_some()) {
        return Err(Error::data("no page to train on")
            .expected("annotated pages that contain the text of their gold"));
    }
    if recipe.labels.teacher.is_some() && pages.iter().any(|&page| corpus.pages[page].targets.is_none()) {
        return Err(Error::invalid_option("a recipe with `labels.teacher` cannot be cross-validated")
            .expected("a recipe without `labels.teacher`, because the teacher may have been trained on the held-out pages"));
    }
    let classifier = classifiers.by_name(&recipe.classifier.name)?;
    let run = Run { corpus, recipe, classifiers, classifier };
    let fold_of = corpus.folds(pages, recipe.decision.folds, recipe.seed);
    let num_folds = fold_of.iter().max().map_or(0, |m| m + 1);
    progress.start(&format!("fitting {}", classifier.name()), num_folds as u64 + 1);
    let held_out = match run.can_hold_out(pages, &fold_of, num_folds) {
        false => None,
        true => Some(held_out_decisions(corpus, pages, &fold_of, |train| {
            let fitted = run.fit_on(train, corpus.learn(train))?;
            progress.step();
            Ok(fitted)
        })?),
    };
    let learned = corpus.learn(pages);
    let classes = paragraph_classes::fit(corpus, pages, &learned, &recipe.weights, recipe.seed)?;
    // if there are too few sites for cross-validation, calibration uses the training pages, and the summary has
    // 0 folds
    let (decisions, folds, (classifier, vocabularies)) = match held_out {
        Some(decisions) => (decisions, num_folds, run.fit_on(pages, learned)?),
        None => {
            let classifier = run.fit_classifier(pages, &learned)?;
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
        type_and_quality: PageModels::default(),
    };
    Ok((fitted, scores))
}

impl Run<'_> {
    fn fit_on(&self, pages: &[usize], learned: LearnedFamilies) -> Result<FittedOn> {
        let classifier = self.fit_classifier(pages, &learned)?;
        Ok((classifier, vocabularies(learned)))
    }

    fn fit_classifier(
        &self,
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
        let params = &self.recipe.classifier.params;
        let fitted = (self.classifier.fit)(&set, params, self.recipe.seed, self.classifiers);
        // a classifier that is stopped may return an unfinished model or an error
        stop::check()?;
        fitted
    }

    /// Returns the decision values of the blocks of training pages, page by page. `rows` has one row per block.
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

    /// Checks that the training pages of every fold have blocks of both classes, with and without policy
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
    /// Returns the pages of `pages` that have gold, and their scores. `scores` has one score for each block
    /// of `pages`.
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

    /// Returns the feature rows of a page as in prediction: learned columns use the vocabularies of `fitted`,
    /// and confined properties are visible only to their own blocks.
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

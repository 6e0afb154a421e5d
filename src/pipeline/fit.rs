//! Fitting: held-out folds calibrate the scores and teach the decision rules, then all pages train the model.

use super::recipe::Parts;
use super::weights::weights;
use super::{Corpus, HeldOut, Recipe, learn};
use crate::classifier::calibration::Sigmoid;
use crate::classifier::{self, Model, TrainingSet};
use crate::decision::LearnedRules;
use crate::error::{Error, Result};
use crate::progress::Progress;
use ndarray::ArrayView2;

/// A fitted classifier with its calibration and what the decision rules learned.
#[derive(Debug)]
pub struct Fit {
    /// The classifier's model.
    pub model: Box<dyn Model>,
    /// From decision values to scores.
    pub sigmoid: Sigmoid,
    /// The number of the recipe's decision rule; for the rule `threshold` the least score of a kept block.
    pub threshold: f32,
    /// The numbers of all rules.
    pub learned: LearnedRules,
    /// How it did on held-out pages.
    pub held_out: HeldOut,
}

impl Fit {
    /// Calibrated scores of blocks, `x` of shape (n_blocks, n_features).
    ///
    /// # Errors
    /// Where `x` has another number of columns.
    pub fn scores(&self, x: ArrayView2<'_, f32>) -> Result<Vec<f32>> {
        Ok(self.sigmoid.apply(&classifier::decide(self.model.as_ref(), x)?))
    }
}

/// Fits the recipe's classifier on `pages` of the corpus.
pub(crate) fn fit(
    corpus: &Corpus,
    pages: &[usize],
    recipe: &Recipe,
    parts: &Parts,
    progress: &dyn Progress,
) -> Result<Fit> {
    if pages.is_empty() {
        return Err(Error::data("no page to train on").expected("pages with gold that is found in them"));
    }
    let fold_of = corpus.folds(pages, recipe.decision.folds, recipe.seed);
    let num_folds = fold_of.iter().max().map_or(0, |m| m + 1);
    progress.start(&format!("fitting {}", parts.classifier.name), num_folds as u64 + 1);
    let held_out = decide_held_out(corpus, pages, recipe, parts, &fold_of, num_folds, progress)?;
    let model = fit_model(corpus, pages, recipe, parts)?;
    progress.step();
    progress.finish();
    // without a page to hold out, the training pages themselves must do; the summary says so
    let (decisions, folds) = match held_out {
        Some(decisions) => (decisions, num_folds),
        None => (classifier::decide(model.as_ref(), corpus.values_of_pages(pages).view())?, 0),
    };
    let labels = corpus.labels_of(pages);
    let weight = weights(corpus, pages, &recipe.weights, false);
    let sigmoid = Sigmoid::fit(&decisions, &labels, &weight);
    let scores = sigmoid.apply(&decisions);
    let fixed = recipe.decision.threshold;
    let learn::Outcome { learned, number, token_f1 } =
        learn::learn(corpus, pages, &scores, parts.rule, fixed, parts.filter);
    let log_loss = classifier::calibration::log_loss(&scores, &labels, &weight);
    Ok(Fit { model, sigmoid, threshold: number, learned, held_out: HeldOut { folds, token_f1, log_loss } })
}

fn fit_model(corpus: &Corpus, pages: &[usize], recipe: &Recipe, parts: &Parts) -> Result<Box<dyn Model>> {
    let x = corpus.values_of_pages(pages);
    let labels = corpus.labels_of(pages);
    let page: Vec<u32> = pages
        .iter()
        .zip(0u32..)
        .flat_map(|(&p, i)| std::iter::repeat_n(i, corpus.rows_of(p).len()))
        .collect();
    let weight = weights(corpus, pages, &recipe.weights, true);
    let class: Vec<_> = pages.iter().flat_map(|&p| corpus.pages[p].alignment.class.iter().copied()).collect();
    let set = TrainingSet {
        x: x.view(),
        y: &labels,
        weight: &weight,
        page: &page,
        class: &class,
        columns: corpus.columns(),
    };
    (parts.classifier.fit)(&set, &recipe.classifier.params, recipe.seed)
}

/// Decision values of every block by a model that has not seen its site; `None` where that cannot be had.
fn decide_held_out(
    corpus: &Corpus,
    pages: &[usize],
    recipe: &Recipe,
    parts: &Parts,
    fold_of: &[usize],
    num_folds: usize,
    progress: &dyn Progress,
) -> Result<Option<Vec<f32>>> {
    let in_fold = |fold: usize, inside: bool| -> Vec<usize> {
        pages.iter().zip(fold_of).filter(|f| (*f.1 == fold) == inside).map(|f| *f.0).collect()
    };
    let both_classes = |pages: &[usize]| {
        let mut labels = pages.iter().flat_map(|&p| &corpus.pages[p].labels);
        labels.clone().any(|&l| l) && labels.any(|&l| !l)
    };
    if num_folds < 2 || (0..num_folds).any(|f| !both_classes(&in_fold(f, false))) {
        return Ok(None);
    }
    let mut by_page = vec![Vec::new(); corpus.pages.len()];
    for fold in 0..num_folds {
        let model = fit_model(corpus, &in_fold(fold, false), recipe, parts)?;
        for page in in_fold(fold, true) {
            by_page[page] = classifier::decide(model.as_ref(), corpus.values_of(page))?;
        }
        progress.step();
    }
    Ok(Some(pages.iter().flat_map(|&p| std::mem::take(&mut by_page[p])).collect()))
}

//! Fitting: held-out folds calibrate the scores and choose the threshold, then all pages train the model.

use super::recipe::Parts;
use super::weights::weights;
use super::{Corpus, CorpusPage, HeldOut, Recipe};
use crate::block::ParagraphClass;
use crate::classifier::calibration::Sigmoid;
use crate::classifier::{self, Model, TrainingSet};
use crate::error::{Error, Result};
use crate::filter::FilterChoice;
use crate::progress::Progress;
use ndarray::ArrayView2;
use rayon::prelude::*;

/// A fitted classifier with its calibration and threshold.
#[derive(Debug)]
pub struct Fit {
    /// The classifier's model.
    pub model: Box<dyn Model>,
    /// From decision values to scores.
    pub sigmoid: Sigmoid,
    /// Least score of a kept block.
    pub threshold: f32,
    /// How it did on held-out pages.
    pub held_out: HeldOut,
}

impl Fit {
    /// Calibrated scores of the blocks of one page in order, `x` of shape (n_blocks, n_features).
    ///
    /// # Errors
    /// Where `x` has another number of columns.
    pub fn scores(&self, x: ArrayView2<'_, f32>) -> Result<Vec<f32>> {
        Ok(self.sigmoid.apply(&classifier::decide(self.model.as_ref(), x)?))
    }

    /// Class of each block of a page, were it content; `None` where the model tells none apart.
    ///
    /// # Errors
    /// As [`Fit::scores`].
    pub fn classes(&self, x: ArrayView2<'_, f32>) -> Result<Option<Vec<ParagraphClass>>> {
        classifier::classes(self.model.as_ref(), x)
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
        None => (decide_pages(model.as_ref(), corpus, pages)?, 0),
    };
    let labels = corpus.labels_of(pages);
    let weight = weights(corpus, pages, &recipe.weights, false);
    let sigmoid = Sigmoid::fit(&decisions, &labels, &weight);
    let scores = sigmoid.apply(&decisions);
    let (best, token_f1) = best_threshold(corpus, pages, &scores, recipe.decision.threshold, parts.filter);
    let log_loss = classifier::calibration::log_loss(&scores, &labels, &weight);
    Ok(Fit { model, sigmoid, threshold: best, held_out: HeldOut { folds, token_f1, log_loss } })
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

/// Decision values of every block of `pages`, page by page.
fn decide_pages(model: &dyn Model, corpus: &Corpus, pages: &[usize]) -> Result<Vec<f32>> {
    let mut decisions = Vec::new();
    for &page in pages {
        decisions.append(&mut classifier::decide(model, corpus.values_of(page))?);
    }
    Ok(decisions)
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

/// The threshold that gives the pages the best mean token F1 (or the fixed one), and that F1.
///
/// F1 is counted from the blocks: what is kept after the recipe's filter, and how much of it is aligned with gold. The curve over
/// thresholds is smoothed over three neighbours, so that one lucky page does not decide.
fn best_threshold(
    corpus: &Corpus,
    pages: &[usize],
    scores: &[f32],
    fixed: Option<f32>,
    filter: FilterChoice,
) -> (f32, f64) {
    let mut starts = vec![0];
    pages.iter().for_each(|&p| starts.push(starts[starts.len() - 1] + corpus.rows_of(p).len()));
    let mean_f1 = |threshold: f32| -> f64 {
        let f1: Vec<f64> = pages
            .par_iter()
            .zip(starts.par_windows(2))
            .map(|(&p, s)| page_f1(&corpus.pages[p], &scores[s[0]..s[1]], threshold, filter))
            .collect();
        f1.iter().sum::<f64>() / f1.len().max(1) as f64
    };
    if let Some(fixed) = fixed {
        return (fixed, mean_f1(fixed));
    }
    let candidates: Vec<f32> = (1..=49).map(|i| i as f32 * 0.02).collect();
    let curve: Vec<f64> = candidates.iter().map(|&t| mean_f1(t)).collect();
    let smooth = |i: usize| {
        let near = &curve[i.saturating_sub(1)..(i + 2).min(curve.len())];
        near.iter().sum::<f64>() / near.len() as f64
    };
    let middle = curve.len() / 2;
    let best = (0..curve.len()).map(|i| (smooth(i), i)).max_by(|a, b| {
        // of equal ones the nearest to 0.5
        a.0.total_cmp(&b.0).then(b.1.abs_diff(middle).cmp(&a.1.abs_diff(middle)))
    });
    let best = best.map_or(middle, |b| b.1);
    (candidates[best], curve[best])
}

fn page_f1(page: &CorpusPage, scores: &[f32], threshold: f32, filter: FilterChoice) -> f64 {
    let keep = filter.keep(&page.doc, &page.blocks, scores, threshold);
    let alignment = &page.alignment;
    let (mut kept, mut hits) = (0.0, 0.0);
    for ((&keep, &share), &tokens) in keep.iter().zip(&alignment.share).zip(&alignment.num_tokens) {
        if keep {
            kept += f64::from(tokens);
            hits += f64::from(tokens) * f64::from(share);
        }
    }
    let gold = f64::from(alignment.num_gold_tokens);
    if kept + gold == 0.0 { 1.0 } else { 2.0 * hits / (kept + gold) }
}

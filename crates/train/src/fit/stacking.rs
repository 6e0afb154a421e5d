//! Held-out decision values: the blocks of each page are evaluated by a classifier that is fitted on pages of
//! other sites.
//!
//! Calibration and decision rules are fitted on these values, because decision values on training pages are too
//! optimistic. This is the first level of stacking (Wolpert, 1992, "Stacked generalization").

use crate::corpus::Corpus;
use rayon::prelude::*;
use threshr_core::{Budget, Result, stop};
use threshr_features::Vocabularies;
use threshr_models::{self as models, FittedClassifier};

/// A classifier, and the vocabularies learned from the same training pages.
pub(crate) type FittedOn = (Box<dyn FittedClassifier>, Vocabularies);

/// Returns the decision values of all blocks of `pages`, page by page. `fold_of` has the fold of each page. For
/// each fold, `fit` is called with the pages of the other folds, and the resulting classifier evaluates the
/// pages of the fold.
///
/// # Errors
/// If `fit` fails.
pub(crate) fn held_out_decisions(
    corpus: &Corpus,
    pages: &[usize],
    fold_of: &[usize],
    mut fit: impl FnMut(&[usize]) -> Result<FittedOn>,
) -> Result<Vec<f32>> {
    let mut by_page = vec![Vec::new(); corpus.pages.len()];
    for fold in 0..fold_of.iter().max().map_or(0, |m| m + 1) {
        let (classifier, vocabularies) = fit(&in_fold(pages, fold_of, fold, false))?;
        let test = in_fold(pages, fold_of, fold, true);
        let decisions = decisions(corpus, &test, classifier.as_ref(), &vocabularies)?;
        test.into_iter().zip(decisions).for_each(|(page, d)| by_page[page] = d);
    }
    Ok(pages.iter().flat_map(|&p| std::mem::take(&mut by_page[p])).collect())
}

/// Returns the pages of a fold if `inside` is true, otherwise the pages of all other folds.
pub(crate) fn in_fold(pages: &[usize], fold_of: &[usize], fold: usize, inside: bool) -> Vec<usize> {
    pages.iter().zip(fold_of).filter(|f| (*f.1 == fold) == inside).map(|f| *f.0).collect()
}

/// Returns the decision values of pages that were not used for training.
fn decisions(
    corpus: &Corpus,
    pages: &[usize],
    classifier: &dyn FittedClassifier,
    vocabularies: &Vocabularies,
) -> Result<Vec<Vec<f32>>> {
    let decide = |&page: &usize| {
        stop::check()?;
        let x = corpus.values_with(page, vocabularies);
        models::decide(classifier, x.view(), &Budget::UNLIMITED)
    };
    pages.par_iter().map(decide).collect()
}

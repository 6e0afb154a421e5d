//! Held-out decision values: every page decided by a classifier that has not seen its site.
//!
//! They calibrate scores and tune decision rules. A model that learns from the output of another needs them for the same
//! reason (Wolpert, 1992, "Stacked generalization").

use crate::corpus::Corpus;
use rayon::prelude::*;
use threshr_core::{Budget, Result};
use threshr_features::Vocabularies;
use threshr_models::{self as models, FittedClassifier};

/// A classifier fitted on some pages, with the vocabularies that it learned there.
pub(crate) type FittedOn = (Box<dyn FittedClassifier>, Vocabularies);

/// Decision values of all blocks of `pages`, page after page. Each fold, `fold_of` having that of each page, is decided by
/// what `fit` gives for the other folds.
///
/// # Errors
/// Those of `fit`.
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

/// The pages of a fold, or of all others.
pub(crate) fn in_fold(pages: &[usize], fold_of: &[usize], fold: usize, inside: bool) -> Vec<usize> {
    pages.iter().zip(fold_of).filter(|f| (*f.1 == fold) == inside).map(|f| *f.0).collect()
}

/// Decision values of pages that were not trained on.
fn decisions(
    corpus: &Corpus,
    pages: &[usize],
    classifier: &dyn FittedClassifier,
    vocabularies: &Vocabularies,
) -> Result<Vec<Vec<f32>>> {
    let decide = |&page: &usize| {
        let x = corpus.values_with(page, vocabularies);
        models::decide(classifier, x.view(), &Budget::UNLIMITED)
    };
    pages.par_iter().map(decide).collect()
}

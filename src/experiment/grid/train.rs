//! The one place where the cells of an experiment fit models.

use crate::error::{Error, Result};
use crate::experiment::Scored;
use crate::pipeline::{Corpus, Fit, Recipe, fit_pages};
use crate::progress::Quiet;
use ndarray::{Array2, ArrayView2};

/// A model and what it says of pages that it has not seen.
#[derive(Debug)]
pub(super) struct Trained {
    fit: Fit,
    /// One entry for each tested page.
    pub scored: Vec<Scored>,
}

/// Trains on some pages of the corpus and scores others. Calibration and threshold come from the training pages.
///
/// # Errors
/// Where the recipe's classifier cannot be trained on these pages.
pub(super) fn train_and_score(
    corpus: &Corpus,
    train: &[usize],
    test: &[usize],
    recipe: &Recipe,
) -> Result<Trained> {
    let fit = fit_pages(corpus, train, recipe, &Quiet)?;
    let score = |&page: &usize| {
        let scores = fit.scores(corpus.values_of(page))?;
        Ok(Scored { scores, threshold: fit.threshold })
    };
    let scored = test.iter().map(score).collect::<Result<_>>()?;
    Ok(Trained { fit, scored })
}

impl Trained {
    /// Least score of a kept block.
    pub fn threshold(&self) -> f32 {
        self.fit.threshold
    }
    /// What the model sees of pages: shape (n_blocks, n_features), page after page.
    pub fn values(&self, corpus: &Corpus, pages: &[usize]) -> Result<Array2<f32>> {
        let num_rows = pages.iter().map(|&p| corpus.rows_of(p).len()).sum();
        let values = pages.iter().flat_map(|&p| corpus.values_of(p).into_iter().copied()).collect();
        Array2::from_shape_vec((num_rows, corpus.columns().len()), values)
            .map_err(|e| Error::features("the matrix has the wrong shape").because(e))
    }
    /// Calibrated scores of rows like those of [`Trained::values`].
    pub fn scores(&self, x: ArrayView2<'_, f32>) -> Result<Vec<f32>> {
        self.fit.scores(x)
    }
}

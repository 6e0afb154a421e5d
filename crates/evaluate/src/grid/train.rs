//! Trains the models of cells. No other code of experiments fits models.

use crate::Scored;
use ndarray::{Array2, ArrayView2, Axis, Slice};
use rayon::prelude::*;
use threshr_core::progress::Quiet;
use threshr_core::{Budget, Error, Result};
use threshr_extract::decision;
use threshr_extract::decision::Rule;
use threshr_extract::model::Fitted;
use threshr_extract::recipe::Recipe;
use threshr_fit::Classifiers;
use threshr_train::{Corpus, fit_pages};

/// A fitted model and its scores of test pages.
#[derive(Debug)]
pub(crate) struct Trained {
    fit: Fitted,
    rule: &'static Rule,
    /// One entry for each test page.
    pub scored: Vec<Scored>,
}

/// Trains on some pages of the corpus and scores others. Calibration and threshold come from the training
/// pages.
///
/// # Errors
/// If the recipe's classifier cannot be trained on these pages.
pub(crate) fn train_and_score(
    corpus: &Corpus,
    train: &[usize],
    test: &[usize],
    recipe: &Recipe,
    classifiers: &Classifiers,
) -> Result<Trained> {
    let rule = decision::by_name(&recipe.decision.rule)?;
    let fit = fit_pages(corpus, train, recipe, classifiers, &Quiet)?;
    let score = |&page: &usize| Scored::by(&fit, rule, corpus, page);
    let scored = test.par_iter().map(score).collect::<Result<_>>()?;
    Ok(Trained { fit, rule, scored })
}

impl Trained {
    /// Parameter of the recipe's decision rule.
    pub(super) fn parameter(&self) -> f32 {
        self.fit.threshold
    }
    /// Feature rows of pages as the model reads them: shape (n_blocks, n_features), page by page.
    pub(super) fn values(&self, corpus: &Corpus, pages: &[usize]) -> Result<Array2<f32>> {
        let num_rows = pages.iter().map(|&p| corpus.rows_of(p).len()).sum();
        let values = pages.iter().flat_map(|&p| corpus.values_for(&self.fit, p)).collect();
        Array2::from_shape_vec((num_rows, corpus.columns().len()), values)
            .map_err(|e| Error::features("the matrix has the wrong shape").because(e))
    }
    /// Scores of rows in the order of [`Trained::values`], page by page.
    pub(super) fn score(
        &self,
        corpus: &Corpus,
        pages: &[usize],
        x: ArrayView2<'_, f32>,
    ) -> Result<Vec<Scored>> {
        let mut start = 0;
        let score = |&page: &usize| {
            let rows = start..start + corpus.rows_of(page).len();
            start = rows.end;
            let values = x.slice_axis(Axis(0), Slice::from(rows));
            Ok(Scored::new(self.fit.scores(values, None, &Budget::UNLIMITED)?, self.rule, &self.fit))
        };
        pages.iter().map(score).collect()
    }
}

//! The one place where the cells of an experiment fit models.

use crate::decision::{self, Rule};
use crate::error::{Error, Result};
use crate::experiment::Scored;
use crate::pipeline::{Corpus, Fit, Recipe, fit_pages};
use crate::progress::Quiet;
use ndarray::{Array2, ArrayView2, Axis, Slice};
use rayon::prelude::*;

/// A model and what it says of pages that it has not seen.
#[derive(Debug)]
pub(super) struct Trained {
    fit: Fit,
    rule: &'static Rule,
    /// One entry for each tested page.
    pub scored: Vec<Scored>,
}

/// Trains on some pages of the corpus and scores others. Calibration and threshold come from the training pages.
///
/// # Errors
/// Where the recipe's classifier cannot be trained on these pages.
pub(super) fn train_and_score(
    corpus: &mut Corpus,
    train: &[usize],
    test: &[usize],
    recipe: &Recipe,
) -> Result<Trained> {
    let rule = decision::by_name(&recipe.decision.rule)?;
    let fit = fit_pages(corpus, train, recipe, &Quiet)?;
    let corpus = &*corpus;
    let score = |&page: &usize| Scored::by(&fit, rule, corpus, page);
    let scored = test.par_iter().map(score).collect::<Result<_>>()?;
    Ok(Trained { fit, rule, scored })
}

impl Trained {
    /// The number of the recipe's decision rule.
    pub fn number(&self) -> f32 {
        self.fit.threshold
    }
    /// What the model sees of pages: shape (n_blocks, n_features), page after page.
    pub fn values(&self, corpus: &Corpus, pages: &[usize]) -> Result<Array2<f32>> {
        let num_rows = pages.iter().map(|&p| corpus.rows_of(p).len()).sum();
        let values = pages.iter().flat_map(|&p| self.fit.values_on(corpus, p)).collect();
        Array2::from_shape_vec((num_rows, corpus.columns().len()), values)
            .map_err(|e| Error::features("the matrix has the wrong shape").because(e))
    }
    /// What it says of rows like those of [`Trained::values`], page by page.
    pub fn score(&self, corpus: &Corpus, pages: &[usize], x: ArrayView2<'_, f32>) -> Result<Vec<Scored>> {
        let mut start = 0;
        let score = |&page: &usize| {
            let rows = start..start + corpus.rows_of(page).len();
            start = rows.end;
            let values = x.slice_axis(Axis(0), Slice::from(rows));
            Ok(Scored::new(self.fit.scores(values, &corpus.pages[page].structure)?, self.rule, &self.fit))
        };
        pages.iter().map(score).collect()
    }
}

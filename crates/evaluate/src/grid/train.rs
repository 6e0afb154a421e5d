//! Trains models and scores test pages.

use crate::Scored;
use rayon::prelude::*;
use threshr_core::progress::Progress;
use threshr_core::{Result, stop};
use threshr_extract::decision;
use threshr_extract::recipe::Recipe;
use threshr_fit::Classifiers;
use threshr_train::{Corpus, fit_pages};

/// Scores of test pages by a trained model, and the model's decision parameter.
#[derive(Debug)]
pub(crate) struct Trained {
    /// Parameter of the recipe's decision rule.
    pub parameter: f32,
    /// One entry for each test page.
    pub scored: Vec<Scored>,
}

/// Trains on some pages of the corpus and scores others. Calibration and decision threshold are fitted on the
/// training pages.
///
/// # Errors
/// If the recipe's classifier cannot be trained on these pages.
pub(crate) fn train_and_score(
    corpus: &Corpus,
    train: &[usize],
    test: &[usize],
    recipe: &Recipe,
    classifiers: &Classifiers,
    progress: &dyn Progress,
) -> Result<Trained> {
    let rule = decision::by_name(&recipe.decision.rule)?;
    let fit = fit_pages(corpus, train, recipe, classifiers, progress)?;
    let score = |&page: &usize| {
        stop::check()?;
        Scored::by(&fit, rule, corpus, page)
    };
    let scored = test.par_iter().map(score).collect::<Result<_>>()?;
    Ok(Trained { parameter: fit.threshold, scored })
}

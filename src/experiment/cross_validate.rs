//! Every page scored by a model that has seen neither it nor its site.

use super::Scored;
use crate::error::{Error, Result};
use crate::pipeline::{Corpus, Recipe, fit_pages};
use crate::progress::Progress;

/// Trains on all folds but one and scores that one, in turn. Folds are grouped by site and follow the recipe's seed.
///
/// Gives one entry for each page of `pages`. Calibration and threshold of each fold come from its own training pages.
///
/// # Errors
/// Where there are fewer sites than folds, or a fold cannot be trained.
pub fn cross_validate(
    corpus: &Corpus,
    pages: &[usize],
    recipe: &Recipe,
    num_folds: usize,
    progress: &dyn Progress,
) -> Result<Vec<Scored>> {
    let fold_of = corpus.folds(pages, num_folds, recipe.seed);
    let mut sizes = vec![0; num_folds];
    fold_of.iter().for_each(|&f| sizes[f] += 1);
    if num_folds < 2 || sizes.contains(&0) {
        return Err(Error::data(format!("{num_folds} folds cannot be made of these pages"))
            .expected("at least 2 folds and as many sites as folds"));
    }
    let trainable = corpus.trainable(recipe);
    let mut out: Vec<Option<Scored>> = vec![None; pages.len()];
    for fold in 0..num_folds {
        let test: Vec<usize> = (0..pages.len()).filter(|&i| fold_of[i] == fold).collect();
        let held: Vec<usize> = test.iter().map(|&i| pages[i]).collect();
        let held_sites: rustc_hash::FxHashSet<&str> =
            held.iter().map(|&p| corpus.pages[p].site.as_str()).collect();
        let train: Vec<usize> = trainable
            .iter()
            .copied()
            .filter(|&p| !held_sites.contains(corpus.pages[p].site.as_str()))
            .collect();
        let fit = fit_pages(corpus, &train, recipe, progress)?;
        for i in test {
            out[i] = Some(Scored::by(&fit, corpus, pages[i])?);
        }
    }
    Ok(out.into_iter().flatten().collect())
}

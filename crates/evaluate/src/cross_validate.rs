//! Cross-validation: each page is scored by a model that is trained on pages of other sites.

use crate::grid::train_and_score;
use crate::{Round, Scored};
use rustc_hash::FxHashSet;
use threshr_core::progress::Progress;
use threshr_core::{Error, Result};
use threshr_extract::recipe::Recipe;
use threshr_fit::Classifiers;
use threshr_train::Corpus;

/// Scores the pages of each fold with a model trained on all other folds. Folds are grouped by site and depend on
/// the recipe's seed.
///
/// Returns one entry for each page of `pages`. Each fold's model is calibrated, and its decision rules are tuned,
/// on the training pages of the fold.
///
/// # Errors
/// If `num_folds` is below 2, there are fewer sites than folds, or training fails in a fold.
pub fn cross_validate(
    corpus: &Corpus,
    pages: &[usize],
    recipe: &Recipe,
    num_folds: usize,
    classifiers: &Classifiers,
    progress: &dyn Progress,
) -> Result<Vec<Scored>> {
    let mut out: Vec<Option<Scored>> = vec![None; corpus.pages.len()];
    for Round { train, test, .. } in
        rounds_by_site(corpus, &corpus.trainable(recipe), pages, num_folds, recipe.seed)?
    {
        let scored = train_and_score(corpus, &train, &test, recipe, classifiers, progress)?.scored;
        test.into_iter().zip(scored).for_each(|(page, scored)| out[page] = Some(scored));
    }
    Ok(pages.iter().filter_map(|&p| out[p].take()).collect())
}

/// The error for fewer sites than folds, or fewer than two folds.
fn few_sites(num_folds: usize, corpus: &Corpus, pages: &[usize]) -> Error {
    let sites: FxHashSet<&str> = pages.iter().map(|&p| corpus.pages[p].site.as_str()).collect();
    let takes_part = |&set: &usize| pages.iter().any(|&p| corpus.pages[p].set == set);
    let names: Vec<&str> =
        (0..corpus.sets.len()).filter(takes_part).map(|set| corpus.sets[set].name.as_str()).collect();
    let (pages, sites) = (pages.len(), sites.len());
    Error::data(format!(
        "{pages} pages of {sites} sites ({}) do not give {num_folds} folds",
        names.join(", ")
    ))
    .expected("at least 2 folds and as many sites as folds")
}

/// Returns the rounds of a cross-validation over `pages`. Folds are grouped by site, and each fold is the test set
/// of one round. Models are trained on pages of `trainable`.
///
/// # Errors
/// If `num_folds` is below 2, or there are fewer sites than folds.
pub fn rounds_by_site(
    corpus: &Corpus,
    trainable: &[usize],
    pages: &[usize],
    num_folds: usize,
    seed: u64,
) -> Result<Vec<Round>> {
    let fold_of = corpus.folds(pages, num_folds, seed);
    let in_fold = |fold: usize| -> Vec<usize> {
        pages.iter().zip(&fold_of).filter(|f| *f.1 == fold).map(|f| *f.0).collect()
    };
    let folds: Vec<Vec<usize>> = (0..num_folds).map(in_fold).collect();
    if num_folds < 2 || folds.iter().any(Vec::is_empty) {
        return Err(few_sites(num_folds, corpus, pages));
    }
    Ok(folds.into_iter().map(|test| round(corpus, trainable, test)).collect())
}

/// Builds a round whose training pages do not overlap the test pages: tested pages, pages of tested sites and
/// copies of tested pages are excluded. Copies are found by hash, because different sets may share pages and a copy
/// may have another site.
pub(crate) fn round(corpus: &Corpus, trainable: &[usize], test: Vec<usize>) -> Round {
    let numbers: FxHashSet<usize> = test.iter().copied().collect();
    let tested = || test.iter().map(|&p| &corpus.pages[p]);
    let sites: FxHashSet<&str> = tested().map(|p| p.site.as_str()).collect();
    let hashes: FxHashSet<&[u8; 32]> = tested().map(|p| &p.hash).collect();
    let (train, overlapping): (Vec<usize>, Vec<usize>) =
        trainable.iter().filter(|p| !numbers.contains(p)).partition(|&&p| {
            let page = &corpus.pages[p];
            !sites.contains(page.site.as_str()) && !hashes.contains(&page.hash)
        });
    Round { train, test, num_overlapping: overlapping.len() }
}

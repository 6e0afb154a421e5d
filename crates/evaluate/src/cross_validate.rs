//! Cross-validation: each page is scored by a model that is trained on pages of other sites.

use crate::{Round, Scored};
use rustc_hash::FxHashSet;
use threshr_core::progress::Progress;
use threshr_core::{Error, Result, stop};
use threshr_extract::decision;
use threshr_extract::recipe::Recipe;
use threshr_fit::Classifiers;
use threshr_train::{Corpus, fit_pages};

/// Scores each fold by a model trained on all other folds. Folds are grouped by site and depend on the
/// recipe's seed.
///
/// Returns one entry for each page of `pages`. Calibration and decision rules of a fold come from its
/// training pages.
///
/// # Errors
/// If there are fewer sites than folds, or training fails in a fold.
pub fn cross_validate(
    corpus: &Corpus,
    pages: &[usize],
    recipe: &Recipe,
    num_folds: usize,
    classifiers: &Classifiers,
    progress: &dyn Progress,
) -> Result<Vec<Scored>> {
    let rule = decision::by_name(&recipe.decision.rule)?;
    let mut out: Vec<Option<Scored>> = vec![None; corpus.pages.len()];
    for Round { train, test } in rounds_by_site(corpus, pages, recipe, num_folds)? {
        let fit = fit_pages(corpus, &train, recipe, classifiers, progress)?;
        for page in test {
            stop::check()?;
            out[page] = Some(Scored::by(&fit, rule, corpus, page)?);
        }
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

/// The rounds of a cross-validation over `pages`: each fold, grouped by site, is tested once.
///
/// # Errors
/// If there are fewer sites than folds.
pub fn rounds_by_site(
    corpus: &Corpus,
    pages: &[usize],
    recipe: &Recipe,
    num_folds: usize,
) -> Result<Vec<Round>> {
    let trainable = corpus.trainable(recipe);
    let round = |test: Vec<usize>| Round { train: without_overlap(corpus, &trainable, &test), test };
    Ok(folds_by_site(corpus, pages, recipe, num_folds)?.into_iter().map(round).collect())
}

/// The pages of each fold, grouped by site.
///
/// # Errors
/// If there are fewer sites than folds.
pub(crate) fn folds_by_site(
    corpus: &Corpus,
    pages: &[usize],
    recipe: &Recipe,
    num_folds: usize,
) -> Result<Vec<Vec<usize>>> {
    let fold_of = corpus.folds(pages, num_folds, recipe.seed);
    let in_fold = |fold: usize| -> Vec<usize> {
        pages.iter().zip(&fold_of).filter(|f| *f.1 == fold).map(|f| *f.0).collect()
    };
    let folds: Vec<Vec<usize>> = (0..num_folds).map(in_fold).collect();
    if num_folds < 2 || folds.iter().any(Vec::is_empty) {
        return Err(few_sites(num_folds, corpus, pages));
    }
    Ok(folds)
}

/// The training pages without pages of tested sites and without copies of tested pages. Different sets may
/// share pages, and copies of a page may have another site.
pub(crate) fn without_overlap(corpus: &Corpus, train: &[usize], test: &[usize]) -> Vec<usize> {
    let tested = || test.iter().map(|&p| &corpus.pages[p]);
    let sites: FxHashSet<&str> = tested().map(|p| p.site.as_str()).collect();
    let hashes: FxHashSet<&[u8; 32]> = tested().map(|p| &p.hash).collect();
    let is_other = |p: &usize| {
        let page = &corpus.pages[*p];
        !sites.contains(page.site.as_str()) && !hashes.contains(&page.hash)
    };
    train.iter().copied().filter(is_other).collect()
}

//! Which pages train and which are tested, round by round.

use crate::error::{Error, Result};
use crate::pipeline::{Corpus, Recipe};
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use rustc_hash::FxHashSet;
use serde::Serialize;
use std::collections::BTreeMap;

/// How pages are split. Sets go by index.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Split {
    /// Folds over the pages of these sets, grouped by site, each tested by a model of the others.
    Folds {
        /// The sets.
        sets: Vec<usize>,
        /// Number of folds.
        folds: usize,
    },
    /// One model of some sets, tested on others.
    Fixed {
        /// Sets to train on.
        train: Vec<usize>,
        /// Sets to test on.
        test: Vec<usize>,
    },
    /// No training.
    Untrained {
        /// The set.
        set: usize,
    },
}

/// One model: the pages it is trained on and those it is tested on. Pages go by index into the corpus.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Round {
    pub train: Vec<usize>,
    pub test: Vec<usize>,
    /// Pages left out of training because they, or their sites, are tested.
    pub num_overlapping: usize,
}

impl Split {
    /// The sets that are tested.
    pub fn tested(&self) -> &[usize] {
        match self {
            Split::Folds { sets, .. } => sets,
            Split::Fixed { test, .. } => test,
            Split::Untrained { set } => std::slice::from_ref(set),
        }
    }

    /// Number of models.
    pub fn num_rounds(&self) -> usize {
        match self {
            Split::Folds { folds, .. } => *folds,
            _ => 1,
        }
    }

    /// Pages with gold of the tested sets, in the order of the corpus.
    pub(super) fn tested_pages(&self, corpus: &Corpus) -> Vec<usize> {
        let tested = self.tested();
        corpus.with_gold().into_iter().filter(|&p| tested.contains(&corpus.pages[p].set)).collect()
    }

    /// The rounds; every tested page is in one of them.
    ///
    /// # Errors
    /// Where there are fewer sites than folds.
    pub(super) fn rounds(&self, corpus: &Corpus, recipe: &Recipe) -> Result<Vec<Round>> {
        let pages = self.tested_pages(corpus);
        let trainable = |sets: &[usize]| -> Vec<usize> {
            corpus.trainable(recipe).into_iter().filter(|&p| sets.contains(&corpus.pages[p].set)).collect()
        };
        match self {
            Split::Untrained { .. } => Ok(Vec::new()),
            Split::Fixed { train, .. } => Ok(vec![round(corpus, trainable(train), pages, true)]),
            Split::Folds { sets, folds } => {
                let fold_of = corpus.folds(&pages, *folds, recipe.seed);
                let all = trainable(sets);
                let in_fold = |fold: usize| -> Vec<usize> {
                    pages.iter().zip(&fold_of).filter(|f| *f.1 == fold).map(|f| *f.0).collect()
                };
                let tests: Vec<Vec<usize>> = (0..*folds).map(in_fold).collect();
                if *folds < 2 || tests.iter().any(Vec::is_empty) {
                    return Err(Error::data(format!("{folds} folds cannot be made of these pages"))
                        .expected("at least 2 folds and as many sites as folds"));
                }
                Ok(tests.into_iter().map(|test| round(corpus, all.clone(), test, false)).collect())
            }
        }
    }
}

/// Takes the tested pages and their sites out of the training pages; with `copies` also pages of other sites that have
/// the same bytes, as sets collected by different people may share pages.
fn round(corpus: &Corpus, mut train: Vec<usize>, test: Vec<usize>, copies: bool) -> Round {
    let sites: FxHashSet<&str> = test.iter().map(|&p| corpus.pages[p].site.as_str()).collect();
    let hashes: FxHashSet<[u8; 32]> = test.iter().filter(|_| copies).map(|&p| corpus.pages[p].hash).collect();
    let tested: FxHashSet<usize> = test.iter().copied().collect();
    train.retain(|p| !tested.contains(p));
    let before = train.len();
    train.retain(|&p| {
        let page = &corpus.pages[p];
        !sites.contains(page.site.as_str()) && !hashes.contains(&page.hash)
    });
    Round { num_overlapping: before - train.len(), train, test }
}

/// The first `num_pages` of the training pages once their sites are shuffled by `seed`: a smaller number gives a part of
/// what a larger one gives. `None` where there are fewer.
pub(super) fn draw(corpus: &Corpus, train: &[usize], num_pages: usize, seed: u64) -> Option<Vec<usize>> {
    let mut by_site: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for &page in train {
        by_site.entry(&corpus.pages[page].site).or_default().push(page);
    }
    let mut groups: Vec<Vec<usize>> = by_site.into_values().collect();
    groups.shuffle(&mut ChaCha8Rng::seed_from_u64(seed));
    let mut drawn: Vec<usize> = groups.into_iter().flatten().take(num_pages).collect();
    drawn.sort_unstable();
    (drawn.len() == num_pages).then_some(drawn)
}

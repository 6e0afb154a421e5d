//! Splits pages into training and test pages of one or more rounds.

use crate::Round;
use crate::cross_validate::{round, rounds_by_site};
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use serde::Serialize;
use std::collections::BTreeMap;
use threshr_core::{Error, Result};
use threshr_extract::recipe::Recipe;
use threshr_train::Corpus;

/// How pages are split. Sets are given as indices.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Split {
    /// Cross-validation over the pages of these sets, with folds grouped by site.
    Folds {
        /// The sets.
        sets: Vec<usize>,
        /// Number of folds.
        folds: usize,
    },
    /// One model, trained on some sets and tested on others.
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

impl Split {
    /// The tested sets.
    pub fn tested(&self) -> &[usize] {
        match self {
            Split::Folds { sets, .. } => sets,
            Split::Fixed { test, .. } => test,
            Split::Untrained { set } => std::slice::from_ref(set),
        }
    }

    /// All sets of the split.
    pub(crate) fn sets(&self) -> Vec<usize> {
        match self {
            Split::Fixed { train, test } => [&train[..], &test[..]].concat(),
            _ => self.tested().to_vec(),
        }
    }

    /// Number of models.
    pub fn num_rounds(&self) -> usize {
        match self {
            Split::Folds { folds, .. } => *folds,
            _ => 1,
        }
    }

    /// Returns the pages with gold in the tested sets, in the order of the corpus.
    pub(crate) fn tested_pages(&self, corpus: &Corpus) -> Vec<usize> {
        let tested = self.tested();
        corpus.with_gold().into_iter().filter(|&p| tested.contains(&corpus.pages[p].set)).collect()
    }

    /// Returns the rounds. Every tested page is a test page of exactly one round. A split without training
    /// has no rounds.
    ///
    /// # Errors
    /// If there are fewer sites than folds, or all training pages of a [`Split::Fixed`] overlap its test pages.
    pub(crate) fn rounds(&self, corpus: &Corpus, recipe: &Recipe) -> Result<Vec<Round>> {
        let pages = self.tested_pages(corpus);
        let trainable = |sets: &[usize]| -> Vec<usize> {
            corpus.trainable(recipe).into_iter().filter(|&p| sets.contains(&corpus.pages[p].set)).collect()
        };
        match self {
            Split::Untrained { .. } => Ok(Vec::new()),
            Split::Fixed { train, .. } => {
                let all = trainable(train);
                let num_all = all.len();
                let one = round(corpus, &all, pages);
                if one.train.is_empty() && num_all > 0 {
                    let what = format!(
                        "all {num_all} training pages are tested, are copies of tested pages, or have tested sites"
                    );
                    return Err(Error::data(what).expected("pages of other sites to train on"));
                }
                Ok(vec![one])
            }
            Split::Folds { sets, folds } => {
                rounds_by_site(corpus, &trainable(sets), &pages, *folds, recipe.seed)
            }
        }
    }
}

/// Samples training pages for a learning curve: shuffles the sites by `seed` and takes the first `num_pages` pages.
/// Smaller samples are subsets of larger ones. Returns `None` if there are fewer pages.
pub(crate) fn draw(corpus: &Corpus, train: &[usize], num_pages: usize, seed: u64) -> Option<Vec<usize>> {
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

#[cfg(test)]
mod tests {
    use super::*;
    use threshr_core::progress::Quiet;
    use threshr_sets::gold::{DataSet, Gold, GoldPage};
    use threshr_train::Needs;

    /// Builds one set for each list of sites, with one page for each site. A page whose site starts with `=` is a
    /// copy of the set's first page.
    fn corpus(dir: &std::path::Path, sets: &[&[&str]]) -> Corpus {
        let set = |(number, sites): (usize, &&[&str])| {
            let page = |(i, site): (usize, &&str)| {
                let path = dir.join(format!("{number}-{i}.html"));
                let text = if site.starts_with('=') { 0 } else { i };
                std::fs::write(&path, format!("<p>page {text} of set {number}")).expect("written");
                GoldPage {
                    site: Some((*site).to_owned()),
                    gold: Some(Gold::text(format!("page {i} of set {number}"))),
                    ..GoldPage::in_file(i.to_string(), path)
                }
            };
            let pages = sites.iter().enumerate().map(page).collect();
            DataSet {
                name: number.to_string(),
                path: dir.to_path_buf(),
                format: "jsonl",
                pages,
                ..DataSet::default()
            }
        };
        let sets: Vec<DataSet> = sets.iter().enumerate().map(set).collect();
        Corpus::read(&sets, &Recipe::default(), None, Needs::default(), &Quiet).expect("read")
    }

    #[test]
    fn tested_pages_are_not_trained_on() {
        let dir = tempfile::tempdir().expect("a folder");
        let corpus = corpus(dir.path(), &[&["a", "a", "b", "c"], &["b", "d"]]);
        let recipe = Recipe::default();
        let folds = Split::Folds { sets: vec![0], folds: 3 };
        let rounds = folds.rounds(&corpus, &recipe).expect("rounds");
        let mut tested: Vec<usize> = rounds.iter().flat_map(|r| r.test.clone()).collect();
        tested.sort_unstable();
        assert_eq!(tested, [0, 1, 2, 3]);
        for round in &rounds {
            // training and test pages come from the same set
            assert_eq!(round.train.len() + round.test.len(), 4);
            assert!(round.train.iter().all(|p| *p < 4 && !round.test.contains(p)));
            assert_eq!(round.test.contains(&0), round.test.contains(&1));
        }
        // if a page is tested, its copy on another site is not in the training pages
        let copies = self::corpus(dir.path(), &[&["a", "=b", "c", "d"]]);
        let each = Split::Folds { sets: vec![0], folds: 4 }.rounds(&copies, &recipe).expect("rounds");
        for round in each {
            let is_copy = |p: &usize| *p < 2;
            assert_eq!(round.train.iter().any(is_copy), !round.test.iter().any(is_copy), "{round:?}");
        }
        let fixed = Split::Fixed { train: vec![0], test: vec![1] };
        let rounds = fixed.rounds(&corpus, &recipe).expect("rounds");
        assert_eq!((rounds[0].train.as_slice(), rounds[0].num_overlapping), (&[0, 1, 3][..], 1));
        assert!(Split::Folds { sets: vec![1], folds: 3 }.rounds(&corpus, &recipe).is_err());
        let all_tested = Split::Fixed { train: vec![0], test: vec![0] }.rounds(&corpus, &recipe);
        assert!(all_tested.is_err_and(|e| e.to_string().contains("all 4 training pages")));
    }

    #[test]
    fn draws_are_nested_and_depend_on_the_seed() {
        let dir = tempfile::tempdir().expect("a folder");
        let sites: Vec<String> = (0..20).map(|i| format!("s{}", i / 2)).collect();
        let corpus = corpus(dir.path(), &[&sites.iter().map(String::as_str).collect::<Vec<_>>()]);
        let all: Vec<usize> = (0..20).collect();
        let draws: Vec<_> = (1..=20).map(|n| draw(&corpus, &all, n, 7).expect("pages")).collect();
        for pair in draws.windows(2) {
            assert!(pair[0].iter().all(|p| pair[1].contains(p)) && pair[0].len() + 1 == pair[1].len());
        }
        // four pages are two complete sites, because each site has two pages
        assert_eq!(draws[3].chunks(2).filter(|c| c[0] / 2 == c[1] / 2).count(), 2);
        assert_ne!(draws[5], draw(&corpus, &all, 6, 8).expect("pages"));
        assert_eq!(draw(&corpus, &all, 21, 7), None);
    }
}

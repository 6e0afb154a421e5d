//! Annotated pages and corpora for unit tests.

use crate::corpus::{Corpus, Needs};
use std::path::Path;
use threshr_core::policy::Policy;
use threshr_core::progress::Quiet;
use threshr_extract::Recipe;
use threshr_features::FeatureSet;
use threshr_sets::gold::{DataSet, Gold, GoldPage};

/// Writes a page into the folder `dir`. Its gold is the text `gold`.
pub(crate) fn page(dir: &Path, id: &str, html: &str, gold: &str) -> GoldPage {
    let path = dir.join(format!("{id}.html"));
    std::fs::write(&path, html).expect("written");
    GoldPage { gold: Some(Gold::text(gold)), ..GoldPage::in_file(id, path) }
}

/// Returns a set called `set`.
pub(crate) fn set(dir: &Path, pages: Vec<GoldPage>) -> DataSet {
    DataSet { name: "set".into(), path: dir.to_path_buf(), format: "jsonl", pages, ..DataSet::default() }
}

/// Reads a set with the columns of a feature-set expression.
pub(crate) fn corpus(set: DataSet, recipe: &Recipe, features: &str) -> Corpus {
    let features = FeatureSet::parse(features, &[]).expect("a feature set");
    Corpus::read(&[set], recipe, Some(&features), Needs::default(), &Quiet).expect("a corpus")
}

/// Returns a recipe with this policy for the set `set`, and with policy variation enabled.
pub(crate) fn varied(policy: &str) -> Recipe {
    let mut recipe = Recipe::default();
    recipe.policy.sets.insert("set".into(), Policy::parse(policy).expect("a policy"));
    recipe.policy.vary = true;
    recipe
}

/// Returns the index of a column.
pub(crate) fn column(corpus: &Corpus, name: &str) -> usize {
    corpus.columns().iter().position(|c| c == name).expect("a column")
}

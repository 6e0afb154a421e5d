//! Tests of corpora, and annotated pages for other tests.

use super::*;
use ndarray::array;
use std::path::Path;
use threshr_core::policy::{Policy, property};
use threshr_core::progress::Quiet;
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

#[test]
fn chosen_columns_keep_their_values() {
    let dir = tempfile::tempdir().expect("a folder");
    let pages = vec![page(dir.path(), "1", "<p>One two<p>Three", "One two")];
    let corpus =
        corpus(set(dir.path(), pages), &Recipe::default(), "shallow.num_words+shallow.num_chars+density");
    let names: Arc<[String]> = [1, 0].map(|i: usize| corpus.columns()[i].clone()).to_vec().into();
    let chosen = corpus.with_columns(&names).expect("columns");
    assert_eq!(chosen.columns(), &names[..]);
    for row in 0..2 {
        assert_eq!(chosen.row(row), [corpus.row(row)[1], corpus.row(row)[0]]);
    }
    let unknown: Arc<[String]> = vec!["group.x".to_owned()].into();
    let error = corpus.with_columns(&unknown).expect_err("no column").to_string();
    assert!(error.contains("group.x"), "{error}");
}

#[test]
fn a_confined_property_is_seen_by_its_own_blocks() {
    let dir = tempfile::tempdir().expect("a folder");
    let html = "<p>It rained.<figure><img><figcaption>A red shoe</figcaption></figure><p>It rained more.";
    let pages = vec![page(dir.path(), "1", html, "It rained. It rained more.")];
    let captions = property("captions").expect("a property");
    for (policy, confined) in
        [("main+captions", array![[0.0], [1.0], [0.0]]), ("full-captions", array![[1.0], [0.0], [1.0]])]
    {
        let mut recipe = Recipe::default();
        recipe.policy.sets.insert("set".into(), Policy::parse(policy).expect("a policy"));
        let corpus = corpus(set(dir.path(), pages.clone()), &recipe, "policy.captions+policy.caption");
        let names: Arc<[String]> = vec!["policy.captions".to_owned()].into();
        let corpus = corpus.with_columns(&names).expect("a column");
        let mut values = corpus.values_of(0);
        corpus.confine(&mut values, &corpus.pages[0], &[captions]);
        assert_eq!(values, confined, "{policy}");
    }
}

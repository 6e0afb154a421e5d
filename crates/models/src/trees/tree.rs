//! `tree`: a deterministic decision tree, the default classifier.

use crate::range::Range;
use crate::trees::binning::{BinnedMatrix, MAX_BINS};
use crate::trees::cart::{Columns, Growth, Rows, grow};
use crate::trees::tree_model::TreeModel;
use crate::{Classifier, Classifiers, FittedClassifier, TrainingSet, Weights, settings};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use threshr_core::Result;

const NAME: &str = "tree";

/// A CART decision tree over histograms.
pub static CLASSIFIER: Classifier = Classifier {
    name: NAME,
    summary: "decision tree (CART): fast, readable, needs no scaling of features",
    source: "Breiman, Friedman, Olshen and Stone, 1984, Classification and Regression Trees; histograms: Ke \
             et al., NIPS 2017, LightGBM",
    limits: "Columns with more than 255 distinct values are cut at quantiles only. There are as many \
             different decision values as leaves.",
    weights: Weights::Exact,
    defaults: || json!(Settings::default()),
    fit,
    fit_group: None,
    load: |value, num_columns| TreeModel::load(NAME, value, num_columns),
};

/// Settings of `tree`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Settings {
    /// Most splits from the root to a leaf, 1..=64.
    max_depth: usize,
    /// Fewest training rows in a leaf.
    min_leaf_rows: u32,
    /// Most leaves; 0 is no limit. With a limit, the split of largest gain comes first.
    max_leaves: usize,
    /// Weight of the parent's fraction in a leaf, in rows of average weight.
    smoothing: f64,
}

impl Default for Settings {
    fn default() -> Self {
        Self { max_depth: 10, min_leaf_rows: 20, max_leaves: 0, smoothing: 2.0 }
    }
}

impl Settings {
    fn check(&self) -> Result<()> {
        let range = Range(NAME);
        range.check("max_depth", self.max_depth as f64, 1.0, 64.0)?;
        range.check("min_leaf_rows", f64::from(self.min_leaf_rows), 1.0, 1e9)?;
        range.check("max_leaves", self.max_leaves as f64, 0.0, 100_000.0)?;
        range.check("smoothing", self.smoothing, 0.0, 1e6)
    }
}

fn fit(
    set: &TrainingSet<'_>,
    params: &Value,
    _seed: u64,
    _all: &Classifiers,
) -> Result<Box<dyn FittedClassifier>> {
    set.check()?;
    let settings: Settings = settings(NAME, params)?;
    settings.check()?;
    let growth = Growth {
        max_depth: settings.max_depth,
        min_leaf_rows: settings.min_leaf_rows,
        max_leaves: (settings.max_leaves > 0).then_some(settings.max_leaves),
    };
    let binned = BinnedMatrix::new(set.x, Some(set.weight), MAX_BINS);
    let rows = Rows { binned: &binned, y: set.y, weight: set.weight };
    let tree = grow(rows, (0..set.y.len() as u32).collect(), &growth, Columns::All);
    Ok(Box::new(TreeModel::new(tree, settings.smoothing, set.columns.len())?))
}

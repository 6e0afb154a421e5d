//! `tree`: a deterministic decision tree, the default classifier.

use crate::trees::binning::{BinnedMatrix, MAX_BINS};
use crate::trees::cart::{Columns, Growth, Rows, grow};
use crate::{Classifier, Classifiers, Ranges, Settings, TrainingSet};
use serde::{Deserialize, Serialize};
use threshr_core::Result;
use threshr_models::registry::TREE;
use threshr_models::trees::tree_model::TreeModel;
use threshr_models::{FittedClassifier, ModelKind};

/// A CART decision tree over histograms.
pub static CLASSIFIER: Classifier = Classifier {
    summary: "decision tree (CART): fast, readable, needs no scaling of features",
    source: "Breiman, Friedman, Olshen and Stone, 1984, Classification and Regression Trees; histograms: Ke \
             et al., NIPS 2017, LightGBM",
    limits: "Columns with more than 255 distinct values are cut at quantiles only. There are as many \
             different decision values as leaves.",
    ..Classifier::new::<Params>()
};

/// Settings of `tree`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Params {
    /// Most splits from the root to a leaf, 1..=64.
    max_depth: usize,
    /// Fewest training rows in a leaf.
    min_leaf_rows: u32,
    /// Most leaves; 0 is no limit. With a limit, the split of largest gain comes first.
    max_leaves: usize,
    /// Weight of the parent's fraction in a leaf, in rows of average weight.
    smoothing: f64,
}

impl Default for Params {
    fn default() -> Self {
        Self { max_depth: 10, min_leaf_rows: 20, max_leaves: 0, smoothing: 2.0 }
    }
}

impl Settings for Params {
    const KIND: &'static ModelKind = &TREE;
    const RANGES: Ranges = &[
        ("max_depth", 1.0, 64.0),
        ("min_leaf_rows", 1.0, 1e9),
        ("max_leaves", 0.0, 100_000.0),
        ("smoothing", 0.0, 1e6),
    ];

    fn fit(&self, set: &TrainingSet<'_>, _: u64, _: &Classifiers) -> Result<Box<dyn FittedClassifier>> {
        let growth = Growth {
            max_depth: self.max_depth,
            min_leaf_rows: self.min_leaf_rows,
            max_leaves: (self.max_leaves > 0).then_some(self.max_leaves),
        };
        let binned = BinnedMatrix::new(set.x, Some(set.weight), MAX_BINS);
        let rows = Rows { binned: &binned, y: set.y, weight: set.weight };
        let tree = grow(rows, (0..set.y.len() as u32).collect(), &growth, Columns::All);
        Ok(Box::new(TreeModel::smoothed(tree, self.smoothing, set.columns.len())?))
    }
}

//! `tree`: a deterministic decision tree, the default classifier.

use crate::trees::binning::{BinnedMatrix, MAX_BINS};
use crate::trees::cart::{Growth, Rows, grow};
use crate::{Classifier, Classifiers, Ranges, Settings, TrainingSet, settings_of};
use threshr_core::Result;
use threshr_models::registry::TREE;
use threshr_models::trees::tree_model::TreeModel;
use threshr_models::{FittedClassifier, ModelKind};

/// A CART decision tree with histogram-based split search.
pub static CLASSIFIER: Classifier = Classifier {
    summary: "decision tree (CART): fast, readable, needs no scaling of features",
    source: "Breiman, Friedman, Olshen and Stone, 1984, Classification and Regression Trees; histograms: Ke \
             et al., NIPS 2017, LightGBM",
    limits: "Columns with more than 255 distinct values are split only at quantiles. There are as many \
             different decision values as leaves.",
    ..Classifier::new::<Params>()
};

settings_of! {
    /// Settings of `tree`.
    struct Params {
        /// Maximum number of splits from the root to a leaf, 1..=64.
        max_depth: usize = 10, 1.0 to 64.0;
        /// Minimum number of training rows in a leaf.
        min_leaf_rows: u32 = 20, 1.0 to 1e9;
        /// Maximum number of leaves; 0 means no limit. If it is set, the split with the largest gain is made
        /// first.
        max_leaves: usize = 0, 0.0 to 100_000.0;
        /// Smoothing: weight of the parent's content share in the estimate of a leaf, in rows of average
        /// weight.
        smoothing: f64 = 2.0, 0.0 to 1e6;
    }
}

impl Settings for Params {
    const KIND: &'static ModelKind = &TREE;
    const RANGES: Ranges = Self::LIMITS;

    fn fit(&self, set: &TrainingSet<'_>, _: u64, _: &Classifiers) -> Result<Box<dyn FittedClassifier>> {
        let growth = Growth {
            max_depth: self.max_depth,
            min_leaf_rows: self.min_leaf_rows,
            max_leaves: (self.max_leaves > 0).then_some(self.max_leaves),
        };
        let binned = BinnedMatrix::new(set.x, Some(set.weight), MAX_BINS);
        let rows = Rows { binned: &binned, y: set.y, weight: set.weight };
        let tree = grow(rows, &growth);
        Ok(Box::new(TreeModel::smoothed(tree, self.smoothing, set.columns.len())?))
    }
}

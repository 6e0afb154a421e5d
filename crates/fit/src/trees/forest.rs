//! `forest`: a random forest.

use crate::sampling::{Pages, draw_ascending};
use crate::trees::binning::{BinnedMatrix, MAX_BINS};
use crate::trees::cart::{Columns, Growth, Rows, grow};
use crate::{Classifier, Classifiers, Ranges, Settings, TrainingSet};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use threshr_core::{Result, stop};
use threshr_models::registry::FOREST;
use threshr_models::trees::MAX_DEPTH;
use threshr_models::trees::ensemble::Trees;
use threshr_models::trees::flat_tree::FlatTree;
use threshr_models::trees::forest::{Data, Forest};
use threshr_models::trees::tree_model::fractions;
use threshr_models::{FittedClassifier, ModelKind, Stored};

/// A random forest over histograms.
pub(crate) static CLASSIFIER: Classifier = Classifier {
    summary: "random forest: the mean of many trees, each on random pages and columns",
    source: "Breiman, Machine Learning 45, 2001, Random forests",
    limits: "Columns with more than 255 distinct values are cut at quantiles only. Models are large: \
             about 30 bytes a leaf.",
    ..Classifier::new::<Params>()
};

/// Settings of `forest`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Params {
    /// Number of trees, 1..=10000.
    trees: usize,
    /// Share of the columns that each node may split on.
    node_column_share: f64,
    /// Most leaves of a tree, 2..=32768; the split of largest gain comes first.
    max_leaves: usize,
    /// Most splits from the root to a leaf, 1..=64.
    max_depth: usize,
    /// Fewest training rows in a leaf.
    min_leaf_rows: u32,
    /// Weight of the parent's fraction in a leaf, in rows of average weight.
    smoothing: f64,
}

impl Default for Params {
    fn default() -> Self {
        Self {
            trees: 100,
            node_column_share: 0.05,
            max_leaves: 512,
            max_depth: MAX_DEPTH,
            min_leaf_rows: 5,
            smoothing: 1.0,
        }
    }
}

impl Settings for Params {
    const KIND: &'static ModelKind = &FOREST;
    const RANGES: Ranges = &[
        ("trees", 1.0, 1e4),
        ("node_column_share", 1e-6, 1.0),
        ("max_leaves", 2.0, 32_768.0),
        ("max_depth", 1.0, MAX_DEPTH as f64),
        ("min_leaf_rows", 1.0, 1e9),
        ("smoothing", 0.0, 1e6),
    ];

    fn fit(&self, set: &TrainingSet<'_>, seed: u64, _: &Classifiers) -> Result<Box<dyn FittedClassifier>> {
        let growth = Growth {
            max_depth: self.max_depth,
            min_leaf_rows: self.min_leaf_rows,
            max_leaves: Some(self.max_leaves),
        };
        let binned = BinnedMatrix::new(set.x, Some(set.weight), MAX_BINS);
        let (rows, pages) = (Rows { binned: &binned, y: set.y, weight: set.weight }, Pages::new(set));
        let grown = (0..self.trees as u64).into_par_iter().map(|number| {
            stop::check()?;
            // Each tree has its own random stream, so the result does not depend on the threads.
            let mut rng = ChaCha8Rng::seed_from_u64(seed);
            rng.set_stream(number);
            let sample = pages.bootstrap(&mut rng);
            let mut draw = || draw_ascending(&mut rng, binned.num_columns(), self.node_column_share);
            Ok(grow(rows, sample, &growth, Columns::Drawn(&mut draw)))
        });
        let mut trees = Trees::default();
        for tree in grown.collect::<Result<Vec<_>>>()? {
            let of_row = (tree.content[0] + tree.boilerplate[0]) / f64::from(tree.count[0]).max(1.0);
            push(&mut trees, &tree, self.smoothing * of_row);
        }
        let num_columns = set.columns.len();
        Ok(Box::new(Forest::new(Data { num_columns, trees }, num_columns)?))
    }
}

/// Adds a tree whose leaves have the smoothed fraction of content.
fn push(trees: &mut Trees, tree: &FlatTree, pseudo_weight: f64) {
    let fraction = fractions(tree, pseudo_weight);
    trees.push_flat(tree, |leaf| fraction[leaf] as f32);
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;
    use threshr_core::Budget;
    use threshr_models::decide;

    #[test]
    fn two_trees_by_hand() {
        let stump = |feature: u32, content: [f64; 2]| {
            let mut tree = FlatTree::default();
            tree.push_leaf(content[0] + content[1], 8.0 - content[0] - content[1], 8);
            for c in content {
                tree.push_leaf(c, 4.0 - c, 4);
            }
            tree.set_split(0, feature, 0.5, (1, 2));
            tree
        };
        let mut trees = Trees::default();
        push(&mut trees, &stump(0, [1.0, 3.0]), 0.0);
        push(&mut trees, &stump(1, [1.0, 2.0]), 0.0);
        let model = Forest::new(Data { num_columns: 2, trees }, 2).unwrap();
        let d = decide(&model, array![[0.0, 0.0], [1.0, 1.0]].view(), &Budget::UNLIMITED).unwrap();
        // Means of 1/4, 1/4 and of 3/4, 2/4.
        assert!((d[0] - (1.0f32 / 3.0).ln()).abs() < 1e-6 && (d[1] - (5.0f32 / 3.0).ln()).abs() < 1e-6);
        // Gini: 4 -> 3 of weight 8, and 3.75 -> 3.5: shares 1/8 and 1/32.
        let importance = model.importance().unwrap();
        assert!((importance[0] - 0.8).abs() < 1e-6 && (importance[1] - 0.2).abs() < 1e-6);
        // Base (2/4 + 3/8) / 2; the columns move 1/8 and 1/16 of it.
        let mut out = [0.0; 2];
        let base = model.contributions(&[1.0, 1.0], &mut out).unwrap();
        assert!((base - (7.0f32 / 9.0).ln()).abs() < 1e-6 && (out[0] - 2.0 * out[1]).abs() < 1e-6);
        assert!((base + out[0] + out[1] - d[1]).abs() < 1e-6);
    }
}

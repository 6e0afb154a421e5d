//! `forest`: a random forest.

use crate::range::Range;
use crate::rows::row_blocks;
use crate::sampling::{Pages, draw_ascending};
use crate::trees::binning::{BinnedMatrix, MAX_BINS};
use crate::trees::cart::{Columns, Growth, Rows, grow};
use crate::trees::ensemble::{TreeScorer, Trees};
use crate::trees::flat_tree::FlatTree;
use crate::trees::shapley::Shapley;
use crate::trees::tree_model::{MIN_FRACTION, fractions};
use crate::trees::tree_view::MAX_DEPTH;
use crate::{Classifier, Classifiers, FittedClassifier, TrainingSet, Weights, from_json, settings};
use ndarray::ArrayView2;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use threshr_core::{Budget, Error, Result, stop};

const NAME: &str = "forest";

/// A random forest over histograms.
pub(crate) static CLASSIFIER: Classifier = Classifier {
    name: NAME,
    summary: "random forest: the mean of many trees, each on random pages and columns",
    source: "Breiman, Machine Learning 45, 2001, Random forests",
    limits: "Columns with more than 255 distinct values are cut at quantiles only. Models are large: \
             about 30 bytes a leaf.",
    weights: Weights::Exact,
    defaults: || json!(Settings::default()),
    fit,
    fit_group: None,
    load,
};

/// Settings of `forest`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Settings {
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

impl Default for Settings {
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

impl Settings {
    fn check(&self) -> Result<()> {
        let range = Range(NAME);
        range.check("trees", self.trees as f64, 1.0, 1e4)?;
        range.check("node_column_share", self.node_column_share, 1e-6, 1.0)?;
        range.check("max_leaves", self.max_leaves as f64, 2.0, 32_768.0)?;
        range.check("max_depth", self.max_depth as f64, 1.0, MAX_DEPTH as f64)?;
        range.check("min_leaf_rows", f64::from(self.min_leaf_rows), 1.0, 1e9)?;
        range.check("smoothing", self.smoothing, 0.0, 1e6)
    }
}

fn fit(
    set: &TrainingSet<'_>,
    params: &Value,
    seed: u64,
    _all: &Classifiers,
) -> Result<Box<dyn FittedClassifier>> {
    set.check()?;
    let settings: Settings = settings(NAME, params)?;
    settings.check()?;
    let growth = Growth {
        max_depth: settings.max_depth,
        min_leaf_rows: settings.min_leaf_rows,
        max_leaves: Some(settings.max_leaves),
    };
    let binned = BinnedMatrix::new(set.x, Some(set.weight), MAX_BINS);
    let (rows, pages) = (Rows { binned: &binned, y: set.y, weight: set.weight }, Pages::new(set));
    let grown = (0..settings.trees as u64).into_par_iter().map(|number| {
        stop::check()?;
        // Each tree has its own random stream, so the result does not depend on the threads.
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        rng.set_stream(number);
        let sample = pages.bootstrap(&mut rng);
        let mut draw = || draw_ascending(&mut rng, binned.num_columns(), settings.node_column_share);
        Ok(grow(rows, sample, &growth, Columns::Drawn(&mut draw)))
    });
    let mut trees = Trees::default();
    for tree in grown.collect::<Result<Vec<_>>>()? {
        let of_row = (tree.content[0] + tree.boilerplate[0]) / f64::from(tree.count[0]).max(1.0);
        push(&mut trees, &tree, settings.smoothing * of_row);
    }
    Ok(Box::new(Forest::of(Data { num_columns: set.columns.len(), trees })?))
}

/// Adds a tree whose leaves have the smoothed fraction of content.
fn push(trees: &mut Trees, tree: &FlatTree, pseudo_weight: f64) {
    let fraction = fractions(tree, pseudo_weight);
    trees.push_flat(tree, |leaf| fraction[leaf] as f32);
}

fn load(value: &Value, num_columns: usize) -> Result<Box<dyn FittedClassifier>> {
    let data: Data = from_json(NAME, value)?;
    if data.num_columns != num_columns {
        return Err(Error::model(format!("the forest has {} columns", data.num_columns))
            .expected(num_columns.to_string()));
    }
    Ok(Box::new(Forest::of(data)?))
}

/// The model file.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Data {
    num_columns: usize,
    trees: Trees,
}

/// Decision value: log-odds of the mean fraction of content over the trees.
#[derive(Debug)]
struct Forest {
    data: Data,
    scorer: TreeScorer,
}

impl Forest {
    fn of(data: Data) -> Result<Self> {
        if data.trees.len() == 0 {
            return Err(Error::model("the forest has no trees").expected("at least one"));
        }
        let scorer = TreeScorer::new(&data.trees, data.num_columns)?;
        Ok(Self { data, scorer })
    }

    /// Log-odds of the mean of leaves with the sum `sum`.
    fn log_odds(&self, sum: f64) -> f64 {
        let p = (sum / self.data.trees.len() as f64).clamp(MIN_FRACTION, 1.0 - MIN_FRACTION);
        (p / (1.0 - p)).ln()
    }
}

impl FittedClassifier for Forest {
    fn num_columns(&self) -> usize {
        self.data.num_columns
    }

    fn decide(&self, x: ArrayView2<'_, f32>, out: &mut [f32], budget: &Budget) -> Result<()> {
        row_blocks(x, out, 1, budget, |rows, out| {
            let sums = self.scorer.sums(rows);
            out.iter_mut().zip(sums).for_each(|(out, sum)| *out = self.log_odds(sum) as f32);
        })
    }

    fn to_json(&self) -> Value {
        json!(self.data)
    }

    fn facts(&self) -> Vec<(&'static str, String)> {
        self.scorer.facts(&self.data.trees, self.data.num_columns)
    }

    fn importance(&self) -> Option<Vec<f32>> {
        Some(self.data.trees.importance(self.data.num_columns))
    }

    fn used_columns(&self) -> Option<Vec<bool>> {
        Some(self.data.trees.used_columns(self.data.num_columns))
    }

    /// Shapley values of the mean fraction, scaled to log-odds by one factor for the row.
    fn contributions(&self, row: &[f32], out: &mut [f32]) -> Option<f32> {
        let mut shapley = Shapley::new(self.data.num_columns);
        self.data.trees.explain(row, &mut shapley).ok()?;
        let (base, moved) = (self.log_odds(shapley.base), shapley.sum() - shapley.base);
        let distance = self.log_odds(shapley.sum()) - base;
        // If the contributions cancel out, the factor is 0.
        shapley.write(if moved.abs() > 1e-12 { distance / moved } else { 0.0 }, out);
        Some(base as f32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decide;
    use ndarray::array;

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
        let model = Forest::of(Data { num_columns: 2, trees }).unwrap();
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

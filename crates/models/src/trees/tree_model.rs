//! A fitted tree with smoothed leaves, the model of `tree` and `linfa-tree`.

use crate::trees::flat_tree::{FlatTree, Walker};
use crate::trees::shapley::{PathNode, Shapley};
use crate::trees::tree_view::MAX_DEPTH;
use crate::{FittedClassifier, Stored};
use ndarray::ArrayView2;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use threshr_core::{Budget, Error, Result};

/// Minimum distance of a leaf's content fraction from 0 and 1. It limits decision values to about ±14.
pub(crate) const MIN_FRACTION: f64 = 1e-6;

/// Content of the model file.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Data {
    /// Number of columns.
    pub num_columns: usize,
    /// Weight of the parent's fraction in the smoothed fraction of each node.
    pub pseudo_weight: f64,
    /// The tree.
    pub tree: FlatTree,
}

/// A tree whose decision value is the log-odds of the leaf's smoothed content fraction.
///
/// The fraction of a node is `(content + m * parent's fraction) / (content + boilerplate + m)`, computed from
/// the root downwards. m is the weight of `smoothing` average rows.
///
/// Source: m-estimates along the path, Ferri, Flach and Hernández-Orallo, ECML 2003, "Improving the AUC of
/// probabilistic estimation trees".
#[derive(Debug)]
pub struct TreeModel {
    data: Data,
    walker: Walker,
    decisions: Vec<f32>,
}

impl TreeModel {
    /// Creates a model with `num_columns` columns. `smoothing` is in rows of average weight.
    ///
    /// # Errors
    /// If the tree is invalid.
    pub fn smoothed(tree: FlatTree, smoothing: f64, num_columns: usize) -> Result<Self> {
        tree.check(num_columns)?;
        let rows = f64::from(tree.count[0]).max(1.0);
        let pseudo_weight = smoothing * (tree.content[0] + tree.boilerplate[0]) / rows;
        Self::new(Data { num_columns, pseudo_weight, tree }, num_columns)
    }
}

impl Stored for TreeModel {
    type Data = Data;

    fn new(data: Data, num_columns: usize) -> Result<Self> {
        if data.num_columns != num_columns {
            return Err(Error::model(format!("the tree has {} columns", data.num_columns))
                .expected(num_columns.to_string()));
        }
        data.tree.check(data.num_columns)?;
        if !(data.pseudo_weight.is_finite() && data.pseudo_weight >= 0.0) {
            return Err(Error::model("invalid `pseudo_weight` of a tree").expected("a finite number >= 0"));
        }
        let (walker, decisions) = (Walker::new(&data.tree), decisions(&data));
        Ok(Self { data, walker, decisions })
    }
}

/// Returns the decision value of every node, smoothed towards its parent.
fn decisions(data: &Data) -> Vec<f32> {
    fractions(&data.tree, data.pseudo_weight).iter().map(|p| (p / (1.0 - p)).ln() as f32).collect()
}

/// Returns the content fraction of every node of a valid tree. The parent's fraction has the weight `m`.
fn fractions(tree: &FlatTree, m: f64) -> Vec<f64> {
    let smooth = |node: usize, toward: f64| {
        let (content, all) = (tree.content[node], tree.content[node] + tree.boilerplate[node] + m);
        // a node without training rows gets the fraction of its parent
        let p = (content + m * toward) / all;
        if p.is_finite() { p.clamp(MIN_FRACTION, 1.0 - MIN_FRACTION) } else { toward }
    };
    let mut fraction = vec![0.5; tree.len()];
    let prior = tree.content[0] / (tree.content[0] + tree.boilerplate[0]);
    fraction[0] = if prior.is_finite() { prior.clamp(MIN_FRACTION, 1.0 - MIN_FRACTION) } else { 0.5 };
    for node in (0..tree.len()).filter(|&node| !tree.is_leaf(node)) {
        for child in [tree.left[node] as usize, tree.right[node] as usize] {
            fraction[child] = smooth(child, fraction[node]);
        }
    }
    fraction
}

impl FittedClassifier for TreeModel {
    fn num_columns(&self) -> usize {
        self.data.num_columns
    }

    fn decide(&self, x: ArrayView2<'_, f32>, out: &mut [f32], _budget: &Budget) -> Result<()> {
        for (i, out) in out.iter_mut().enumerate() {
            // only the columns on the path are read
            *out = self.decisions[self.walker.leaf(|column| x[[i, column]])];
        }
        Ok(())
    }

    fn to_json(&self) -> Value {
        json!(self.data)
    }

    fn facts(&self) -> Vec<(&'static str, String)> {
        let used = self.importance().map_or(0, |v| v.iter().filter(|&&share| share > 0.0).count());
        vec![
            ("leaves", self.data.tree.num_leaves().to_string()),
            ("depth", self.data.tree.depth().to_string()),
            ("columns used", used.to_string()),
        ]
    }

    fn importance(&self) -> Option<Vec<f32>> {
        Some(self.data.tree.importance(self.data.num_columns))
    }

    fn used_columns(&self) -> Option<Vec<bool>> {
        let tree = &self.data.tree;
        let mut used = vec![false; self.data.num_columns];
        let splits = (0..tree.len()).filter(|&node| !tree.is_leaf(node));
        splits.for_each(|node| used[tree.feature[node] as usize] = true);
        Some(used)
    }

    fn contributions(&self, row: &[f32], out: &mut [f32]) -> Option<f32> {
        let tree = &self.data.tree;
        if tree.depth() > MAX_DEPTH {
            return None; // the run time grows with the square of the depth
        }
        let node = |at: usize| PathNode {
            feature: tree.feature[at],
            cut: tree.cut[at],
            children: [tree.left[at] as usize, tree.right[at] as usize],
            value: f64::from(self.decisions[at]),
            cover: tree.content[at] + tree.boilerplate[at],
        };
        let nodes: Vec<_> = (0..tree.len()).map(node).collect();
        let mut shapley = Shapley::new(self.data.num_columns);
        shapley.add(&nodes, row);
        shapley.write(out);
        Some(shapley.base as f32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leaves_are_smoothed_toward_their_parent() {
        let mut tree = FlatTree::default();
        tree.push_leaf(50.0, 50.0, 100);
        tree.push_leaf(0.0, 1.0, 1);
        tree.push_leaf(50.0, 49.0, 99);
        tree.set_split(0, 0, 0.0, (1, 2));
        let model = TreeModel::smoothed(tree.clone(), 1.0, 1).unwrap();
        // (0 + 1 * 0.5) / (1 + 1) = 1/4
        assert!((f64::from(model.decisions[1]) - (1.0f64 / 3.0).ln()).abs() < 1e-6);
        let bare = TreeModel::smoothed(tree, 0.0, 1).unwrap();
        assert!(bare.decisions[1] < -13.0 && bare.decisions[1].is_finite());
    }
}

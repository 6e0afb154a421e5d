//! `linfa-tree`: the decision tree of linfa-trees, made reproducible.

use linfa::DatasetBase;
use linfa::traits::Fit;
use linfa_trees::{DecisionTree, SplitQuality, TreeNode};
use ndarray::{Array1, Array2};
use serde::{Deserialize, Serialize};
use threshr_core::{Error, Result};
use threshr_fit::sampling::draw;
use threshr_fit::trees::refill;
use threshr_fit::{Classifier, Classifiers, Ranges, Settings, TrainingSet, settings_of};
use threshr_models::registry::LINFA_TREE;
use threshr_models::trees::flat_tree::FlatTree;
use threshr_models::trees::tree_model::TreeModel;
use threshr_models::{FittedClassifier, ModelKind};

/// Minimum weight of a node that may be split, in rows of average weight.
const MIN_SPLIT_WEIGHT: f32 = 40.0;
/// Minimum weight of a leaf, in rows of average weight.
const MIN_LEAF_WEIGHT: f32 = 20.0;
/// Minimum impurity decrease of a split, the default of linfa-trees.
const MIN_IMPURITY_DECREASE: f64 = 1e-5;

/// The decision tree of linfa-trees.
pub(crate) static CLASSIFIER: Classifier = Classifier {
    summary: "decision tree of the linfa-trees library, for comparison; `tree` is better and faster",
    source: "Breiman, Friedman, Olshen and Stone, 1984; crate linfa-trees 0.8",
    limits: "linfa-trees tests for ties and computes the threshold with the next row of the whole set. The next row of the node would be right. Columns with ties (counts, flags) therefore lose splits. Values closer than 1e-5 are \
             not split. Time grows with rows x columns x nodes; more than max_rows rows are sampled by \
             weight. Weights are rounded to multiples of a power of two, which for 50,000 rows is at most 1/128 of the average. Leaves that differ only by a tie are merged.",
    ..Classifier::new::<Params>()
};

settings_of! {
    /// Settings of `linfa-tree`.
    struct Params {
        /// "gini" or "entropy".
        quality: Quality = Quality::Gini;
        /// Maximum depth of the tree, 1..=64.
        max_depth: usize = 10, 1.0 to 64.0;
        /// Maximum number of training rows, 2..=1,000,000. If there are more, they are sampled by weight.
        max_rows: usize = 50_000, 2.0 to 1e6;
        /// Strength of the smoothing of a leaf towards its parent, in rows of average weight.
        smoothing: f64 = 2.0, 0.0 to 1e6;
    }
}

#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Quality {
    Gini,
    Entropy,
}

impl Settings for Params {
    const KIND: &'static ModelKind = &LINFA_TREE;
    const RANGES: Ranges = Self::LIMITS;

    fn fit(&self, set: &TrainingSet<'_>, seed: u64, _: &Classifiers) -> Result<Box<dyn FittedClassifier>> {
        let (rows, weight) = choose(set, self.max_rows, seed);
        let x = set.x.select(&rows);
        let y: Vec<bool> = rows.iter().map(|&row| set.y[row]).collect();
        // f64, so that the midpoint of two very large numbers is finite
        let data =
            DatasetBase::new(x.mapv(f64::from), Array1::from(y.clone())).with_weights(weight.clone().into());
        let quality = match self.quality {
            Quality::Gini => SplitQuality::Gini,
            Quality::Entropy => SplitQuality::Entropy,
        };
        let fitted = DecisionTree::<f64, bool>::params()
            .split_quality(quality)
            .max_depth(Some(self.max_depth))
            .min_weight_split(MIN_SPLIT_WEIGHT)
            .min_weight_leaf(MIN_LEAF_WEIGHT)
            .min_impurity_decrease(MIN_IMPURITY_DECREASE)
            .fit(&data)
            .map_err(|e| Error::classifier("linfa-trees cannot fit the tree").because(e))?;
        let mut tree = canonical(flatten(fitted.root_node()), &x, &y, &weight);
        refill(&mut tree, set.x, set.y, set.weight);
        Ok(Box::new(TreeModel::smoothed(tree, self.smoothing, set.columns.len())?))
    }
}

/// Returns the rows to fit on and their weights for linfa-trees.
fn choose(set: &TrainingSet<'_>, max_rows: usize, seed: u64) -> (Vec<usize>, Vec<f32>) {
    let rows: Vec<_> = (0..set.y.len()).filter(|&row| set.weight[row] > 0.0).collect();
    if rows.len() > max_rows {
        let rows = draw(set, max_rows, seed);
        let ones = vec![1.0; rows.len()];
        return (rows, ones);
    }
    let weight: Vec<_> = rows.iter().map(|&row| set.weight[row]).collect();
    (rows, exact_weights(&weight))
}

/// Scales weights to a mean of about 1 and rounds them to multiples of a power of two, so that every sum of
/// weights is exact in f32.
///
/// linfa-trees breaks ties between classes by the order of a HashMap and merges leaves according to the
/// result. If sums are exact, ties do not depend on the order of summation. [`canonical`] relies on this.
fn exact_weights(weight: &[f32]) -> Vec<f32> {
    let mean = weight.iter().map(|w| f64::from(*w)).sum::<f64>() / weight.len() as f64;
    let mut units = 4096.0;
    loop {
        let rounded: Vec<f64> =
            weight.iter().map(|w| (f64::from(*w) / mean * units).round().max(1.0)).collect();
        if rounded.iter().sum::<f64>() < f64::from(1 << 24) || units <= 1.0 {
            return rounded.iter().map(|w| (w / units) as f32).collect();
        }
        units /= 2.0;
    }
}

/// Converts the tree to flat arrays, without weights.
fn flatten(root: &TreeNode<f64, bool>) -> FlatTree {
    let mut tree = FlatTree::default();
    let mut open = vec![(root, tree.push_leaf(0.0, 0.0, 0))];
    while let Some((node, at)) = open.pop() {
        // linfa-trees treats a node with one child as a leaf
        let [Some(left), Some(right)] = node.children()[..] else { continue };
        let children = (tree.push_leaf(0.0, 0.0, 0), tree.push_leaf(0.0, 0.0, 0));
        let (column, cut, _) = node.split();
        tree.set_split(at, column as u32, round_down(cut), children);
        open.extend([(left.as_ref(), children.0), (right.as_ref(), children.1)]);
    }
    tree
}

/// Returns the largest f32 that is at most `cut`. Comparisons of f32 values with the result and with `cut`
/// are equal.
fn round_down(cut: f64) -> f32 {
    let rounded = cut as f32;
    if f64::from(rounded) > cut { rounded.next_down() } else { rounded }
}

/// Merges sibling leaves that can have the same majority class, in all cases where linfa-trees could merge them.
///
/// linfa-trees breaks ties of leaves at random and merges them only if the results agree. Merging in all these
/// cases makes the tree reproducible. A merged leaf is tied only if both leaves
/// are tied, so its class weights show which majorities are possible.
fn canonical(mut tree: FlatTree, x: &Array2<f32>, y: &[bool], weight: &[f32]) -> FlatTree {
    refill(&mut tree, x.view(), y, weight);
    let mut merged = vec![false; tree.len()];
    for node in (0..tree.len()).rev().filter(|&node| !tree.is_leaf(node)).collect::<Vec<_>>() {
        let children = [tree.left[node] as usize, tree.right[node] as usize];
        let lead = children.map(|child| tree.content[child] - tree.boilerplate[child]);
        let leaves = children.iter().all(|&child| tree.is_leaf(child) || merged[child]);
        merged[node] = leaves && lead[0] * lead[1] >= 0.0;
    }
    tree.collapsed(&merged)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn weights_add_up_exactly() {
        let weight: Vec<f32> = (1..40_000).map(|i| 0.37 * (i % 91) as f32 + 1e-6).collect();
        let rounded = exact_weights(&weight);
        let forward: f32 = rounded.iter().sum();
        let backward: f32 = rounded.iter().rev().sum();
        let exact: f64 = rounded.iter().map(|w| f64::from(*w)).sum();
        assert!(forward == backward && f64::from(forward) == exact);
        assert!(rounded.iter().all(|w| *w > 0.0));
        assert_eq!(exact_weights(&[7.0; 100]), [1.0; 100]);
    }

    #[test]
    fn cuts_are_rounded_to_the_same_side() {
        let (lo, hi) = (1.0f32, 1.0f32.next_up());
        let cut = round_down(f64::midpoint(f64::from(lo), f64::from(hi)));
        assert!(lo <= cut && hi > cut);
    }

    #[test]
    fn ties_give_the_same_tree_each_time() {
        // Many leaves have equal weights of content and boilerplate, so linfa-trees breaks ties at random. Twenty
        // equal rows are the minimum weight of a leaf.
        let n = 400 * 20;
        let x = Array2::from_shape_fn((n, 3), |(i, j)| ((i / 80 * (2 * j + 3)) % 101) as f32);
        let row = |i: usize| i / 20;
        let y: Vec<_> = (0..n).map(row).map(|i| (i / 2 + i / 8 * 5) % 3 == 0 || i % 4 == 1).collect();
        let (page, columns) = (vec![0; n], ["a", "b", "c"].map(str::to_string));
        let set = TrainingSet {
            x: x.view().into(),
            y: &y,
            weight: &vec![1.0; n],
            page: &page,
            class: &[],
            columns: &columns,
        };
        let params = json!({"max_depth": 12});
        let first = (CLASSIFIER.fit)(&set, &params, 0, &Classifiers::default()).unwrap().to_json();
        for _ in 0..30 {
            assert_eq!((CLASSIFIER.fit)(&set, &params, 0, &Classifiers::default()).unwrap().to_json(), first);
        }
        // without merging, the results of linfa-trees differ between runs
        let data = DatasetBase::new(x.mapv(f64::from), Array1::from(y.clone()));
        let nodes = || {
            let params =
                DecisionTree::<f64, bool>::params().max_depth(Some(12)).min_weight_leaf(MIN_LEAF_WEIGHT);
            params.fit(&data).unwrap().iter_nodes().count()
        };
        let counts: Vec<_> = (0..40).map(|_| nodes()).collect();
        assert!(counts.iter().any(|c| *c != counts[0]), "linfa-trees has become reproducible: {counts:?}");
    }

    #[test]
    fn too_many_rows_are_drawn() {
        let x = Array2::from_shape_fn((300, 1), |(i, _)| i as f32);
        let y: Vec<_> = (0..300).map(|i| i > 100).collect();
        let columns = ["a".to_string()];
        let set = TrainingSet {
            x: x.view().into(),
            y: &y,
            weight: &[1.0; 300],
            page: &[0; 300],
            class: &[],
            columns: &columns,
        };
        (CLASSIFIER.fit)(&set, &json!({"max_rows": 200}), 0, &Classifiers::default()).unwrap();
    }
}

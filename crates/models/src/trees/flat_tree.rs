//! A binary tree in flat arrays: validation, pruning and traversal without recursion.

use serde::{Deserialize, Serialize};
use threshr_core::{Error, Result};

/// A classification tree. Each array has one entry per node. The root is first, and children come after their
/// parents.
///
/// A row with `x[feature] <= cut` goes to the left. A node is a leaf if its `left` and `right` are 0.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FlatTree {
    /// Column of the split; 0 in leaves.
    pub feature: Vec<u32>,
    /// Maximum value that goes to the left; 0 in leaves.
    pub cut: Vec<f32>,
    /// Index of the left child.
    pub left: Vec<u32>,
    /// Index of the right child.
    pub right: Vec<u32>,
    /// Weight of the content rows of the training set in each node.
    pub content: Vec<f64>,
    /// Weight of the boilerplate rows of the training set in each node.
    pub boilerplate: Vec<f64>,
    /// Number of training rows in each node.
    pub count: Vec<u32>,
}

impl FlatTree {
    /// Number of nodes.
    pub fn len(&self) -> usize {
        self.feature.len()
    }

    /// Whether the tree has no nodes. Such a tree is invalid.
    pub fn is_empty(&self) -> bool {
        self.feature.is_empty()
    }

    /// Whether `node` is a leaf.
    pub fn is_leaf(&self, node: usize) -> bool {
        self.left[node] == 0 && self.right[node] == 0
    }

    /// Number of leaves.
    pub fn num_leaves(&self) -> usize {
        (0..self.len()).filter(|&node| self.is_leaf(node)).count()
    }

    /// Number of edges from the root to the deepest leaf.
    pub fn depth(&self) -> usize {
        let mut depth = vec![0; self.len()];
        for node in 0..self.len() {
            if !self.is_leaf(node) {
                depth[self.left[node] as usize] = depth[node] + 1;
                depth[self.right[node] as usize] = depth[node] + 1;
            }
        }
        depth.into_iter().max().unwrap_or(0)
    }

    /// Adds a leaf and returns its index.
    pub fn push_leaf(&mut self, content: f64, boilerplate: f64, count: u32) -> u32 {
        let node = self.len() as u32;
        self.feature.push(0);
        self.cut.push(0.0);
        self.left.push(0);
        self.right.push(0);
        self.content.push(content);
        self.boilerplate.push(boilerplate);
        self.count.push(count);
        node
    }

    /// Converts the leaf `node` to a split on `x[feature] <= cut`.
    pub fn set_split(&mut self, node: u32, feature: u32, cut: f32, children: (u32, u32)) {
        let node = node as usize;
        (self.feature[node], self.cut[node]) = (feature, cut);
        (self.left[node], self.right[node]) = children;
    }

    /// Validates the tree: lengths, indices, finite numbers, no cycles, no shared nodes.
    ///
    /// # Errors
    /// If a node is invalid. The error refers to the first one.
    pub fn check(&self, num_columns: usize) -> Result<()> {
        let n = self.len();
        let lengths = [self.cut.len(), self.left.len(), self.right.len(), self.count.len()];
        let weights = [&self.content, &self.boilerplate];
        if n == 0 || lengths.iter().any(|&l| l != n) || weights.iter().any(|w| w.len() != n) {
            return Err(
                Error::model("the arrays of a tree differ in length").expected("one entry for each node")
            );
        }
        if weights.iter().any(|w| w.iter().any(|v| !v.is_finite() || *v < 0.0)) {
            return Err(Error::model("invalid weight of a tree node").expected("a finite number >= 0"));
        }
        let mut has_parent = vec![false; n];
        for node in (0..n).filter(|&node| !self.is_leaf(node)) {
            let wrong = |what: &str| Err(Error::model(format!("node {node} of a tree {what}")));
            if self.feature[node] as usize >= num_columns {
                return wrong("has a column out of range");
            }
            if !self.cut[node].is_finite() {
                return wrong("has a cut that is not finite");
            }
            for child in [self.left[node] as usize, self.right[node] as usize] {
                if child <= node || child >= n || has_parent[child] {
                    return wrong("has a child that is out of range or has two parents");
                }
                has_parent[child] = true;
            }
        }
        Ok(())
    }

    /// Returns a copy in which each node selected by `cut_back` is a leaf.
    #[must_use]
    pub fn collapsed(&self, cut_back: &[bool]) -> Self {
        let mut out = Self::default();
        out.push_leaf(self.content[0], self.boilerplate[0], self.count[0]);
        let mut open = vec![(0, 0u32)];
        while let Some((node, new)) = open.pop() {
            if self.is_leaf(node) || cut_back[node] {
                continue;
            }
            let mut copy = |old: u32| {
                let old = old as usize;
                (old, out.push_leaf(self.content[old], self.boilerplate[old], self.count[old]))
            };
            let (left, right) = (copy(self.left[node]), copy(self.right[node]));
            out.set_split(new, self.feature[node], self.cut[node], (left.1, right.1));
            open.extend([right, left]);
        }
        out
    }

    /// Returns the Gini gain by column, with length `num_columns`. The sum is 1 unless the tree is a single
    /// leaf.
    pub fn importance(&self, num_columns: usize) -> Vec<f32> {
        let gini = |node: u32| impurity(self.content[node as usize], self.boilerplate[node as usize]);
        let mut gain = vec![0.0; num_columns];
        for node in (0..self.len()).filter(|&node| !self.is_leaf(node)) {
            let below = gini(self.left[node]) + gini(self.right[node]);
            gain[self.feature[node] as usize] += (gini(node as u32) - below).max(0.0);
        }
        let total: f64 = gain.iter().sum();
        gain.iter().map(|g| if total > 0.0 { (g / total) as f32 } else { 0.0 }).collect()
    }
}

/// Returns the Gini impurity of a node, multiplied by its weight.
pub fn impurity(content: f64, boilerplate: f64) -> f64 {
    let (p, n) = (content.max(0.0), boilerplate.max(0.0));
    if p + n > 0.0 { 2.0 * p * (n / (p + n)) } else { 0.0 }
}

#[derive(Debug, Clone, Copy)]
struct Step {
    feature: u32,
    cut: f32,
    left: u32,
    right: u32,
}

/// A valid tree in a compact layout for traversal. A node takes 16 bytes.
#[derive(Debug, Clone)]
pub struct Walker {
    steps: Vec<Step>,
}

impl Walker {
    /// Converts a tree that has passed [`FlatTree::check`].
    pub fn new(tree: &FlatTree) -> Self {
        let step = |node: usize| Step {
            feature: tree.feature[node],
            cut: tree.cut[node],
            left: tree.left[node],
            right: tree.right[node],
        };
        Self { steps: (0..tree.len()).map(step).collect() }
    }

    /// Returns the leaf that a row reaches. `value` returns the row's value in a column.
    pub fn leaf(&self, value: impl Fn(usize) -> f32) -> usize {
        let mut node = 0;
        loop {
            let step = &self.steps[node];
            if step.left == 0 && step.right == 0 {
                return node;
            }
            node = if value(step.feature as usize) <= step.cut { step.left } else { step.right } as usize;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the tree x0 <= 1 ? leaf : (x1 <= 0 ? leaf : leaf).
    fn small() -> FlatTree {
        let mut t = FlatTree::default();
        t.push_leaf(5.0, 5.0, 10);
        t.push_leaf(1.0, 4.0, 5);
        t.push_leaf(4.0, 1.0, 5);
        t.push_leaf(1.0, 1.0, 2);
        t.push_leaf(3.0, 0.0, 3);
        t.set_split(0, 0, 1.0, (1, 2));
        t.set_split(2, 1, 0.0, (3, 4));
        t
    }

    #[test]
    fn walks_to_leaves() {
        let t = small();
        t.check(2).unwrap();
        assert_eq!((t.depth(), t.num_leaves()), (2, 3));
        let walker = Walker::new(&t);
        assert_eq!([[1.0, 9.0], [2.0, 0.0], [2.0, 1.0]].map(|r| walker.leaf(|c| r[c])), [1, 3, 4]);
    }

    #[test]
    fn invalid_trees_are_rejected() {
        assert!(small().check(1).is_err());
        assert!(FlatTree::default().check(1).is_err());
        let damage: [fn(&mut FlatTree); 7] = [
            |t| t.left[2] = 0,
            |t| t.left[2] = 2,
            |t| t.right[0] = 4,
            |t| t.right[2] = 5,
            |t| t.cut[0] = f32::INFINITY,
            |t| t.content[1] = -1.0,
            |t| t.count.truncate(2),
        ];
        for change in damage {
            let mut t = small();
            change(&mut t);
            assert!(t.check(2).is_err(), "{t:?}");
        }
    }

    #[test]
    fn importance_is_the_share_of_the_gain() {
        // The lower split gains (1.6 - 1.0) / 10, the upper split (5.0 - 3.2) / 10.
        let importance = small().importance(2);
        assert!((importance[0] - 0.75).abs() < 1e-6 && (importance[1] - 0.25).abs() < 1e-6);
    }
}

//! A view of one tree of an ensemble.

use crate::trees::shapley::PathNode;
use threshr_core::{Error, Result};

/// Maximum number of edges from a root to a leaf.
pub const MAX_DEPTH: usize = 64;

/// A tree as slices of the ensemble's arrays.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TreeView<'a> {
    pub(crate) feature: &'a [u32],
    pub(crate) cut: &'a [f32],
    pub(crate) left: &'a [u16],
    pub(crate) right: &'a [u16],
    pub(crate) gain: &'a [f32],
    pub(crate) value: &'a [f32],
    pub(crate) cover: &'a [f32],
}

impl TreeView<'_> {
    /// Checks that the depth is at most [`MAX_DEPTH`], and that indices and numbers are valid. Returns the
    /// depth.
    pub(crate) fn check(&self, num_columns: usize) -> Result<usize> {
        let questions = self.feature.len();
        let mut depth = vec![None; questions + self.value.len()];
        depth[0] = Some(0);
        let wrong = |node: usize, what: &str| Err(Error::model(format!("node {node} of a tree {what}")));
        for node in 0..questions {
            if self.feature[node] as usize >= num_columns {
                return wrong(node, "has a column out of range");
            }
            if !self.cut[node].is_finite() || !(0.0..=f32::MAX).contains(&self.gain[node]) {
                return wrong(node, "has a number that is not finite");
            }
            let Some(above) = depth[node].filter(|d| *d < MAX_DEPTH) else {
                return wrong(node, "has no parent or is too deep");
            };
            for child in [self.left[node], self.right[node]].map(usize::from) {
                if child <= node || child >= depth.len() || depth[child].is_some() {
                    return wrong(node, "has a child that is out of range or has two parents");
                }
                depth[child] = Some(above + 1);
            }
        }
        if !self.value.iter().chain(self.cover).all(|v| v.is_finite()) || self.cover.iter().any(|c| *c < 0.0)
        {
            return Err(Error::model("a leaf of a tree has a number that is not finite"));
        }
        Ok(depth.into_iter().flatten().max().unwrap_or(0))
    }

    /// Returns the nodes, splits first, for computing Shapley values.
    pub(crate) fn path_nodes(&self) -> Vec<PathNode> {
        let split = |node: usize| PathNode {
            feature: self.feature[node],
            cut: self.cut[node],
            children: [usize::from(self.left[node]), usize::from(self.right[node])],
            value: 0.0,
            cover: 0.0,
        };
        let leaf = |(&value, &cover): (&f32, &f32)| PathNode {
            feature: 0,
            cut: 0.0,
            children: [0, 0],
            value: f64::from(value),
            cover: f64::from(cover),
        };
        let leaves = self.value.iter().zip(self.cover).map(leaf);
        (0..self.feature.len()).map(split).chain(leaves).collect()
    }
}

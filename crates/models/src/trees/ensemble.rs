//! Tree ensembles in flat arrays: validation and evaluation.

use crate::packed;
use crate::rows::{BLOCK, for_rows};
use crate::trees::bit_scorer::BitScorer;
use crate::trees::shapley::Shapley;
use crate::trees::tree_view::TreeView;
use ndarray::ArrayView2;
use serde::{Deserialize, Serialize};
use threshr_core::{Error, Result};

/// Number of rows that are traversed together, so that their memory loads overlap.
const LANES: usize = 8;

/// Trees in the layout of the model file, one after the other.
///
/// A tree with n leaves has n - 1 splits. A child index below n - 1 is a split, whose index is larger than that
/// of its parent. A child index of n - 1 or more is a leaf. A row with `x[feature] <= cut` goes to `left`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Trees {
    /// Number of leaves of each tree.
    #[serde(with = "packed")]
    leaves: Vec<u16>,
    /// Column of each split.
    #[serde(with = "packed")]
    feature: Vec<u32>,
    /// Maximum value that goes to the left.
    #[serde(with = "packed")]
    cut: Vec<f32>,
    #[serde(with = "packed")]
    left: Vec<u16>,
    #[serde(with = "packed")]
    right: Vec<u16>,
    /// Gain of each split in training.
    #[serde(with = "packed")]
    gain: Vec<f32>,
    /// Value of each leaf.
    #[serde(with = "packed")]
    value: Vec<f32>,
    /// Weight of the training rows in each leaf.
    #[serde(with = "packed")]
    cover: Vec<f32>,
}

/// A split of a tree to be added. Children are encoded as in [`Trees`].
#[derive(Debug, Clone, Copy)]
pub struct Split {
    /// Index of the column.
    pub feature: u32,
    /// Maximum value that goes to the left.
    pub cut: f32,
    /// Gain in training.
    pub gain: f32,
    /// Left and right child.
    pub children: [u16; 2],
}

impl Trees {
    /// Adds a tree. `leaves` are pairs (value, weight); there is one leaf more than splits.
    pub fn push(&mut self, splits: &[Split], leaves: &[(f32, f32)]) {
        self.leaves.push(leaves.len() as u16);
        for q in splits {
            self.feature.push(q.feature);
            self.cut.push(q.cut);
            self.gain.push(q.gain);
            self.left.push(q.children[0]);
            self.right.push(q.children[1]);
        }
        for &(value, cover) in leaves {
            self.value.push(value);
            self.cover.push(cover);
        }
    }

    /// Returns a view of each tree.
    ///
    /// # Errors
    /// If the lengths of the arrays do not match the trees.
    fn views(&self) -> Result<Vec<TreeView<'_>>> {
        let leaves: usize = self.leaves.iter().map(|&n| usize::from(n)).sum();
        let splits = leaves.saturating_sub(self.leaves.len());
        let of_splits =
            [self.feature.len(), self.cut.len(), self.left.len(), self.right.len(), self.gain.len()];
        let of_leaves = [self.value.len(), self.cover.len()];
        if self.leaves.contains(&0) || of_splits != [splits; 5] || of_leaves != [leaves; 2] {
            return Err(Error::model("the arrays of trees differ in length")
                .expected("one entry for each split or leaf"));
        }
        let (mut q, mut l) = (0, 0);
        let view = self.leaves.iter().map(|&n| {
            let n = usize::from(n);
            let (qs, ls) = (q..q + n - 1, l..l + n);
            (q, l) = (qs.end, ls.end);
            TreeView {
                feature: &self.feature[qs.clone()],
                cut: &self.cut[qs.clone()],
                left: &self.left[qs.clone()],
                right: &self.right[qs.clone()],
                gain: &self.gain[qs],
                value: &self.value[ls.clone()],
                cover: &self.cover[ls],
            }
        });
        Ok(view.collect())
    }

    /// Adds the Shapley values of a row to `shapley`.
    ///
    /// # Errors
    /// As for [`TreeScorer::new`], which must have succeeded for the row's number of columns.
    pub(crate) fn explain(&self, row: &[f32], shapley: &mut Shapley) -> Result<()> {
        self.views()?.iter().for_each(|tree| shapley.add(&tree.path_nodes(), row));
        Ok(())
    }

    /// Returns whether each column occurs in a split. The result has length `num_columns`.
    pub(crate) fn used_columns(&self, num_columns: usize) -> Vec<bool> {
        let mut used = vec![false; num_columns];
        self.feature.iter().for_each(|&f| used[f as usize] = true);
        used
    }

    /// Returns each column's share of the total gain; all 0 if there is no split. The result has length
    /// `num_columns`.
    pub(crate) fn importance(&self, num_columns: usize) -> Vec<f32> {
        let mut gain = vec![0.0; num_columns];
        for (&feature, &g) in self.feature.iter().zip(&self.gain) {
            gain[feature as usize] += f64::from(g);
        }
        let total: f64 = gain.iter().sum();
        gain.iter().map(|g| if total > 0.0 { (g / total) as f32 } else { 0.0 }).collect()
    }
}

/// A split, or a leaf whose two children are the leaf itself.
#[derive(Debug, Clone, Copy)]
struct Step {
    cut: f32,
    feature: u32,
    next: [u16; 2],
}

/// A tree in a compact layout for traversal.
#[derive(Debug, Clone)]
struct PackedTree {
    steps: Vec<Step>,
    depth: usize,
    num_splits: usize,
    value: Vec<f32>,
}

/// Valid trees, in a layout for fast evaluation: leaf bits if all trees are small, otherwise nodes for
/// traversal.
#[derive(Debug, Clone)]
pub(crate) struct TreeScorer {
    packed: Packed,
    /// Depth of the deepest tree.
    depth: usize,
}

/// Trees, in the layout of one of two evaluation methods.
#[derive(Debug, Clone)]
enum Packed {
    Bits(BitScorer),
    Traversal(Vec<PackedTree>),
}

impl TreeScorer {
    /// Validates `trees` for rows with `num_columns` columns, and converts them for evaluation.
    ///
    /// # Errors
    /// If a length, an index or a number is invalid. The error refers to the first one.
    pub(crate) fn new(trees: &Trees, num_columns: usize) -> Result<Self> {
        if num_columns == 0 {
            return Err(Error::model("the trees have 0 columns").expected("at least 1"));
        }
        let views = trees.views()?;
        let depths = views.iter().map(|tree| tree.check(num_columns)).collect::<Result<Vec<_>>>()?;
        let packed = match BitScorer::new(&views) {
            Some(bits) => Packed::Bits(bits),
            None => {
                Packed::Traversal(views.iter().zip(&depths).map(|(t, &d)| PackedTree::new(t, d)).collect())
            }
        };
        Ok(Self { packed, depth: depths.into_iter().max().unwrap_or(0) })
    }

    /// Returns the sum of the leaf values for each row of `x`, added in the order of the trees. `x` has at most
    /// [`BLOCK`] rows.
    pub(crate) fn sums(&self, x: ArrayView2<'_, f32>) -> [f64; BLOCK] {
        match &self.packed {
            Packed::Bits(bits) => bits.sums(x),
            Packed::Traversal(trees) => traversal_sums(trees, x),
        }
    }

    /// Returns human-readable facts about the trees.
    pub(crate) fn facts(&self, trees: &Trees, num_columns: usize) -> Vec<(&'static str, String)> {
        let used = trees.importance(num_columns).iter().filter(|share| **share > 0.0).count();
        vec![
            ("trees", trees.leaves.len().to_string()),
            ("leaves", trees.value.len().to_string()),
            ("depth", self.depth.to_string()),
            ("columns used", used.to_string()),
        ]
    }
}

/// Computes the result of [`TreeScorer::sums`] by traversal.
fn traversal_sums(trees: &[PackedTree], x: ArrayView2<'_, f32>) -> [f64; BLOCK] {
    let (n, width) = x.dim();
    let mut copy = Vec::new();
    if !x.is_standard_layout() {
        for_rows(x, |_, row| copy.extend_from_slice(row));
    }
    let flat = x.as_slice().unwrap_or(&copy);
    // lanes after the last row repeat the last row
    let rows: [&[f32]; BLOCK] = std::array::from_fn(|i| &flat[i.min(n - 1) * width..][..width]);
    let mut sums = [0.0; BLOCK];
    for tree in trees {
        let groups = rows.as_chunks::<LANES>().0.iter().zip(sums.as_chunks_mut::<LANES>().0);
        groups.take(n.div_ceil(LANES)).for_each(|(rows, sums)| tree.add(rows, sums));
    }
    sums
}

impl PackedTree {
    /// Converts a valid tree with this depth.
    fn new(tree: &TreeView<'_>, depth: usize) -> Self {
        let num_splits = tree.feature.len();
        let step = |node: usize| Step {
            cut: tree.cut[node],
            feature: tree.feature[node],
            next: [tree.left[node], tree.right[node]],
        };
        let leaf = |node: usize| Step { cut: 0.0, feature: 0, next: [node as u16; 2] };
        let leaves = (num_splits..num_splits + tree.value.len()).map(leaf);
        let steps = (0..num_splits).map(step).chain(leaves).collect();
        Self { steps, depth, num_splits, value: tree.value.to_vec() }
    }

    /// Adds the leaf values of [`LANES`] rows to their sums.
    fn add(&self, rows: &[&[f32]; LANES], sums: &mut [f64; LANES]) {
        let mut at = [0u16; LANES];
        for _ in 0..self.depth {
            for (at, row) in at.iter_mut().zip(rows) {
                let step = &self.steps[usize::from(*at)];
                // NaN goes to the right
                let goes_left = row[step.feature as usize] <= step.cut;
                *at = step.next[usize::from(!goes_left)];
            }
        }
        for (sum, at) in sums.iter_mut().zip(at) {
            *sum += f64::from(self.value[usize::from(at) - self.num_splits]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;
    use proptest::prelude::*;

    /// Returns two trees: x0 <= 1 ? -1 : (x1 <= 0 ? 2 : 4), and a single leaf of 0.5.
    fn small() -> Trees {
        let mut trees = Trees::default();
        let q = |feature, cut, gain, children| Split { feature, cut, gain, children };
        let splits = [q(0, 1.0, 3.0, [2, 1]), q(1, 0.0, 1.0, [3, 4])];
        trees.push(&splits, &[(-1.0, 5.0), (2.0, 2.0), (4.0, 3.0)]);
        trees.push(&[], &[(0.5, 10.0)]);
        trees
    }

    /// Converts the trees for traversal, even if they are small.
    fn traversal(trees: &Trees) -> Vec<PackedTree> {
        let views = trees.views().unwrap();
        views.iter().map(|tree| PackedTree::new(tree, tree.check(3).unwrap())).collect()
    }

    #[test]
    fn sums_agree_with_a_calculation_by_hand() {
        let scorer = TreeScorer::new(&small(), 2).unwrap();
        let x = array![[1.0, 9.0], [2.0, 0.0], [2.0, 1.0], [f32::NAN, f32::NAN]];
        assert_eq!(scorer.sums(x.view())[..4], [-0.5, 2.5, 4.5, 4.5]);
        let transposed = x.t().as_standard_layout().into_owned();
        assert_eq!(scorer.sums(transposed.t())[..4], [-0.5, 2.5, 4.5, 4.5]);
        assert_eq!(traversal_sums(&traversal(&small()), x.view())[..4], [-0.5, 2.5, 4.5, 4.5]);
        assert_eq!(small().importance(3), [0.75, 0.25, 0.0]);
        let facts = [("trees", "2"), ("leaves", "4"), ("depth", "2"), ("columns used", "2")];
        assert_eq!(scorer.facts(&small(), 2), facts.map(|(name, value)| (name, value.to_string())));
    }

    /// Builds a tree by successive splits of leaves. The first number of each element of `picks` selects the
    /// leaf.
    fn tree_of(picks: &[(usize, u32, f32)]) -> Trees {
        // each leaf is stored as its parent split and its side
        let mut splits: Vec<Split> = Vec::new();
        let mut leaves: Vec<Option<(usize, usize)>> = vec![None];
        for &(pick, feature, cut) in picks {
            let node = splits.len();
            let at = pick % leaves.len();
            if let Some((parent, side)) = leaves[at] {
                splits[parent].children[side] = node as u16;
            }
            splits.push(Split { feature, cut, gain: 1.0, children: [0, 0] });
            leaves[at] = Some((node, 0));
            leaves.push(Some((node, 1)));
        }
        for (i, leaf) in leaves.iter().enumerate() {
            if let Some((parent, side)) = *leaf {
                splits[parent].children[side] = (splits.len() + i) as u16;
            }
        }
        let mut trees = Trees::default();
        let values: Vec<_> = (0..leaves.len()).map(|i| (i as f32 + 0.25, 1.0)).collect();
        trees.push(&splits, &values);
        trees
    }

    proptest! {
        #[test]
        fn bits_and_traversal_end_in_the_same_leaves(
            picks in prop::collection::vec((0usize..32, 0u32..3, -3i8..4), 0..32),
            rows in prop::collection::vec([-4i8..5, -4i8..5, -4i8..5], 1..BLOCK),
        ) {
            let picks: Vec<_> = picks.into_iter().map(|(p, f, c)| (p, f, f32::from(c))).collect();
            let trees = tree_of(&picks);
            let scorer = TreeScorer::new(&trees, 3).unwrap();
            prop_assert_eq!(matches!(scorer.packed, Packed::Bits(_)), picks.len() < 32);
            let value = |v: i8| if v == 4 { f32::NAN } else { f32::from(v) };
            let x = ndarray::Array2::from_shape_fn((rows.len(), 3), |(i, j)| value(rows[i][j]));
            let by_column = x.t().as_standard_layout().into_owned();
            let expected = traversal_sums(&traversal(&trees), x.view());
            prop_assert_eq!(&scorer.sums(x.view())[..rows.len()], &expected[..rows.len()]);
            prop_assert_eq!(&scorer.sums(by_column.t())[..rows.len()], &expected[..rows.len()]);
        }
    }

    #[test]
    fn invalid_trees_are_rejected() {
        assert!(TreeScorer::new(&small(), 1).is_err());
        let damage: [fn(&mut Trees); 15] = [
            |t| t.left[1] = 0,
            |t| t.left[1] = 1,
            |t| t.left[0] = 1,
            |t| t.right[0] = 4,
            |t| t.right[1] = 5,
            |t| t.right[1] = u16::MAX,
            |t| t.cut[0] = f32::INFINITY,
            |t| t.gain[0] = -1.0,
            |t| t.gain[0] = f32::NAN,
            |t| t.value[3] = f32::NAN,
            |t| t.cover[0] = -1.0,
            |t| t.feature[1] = 2,
            |t| t.leaves[1] = 0,
            |t| t.leaves[0] = u16::MAX,
            |t| t.cover.truncate(3),
        ];
        for change in damage {
            let mut t = small();
            change(&mut t);
            assert!(TreeScorer::new(&t, 2).is_err(), "{t:?}");
        }
        let mut deep = Trees::default();
        let split = |i: u16| Split { feature: 0, cut: 0.0, gain: 0.0, children: [i + 1, 65 + i] };
        let mut splits: Vec<_> = (0..65).map(split).collect();
        splits[64].children[0] = 130;
        deep.push(&splits, &[(0.0, 0.0); 66]);
        assert!(TreeScorer::new(&deep, 1).is_err());
    }
}

//! Leaf-wise growth of a gradient-boosted tree, based on histogram sums.
//!
//! The result does not depend on the number of threads. There is no recursion.
//!
//! Source: Friedman, Annals of Statistics 29, 2001; second-order gains as in Chen and Guestrin, KDD 2016,
//! "XGBoost"; leaf-wise growth, and sibling sums by subtraction, as in Ke et al., NIPS 2017, "LightGBM".

use crate::simd::byte_transpose::{Cell, ColumnGroups, GroupSums, WIDTH, add, subtract};
use crate::trees::binning::BinnedMatrix;
use rayon::prelude::*;
use std::ops::Range;

/// Maximum number of leaves whose sums are kept. The sums of a leaf take 2 MB for 500 columns. If a leaf's sums
/// were dropped, the sums of both children are computed from the rows.
const MAX_KEPT: usize = 64;

/// Lower bound for the Hessian in a division.
const MIN_HESSIAN: f64 = 1e-9;

/// Minimum sum of Hessians in a leaf. A row's Hessian is w p (1 - p), where w has a mean of 1. Source:
/// LightGBM's default.
const MIN_LEAF_HESSIAN: f64 = 1e-3;

/// Limits for a tree and its splits.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Growth {
    /// Maximum number of leaves, `2..=32768`.
    pub(crate) max_leaves: usize,
    /// Maximum number of edges from the root to a leaf.
    pub(crate) max_depth: usize,
    /// Minimum number of rows in a leaf.
    pub(crate) min_leaf_rows: u32,
    /// L2 penalty, added to the sum of Hessians of each leaf.
    pub(crate) lambda_l2: f64,
}

/// A split of a grown tree. A child `c >= 0` is a node index, which is larger than the index of this node. A
/// child `c < 0` is the leaf `!c`.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Node {
    pub(crate) column: u32,
    /// Last bin of the left child.
    pub(crate) bin: u8,
    pub(crate) gain: f64,
    pub(crate) child: [i32; 2],
}

/// A grown tree over the rows of [`ColumnGroups`].
#[derive(Debug, Default)]
pub(crate) struct GrownTree {
    pub(crate) nodes: Vec<Node>,
    /// Range in `order` of each leaf's rows. Within a leaf, rows are ascending.
    pub(crate) leaves: Vec<Range<usize>>,
    pub(crate) order: Vec<u32>,
}

/// Factors that convert gradients and Hessians to fixed point and back. They are powers of two.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Scale {
    to: [f64; 2],
    back: [f64; 2],
    count_bits: u32,
}

impl Scale {
    /// Returns the finest scale for which the sums over `rows` rows cannot overflow. `gradient` and `hessian`
    /// are the sums of the absolute values.
    pub(crate) fn new(rows: usize, gradient: f64, hessian: f64) -> Self {
        let count_bits = usize::BITS - rows.leading_zeros();
        let finest = |bits: u32, sum: f64| {
            let e = (f64::from(bits) - sum.max(1e-200).log2()).floor();
            2f64.powi(e.clamp(-500.0, 500.0) as i32)
        };
        let to = [finest(61, gradient), finest(61 - count_bits, hessian)];
        Self { to, back: to.map(f64::recip), count_bits }
    }

    /// Returns the gradient and the Hessian of one row in fixed point.
    pub(crate) fn cell(&self, [gradient, hessian]: [f32; 2]) -> Cell {
        let h = (f64::from(hessian) * self.to[1] + 0.5) as i64;
        [(f64::from(gradient) * self.to[0]) as i64, (h << self.count_bits) + 1]
    }

    fn gradient(&self, cell: Cell) -> f64 {
        cell[0] as f64 * self.back[0]
    }

    fn hessian(&self, cell: Cell) -> f64 {
        (cell[1] >> self.count_bits) as f64 * self.back[1]
    }

    fn count(&self, cell: Cell) -> u32 {
        (cell[1] & ((1 << self.count_bits) - 1)) as u32
    }
}

#[derive(Debug, Clone, Copy)]
struct Split {
    gain: f64,
    /// Column index within the groups.
    column: usize,
    bin: u8,
    left: Cell,
}

type Sums = Vec<GroupSums>;

/// A leaf and its best split, if it has one.
struct Leaf {
    range: Range<usize>,
    depth: usize,
    total: Cell,
    /// Index of the parent node, and the side: 0 is left, 1 is right.
    parent: Option<(usize, usize)>,
    split: Option<Split>,
    sums: Option<Sums>,
}

/// A new leaf: its rows, their total, and whether it may be split.
struct Child {
    range: Range<usize>,
    total: Cell,
    open: bool,
}

/// Grows trees. The memory is reused for the next tree.
#[derive(Debug, Default)]
pub(crate) struct Grower {
    order: Vec<u32>,
    spare: Vec<u32>,
    cells: Vec<Cell>,
    pool: Vec<Sums>,
}

/// The data and limits of one tree.
pub(crate) struct Task<'a> {
    pub(crate) binned: &'a BinnedMatrix,
    pub(crate) groups: &'a ColumnGroups,
    /// Gradient and Hessian of each row of the groups, in fixed point.
    pub(crate) cells: &'a [Cell],
    pub(crate) scale: Scale,
    pub(crate) growth: &'a Growth,
}

impl Grower {
    /// Grows a tree. If gains are equal, the lowest column wins, then the lowest bin.
    pub(crate) fn grow(&mut self, task: &Task<'_>) -> GrownTree {
        let n = task.groups.num_rows();
        self.order.clear();
        self.order.extend(0..n as u32);
        self.spare.resize(n, 0);
        let mut nodes = Vec::new();
        let mut leaves = vec![self.root(task)];
        while leaves.len() < task.growth.max_leaves {
            let Some(at) = best_leaf(&leaves) else { break };
            let kept = leaves.iter().filter(|l| l.sums.is_some()).count();
            let Some(right) = self.split(task, &mut nodes, &mut leaves[at], (at, kept)) else { break };
            let number = leaves.len();
            if let Some((parent, side)) = right.parent {
                let node: &mut Node = &mut nodes[parent];
                node.child[side] = !(number as i32);
            }
            leaves.push(right);
        }
        self.pool.extend(leaves.iter_mut().filter_map(|l| l.sums.take()));
        self.pool.truncate(MAX_KEPT);
        GrownTree {
            nodes,
            leaves: leaves.into_iter().map(|l| l.range).collect(),
            order: std::mem::take(&mut self.order),
        }
    }

    /// Takes back the row list of a grown tree, to reuse its memory.
    pub(crate) fn recycle(&mut self, grown: GrownTree) {
        self.order = grown.order;
    }

    fn root(&mut self, task: &Task<'_>) -> Leaf {
        let range = 0..task.groups.num_rows();
        let total = task.cells.iter().fold([0; 2], |t, c| [t[0] + c[0], t[1] + c[1]]);
        let child = task.child(range.clone(), total, 0);
        let mut sums = self.fresh(task);
        let found = task.count(&mut sums, &self.order, task.cells, &child);
        Leaf { range, depth: 0, total, parent: None, split: found, sums: Some(sums) }
    }

    /// Splits `leaf`, which has the index `at`. `leaf` becomes the left child; the right child is returned.
    fn split(
        &mut self,
        task: &Task<'_>,
        nodes: &mut Vec<Node>,
        leaf: &mut Leaf,
        (at, kept): (usize, usize),
    ) -> Option<Leaf> {
        let split = leaf.split.take()?;
        let (number, depth) = (nodes.len(), leaf.depth + 1);
        let column = task.groups.columns()[split.column];
        nodes.push(Node { column, bin: split.bin, gain: split.gain, child: [!(at as i32), 0] });
        if let Some((parent, side)) = leaf.parent {
            nodes[parent].child[side] = number as i32;
        }
        let middle = self.partition(task, leaf.range.clone(), &split);
        let right_total = [leaf.total[0] - split.left[0], leaf.total[1] - split.left[1]];
        let left = task.child(leaf.range.start..middle, split.left, depth);
        let right = task.child(middle..leaf.range.end, right_total, depth);
        let [of_left, of_right] = self.count_children(task, leaf.sums.take(), [&left, &right]);
        let of = |child: Child, side, (split, sums): (Option<Split>, Option<Sums>)| Leaf {
            range: child.range,
            depth,
            total: child.total,
            parent: Some((number, side)),
            split,
            sums,
        };
        let mut new = [of(left, 0, of_left), of(right, 1, of_right)];
        if kept >= MAX_KEPT {
            self.pool.extend(new.iter_mut().filter_map(|l| l.sums.take()));
        }
        let [left, right] = new;
        *leaf = left;
        Some(right)
    }

    /// Returns the best splits and the sums of two siblings. If the parent's sums are known, only the rows of
    /// the smaller child are summed, and the sums of its sibling are the difference.
    fn count_children(
        &mut self,
        task: &Task<'_>,
        parent: Option<Sums>,
        children: [&Child; 2],
    ) -> [(Option<Split>, Option<Sums>); 2] {
        if !children.iter().any(|c| c.open) {
            self.pool.extend(parent);
            return [(None, None), (None, None)];
        }
        let side = usize::from(children[0].range.len() > children[1].range.len());
        let (small, large) = (children[side], children[1 - side]);
        let mut small_sums = self.fresh(task);
        let (rows, cells) = self.gather(task, small.range.clone());
        let (of_small, of_large, large_sums) = if let Some(mut sums) = parent {
            let (a, b) = task.count_both(&mut small_sums, &mut sums, (rows, cells), (small, large));
            (a, b, sums)
        } else {
            let a = task.count(&mut small_sums, rows, cells, small);
            let mut sums = self.fresh(task);
            let (rows, cells) = self.gather(task, large.range.clone());
            let b = task.count(&mut sums, rows, cells, large);
            (a, b, sums)
        };
        let mut of = [(of_large, Some(large_sums)), (of_small, Some(small_sums))];
        if side == 0 {
            of.reverse();
        }
        // A leaf that cannot be split does not need its sums.
        for (split, sums) in &mut of {
            if split.is_none() {
                self.pool.extend(sums.take());
            }
        }
        of
    }

    /// Returns the rows of a node and copies of their cells.
    fn gather(&mut self, task: &Task<'_>, range: Range<usize>) -> (&[u32], &[Cell]) {
        let rows = &self.order[range];
        self.cells.clear();
        self.cells.extend(rows.iter().map(|&row| task.cells[row as usize]));
        (rows, &self.cells)
    }

    fn fresh(&mut self, task: &Task<'_>) -> Sums {
        let num_groups = task.groups.num_groups();
        while let Some(mut sums) = self.pool.pop() {
            if sums.len() == num_groups {
                sums.par_iter_mut().for_each(|group| group.as_flattened_mut().fill([0; 2]));
                return sums;
            }
        }
        vec![[[[0; 2]; 256]; WIDTH]; num_groups]
    }

    /// Partitions the rows of a leaf, keeping their order. Returns the start of the right side.
    fn partition(&mut self, task: &Task<'_>, range: Range<usize>, split: &Split) -> usize {
        let (group, k) = (task.groups.group(split.column / WIDTH), split.column % WIDTH);
        let (mut left, mut right) = (range.start, 0);
        for i in range.clone() {
            let row = self.order[i];
            let goes_left = group[row as usize][k] <= split.bin;
            // branch-free: writes to both sides and advances one of them
            self.order[left] = row;
            self.spare[right] = row;
            left += usize::from(goes_left);
            right += usize::from(!goes_left);
        }
        self.order[left..range.end].copy_from_slice(&self.spare[..right]);
        left
    }
}

/// Returns the index of the leaf whose split has the largest gain; if gains are equal, the lowest index.
fn best_leaf(leaves: &[Leaf]) -> Option<usize> {
    let gains = leaves.iter().enumerate().filter_map(|(i, l)| l.split.map(|s| (i, s.gain)));
    gains.reduce(|best, next| if next.1 > best.1 { next } else { best }).map(|(i, _)| i)
}

impl Task<'_> {
    fn child(&self, range: Range<usize>, total: Cell, depth: usize) -> Child {
        let enough = range.len() >= 2 * (self.growth.min_leaf_rows as usize);
        Child { range, total, open: depth < self.growth.max_depth && enough }
    }

    /// Sums the rows of a node. Returns its best split.
    fn count(&self, sums: &mut Sums, rows: &[u32], cells: &[Cell], child: &Child) -> Option<Split> {
        let found = sums.par_iter_mut().enumerate().map(|(group, sums)| {
            add(sums, self.groups.group(group), rows, cells);
            self.best_in_group(sums, group, child)
        });
        found.collect::<Vec<_>>().into_iter().fold(None, larger_gain)
    }

    /// Sums the rows of the smaller child and subtracts them from `large_sums`. Returns the best splits of both
    /// children.
    fn count_both(
        &self,
        small_sums: &mut Sums,
        large_sums: &mut Sums,
        (rows, cells): (&[u32], &[Cell]),
        (small, large): (&Child, &Child),
    ) -> (Option<Split>, Option<Split>) {
        let pairs = small_sums.par_iter_mut().zip(large_sums.par_iter_mut()).enumerate();
        let found = pairs.map(|(group, (of_small, of_large))| {
            add(of_small, self.groups.group(group), rows, cells);
            subtract(of_large, of_small);
            (self.best_in_group(of_small, group, small), self.best_in_group(of_large, group, large))
        });
        let found = found.collect::<Vec<_>>().into_iter();
        found.fold((None, None), |best, next| (larger_gain(best.0, next.0), larger_gain(best.1, next.1)))
    }

    fn best_in_group(&self, sums: &GroupSums, group: usize, child: &Child) -> Option<Split> {
        if !child.open {
            return None;
        }
        let columns = self.groups.columns().len();
        let of_group = (group * WIDTH..columns.min((group + 1) * WIDTH)).zip(sums);
        of_group.map(|(column, sums)| self.best_in_column(sums, column, child.total)).fold(None, larger_gain)
    }

    fn best_in_column(&self, sums: &[Cell; 256], column: usize, total: Cell) -> Option<Split> {
        let (scale, growth) = (&self.scale, self.growth);
        let bins = self.binned.num_bins(self.groups.columns()[column] as usize).min(256);
        let score = |cell: Cell, h: f64| {
            let g = scale.gradient(cell);
            g * g / (h + growth.lambda_l2).max(MIN_HESSIAN)
        };
        let whole = score(total, scale.hessian(total));
        let (mut best, mut best_score) = (None, whole + whole * 1e-12);
        let mut left = [0; 2];
        for (i, cell) in sums[..bins].iter().enumerate() {
            if cell[1] == 0 {
                continue;
            }
            left = [left[0] + cell[0], left[1] + cell[1]];
            let right = [total[0] - left[0], total[1] - left[1]];
            if scale.count(right) < growth.min_leaf_rows {
                break;
            }
            let (h_left, h_right) = (scale.hessian(left), scale.hessian(right));
            let few = scale.count(left) < growth.min_leaf_rows;
            if few || h_left < MIN_LEAF_HESSIAN || h_right < MIN_LEAF_HESSIAN {
                continue;
            }
            let after = score(left, h_left) + score(right, h_right);
            if after > best_score {
                (best, best_score) = (Some((i, left)), after);
            }
        }
        let (bin, left) = best?;
        // If bins next to the split are empty in the node, the cut is halfway through them.
        let next = (bin + 1..bins).find(|&i| sums[i][1] != 0)?;
        Some(Split { gain: best_score - whole, column, bin: ((bin + next - 1) / 2) as u8, left })
    }
}

/// Returns the split with the larger gain; if gains are equal, the first.
fn larger_gain(best: Option<Split>, next: Option<Split>) -> Option<Split> {
    match (best, next) {
        (Some(b), Some(n)) => Some(if n.gain > b.gain { n } else { b }),
        (best, next) => best.or(next),
    }
}

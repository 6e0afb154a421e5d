//! Deterministic, histogram-based training of classification trees by weighted Gini impurity.
//!
//! The result does not depend on the number of threads. There is no recursion.
//!
//! Source: Breiman et al., 1984, "Classification and Regression Trees"; histograms, and sibling histograms by
//! subtraction, as in Ke et al., NIPS 2017, "LightGBM".

use crate::trees::binning::{BinnedMatrix, midpoint};
use crate::trees::histogram::{Bin, Histogram};
use std::cmp::Ordering;
use threshr_models::trees::flat_tree::{FlatTree, impurity};

/// Maximum number of histograms that are kept for open nodes. A histogram over 330 columns takes 2 MB. If a
/// node's histogram was dropped, the histograms of both children are summed from the rows.
const MAX_KEPT: usize = 64;

/// Limits for a tree and its splits.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Growth {
    /// Maximum number of edges from the root to a leaf.
    pub max_depth: usize,
    /// Minimum number of rows in a leaf, at least 1.
    pub min_leaf_rows: u32,
    /// Maximum number of leaves; `None` means no limit. If it is set, the split with the largest gain is made
    /// first.
    pub max_leaves: Option<usize>,
}

/// Training rows: bins, labels and weights.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Rows<'a> {
    /// The feature matrix.
    pub binned: &'a BinnedMatrix,
    /// Label of each row: `true` is content.
    pub y: &'a [bool],
    /// Weight of each row, finite and `>= 0`.
    pub weight: &'a [f32],
}

/// Grows a tree. Rows of weight 0 are ignored.
///
/// The split of a node is the one with the largest gain; ties are resolved by the lowest column, then the
/// lowest bin. If bins next to the split are empty in the node, the cut is halfway through them.
pub(crate) fn grow<'a>(rows: Rows<'a>, growth: &'a Growth) -> FlatTree {
    let order: Vec<u32> = (0..rows.y.len() as u32).filter(|&r| rows.weight[r as usize] > 0.0).collect();
    let mut grower = Grower {
        rows,
        growth,
        columns: (0..rows.binned.num_columns() as u32).collect(),
        spare: Vec::with_capacity(order.len()),
        order,
        tree: FlatTree::default(),
        open: Vec::new(),
        total: 0.0,
        kept: 0,
    };
    grower.run();
    grower.tree
}

#[derive(Debug, Clone, Copy)]
struct Split {
    gain: f64,
    column: u32,
    /// Last bin of the left child.
    bin: u8,
    cut: f32,
}

/// A leaf that can be split.
struct Open {
    node: u32,
    start: usize,
    end: usize,
    depth: usize,
    split: Split,
    histogram: Option<Histogram>,
}

struct Grower<'a> {
    rows: Rows<'a>,
    growth: &'a Growth,
    columns: Vec<u32>,
    /// Row indices; the rows of a node are contiguous.
    order: Vec<u32>,
    spare: Vec<u32>,
    tree: FlatTree,
    open: Vec<Open>,
    total: f64,
    kept: usize,
}

impl Grower<'_> {
    fn run(&mut self) {
        let end = self.order.len();
        let sums = self.sums(0, end);
        self.total = sums.first + sums.second;
        let root = self.tree.push_leaf(sums.first, sums.second, sums.count);
        self.consider(root, (0, end), 0, None);
        let max_leaves = self.growth.max_leaves.unwrap_or(usize::MAX);
        let mut leaves = 1;
        while leaves < max_leaves {
            let Some(open) = self.next() else { break };
            self.split(open);
            leaves += 1;
        }
    }

    /// Returns the next node to split: depth first, which keeps few histograms, or best first if `max_leaves`
    /// is set.
    fn next(&mut self) -> Option<Open> {
        let mut at = self.open.len().checked_sub(1)?;
        if self.growth.max_leaves.is_some() {
            let order = |a: &Open, b: &Open| a.split.gain.total_cmp(&b.split.gain).then(b.node.cmp(&a.node));
            at = (0..self.open.len()).max_by(|&a, &b| order(&self.open[a], &self.open[b]))?;
        }
        let open = self.open.remove(at);
        self.kept -= usize::from(open.histogram.is_some());
        Some(open)
    }

    /// Adds a leaf to the open nodes if it can be split. `histogram` is the node's histogram over all columns,
    /// if known.
    fn consider(
        &mut self,
        node: u32,
        (start, end): (usize, usize),
        depth: usize,
        histogram: Option<Histogram>,
    ) {
        let at = node as usize;
        let (content, boilerplate) = (self.tree.content[at], self.tree.boilerplate[at]);
        let too_few = end - start < 2 * (self.growth.min_leaf_rows.max(1) as usize);
        if depth >= self.growth.max_depth || too_few || content <= 0.0 || boilerplate <= 0.0 {
            return;
        }
        let histogram = histogram.unwrap_or_else(|| self.histogram(start, end));
        let node_sums = Bin { first: content, second: boilerplate, count: (end - start) as u32 };
        let Some(split) = self.best_split(&histogram, &node_sums) else { return };
        let keep = self.kept < MAX_KEPT;
        self.kept += usize::from(keep);
        self.open.push(Open { node, start, end, depth, split, histogram: keep.then_some(histogram) });
    }

    fn split(&mut self, open: Open) {
        let Open { node, start, end, depth, split, histogram } = open;
        let middle = self.partition(start, end, split.column, split.bin);
        let (l, r) = (self.sums(start, middle), self.sums(middle, end));
        let left = self.tree.push_leaf(l.first, l.second, l.count);
        let right = self.tree.push_leaf(r.first, r.second, r.count);
        self.tree.set_split(node, split.column, split.cut, (left, right));
        let (mut of_left, mut of_right) = (None, None);
        if let Some(parent) = histogram.filter(|_| depth + 1 < self.growth.max_depth) {
            // Only the smaller child is summed; the histogram of its sibling is the difference to the parent.
            if middle - start <= end - middle {
                let small = self.histogram(start, middle);
                of_right = Some(parent.without(&small));
                of_left = Some(small);
            } else {
                let small = self.histogram(middle, end);
                of_left = Some(parent.without(&small));
                of_right = Some(small);
            }
        }
        self.consider(right, (middle, end), depth + 1, of_right);
        self.consider(left, (start, middle), depth + 1, of_left);
    }

    /// Partitions the rows of a node, keeping their order. Returns the start of the right side.
    fn partition(&mut self, start: usize, end: usize, column: u32, bin: u8) -> usize {
        let codes = self.rows.binned.codes(column as usize);
        self.spare.clear();
        let mut middle = start;
        for i in start..end {
            let row = self.order[i];
            if codes[row as usize] <= bin {
                self.order[middle] = row;
                middle += 1;
            } else {
                self.spare.push(row);
            }
        }
        self.order[middle..end].copy_from_slice(&self.spare);
        middle
    }

    fn sums(&self, start: usize, end: usize) -> Bin {
        let mut sums = Bin { count: (end - start) as u32, ..Bin::default() };
        for &row in &self.order[start..end] {
            let w = f64::from(self.rows.weight[row as usize]);
            *(if self.rows.y[row as usize] { &mut sums.first } else { &mut sums.second }) += w;
        }
        sums
    }

    fn histogram(&self, start: usize, end: usize) -> Histogram {
        let rows = &self.order[start..end];
        let stats: Vec<[f32; 2]> = rows
            .iter()
            .map(|&row| {
                let w = self.rows.weight[row as usize];
                if self.rows.y[row as usize] { [w, 0.0] } else { [0.0, w] }
            })
            .collect();
        Histogram::build(self.rows.binned, &self.columns, rows, &stats)
    }

    fn best_split(&self, histogram: &Histogram, node: &Bin) -> Option<Split> {
        let mut best: Option<Split> = None;
        for (column, bins) in histogram.columns() {
            if let Some(split) = self.best_in_column(column, bins, node) {
                // on equal gains, the lowest column wins
                if best.is_none_or(|b| split.gain.total_cmp(&b.gain) == Ordering::Greater) {
                    best = Some(split);
                }
            }
        }
        best
    }

    fn best_in_column(&self, column: u32, bins: &[Bin], node: &Bin) -> Option<Split> {
        let whole = impurity(node.first, node.second);
        let (mut best, mut best_impurity) = (None, f64::INFINITY);
        let mut left = Bin::default();
        for (i, bin) in bins.iter().enumerate() {
            if bin.count == 0 {
                continue;
            }
            left.add(bin);
            let right = node.without(&left);
            if right.count < self.growth.min_leaf_rows.max(1) {
                break;
            }
            if left.count < self.growth.min_leaf_rows {
                continue;
            }
            let after = impurity(left.first, left.second) + impurity(right.first, right.second);
            if after < best_impurity {
                (best, best_impurity) = (Some(i), after);
            }
        }
        let gain = (whole - best_impurity) / self.total;
        // a gain below 1e-12 is rounding noise
        (gain > 1e-12).then_some(())?;
        let bin = best?;
        let next = (bin + 1..bins.len()).find(|&i| bins[i].count > 0)?;
        let (low, high) = (self.cut(column, bin), self.cut(column, next - 1));
        let cut = if low < high { midpoint(low, high) } else { low };
        Some(Split { gain, column, bin: bin as u8, cut })
    }

    fn cut(&self, column: u32, bin: usize) -> f32 {
        self.rows.binned.cut(column as usize, bin)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trees::refill;
    use ndarray::Array2;
    use threshr_models::trees::flat_tree::Walker;

    const GROWTH: Growth = Growth { max_depth: 6, min_leaf_rows: 5, max_leaves: None };

    fn data(n: usize) -> (Array2<f32>, Vec<bool>, Vec<f32>) {
        let mut state = 7u64;
        let mut next = || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 40) as f32 / (1u64 << 24) as f32
        };
        let x = Array2::from_shape_fn((n, 5), |(_, j)| if j < 3 { (next() * 6.0).floor() } else { next() });
        let y = x.rows().into_iter().map(|r| (r[0] > 2.0) != (r[3] > 0.4) || r[1] == 5.0).collect();
        let w = (0..n).map(|i| 0.5 + (i % 4) as f32).collect();
        (x, y, w)
    }

    fn fit(n: usize, growth: &Growth) -> (FlatTree, f64) {
        let (x, y, weight) = data(n);
        let binned = BinnedMatrix::new(x.view(), None, 64);
        let rows = Rows { binned: &binned, y: &y, weight: &weight };
        let tree = grow(rows, growth);
        tree.check(5).unwrap();
        let mut refilled = tree.clone();
        refill(&mut refilled, x.view(), &y, &weight);
        assert_eq!(tree, refilled, "training and walking send rows the same way");
        let walker = Walker::new(&tree);
        let right = x.rows().into_iter().zip(&y).filter(|(r, y)| {
            let leaf = walker.leaf(|column| r[column]);
            (tree.content[leaf] > tree.boilerplate[leaf]) == **y
        });
        let accuracy = right.count() as f64 / n as f64;
        (tree, accuracy)
    }

    #[test]
    fn learns_within_its_limits() {
        let (tree, accuracy) = fit(3000, &GROWTH);
        assert!(accuracy > 0.97, "{accuracy}");
        assert!(tree.depth() <= 6 && tree.count.iter().all(|&c| c >= 5));
        let (tree, _) = fit(3000, &Growth { min_leaf_rows: 600, ..GROWTH });
        assert!(tree.len() > 1 && tree.count.iter().all(|&c| c >= 600));
        assert_eq!(fit(500, &Growth { max_depth: 0, ..GROWTH }).0.len(), 1);
    }

    #[test]
    fn best_first_stops_at_max_leaves() {
        let (tree, accuracy) = fit(3000, &Growth { max_leaves: Some(7), ..GROWTH });
        assert_eq!(tree.num_leaves(), 7);
        assert!(accuracy > 0.9, "{accuracy}");
    }

    #[test]
    fn any_number_of_threads_gives_the_same_tree() {
        let with = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| fit(2000, &GROWTH).0)
        };
        assert_eq!(with(1), with(3));
    }

    #[test]
    fn the_lowest_of_equal_columns_wins() {
        let x = Array2::from_shape_fn((40, 3), |(i, j)| if j == 0 { 1.0 } else { (i / 20) as f32 });
        let y: Vec<_> = (0..40).map(|i| i >= 20).collect();
        let binned = BinnedMatrix::new(x.view(), None, 64);
        let rows = Rows { binned: &binned, y: &y, weight: &[1.0; 40] };
        let tree = grow(rows, &GROWTH);
        assert_eq!((tree.len(), tree.feature[0], tree.cut[0]), (3, 1, 0.5));
    }
}

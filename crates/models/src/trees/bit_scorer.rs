//! QuickScorer: evaluates small trees with a bit mask that has one bit per leaf. Each split clears the bits of
//! the leaves that a row cannot reach.
//!
//! Source: Lucchese et al., SIGIR 2015, "QuickScorer", and Lucchese et al., SIGIR 2016, "Exploiting CPU SIMD
//! extensions to speed-up document scoring with tree ensembles".

use crate::rows::BLOCK;
use crate::trees::tree_view::TreeView;
use ndarray::ArrayView2;
use pulp::Simd;

/// Maximum number of leaves per tree; each leaf takes one bit.
pub(crate) const MAX_LEAVES: usize = 32;

/// Maximum number of row vectors that are evaluated together: half of the AVX2 registers.
///
/// A split is loaded once for all these rows, and their leaf bits stay in registers for a whole tree.
const MAX_VECTORS: usize = 8;

/// A split of a tree.
#[derive(Debug, Clone, Copy)]
struct Split {
    /// Maximum value of rows that go to the left. These rows keep all leaves.
    cut: f32,
    /// Index in [`BitScorer::columns`].
    column: u32,
    /// Leaves that rows with a greater value keep: all leaves except those on the left side.
    mask: u32,
}

/// Trees with at most [`MAX_LEAVES`] leaves each, in sequence.
#[derive(Debug, Clone)]
pub(crate) struct BitScorer {
    splits: Vec<Split>,
    /// Columns of the splits, ascending.
    columns: Vec<u32>,
    trees: Vec<Tree>,
}

/// The end of a tree's splits in the list of all splits, and the leaf values from left to right.
#[derive(Debug, Clone)]
struct Tree {
    end: usize,
    values: [f32; MAX_LEAVES],
}

impl BitScorer {
    /// Converts valid trees for evaluation. Returns `None` if a tree has too many leaves.
    pub(crate) fn new(trees: &[TreeView<'_>]) -> Option<Self> {
        if trees.iter().any(|t| t.value.len() > MAX_LEAVES) {
            return None;
        }
        let mut columns: Vec<u32> = trees.iter().flat_map(|t| t.feature.iter().copied()).collect();
        columns.sort_unstable();
        columns.dedup();
        let mut scorer = BitScorer { splits: Vec::new(), columns, trees: Vec::with_capacity(trees.len()) };
        for view in trees {
            let mut values = [0.0; MAX_LEAVES];
            let leaves = leaf_ranges(view, &mut values);
            for (node, &(start, left_end)) in leaves.iter().enumerate() {
                let column = scorer.columns.partition_point(|c| *c < view.feature[node]) as u32;
                scorer.splits.push(Split { cut: view.cut[node], column, mask: !bits(start, left_end) });
            }
            scorer.trees.push(Tree { end: scorer.splits.len(), values });
        }
        Some(scorer)
    }

    /// Returns the sum of the leaf values for each row of `x`, added in the order of the trees. `x` has at most
    /// [`BLOCK`] rows.
    pub(crate) fn sums(&self, x: ArrayView2<'_, f32>) -> [f64; BLOCK] {
        // selects AVX2 or the baseline instruction set at run time
        pulp::Arch::new().dispatch(Sums { scorer: self, x })
    }

    #[inline(always)]
    fn add_up<S: Simd>(&self, simd: S, x: ArrayView2<'_, f32>) -> [f64; BLOCK] {
        let mut sums = [0.0; BLOCK];
        let mut values = Vec::new();
        let mut from = 0;
        while from < x.nrows() {
            // the last rows may need fewer vectors
            let vectors = (x.nrows() - from).div_ceil(S::F32_LANES).min(MAX_VECTORS);
            let num = (vectors * S::F32_LANES).min(x.nrows() - from);
            self.gather(x, from, num, vectors * S::F32_LANES, &mut values);
            let sums = &mut sums[from..from + num];
            // the number of vectors is a compile-time constant in each call, which keeps the bits in
            // registers
            match vectors {
                1 => self.tile::<S, 1>(simd, &values, sums),
                2 => self.tile::<S, 2>(simd, &values, sums),
                3 => self.tile::<S, 3>(simd, &values, sums),
                4 => self.tile::<S, 4>(simd, &values, sums),
                5 => self.tile::<S, 5>(simd, &values, sums),
                6 => self.tile::<S, 6>(simd, &values, sums),
                7 => self.tile::<S, 7>(simd, &values, sums),
                _ => self.tile::<S, MAX_VECTORS>(simd, &values, sums),
            }
            from += num;
        }
        sums
    }

    /// Copies the values of `num` rows, starting at row `from`, for the columns of the splits. Each column is
    /// padded with zeros to `width` values.
    fn gather(&self, x: ArrayView2<'_, f32>, from: usize, num: usize, width: usize, values: &mut Vec<f32>) {
        values.clear();
        values.reserve(self.columns.len() * width);
        for &column in &self.columns {
            let column = x.column(column as usize);
            match column.as_slice() {
                Some(column) => values.extend_from_slice(&column[from..from + num]),
                None => values.extend(column.iter().skip(from).take(num)),
            }
            values.extend(std::iter::repeat_n(0.0, width - num));
        }
    }

    /// Adds the leaf values to the `sums` of the rows. `values` has `N` vectors per column.
    #[inline(always)]
    fn tile<S: Simd, const N: usize>(&self, simd: S, values: &[f32], sums: &mut [f64]) {
        let (columns, _) = S::as_simd_f32s(values).0.as_chunks::<N>();
        let mut remaining = [0u32; BLOCK];
        let mut start = 0;
        for tree in &self.trees {
            let mut bits = [simd.splat_u32s(u32::MAX); N];
            for split in &self.splits[start..tree.end] {
                let (cut, mask) = (simd.splat_f32s(split.cut), simd.splat_u32s(split.mask));
                let rows = columns[split.column as usize];
                // updates a copy, since an update in place would write to memory at every split
                let mut next = bits;
                for k in 0..N {
                    // NaN goes to the right
                    let stays = simd.less_than_or_equal_f32s(rows[k], cut);
                    next[k] = simd.select_u32s(stays, bits[k], simd.and_u32s(bits[k], mask));
                }
                bits = next;
            }
            start = tree.end;
            let (vectors, _) = S::as_mut_simd_u32s(&mut remaining);
            vectors[..N].copy_from_slice(&bits);
            for (sum, bits) in sums.iter_mut().zip(&remaining) {
                // selects the leftmost remaining leaf; at least one leaf remains
                *sum += f64::from(tree.values[bits.trailing_zeros() as usize % MAX_LEAVES]);
            }
        }
    }
}

/// A call of [`BitScorer::add_up`].
struct Sums<'s, 'x> {
    scorer: &'s BitScorer,
    x: ArrayView2<'x, f32>,
}

impl pulp::WithSimd for Sums<'_, '_> {
    type Output = [f64; BLOCK];

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> Self::Output {
        match S::F32_LANES {
            // the processor has no vectors: let the compiler vectorise groups of eight values
            1 => self.scorer.add_up(pulp::Scalar256b, self.x),
            _ => self.scorer.add_up(simd, self.x),
        }
    }
}

/// Returns a mask with the bits `from..to` set.
fn bits(from: u32, to: u32) -> u32 {
    let below = |n: u32| if n >= 32 { u32::MAX } else { (1 << n) - 1 };
    below(to) & !below(from)
}

/// Returns for each split the range of the leaves on its left side. Leaves are numbered from left to right.
/// Also writes the leaf values in this order.
fn leaf_ranges(tree: &TreeView<'_>, values: &mut [f32; MAX_LEAVES]) -> Vec<(u32, u32)> {
    let num_splits = tree.feature.len();
    let mut ranges = vec![(0, 0); num_splits];
    let mut next = 0;
    // pairs (node, whether its left side is processed)
    let mut open = vec![(0usize, false)];
    while let Some((node, left_done)) = open.pop() {
        if node >= num_splits {
            values[next as usize] = tree.value[node - num_splits];
            next += 1;
        } else if left_done {
            ranges[node].1 = next;
            open.push((usize::from(tree.right[node]), false));
        } else {
            ranges[node].0 = next;
            open.push((node, true));
            open.push((usize::from(tree.left[node]), false));
        }
    }
    ranges
}

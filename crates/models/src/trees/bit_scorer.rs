//! Small trees evaluated side by side: every question clears the leaves that a row can no longer reach.
//!
//! Source: Lucchese et al., SIGIR 2015, "QuickScorer", and Lucchese et al., SIGIR 2016, "Exploiting CPU SIMD extensions
//! to speed-up document scoring with tree ensembles".

use crate::rows::BLOCK;
use crate::trees::ensemble::TreeView;
use ndarray::ArrayView2;
use pulp::Simd;

/// Most leaves of a tree: one bit each.
pub(crate) const MAX_LEAVES: usize = 32;

/// Most vectors of rows that are worked on together, half of the registers that AVX2 has: a question is read once for all of
/// them, and the bits of their leaves stay in registers for a whole tree.
const MOST_VECTORS: usize = 8;

/// A question of some tree.
#[derive(Debug, Clone, Copy)]
struct Question {
    /// Largest value that keeps all leaves.
    cut: f32,
    /// Its column's place in [`BitScorer::columns`].
    column: u32,
    /// Leaves that remain for greater values: all but those to the left.
    mask: u32,
}

/// Trees of at most [`MAX_LEAVES`] leaves, one after the other.
#[derive(Debug, Clone)]
pub(crate) struct BitScorer {
    questions: Vec<Question>,
    /// Columns that are asked for.
    columns: Vec<u32>,
    trees: Vec<Tree>,
}

/// Where the questions of a tree end, and the values of its leaves, left to right.
#[derive(Debug, Clone)]
struct Tree {
    end: usize,
    values: [f32; MAX_LEAVES],
}

impl BitScorer {
    /// For trees that have been checked; `None` where one has too many leaves.
    pub(crate) fn new(trees: &[TreeView<'_>]) -> Option<Self> {
        if trees.iter().any(|t| t.value.len() > MAX_LEAVES) {
            return None;
        }
        let mut columns: Vec<u32> = trees.iter().flat_map(|t| t.feature.iter().copied()).collect();
        columns.sort_unstable();
        columns.dedup();
        let mut scorer = BitScorer { questions: Vec::new(), columns, trees: Vec::with_capacity(trees.len()) };
        for view in trees {
            let mut values = [0.0; MAX_LEAVES];
            let leaves = leaf_ranges(view, &mut values);
            for (node, &(start, left_end)) in leaves.iter().enumerate() {
                let column = scorer.columns.partition_point(|c| *c < view.feature[node]) as u32;
                scorer.questions.push(Question { cut: view.cut[node], column, mask: !bits(start, left_end) });
            }
            scorer.trees.push(Tree { end: scorer.questions.len(), values });
        }
        Some(scorer)
    }

    /// Adds up the leaves that each row of `x` ends in, the first tree first; at most [`BLOCK`] rows.
    pub(crate) fn sums(&self, x: ArrayView2<'_, f32>) -> [f64; BLOCK] {
        // compiled for plain vectors and for AVX2, as the processor has them
        pulp::Arch::new().dispatch(Sums { scorer: self, x })
    }

    #[inline(always)]
    fn add_up<S: Simd>(&self, simd: S, x: ArrayView2<'_, f32>) -> [f64; BLOCK] {
        let mut sums = [0.0; BLOCK];
        let mut values = Vec::new();
        let mut from = 0;
        while from < x.nrows() {
            // few rows that are left are not made many
            let vectors = (x.nrows() - from).div_ceil(S::F32_LANES).min(MOST_VECTORS);
            let num = (vectors * S::F32_LANES).min(x.nrows() - from);
            self.gather(x, from, num, vectors * S::F32_LANES, &mut values);
            let sums = &mut sums[from..from + num];
            // a number that is known when this is compiled, or the bits would not stay in registers
            match vectors {
                1 => self.tile::<S, 1>(simd, &values, sums),
                2 => self.tile::<S, 2>(simd, &values, sums),
                3 => self.tile::<S, 3>(simd, &values, sums),
                4 => self.tile::<S, 4>(simd, &values, sums),
                5 => self.tile::<S, 5>(simd, &values, sums),
                6 => self.tile::<S, 6>(simd, &values, sums),
                7 => self.tile::<S, 7>(simd, &values, sums),
                _ => self.tile::<S, MOST_VECTORS>(simd, &values, sums),
            }
            from += num;
        }
        sums
    }

    /// The columns that are asked for of `num` rows from `from` on, `width` values each; those beyond the rows are 0.
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

    /// The sums of as many rows as `sums` has, of which `values` has `N` vectors for every column.
    #[inline(always)]
    fn tile<S: Simd, const N: usize>(&self, simd: S, values: &[f32], sums: &mut [f64]) {
        let (columns, _) = S::as_simd_f32s(values).0.as_chunks::<N>();
        let mut remaining = [0u32; BLOCK];
        let mut start = 0;
        for tree in &self.trees {
            let mut bits = [simd.splat_u32s(u32::MAX); N];
            for question in &self.questions[start..tree.end] {
                let (cut, mask) = (simd.splat_f32s(question.cut), simd.splat_u32s(question.mask));
                let rows = columns[question.column as usize];
                // not in place, which would write them to memory at every question
                let mut next = bits;
                for k in 0..N {
                    // what is no number goes right, as if it were above every cut
                    let stays = simd.less_than_or_equal_f32s(rows[k], cut);
                    next[k] = simd.select_u32s(stays, bits[k], simd.and_u32s(bits[k], mask));
                }
                bits = next;
            }
            start = tree.end;
            let (vectors, _) = S::as_mut_simd_u32s(&mut remaining);
            vectors[..N].copy_from_slice(&bits);
            for (sum, bits) in sums.iter_mut().zip(&remaining) {
                // the leftmost that remains; there always is one
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
            // without vectors of its own, what compilers make of eight values at a time
            1 => self.scorer.add_up(pulp::Scalar256b, self.x),
            _ => self.scorer.add_up(simd, self.x),
        }
    }
}

/// The leaves `from..to`.
fn bits(from: u32, to: u32) -> u32 {
    let below = |n: u32| if n >= 32 { u32::MAX } else { (1 << n) - 1 };
    below(to) & !below(from)
}

/// For every question the first leaf below it and the end of those to the left, counted left to right; writes the leaves'
/// values in that order.
fn leaf_ranges(tree: &TreeView<'_>, values: &mut [f32; MAX_LEAVES]) -> Vec<(u32, u32)> {
    let num_questions = tree.feature.len();
    let mut ranges = vec![(0, 0); num_questions];
    let mut next = 0;
    // (node, whether its left side is done)
    let mut open = vec![(0usize, false)];
    while let Some((node, left_done)) = open.pop() {
        if node >= num_questions {
            values[next as usize] = tree.value[node - num_questions];
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

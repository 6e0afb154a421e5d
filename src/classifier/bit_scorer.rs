//! Small trees evaluated side by side: every question clears the leaves that a row can no longer reach.
//!
//! Source: Lucchese et al., SIGIR 2015, "QuickScorer", and Lucchese et al., SIGIR 2016, "Exploiting CPU SIMD extensions
//! to speed-up document scoring with tree ensembles".

use super::ensemble::TreeView;
use super::rows::BLOCK;
use ndarray::ArrayView2;

/// Most leaves of a tree: one bit each.
pub(super) const MAX_LEAVES: usize = 32;

/// Rows that are worked on together; a question is the same few vector instructions for all of them.
const LANES: usize = 32;

/// A question of some tree.
#[derive(Debug, Clone, Copy)]
struct Question {
    /// Largest value that keeps all leaves.
    cut: f32,
    tree: u32,
    /// Leaves that remain for greater values: all but those to the left.
    mask: u32,
}

/// Trees of at most [`MAX_LEAVES`] leaves, their questions sorted by column and cut.
#[derive(Debug, Clone)]
pub(super) struct BitScorer {
    questions: Vec<Question>,
    /// Column, and where its questions end.
    columns: Vec<(u32, u32)>,
    /// Values of the leaves of each tree, left to right.
    values: Vec<[f32; MAX_LEAVES]>,
}

impl BitScorer {
    /// For trees that have been checked; `None` where one has too many leaves.
    pub(super) fn new(trees: &[TreeView<'_>]) -> Option<Self> {
        if trees.iter().any(|t| t.value.len() > MAX_LEAVES) {
            return None;
        }
        let mut questions: Vec<(u32, Question)> = Vec::new();
        let mut values = Vec::with_capacity(trees.len());
        for (tree, view) in (0u32..).zip(trees) {
            let mut of_tree = [0.0; MAX_LEAVES];
            let leaves = leaf_ranges(view, &mut of_tree);
            for (node, (_, left_end)) in leaves.iter().enumerate() {
                let left = bits(leaves[node].0, *left_end);
                let question = Question { cut: view.cut[node], tree, mask: !left };
                questions.push((view.feature[node], question));
            }
            values.push(of_tree);
        }
        questions.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.cut.total_cmp(&b.1.cut)));
        let mut columns: Vec<(u32, u32)> = Vec::new();
        for (end, (column, _)) in (1u32..).zip(&questions) {
            match columns.last_mut() {
                Some(last) if last.0 == *column => last.1 = end,
                _ => columns.push((*column, end)),
            }
        }
        Some(BitScorer { questions: questions.into_iter().map(|q| q.1).collect(), columns, values })
    }

    /// Adds up the leaves that each row of `x` ends in, the first tree first; at most [`BLOCK`] rows.
    pub(super) fn sums(&self, x: ArrayView2<'_, f32>) -> [f64; BLOCK] {
        // compiled for several widths of vectors; the widest that the processor has does the work
        pulp::Arch::new().dispatch(Sums { scorer: self, x })
    }

    #[inline(always)]
    fn add_up(&self, x: ArrayView2<'_, f32>) -> [f64; BLOCK] {
        let mut sums = [0.0; BLOCK];
        let mut remaining = vec![[u32::MAX; LANES]; self.values.len()];
        for (from, sums) in (0..x.nrows()).step_by(LANES).zip(sums.as_chunks_mut::<LANES>().0) {
            remaining.fill([u32::MAX; LANES]);
            self.clear(x, from, &mut remaining);
            // a number of lanes that is known here too makes this vector code
            let mut total = [0.0; LANES];
            for (values, remaining) in self.values.iter().zip(&remaining) {
                for lane in 0..LANES {
                    // the leftmost that remains; there always is one
                    total[lane] += f64::from(values[remaining[lane].trailing_zeros() as usize % MAX_LEAVES]);
                }
            }
            *sums = total;
        }
        sums
    }

    /// Clears the leaves that rows from `from` on do not reach.
    #[inline(always)]
    fn clear(&self, x: ArrayView2<'_, f32>, from: usize, remaining: &mut [[u32; LANES]]) {
        let num = LANES.min(x.nrows() - from);
        let mut start = 0;
        for &(column, end) in &self.columns {
            let mut row = [f32::NEG_INFINITY; LANES];
            let column = x.column(column as usize);
            match column.as_slice() {
                Some(values) => match values[from..].first_chunk() {
                    Some(all) => row = *all,
                    None => row[..num].copy_from_slice(&values[from..]),
                },
                None => row.iter_mut().zip(column.iter().skip(from)).for_each(|(r, v)| *r = *v),
            }
            // what is no number goes right, as if it were above every cut
            let top = greatest(row.map(|v| if v.is_nan() { f32::INFINITY } else { v }));
            let questions = &self.questions[start as usize..end as usize];
            // sorted by cut: the first that no row exceeds ends it
            for &Question { cut, tree, mask } in questions.iter().take_while(|q| top > q.cut) {
                let bits: &mut [u32; LANES] = &mut remaining[tree as usize];
                // branches, or a number of lanes that is not known, would keep this from being vector code
                for lane in 0..LANES {
                    bits[lane] &= u32::from(row[lane] <= cut).wrapping_neg() | mask;
                }
            }
            start = end;
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
    fn with_simd<S: pulp::Simd>(self, _: S) -> Self::Output {
        self.scorer.add_up(self.x)
    }
}

/// The greatest value, by halves: one after the other would wait for each comparison.
#[inline(always)]
fn greatest(mut values: [f32; LANES]) -> f32 {
    let mut half = LANES / 2;
    while half > 0 {
        for i in 0..half {
            values[i] = if values[i + half] > values[i] { values[i + half] } else { values[i] };
        }
        half /= 2;
    }
    values[0]
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

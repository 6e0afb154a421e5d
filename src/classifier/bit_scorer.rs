//! Small trees evaluated side by side: every question clears the leaves that a row can no longer reach.
//!
//! Source: Lucchese et al., SIGIR 2015, "QuickScorer", and Lucchese et al., SIGIR 2016, "Exploiting CPU SIMD extensions
//! to speed-up document scoring with tree ensembles".

use super::ensemble::TreeView;
use super::rows::BLOCK;
use ndarray::ArrayView2;

/// Most leaves of a tree: one bit each.
pub(super) const MAX_LEAVES: usize = 32;

/// Rows that are worked on together, or half as many; a question is the same few vector instructions for all of them.
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
        // compiled for plain vectors and for AVX2, as the processor has them; with AVX-512 it was slower
        pulp::Arch::new().dispatch(Sums { scorer: self, x })
    }

    #[inline(always)]
    fn add_up(&self, x: ArrayView2<'_, f32>) -> [f64; BLOCK] {
        let mut sums = [0.0; BLOCK];
        let mut from = 0;
        while from < x.nrows() {
            // few rows that are left are not made many
            let width = if x.nrows() - from > LANES / 2 { LANES } else { LANES / 2 };
            let sums = &mut sums[from..from + width];
            match width {
                LANES => self.tile::<LANES>(x, from, sums),
                _ => self.tile::<{ LANES / 2 }>(x, from, sums),
            }
            from += width;
        }
        sums
    }

    /// The sums of `N` rows from `from` on, or of those that there are.
    #[inline(always)]
    fn tile<const N: usize>(&self, x: ArrayView2<'_, f32>, from: usize, sums: &mut [f64]) {
        let mut remaining = vec![[u32::MAX; N]; self.values.len()];
        // what remains by the questions that all rows answer alike
        let mut of_all = vec![u32::MAX; self.values.len()];
        self.clear(x, from, &mut remaining, &mut of_all);
        // a number of lanes that is known here too makes this vector code
        let mut total = [0.0; N];
        for ((values, remaining), of_all) in self.values.iter().zip(&remaining).zip(of_all) {
            for lane in 0..N {
                // the leftmost that remains; there always is one
                let leaf = (remaining[lane] & of_all).trailing_zeros();
                total[lane] += f64::from(values[leaf as usize % MAX_LEAVES]);
            }
        }
        sums.copy_from_slice(&total);
    }

    /// Clears the leaves that rows from `from` on do not reach.
    #[inline(always)]
    fn clear<const N: usize>(
        &self,
        x: ArrayView2<'_, f32>,
        from: usize,
        remaining: &mut [[u32; N]],
        of_all: &mut [u32],
    ) {
        let num = N.min(x.nrows() - from);
        let mut start = 0;
        for &(column, end) in &self.columns {
            let column = x.column(column as usize);
            // lanes without a row are like the first
            let mut row = [column[from]; N];
            match column.as_slice() {
                Some(values) => match values[from..].first_chunk() {
                    Some(all) => row = *all,
                    None => row[..num].copy_from_slice(&values[from..]),
                },
                None => row.iter_mut().zip(column.iter().skip(from)).for_each(|(r, v)| *r = *v),
            }
            // what is no number goes right, as if it were above every cut
            for value in &mut row {
                *value = if value.is_nan() { f32::INFINITY } else { *value };
            }
            let bottom = reduced(row, |a, b| if b < a { b } else { a });
            let top = reduced(row, |a, b| if b > a { b } else { a });
            let questions = &self.questions[start as usize..end as usize];
            let mut next = 0;
            // sorted by cut: those that every row exceeds come first
            while let Some(&Question { tree, mask, .. }) = questions.get(next).filter(|q| bottom > q.cut) {
                of_all[tree as usize] &= mask;
                next += 1;
            }
            // the first that no row exceeds ends it
            for &Question { cut, tree, mask } in questions[next..].iter().take_while(|q| top > q.cut) {
                let bits: &mut [u32; N] = &mut remaining[tree as usize];
                // branches, or a number of lanes that is not known, would keep this from being vector code
                for lane in 0..N {
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

/// All values folded into one by `better`, by halves: one after the other would wait for each comparison. `N` is a power of
/// two.
#[inline(always)]
fn reduced<const N: usize>(mut values: [f32; N], better: impl Fn(f32, f32) -> f32) -> f32 {
    let mut half = N / 2;
    while half > 0 {
        for i in 0..half {
            values[i] = better(values[i], values[i + half]);
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

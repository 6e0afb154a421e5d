//! Levenshtein distance of two token sequences, with unit costs.
//!
//! Source: Myers 1999, "A fast bit-vector algorithm for approximate string matching", in the block-based version of
//! Hyyrö (2003). A block has 64 positions of `a`. For every position of `b`, the horizontal difference in the last
//! row of the block is kept.

use rustc_hash::FxHashMap;

use threshr_core::lcs::{BUDGET_CELLS, lcs_pairs};

/// Minimum number of insertions, deletions and substitutions that turn `a` into `b`. O(n·m / 64) time, O(n +
/// m) memory.
///
/// The result is exact if `n·m`, the number of cells of the table, is at most [`BUDGET_CELLS`]. For longer
/// sequences, it is an upper bound: the cost of the alignment of [`lcs_pairs`].
pub fn edit_distance(a: &[u32], b: &[u32]) -> usize {
    let head = a.iter().zip(b).take_while(|(x, y)| x == y).count();
    let (a, b) = (&a[head..], &b[head..]);
    let tail = a.iter().rev().zip(b.iter().rev()).take_while(|(x, y)| x == y).count();
    let (a, b) = (&a[..a.len() - tail], &b[..b.len() - tail]);
    let (a, b) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    if a.is_empty() {
        b.len()
    } else if (a.len() as u64).saturating_mul(b.len() as u64) > BUDGET_CELLS {
        aligned_distance(a, b)
    } else {
        exact(a, b)
    }
}

/// Cost of an alignment. Each gap between matches has as many substitutions as possible, then insertions or
/// deletions. The result is at most the cost without any alignment.
fn aligned_distance(a: &[u32], b: &[u32]) -> usize {
    let (mut from_a, mut from_b, mut cost) = (0, 0, 0);
    let ends = std::iter::once((a.len(), b.len()));
    for (i, j) in lcs_pairs(a, b).into_iter().map(|(i, j)| (i as usize, j as usize)).chain(ends) {
        cost += (i - from_a).max(j - from_b);
        (from_a, from_b) = (i + 1, j + 1);
    }
    cost.min(a.len().max(b.len()))
}

/// Vertical differences in a column of 64 cells, as bit masks: cells where the distance increases, and cells where
/// it decreases.
#[derive(Clone, Copy)]
struct Column {
    rises: u64,
    falls: u64,
}

impl Column {
    /// Advances one column to the right. `hit` has a bit for each equal token, and `above` is the horizontal
    /// difference above the block. Returns the horizontal difference in the row `last`: -1, 0 or 1.
    #[inline]
    fn step(&mut self, hit: u64, above: i8, last: u32) -> i8 {
        let vertical = hit | self.falls;
        let hit = hit | u64::from(above < 0);
        let diagonal = (((hit & self.rises).wrapping_add(self.rises)) ^ self.rises) | hit;
        let up = self.falls | !(diagonal | self.rises);
        let down = self.rises & diagonal;
        let out = (up >> last & 1) as i8 - (down >> last & 1) as i8;
        let (up, down) = (up << 1 | u64::from(above > 0), down << 1 | u64::from(above < 0));
        self.rises = down | !(vertical | up);
        self.falls = up & vertical;
        out
    }
}

/// The exact distance of two non-empty sequences.
fn exact(a: &[u32], b: &[u32]) -> usize {
    let mut ids = FxHashMap::default();
    let mut number = |&t: &u32| {
        let next = ids.len();
        *ids.entry(t).or_insert(next)
    };
    let a: Vec<usize> = a.iter().map(&mut number).collect();
    let b: Vec<usize> = b.iter().map(&mut number).collect();
    let mut masks = vec![0u64; ids.len()];
    // the row above the first block is the empty prefix of `a`, where each position of `b` costs one
    let mut differences = vec![1i8; b.len()];
    for block in a.chunks(64) {
        for (i, &t) in block.iter().enumerate() {
            masks[t] |= 1 << i;
        }
        let mut column = Column { rises: u64::MAX, falls: 0 };
        for (&t, difference) in b.iter().zip(&mut differences) {
            *difference = column.step(masks[t], *difference, block.len() as u32 - 1);
        }
        block.iter().for_each(|&t| masks[t] = 0);
    }
    let rise: i64 = differences.iter().map(|&d| i64::from(d)).sum();
    usize::try_from(a.len() as i64 + rise).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn naive(a: &[u32], b: &[u32]) -> usize {
        let mut row: Vec<usize> = (0..=b.len()).collect();
        for x in a {
            let mut diagonal = row[0];
            row[0] += 1;
            for (j, y) in b.iter().enumerate() {
                let best = (diagonal + usize::from(x != y)).min(row[j] + 1).min(row[j + 1] + 1);
                diagonal = std::mem::replace(&mut row[j + 1], best);
            }
        }
        row[b.len()]
    }

    #[test]
    fn an_alignment_costs_no_more_than_none() {
        assert_eq!(aligned_distance(&[1, 2, 3, 9], &[9, 4, 5, 6]), 4);
        assert_eq!(aligned_distance(&[9, 1, 2], &[9, 3]), 2);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn agrees_with_the_table(
            (a, b) in (1u32..30).prop_flat_map(|n| {
                (proptest::collection::vec(0..n, 0..300), proptest::collection::vec(0..n, 0..300))
            })
        ) {
            let want = naive(&a, &b);
            prop_assert_eq!(edit_distance(&a, &b), want);
            prop_assert!(aligned_distance(&a, &b) >= want);
        }
    }

    #[test]
    fn empty_sides_cost_the_other() {
        assert_eq!(
            (edit_distance(&[], &[]), edit_distance(&[1, 2], &[]), edit_distance(&[], &[3])),
            (0, 2, 1)
        );
    }
}

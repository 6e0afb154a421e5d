//! Rows of a corpus's matrix brought together in place: a fit on some of the pages needs no copy of their rows, which
//! would take as much memory as all else.

use super::Corpus;
use super::corpus::Columns;
use ndarray::{ArrayView2, Axis, Slice};
use std::ops::Range;

/// Where rows stand that were brought together, and how they go back.
#[derive(Debug)]
pub(super) struct Gathered {
    /// Their place in the matrix.
    at: Range<usize>,
    /// For each place of the matrix the row that was moved there; empty where none was moved.
    from: Vec<usize>,
}

impl Corpus {
    /// Brings `rows`, of which no two overlap, together in their order. Until [`Corpus::put_back`] the rows of a page
    /// are not where the corpus says.
    pub(super) fn gather(&mut self, rows: &[Range<usize>]) -> Gathered {
        if rows.windows(2).all(|pair| pair[0].end == pair[1].start) {
            let at = rows.first().map_or(0, |r| r.start)..rows.last().map_or(0, |r| r.end);
            return Gathered { at, from: Vec::new() };
        }
        let from = in_front(rows, self.x.nrows());
        self.permute(&from);
        Gathered { at: 0..rows.iter().map(Range::len).sum(), from }
    }

    /// The first `width` columns of what was brought together.
    pub(super) fn gathered(&self, rows: &Gathered, width: usize) -> ArrayView2<'_, f32> {
        self.x.slice_axis(Axis(0), Slice::from(rows.at.clone())).first_columns(width)
    }

    /// Undoes [`Corpus::gather`].
    pub(super) fn put_back(&mut self, rows: &Gathered) {
        self.permute(&inverse(&rows.from));
    }

    fn permute(&mut self, from: &[usize]) {
        let width = self.x.ncols();
        let values = self.x.as_slice_mut();
        debug_assert!(values.is_some(), "rows are kept one after the other");
        values.into_iter().for_each(|values| permute(values, width, from));
    }
}

/// The numbers below `num_rows`, those of `rows` first.
fn in_front(rows: &[Range<usize>], num_rows: usize) -> Vec<usize> {
    let mut order: Vec<usize> = rows.iter().cloned().flatten().collect();
    let mut is_in_front = vec![false; num_rows];
    order.iter().for_each(|&row| is_in_front[row] = true);
    order.extend((0..num_rows).filter(|&row| !is_in_front[row]));
    debug_assert_eq!(order.len(), num_rows, "no page stands twice");
    order
}

fn inverse(from: &[usize]) -> Vec<usize> {
    let mut to = vec![0; from.len()];
    from.iter().enumerate().for_each(|(place, &row)| to[row] = place);
    to
}

/// Moves row `from[i]`, of `width` values, to place `i` for every `i`, cycle by cycle.
fn permute(values: &mut [f32], width: usize, from: &[usize]) {
    let mut done = vec![false; from.len()];
    let mut kept = Vec::with_capacity(width);
    for start in 0..from.len() {
        if done[start] {
            continue;
        }
        kept.clear();
        kept.extend_from_slice(&values[start * width..][..width]);
        let mut place = start;
        while from[place] != start {
            values.copy_within(from[place] * width..(from[place] + 1) * width, place * width);
            done[place] = true;
            place = from[place];
        }
        values[place * width..][..width].copy_from_slice(&kept);
        done[place] = true;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn rows_are_brought_together_and_back(lengths in prop::collection::vec(0usize..4, 1..20), keys: Vec<u16>) {
            const WIDTH: usize = 3;
            let mut end = 0;
            let mut ranges: Vec<Range<usize>> = Vec::new();
            for length in lengths {
                ranges.push(end..end + length);
                end += length;
            }
            let before: Vec<f32> = (0..end * WIDTH).map(|i| i as f32).collect();
            // some of the ranges, in some order
            let mut some: Vec<_> = ranges.into_iter().zip(&keys).filter(|(_, key)| **key % 3 > 0).collect();
            some.sort_by_key(|(_, key)| **key);
            let some: Vec<Range<usize>> = some.into_iter().map(|(range, _)| range).collect();
            let expected: Vec<f32> =
                some.iter().flat_map(|r| &before[r.start * WIDTH..r.end * WIDTH]).copied().collect();
            let from = in_front(&some, end);
            let mut values = before.clone();
            permute(&mut values, WIDTH, &from);
            prop_assert_eq!(&values[..expected.len()], &expected[..]);
            permute(&mut values, WIDTH, &inverse(&from));
            prop_assert_eq!(values, before);
        }
    }
}

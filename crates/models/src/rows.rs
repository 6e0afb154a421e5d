//! Rows of a matrix as slices, in blocks of a fixed size.

use crate::FittedClassifier;
use ndarray::{Array2, ArrayView2, Axis, ShapeBuilder};
use rayon::prelude::*;
use std::ops::Range;
use threshr_core::{Budget, Result};

/// Rows in a block.
///
/// A matrix product may round differently for other shapes. With blocks of a fixed size, the decision value
/// of a row does not depend on the number of rows.
pub(crate) const BLOCK: usize = 64;

/// Scattered rows that are copied together before they are processed, so that their cache misses overlap.
pub(crate) const GATHERED_ROWS: usize = 32;

/// Calls `f(i, row)` for every row of `x`; a row is one slice.
pub(crate) fn for_rows(x: ArrayView2<'_, f32>, mut f: impl FnMut(usize, &[f32])) {
    let mut copy = Vec::new();
    for (i, row) in x.rows().into_iter().enumerate() {
        if let Some(slice) = row.as_slice() {
            f(i, slice);
        } else {
            copy.clear();
            copy.extend(row);
            f(i, &copy);
        }
    }
}

/// Calls `f(rows, out)` on blocks of at most [`BLOCK`] rows in parallel.
///
/// `out` has length n_rows x `width`, and `width >= 1`.
pub(crate) fn par_blocks(
    x: ArrayView2<'_, f32>,
    out: &mut [f32],
    width: usize,
    f: impl Fn(ArrayView2<'_, f32>, &mut [f32]) + Sync,
) {
    out.par_chunks_mut(BLOCK * width).enumerate().for_each(|(block, out)| {
        let (start, rows) = (block * BLOCK, out.len() / width);
        let (_, rest) = x.split_at(Axis(0), start);
        let (rows, _) = rest.split_at(Axis(0), rows);
        f(rows, out);
    });
}

/// Calls `f(rows, out)` on blocks of at most [`BLOCK`] rows in order.
///
/// `out` has length n_rows x `width`, and `width >= 1`.
///
/// # Errors
/// If the budget is used up.
pub(crate) fn row_blocks(
    x: ArrayView2<'_, f32>,
    out: &mut [f32],
    width: usize,
    budget: &Budget,
    mut f: impl FnMut(ArrayView2<'_, f32>, &mut [f32]),
) -> Result<()> {
    for (block, out) in out.chunks_mut(BLOCK * width).enumerate() {
        budget.check()?;
        let (start, rows) = (block * BLOCK, out.len() / width);
        let (_, rest) = x.split_at(Axis(0), start);
        let (rows, _) = rest.split_at(Axis(0), rows);
        f(rows, out);
    }
    Ok(())
}

/// Rows that are copied at once, a multiple of [`BLOCK`]. A copy of all rows of a large page takes as much memory as its
/// features.
pub(crate) const COPIED_ROWS: usize = 32 * BLOCK;

/// Copies rows of `x` into a column-major matrix, the layout of pages.
pub(crate) fn select_rows(x: ArrayView2<'_, f32>, rows: &[usize]) -> Array2<f32> {
    let mut values = Vec::with_capacity(rows.len() * x.ncols());
    for column in x.columns() {
        values.extend(rows.iter().map(|&row| column[row]));
    }
    let selected = Array2::from_shape_vec((rows.len(), x.ncols()).f(), values);
    selected.unwrap_or_else(|e| unreachable!("{e}"))
}

/// Writes the decision values of some rows of `x`, ascending, to `out`. `model` decides each row by itself.
///
/// # Errors
/// If the budget is used up.
pub(crate) fn decide_rows(
    model: &dyn FittedClassifier,
    x: ArrayView2<'_, f32>,
    rows: &[usize],
    out: &mut [f32],
    budget: &Budget,
) -> Result<()> {
    if rows.len() == x.nrows() {
        return model.decide(x, out, budget);
    }
    for (rows, out) in rows.chunks(COPIED_ROWS).zip(out.chunks_mut(COPIED_ROWS)) {
        model.decide(select_rows(x, rows).view(), out, budget)?;
    }
    Ok(())
}

/// Clamps a decision value to the finite range; NaN becomes 0.
pub(crate) fn finite(d: f64) -> f32 {
    const MAX: f64 = 1e30;
    if d.is_nan() { 0.0 } else { d.clamp(-MAX, MAX) as f32 }
}

/// Row range of each page. `page` has the page of each row; the rows of a page are contiguous.
pub(crate) fn page_rows(page: &[u32]) -> impl Iterator<Item = Range<usize>> {
    let mut end = 0;
    page.chunk_by(|a, b| a == b).map(move |run| {
        end += run.len();
        end - run.len()..end
    })
}

/// Groups of consecutive pages with at least `min_rows` rows; the last group may have fewer.
pub(crate) fn page_groups(pages: &[Range<usize>], min_rows: usize) -> impl Iterator<Item = &[Range<usize>]> {
    let mut rest = pages;
    std::iter::from_fn(move || {
        let mut num_rows = 0;
        let end = rest.iter().position(|page| {
            num_rows += page.len();
            num_rows >= min_rows
        });
        let (group, after) = rest.split_at(end.map_or(rest.len(), |last| last + 1));
        rest = after;
        (!group.is_empty()).then_some(group)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::Array2;

    #[test]
    fn rows_of_any_layout_are_slices() {
        let x = Array2::from_shape_fn((3, 2), |(i, j)| (10 * i + j) as f32);
        let transposed = x.t().to_owned();
        let mut seen = Vec::new();
        for_rows(transposed.t(), |i, row| seen.push((i, row.to_vec())));
        assert_eq!(seen, vec![(0, vec![0.0, 1.0]), (1, vec![10.0, 11.0]), (2, vec![20.0, 21.0])]);
    }

    #[test]
    fn blocks_cover_every_row_once() {
        let x = Array2::from_shape_fn((BLOCK * 2 + 5, 1), |(i, _)| i as f32);
        let mut out = vec![-1.0; x.nrows()];
        par_blocks(x.view(), &mut out, 1, |rows, out| {
            for (row, o) in rows.rows().into_iter().zip(out) {
                *o = row[0];
            }
        });
        assert!(out.iter().enumerate().all(|(i, &v)| v == i as f32));
    }

    #[test]
    fn pages_are_contiguous_and_grouped() {
        let pages: Vec<_> = page_rows(&[4, 4, 7, 1, 1, 1, 4]).collect();
        assert_eq!(pages, [0..2, 2..3, 3..6, 6..7]);
        let groups: Vec<_> = page_groups(&pages, 3).collect();
        assert_eq!(groups, [&pages[..2], &pages[2..3], &pages[3..]]);
        assert_eq!(page_groups(&pages, 1).count(), 4);
        assert_eq!(page_groups(&pages, 99).count(), 1);
        assert_eq!((page_rows(&[]).count(), page_groups(&[], 3).count()), (0, 0));
    }

    #[test]
    fn decision_values_are_finite() {
        assert_eq!(finite(f64::NAN), 0.0);
        assert!(finite(f64::INFINITY).is_finite() && finite(-1e300) < 0.0);
    }
}

//! Access to the rows of a matrix as slices, and in blocks of a fixed size.

use crate::FittedClassifier;
use ndarray::{Array2, ArrayView2, Axis, ShapeBuilder};
use threshr_core::{Budget, Result};

/// Maximum number of rows in a block.
///
/// A matrix product may be rounded differently for other shapes. Blocks have a fixed size so that the decision
/// value of a row does not depend on the number of rows.
pub const BLOCK: usize = 64;

/// Calls `f(i, row)` for every row of `x`. Each row is passed as a contiguous slice.
pub fn for_rows(x: ArrayView2<'_, f32>, mut f: impl FnMut(usize, &[f32])) {
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

/// Calls `f(rows, out)` on blocks of at most [`BLOCK`] rows, in order.
///
/// `out` has `width` values per row of `x`; `width` is at least 1.
///
/// # Errors
/// If the budget is used up.
pub fn row_blocks(
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

/// Maximum number of rows that are copied at once, a multiple of [`BLOCK`]. A copy of all rows of a large page
/// would take as much memory as its features.
pub const COPIED_ROWS: usize = 32 * BLOCK;

/// Copies rows of `x` into a column-major matrix, which is the layout of a page's feature matrix.
pub fn select_rows(x: ArrayView2<'_, f32>, rows: &[usize]) -> Array2<f32> {
    let mut values = Vec::with_capacity(rows.len() * x.ncols());
    for column in x.columns() {
        values.extend(rows.iter().map(|&row| column[row]));
    }
    let selected = Array2::from_shape_vec((rows.len(), x.ncols()).f(), values);
    selected.unwrap_or_else(|e| unreachable!("{e}"))
}

/// Writes the decision values of some rows of `x` (ascending) to `out`. `model` must treat rows independently.
///
/// # Errors
/// If the budget is used up.
pub fn decide_rows(
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
pub fn finite(d: f64) -> f32 {
    const MAX: f64 = 1e30;
    if d.is_nan() { 0.0 } else { d.clamp(-MAX, MAX) as f32 }
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
        row_blocks(x.view(), &mut out, 1, &Budget::UNLIMITED, |rows, out| {
            for (row, o) in rows.rows().into_iter().zip(out) {
                *o = row[0];
            }
        })
        .unwrap();
        assert!(out.iter().enumerate().all(|(i, &v)| v == i as f32));
    }

    #[test]
    fn decision_values_are_finite() {
        assert_eq!(finite(f64::NAN), 0.0);
        assert!(finite(f64::INFINITY).is_finite() && finite(-1e300) < 0.0);
    }
}

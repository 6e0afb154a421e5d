//! Feature rows of a training set, borrowed from where they are stored.

use crate::StoredRows;
use crate::rows::for_rows;
use ndarray::{Array2, ArrayView2, Axis, Slice};
use std::ops::Range;

/// Feature rows of a training set: a matrix, or a [`RowView`] of rows that are stored elsewhere.
#[derive(Debug, Clone, Copy)]
pub struct TrainingRows<'a>(Kind<'a>);

#[derive(Debug, Clone, Copy)]
enum Kind<'a> {
    Matrix(ArrayView2<'a, f32>),
    View(&'a RowView<'a>),
}

/// Some of the stored rows of a corpus, in any order, with replaced values in some columns.
///
/// A fit on some pages of a corpus, with other policies or other learned columns, needs no copy of the
/// rows. The view borrows the rows and owns only the values that differ.
#[derive(Debug)]
pub struct RowView<'a> {
    stored: &'a StoredRows,
    /// The rows of the view.
    rows: Vec<u32>,
    /// The replaced columns, ascending.
    replaced: Vec<u32>,
    /// The values of the replaced columns, shape (n_rows, n_replaced), row by row.
    values: Vec<f32>,
}

impl<'a> RowView<'a> {
    /// A view of some `rows` of `stored`.
    ///
    /// The columns `replaced` (ascending) have `values` instead, shape (n_rows, n_replaced), row by row.
    ///
    /// # Panics
    /// If lengths do not agree, or there is no such row.
    pub fn new(stored: &'a StoredRows, rows: Vec<u32>, replaced: Vec<u32>, values: Vec<f32>) -> Self {
        assert_eq!(
            values.len(),
            rows.len() * replaced.len(),
            "one value for every replaced column of every row"
        );
        let num_columns = stored.num_columns();
        assert!(replaced.is_sorted() && replaced.last().is_none_or(|&c| (c as usize) < num_columns));
        assert!(rows.iter().all(|&row| (row as usize) < stored.num_rows()), "stored rows");
        RowView { stored, rows, replaced, values }
    }

    /// Values of the replaced columns of a row.
    fn values_of(&self, row: usize) -> &[f32] {
        &self.values[row * self.replaced.len()..][..self.replaced.len()]
    }

    /// Which of the replaced columns are in a range of columns.
    fn replaced_in(&self, columns: &Range<usize>) -> Range<usize> {
        let first_from = |column: usize| self.replaced.partition_point(|&c| (c as usize) < column);
        first_from(columns.start)..first_from(columns.end)
    }

    /// Copies a range of columns of a row; `replaced` is [`RowView::replaced_in`] of the range.
    fn copy(&self, row: usize, columns: &Range<usize>, replaced: &Range<usize>, out: &mut [f32]) {
        self.stored.copy(self.rows[row] as usize, columns.clone(), out);
        let values = &self.values_of(row)[replaced.clone()];
        for (&column, &value) in self.replaced[replaced.clone()].iter().zip(values) {
            out[column as usize - columns.start] = value;
        }
    }
}

impl<'a> From<ArrayView2<'a, f32>> for TrainingRows<'a> {
    fn from(matrix: ArrayView2<'a, f32>) -> Self {
        TrainingRows(Kind::Matrix(matrix))
    }
}

impl<'a> From<&'a RowView<'a>> for TrainingRows<'a> {
    fn from(view: &'a RowView<'a>) -> Self {
        TrainingRows(Kind::View(view))
    }
}

impl TrainingRows<'_> {
    /// Number of rows.
    pub fn nrows(&self) -> usize {
        match self.0 {
            Kind::Matrix(x) => x.nrows(),
            Kind::View(view) => view.rows.len(),
        }
    }

    /// Number of columns.
    pub fn ncols(&self) -> usize {
        match self.0 {
            Kind::Matrix(x) => x.ncols(),
            Kind::View(view) => view.stored.num_columns(),
        }
    }

    /// Calls `f(i, row)` for a range of rows; `i` counts from 0.
    pub fn for_rows(&self, rows: Range<usize>, f: impl FnMut(usize, &[f32])) {
        self.for_parts(rows, 0..self.ncols(), f);
    }

    /// Calls `f(i, part)` for a range of rows, with a range of their columns; `i` counts from 0.
    pub fn for_parts(&self, rows: Range<usize>, columns: Range<usize>, mut f: impl FnMut(usize, &[f32])) {
        match self.0 {
            Kind::Matrix(x) => {
                let x = x.slice_axis_move(Axis(0), Slice::from(rows));
                for_rows(x.slice_axis(Axis(1), Slice::from(columns)), f);
            }
            Kind::View(view) => {
                let replaced = view.replaced_in(&columns);
                let mut part = vec![0.0; columns.len()];
                for (i, row) in rows.enumerate() {
                    view.copy(row, &columns, &replaced, &mut part);
                    f(i, &part);
                }
            }
        }
    }

    /// Calls `f(i, row, replaced, values)` for a range of rows; `i` counts from 0. `row` has the stored values.
    /// The columns `replaced` have `values` instead.
    pub(crate) fn for_stored(&self, rows: Range<usize>, mut f: impl FnMut(usize, &[f32], &[u32], &[f32])) {
        match self.0 {
            Kind::Matrix(x) => {
                let x = x.slice_axis_move(Axis(0), Slice::from(rows));
                for_rows(x, |i, row| f(i, row, &[], &[]));
            }
            Kind::View(view) => {
                let columns = 0..view.stored.num_columns();
                let mut stored = vec![0.0; columns.len()];
                for (i, row) in rows.enumerate() {
                    view.stored.copy(view.rows[row] as usize, columns.clone(), &mut stored);
                    f(i, &stored, &view.replaced, view.values_of(row));
                }
            }
        }
    }

    /// Copies rows into a matrix of shape (`rows.len()`, n_columns).
    pub fn select(&self, rows: &[usize]) -> Array2<f32> {
        match self.0 {
            Kind::Matrix(x) => x.select(Axis(0), rows),
            Kind::View(view) => {
                let columns = 0..view.stored.num_columns();
                let replaced = view.replaced_in(&columns);
                let mut values = vec![0.0; rows.len() * columns.len()];
                for (&row, out) in rows.iter().zip(values.chunks_exact_mut(columns.len().max(1))) {
                    view.copy(row, &columns, &replaced, out);
                }
                let selected = Array2::from_shape_vec((rows.len(), columns.len()), values);
                selected.unwrap_or_else(|e| unreachable!("{e}"))
            }
        }
    }

    /// Copies a column.
    pub fn column(&self, column: usize) -> Vec<f32> {
        let mut values = Vec::with_capacity(self.nrows());
        self.for_parts(0..self.nrows(), column..column + 1, |_, part| values.push(part[0]));
        values
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    #[test]
    fn replaced_columns_have_their_own_values() {
        let x = array![[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]];
        let mut stored = StoredRows::new(&[(0, 0), (1, 0), (2, 0)]);
        stored.push(3, x.as_slice().expect("row by row"));
        let view = RowView::new(&stored, vec![2, 0], vec![0, 2], vec![-7.0, -9.0, -1.0, -3.0]);
        let rows = TrainingRows::from(&view);
        assert_eq!(rows.select(&[0, 1]), array![[-7.0, 8.0, -9.0], [-1.0, 2.0, -3.0]]);
        assert_eq!(rows.column(2), [-9.0, -3.0]);
        let mut parts = Vec::new();
        rows.for_parts(1..2, 1..3, |i, part| parts.push((i, part.to_vec())));
        assert_eq!(parts, [(0, vec![2.0, -3.0])]);
        // a matrix of the same values gives the same
        let matrix = rows.select(&[0, 1]);
        let of_matrix = TrainingRows::from(matrix.view());
        assert_eq!(of_matrix.select(&[1]), rows.select(&[1]));
        assert_eq!(of_matrix.column(0), rows.column(0));
    }
}

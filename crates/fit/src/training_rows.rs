//! Feature rows of a training set, borrowed from a matrix or from the stored rows of a corpus.

use crate::StoredRows;
use ndarray::{Array2, ArrayView2, Axis, Slice};
use std::ops::Range;
use threshr_models::rows::for_rows;

/// Feature rows of a training set: a matrix, or a [`RowView`] of stored rows.
#[derive(Debug, Clone, Copy)]
pub struct TrainingRows<'a>(Kind<'a>);

#[derive(Debug, Clone, Copy)]
enum Kind<'a> {
    Matrix(ArrayView2<'a, f32>),
    View(&'a RowView<'a>),
}

/// A selection of the stored rows of a corpus, in any order, with replaced values in some columns.
///
/// A fit on some of the pages, with other policies or other learned columns, does not need to copy the rows.
/// The view borrows the stored rows and owns only the values that differ.
#[derive(Debug)]
pub struct RowView<'a> {
    stored: &'a StoredRows,
    /// Indices of the stored rows that the view contains.
    rows: Vec<u32>,
    /// Indices of the replaced columns, ascending.
    replaced: Vec<u32>,
    /// Values of the replaced columns. It has one row for each row of the view.
    values: StoredRows,
}

impl<'a> RowView<'a> {
    /// Creates a view of some `rows` of `stored`.
    ///
    /// The columns `replaced` (ascending) take their values from `values`, which has one row for each row of
    /// the view.
    ///
    /// # Panics
    /// If the numbers of rows or columns do not agree, or an index is out of range.
    pub fn new(stored: &'a StoredRows, rows: Vec<u32>, replaced: Vec<u32>, values: StoredRows) -> Self {
        assert_eq!(
            [values.num_rows(), values.num_columns()],
            [rows.len(), replaced.len()],
            "one value for every replaced column of every row"
        );
        let num_columns = stored.num_columns();
        assert!(replaced.is_sorted() && replaced.last().is_none_or(|&c| (c as usize) < num_columns));
        assert!(rows.iter().all(|&row| (row as usize) < stored.num_rows()), "stored rows");
        RowView { stored, rows, replaced, values }
    }

    /// Returns the range of `replaced` whose columns are in a range of columns.
    fn replaced_in(&self, columns: &Range<usize>) -> Range<usize> {
        let first_from = |column: usize| self.replaced.partition_point(|&c| (c as usize) < column);
        first_from(columns.start)..first_from(columns.end)
    }

    /// Copies a range of columns of a row. `replaced` is the result of [`RowView::replaced_in`] for these
    /// columns.
    fn copy(&self, row: usize, columns: &Range<usize>, replaced: &Range<usize>, out: &mut [f32]) {
        self.stored.copy(self.rows[row] as usize, columns.clone(), out);
        for i in replaced.clone() {
            out[self.replaced[i] as usize - columns.start] = self.values.value(row, i);
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

    /// Calls `f(i, row)` for a range of rows; `i` counts the rows of the range from 0.
    pub fn for_rows(&self, rows: Range<usize>, f: impl FnMut(usize, &[f32])) {
        self.for_parts(rows, 0..self.ncols(), f);
    }

    /// Calls `f(i, values)` for a range of rows; `i` counts from 0, `values` has the row's values in a range of
    /// columns.
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

    /// Copies a range of columns to `out`, column after column.
    pub(crate) fn copy_columns(&self, columns: Range<usize>, out: &mut [f32]) {
        let num_rows = self.nrows().max(1);
        match self.0 {
            Kind::Matrix(x) => {
                for (column, out) in columns.zip(out.chunks_exact_mut(num_rows)) {
                    out.iter_mut().zip(x.column(column)).for_each(|(out, value)| *out = *value);
                }
            }
            Kind::View(view) => {
                let mut first = 0;
                // page by page, for cache locality
                for rows in view.rows.chunk_by(|&row, &next| view.stored.are_neighbours(row, next)) {
                    let end = first + rows.len();
                    let start = rows[0] as usize;
                    for (column, out) in columns.clone().zip(out.chunks_exact_mut(num_rows)) {
                        view.stored.copy_column(start..start + rows.len(), column, &mut out[first..end]);
                    }
                    first = end;
                }
                for replaced in view.replaced_in(&columns) {
                    let column = view.replaced[replaced] as usize - columns.start;
                    let out = out[column * num_rows..][..num_rows].iter_mut();
                    out.enumerate().for_each(|(row, out)| *out = view.values.value(row, replaced));
                }
            }
        }
    }

    /// Calls `f(i, row, replaced, values)` for a range of rows; `i` counts from 0. `row` has the stored values.
    /// For the columns `replaced`, the values to use are those in `values`.
    pub(crate) fn for_stored(&self, rows: Range<usize>, mut f: impl FnMut(usize, &[f32], &[u32], &[f32])) {
        match self.0 {
            Kind::Matrix(x) => {
                let x = x.slice_axis_move(Axis(0), Slice::from(rows));
                for_rows(x, |i, row| f(i, row, &[], &[]));
            }
            Kind::View(view) => {
                let columns = 0..view.stored.num_columns();
                let mut stored = vec![0.0; columns.len()];
                let mut values = vec![0.0; view.replaced.len()];
                for (i, row) in rows.enumerate() {
                    view.stored.copy(view.rows[row] as usize, columns.clone(), &mut stored);
                    view.values.copy(row, 0..values.len(), &mut values);
                    f(i, &stored, &view.replaced, &values);
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
        let mut values = StoredRows::new(&[(0, 0), (1, 0)]);
        values.push(2, &[-7.0, -9.0, -1.0, -3.0]);
        let view = RowView::new(&stored, vec![2, 0], vec![0, 2], values);
        let rows = TrainingRows::from(&view);
        assert_eq!(rows.select(&[0, 1]), array![[-7.0, 8.0, -9.0], [-1.0, 2.0, -3.0]]);
        assert_eq!(rows.column(2), [-9.0, -3.0]);
        let mut parts = Vec::new();
        rows.for_parts(1..2, 1..3, |i, part| parts.push((i, part.to_vec())));
        assert_eq!(parts, [(0, vec![2.0, -3.0])]);
        let mut columns = [0.0; 4];
        rows.copy_columns(1..3, &mut columns);
        assert_eq!(columns, [8.0, 2.0, -9.0, -3.0]);
        // a matrix with equal values gives equal results
        let matrix = rows.select(&[0, 1]);
        let of_matrix = TrainingRows::from(matrix.view());
        assert_eq!(of_matrix.select(&[1]), rows.select(&[1]));
        assert_eq!(of_matrix.column(0), rows.column(0));
        let mut of_matrix_columns = [0.0; 4];
        of_matrix.copy_columns(1..3, &mut of_matrix_columns);
        assert_eq!(of_matrix_columns, columns);
    }
}

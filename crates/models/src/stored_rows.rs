//! Feature rows in memory, without the columns that copy those of neighbouring blocks.

use std::ops::Range;

/// Feature rows of many pages.
///
/// A column that has another column's values of a neighbouring block is not stored. It is read from the row of
/// that block; where the page has no such block, it is 0.
#[derive(Debug, Clone, Default)]
pub struct StoredRows {
    /// For each column: where it is in a stored row, and the distance to the row that has it.
    places: Vec<(u32, i32)>,
    /// The columns that are stored.
    stored: Vec<u32>,
    /// The first columns, which are stored in this order.
    num_first: usize,
    /// Shape (n_rows, n_stored), row after row.
    values: Vec<f32>,
    /// Number of rows of the same page before and after each row, at most [`MAX_DISTANCE`].
    around: Vec<[u8; 2]>,
}

/// Longest distance to a neighbour.
const MAX_DISTANCE: usize = 255;

impl StoredRows {
    /// Without rows yet. `sources` has for each column the column that it copies, and the distance to the block
    /// whose value it has; a distance of 0 if it copies none.
    ///
    /// # Panics
    /// If a column copies a column that itself is a copy, or from a distance of more than 255.
    pub fn new(sources: &[(usize, i32)]) -> Self {
        let stored: Vec<u32> = sources
            .iter()
            .zip(0u32..)
            .filter(|(source, _)| source.1 == 0)
            .map(|(_, column)| column)
            .collect();
        let place = |&(column, distance): &(usize, i32), own: u32| {
            assert!(distance.unsigned_abs() as usize <= MAX_DISTANCE, "the distance of a neighbour");
            let column = if distance == 0 { own } else { column as u32 };
            let at = stored.binary_search(&column);
            (at.unwrap_or_else(|_| panic!("column {column} is a copy itself")) as u32, distance)
        };
        let places = sources.iter().zip(0u32..).map(|(source, own)| place(source, own)).collect();
        let num_first = stored.iter().zip(0u32..).take_while(|(column, i)| *column == i).count();
        StoredRows { places, stored, num_first, values: Vec::new(), around: Vec::new() }
    }

    /// Number of columns, with copies.
    pub fn num_columns(&self) -> usize {
        self.places.len()
    }

    /// Number of rows.
    pub fn num_rows(&self) -> usize {
        self.around.len()
    }

    /// Adds the rows of a page, and returns their numbers. `values` has all columns, row after row.
    ///
    /// # Panics
    /// If the number of values is not that of rows times columns.
    pub fn push(&mut self, num_rows: usize, values: &[f32]) -> Range<usize> {
        assert_eq!(values.len(), num_rows * self.num_columns(), "one value for every column of every row");
        let first = self.num_rows();
        let capped = |n: usize| n.min(MAX_DISTANCE) as u8;
        self.around.extend((0..num_rows).map(|i| [capped(i), capped(num_rows - 1 - i)]));
        for row in values.chunks_exact(self.num_columns().max(1)) {
            self.values.extend(self.stored.iter().map(|&column| row[column as usize]));
        }
        first..first + num_rows
    }

    /// Replaces the rows of a page by other values.
    ///
    /// # Panics
    /// If the page has no such rows, or the number of values is not that of rows times columns.
    pub fn replace(&mut self, rows: Range<usize>, values: &[f32]) {
        assert_eq!(values.len(), rows.len() * self.num_columns(), "one value for every column of every row");
        let (width, num_columns) = (self.stored.len(), self.num_columns());
        let old = self.values[rows.start * width..rows.end * width].chunks_exact_mut(width.max(1));
        for (old, row) in old.zip(values.chunks_exact(num_columns.max(1))) {
            old.iter_mut().zip(&self.stored).for_each(|(old, &column)| *old = row[column as usize]);
        }
    }

    /// Moves the rows of a page to row `end`, which must not be behind them. Returns their new numbers. A caller
    /// moves all pages that it keeps, the first one first, and then calls [`StoredRows::truncate`].
    ///
    /// # Panics
    /// If there are no such rows.
    pub fn move_to(&mut self, rows: &Range<usize>, end: usize) -> Range<usize> {
        let width = self.stored.len();
        self.values.copy_within(rows.start * width..rows.end * width, end * width);
        self.around.copy_within(rows.clone(), end);
        end..end + rows.len()
    }

    /// Drops all rows from a row on.
    pub fn truncate(&mut self, num_rows: usize) {
        self.values.truncate(num_rows * self.stored.len());
        self.values.shrink_to_fit();
        self.around.truncate(num_rows);
        self.around.shrink_to_fit();
    }

    /// A value.
    ///
    /// # Panics
    /// If there is no such row or column.
    #[inline]
    pub fn value(&self, row: usize, column: usize) -> f32 {
        self.at(row, self.around[row], self.places[column])
    }

    #[inline]
    fn at(&self, row: usize, [before, after]: [u8; 2], (place, distance): (u32, i32)) -> f32 {
        let reach = if distance < 0 { before } else { after };
        if distance.unsigned_abs() > u32::from(reach) {
            return 0.0;
        }
        let row = (row as i64 + i64::from(distance)) as usize;
        self.values[row * self.stored.len() + place as usize]
    }

    /// Copies a range of columns of a row.
    ///
    /// # Panics
    /// If there is no such row or column, or `out` has another length.
    pub fn copy(&self, row: usize, columns: Range<usize>, out: &mut [f32]) {
        assert_eq!(out.len(), columns.len(), "one value for every column");
        let width = self.stored.len();
        let (first, rest) =
            out.split_at_mut(self.num_first.clamp(columns.start, columns.end) - columns.start);
        if !first.is_empty() {
            first.copy_from_slice(&self.values[row * width + columns.start..][..first.len()]);
        }
        let around = self.around[row];
        let places = &self.places[columns.start + first.len()..columns.end];
        rest.iter_mut().zip(places).for_each(|(out, &place)| *out = self.at(row, around, place));
    }

    /// The values of some rows, row after row.
    ///
    /// # Panics
    /// If there is no such row.
    pub fn values_of(&self, rows: Range<usize>) -> Vec<f32> {
        let width = self.num_columns();
        let mut values = vec![0.0; rows.len() * width];
        let out = values.chunks_exact_mut(width.max(1));
        rows.zip(out).for_each(|(row, out)| self.copy(row, 0..width, out));
        values
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Columns `a`, `b@-2`, `b`, `a@+1`; pages of 3, 1 and 2 rows.
    fn rows() -> (StoredRows, Vec<f32>) {
        let mut rows = StoredRows::new(&[(0, 0), (2, -2), (2, 0), (0, 1)]);
        let pages: [&[[f32; 4]]; 3] = [
            &[[1.0, 0.0, 5.0, 2.0], [2.0, 0.0, 6.0, 3.0], [3.0, 5.0, 7.0, 0.0]],
            &[[4.0, 0.0, 8.0, 0.0]],
            &[[-1.0, 0.0, -2.0, -3.0], [-3.0, 0.0, -4.0, 0.0]],
        ];
        for page in pages {
            rows.push(page.len(), page.as_flattened());
        }
        (rows, pages.concat().concat())
    }

    #[test]
    fn copies_are_read_from_neighbours_of_the_same_page() {
        let (rows, expected) = rows();
        assert_eq!((rows.num_rows(), rows.num_columns(), rows.values.len()), (6, 4, 12));
        assert_eq!(rows.values_of(0..6), expected);
        for (i, &value) in expected.iter().enumerate() {
            assert_eq!(rows.value(i / 4, i % 4), value);
        }
        for (row, columns) in
            [0..2, 1..4, 2..3, 3..3, 3..4].into_iter().flat_map(|c| [(2, c.clone()), (5, c)])
        {
            let mut out = vec![9.0; columns.len()];
            rows.copy(row, columns.clone(), &mut out);
            assert_eq!(out, expected[4 * row..][columns]);
        }
    }

    #[test]
    fn pages_move_and_change() {
        let (mut rows, expected) = rows();
        assert_eq!(rows.move_to(&(3..4), 0), 0..1);
        assert_eq!(rows.move_to(&(4..6), 1), 1..3);
        rows.truncate(3);
        assert_eq!(rows.values_of(0..3), expected[12..]);
        rows.replace(1..3, &[7.0, 0.0, 8.0, 9.0, 9.0, 0.0, 6.0, 0.0]);
        assert_eq!(rows.values_of(1..2), [7.0, 0.0, 8.0, 9.0]);
        assert_eq!(StoredRows::new(&[]).push(2, &[]), 0..2);
    }

    #[test]
    #[should_panic(expected = "is a copy itself")]
    fn copies_of_copies_are_refused() {
        StoredRows::new(&[(0, 0), (0, 1), (1, 1)]);
    }
}

//! Feature rows in memory, stored without repeated values.

use std::ops::Range;

/// Feature rows of many pages, in compressed storage.
///
/// Two kinds of columns are compressed:
///
/// - A copied column, such as `b@-2`, has the values that another column has in a neighbouring block. It is
///   read from the row of that neighbour. Its value is 0 if the page has no such neighbour.
/// - A column that is constant on a page is stored once per page.
#[derive(Debug, Clone, Default)]
pub struct StoredRows {
    /// For each column: the index in `stored` of the column that holds its values, and the distance to the row
    /// to read.
    places: Vec<(u32, i32)>,
    /// Indices of the columns that are not copies.
    stored: Vec<u32>,
    /// Maximum absolute distance of a copied column.
    reach: usize,
    pages: Vec<PageOfRows>,
    /// Page index of each row.
    page_of: Vec<u32>,
    /// Values of the columns that vary on their page, row after row.
    values: Vec<f32>,
}

/// The rows of one page.
#[derive(Debug, Clone)]
struct PageOfRows {
    rows: Range<usize>,
    /// Offset of the page's first value in `values`.
    start: usize,
    /// Indices in `stored` of the columns that vary on the page, ascending.
    varying: Vec<u16>,
    /// For each stored column: its index in `varying`, or `CONSTANT`.
    slots: Vec<u16>,
    /// Copied columns whose source column varies on the page.
    copies: Vec<VaryingCopy>,
    /// For each column: the value of its source column in the first row. It is used only if the source column
    /// is constant on the page.
    constants: Vec<f32>,
}

/// A column that copies a varying column of another row.
#[derive(Debug, Clone, Copy)]
struct VaryingCopy {
    column: u16,
    /// Index of the source column in `varying`.
    slot: u16,
    distance: i32,
}

const CONSTANT: u16 = u16::MAX;

/// Maximum number of columns.
const MAX_COLUMNS: usize = CONSTANT as usize;

impl StoredRows {
    /// Creates an empty store. `sources` has one pair per column: the column that it copies, and the distance
    /// to the row to copy from. A distance of 0 means that the column is not a copy.
    ///
    /// # Panics
    /// If the source of a copied column is itself a copied column, or there are more than 65,535 columns.
    pub fn new(sources: &[(usize, i32)]) -> Self {
        assert!(sources.len() <= MAX_COLUMNS, "{} columns", sources.len());
        let own = |&(source, _): &(&(usize, i32), u32)| source.1 == 0;
        let stored: Vec<u32> = sources.iter().zip(0u32..).filter(own).map(|(_, column)| column).collect();
        let place = |(&(source, distance), own): (&(usize, i32), u32)| {
            let column = if distance == 0 { own } else { source as u32 };
            let at = stored.binary_search(&column);
            (
                at.unwrap_or_else(|_| panic!("column {column} is itself a copy of another column")) as u32,
                distance,
            )
        };
        let places = sources.iter().zip(0u32..).map(place).collect();
        let reach = sources.iter().map(|source| source.1.unsigned_abs() as usize).max().unwrap_or(0);
        StoredRows { places, stored, reach, ..Self::default() }
    }

    /// Number of columns, including copies.
    pub fn num_columns(&self) -> usize {
        self.places.len()
    }

    /// Number of rows.
    pub fn num_rows(&self) -> usize {
        self.page_of.len()
    }

    /// Adds the rows of a page and returns their range. `values` has the values of all columns, row after row.
    ///
    /// # Panics
    /// If `values` does not have one value for each column of each row.
    pub fn push(&mut self, num_rows: usize, values: &[f32]) -> Range<usize> {
        let width = self.num_columns();
        assert_eq!(values.len(), num_rows * width, "one value for every column of every row");
        let rows = self.num_rows()..self.num_rows() + num_rows;
        if num_rows == 0 {
            return rows;
        }
        let first = &values[..width];
        let varies = |column: u32| {
            let bits = first[column as usize].to_bits();
            values.iter().skip(column as usize).step_by(width).any(|value| value.to_bits() != bits)
        };
        let varying: Vec<u16> =
            self.stored.iter().zip(0u16..).filter(|(column, _)| varies(**column)).map(|c| c.1).collect();
        let mut slots = vec![CONSTANT; self.stored.len()];
        varying.iter().zip(0u16..).for_each(|(&stored, slot)| slots[stored as usize] = slot);
        let start = self.values.len();
        for row in values.chunks_exact(width.max(1)) {
            self.values.extend(varying.iter().map(|&i| row[self.stored[i as usize] as usize]));
        }
        self.page_of.resize(rows.end, self.pages.len() as u32);
        let constant = |place: &(u32, i32)| first[self.stored[place.0 as usize] as usize];
        let constants = self.places.iter().map(constant).collect();
        let copy = |(&(stored, distance), column): (&(u32, i32), u16)| {
            let slot = slots[stored as usize];
            (distance != 0 && slot != CONSTANT).then_some(VaryingCopy { column, slot, distance })
        };
        let copies = self.places.iter().zip(0u16..).filter_map(copy).collect();
        self.pages.push(PageOfRows { rows: rows.clone(), start, varying, slots, copies, constants });
        rows
    }

    /// Keeps only some pages, given by their row ranges in ascending order. Returns their new row ranges.
    ///
    /// # Panics
    /// If a range is not that of a page, or the ranges are not in ascending order.
    pub fn keep(&mut self, kept: &[Range<usize>]) -> Vec<Range<usize>> {
        assert!(kept.is_sorted_by_key(|rows| rows.start), "pages in ascending order");
        let old = std::mem::take(&mut self.pages);
        let old_page_of = std::mem::take(&mut self.page_of);
        let mut end = 0;
        let mut moved = Vec::with_capacity(kept.len());
        for kept in kept {
            let rows = self.page_of.len()..self.page_of.len() + kept.len();
            moved.push(rows.clone());
            if kept.is_empty() {
                continue;
            }
            let page = old[old_page_of[kept.start] as usize].clone();
            assert_eq!(&page.rows, kept, "the rows of a page");
            let length = kept.len() * page.varying.len();
            // values are moved only towards the start, so no value is overwritten before it is copied
            self.values.copy_within(page.start..page.start + length, end);
            self.page_of.resize(rows.end, self.pages.len() as u32);
            self.pages.push(PageOfRows { rows, start: end, ..page });
            end += length;
        }
        self.values.truncate(end);
        self.values.shrink_to_fit();
        moved
    }

    /// Returns the value of a row in a column.
    ///
    /// # Panics
    /// If there is no such row or column.
    #[inline]
    pub fn value(&self, row: usize, column: usize) -> f32 {
        self.at(&self.pages[self.page_of[row] as usize], row, self.places[column])
    }

    #[inline]
    fn at(&self, page: &PageOfRows, row: usize, (stored, distance): (u32, i32)) -> f32 {
        let row = row.wrapping_add_signed(distance as isize);
        if !page.rows.contains(&row) {
            return 0.0;
        }
        match page.slots[stored as usize] {
            CONSTANT => page.constants[self.stored[stored as usize] as usize],
            slot => self.values[page.start + (row - page.rows.start) * page.varying.len() + slot as usize],
        }
    }

    /// Copies a range of columns of a row.
    ///
    /// # Panics
    /// If there is no such row or column, or `out` has another length.
    pub fn copy(&self, row: usize, columns: Range<usize>, out: &mut [f32]) {
        assert_eq!(out.len(), columns.len(), "one value for every column");
        let page = &self.pages[self.page_of[row] as usize];
        let (before, after) = (row - page.rows.start, page.rows.end - 1 - row);
        if columns.len() < self.num_columns() || before.min(after) < self.reach {
            let places = self.places[columns].iter();
            return out.iter_mut().zip(places).for_each(|(out, &place)| *out = self.at(page, row, place));
        }
        // fast path: all columns of a row, if all rows to copy from are on the page
        out.copy_from_slice(&page.constants);
        let width = page.varying.len();
        let at = page.start + before * width;
        for (&stored, &value) in page.varying.iter().zip(&self.values[at..at + width]) {
            out[self.stored[stored as usize] as usize] = value;
        }
        for copy in &page.copies {
            let from = at.wrapping_add_signed(copy.distance as isize * width as isize);
            out[copy.column as usize] = self.values[from + copy.slot as usize];
        }
    }

    /// Returns true if `next` directly follows `row` on the same page.
    pub(crate) fn are_neighbours(&self, row: u32, next: u32) -> bool {
        row + 1 == next && self.page_of[row as usize] == self.page_of[next as usize]
    }

    /// Copies the values of a column in a range of rows. The rows must be on one page.
    ///
    /// # Panics
    /// If a row is on another page than the first row, or `out` has another length.
    pub(crate) fn copy_column(&self, rows: Range<usize>, column: usize, out: &mut [f32]) {
        assert_eq!(out.len(), rows.len(), "one value for every row");
        let Some(&page) = self.page_of.get(rows.start) else { return };
        let page = &self.pages[page as usize];
        let (stored, distance) = self.places[column];
        // `known` is the range of rows whose source row is on the page; all other rows are 0
        let moved = |row: usize| row.saturating_add_signed(-distance as isize).clamp(rows.start, rows.end);
        let known = moved(page.rows.start)..moved(page.rows.end);
        out[..known.start - rows.start].fill(0.0);
        out[known.end - rows.start..].fill(0.0);
        let known_out = &mut out[known.start - rows.start..known.end - rows.start];
        match page.slots[stored as usize] {
            CONSTANT => known_out.fill(page.constants[column]),
            slot if !known.is_empty() => {
                let first = known.start.wrapping_add_signed(distance as isize) - page.rows.start;
                let width = page.varying.len();
                let values = self.values[page.start + first * width + slot as usize..].iter().step_by(width);
                known_out.iter_mut().zip(values).for_each(|(out, value)| *out = *value);
            }
            _ => {}
        }
    }

    /// Returns the values of a range of rows, row after row.
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

    /// Returns rows with the columns `a`, `b@-2`, `b`, `a@+1`, `c` on pages of 3, 1, 0 and 2 rows, and the
    /// expected values.
    fn rows() -> (StoredRows, Vec<f32>) {
        let mut rows = StoredRows::new(&[(0, 0), (2, -2), (2, 0), (0, 1), (4, 0)]);
        let pages: [&[[f32; 5]]; 4] = [
            &[[1.0, 0.0, 5.0, 2.0, 0.5], [2.0, 0.0, 6.0, 3.0, 0.5], [3.0, 5.0, 7.0, 0.0, 0.5]],
            &[[4.0, 0.0, 8.0, 0.0, 0.0]],
            &[],
            &[[-1.0, 0.0, -2.0, -1.0, -0.0], [-1.0, 0.0, -4.0, 0.0, 0.0]],
        ];
        for page in pages {
            rows.push(page.len(), page.as_flattened());
        }
        (rows, pages.concat().concat())
    }

    fn bits(values: &[f32]) -> Vec<u32> {
        values.iter().map(|v| v.to_bits()).collect()
    }

    #[test]
    fn values_are_read_as_they_were_stored() {
        let (rows, expected) = rows();
        // the first page has two varying columns, the second none, the last two; 0 and -0 count as different
        // values
        assert_eq!((rows.num_rows(), rows.num_columns(), rows.values.len()), (6, 5, 3 * 2 + 2 * 2));
        assert_eq!(bits(&rows.values_of(0..6)), bits(&expected));
        for (i, value) in expected.iter().enumerate() {
            assert_eq!(rows.value(i / 5, i % 5).to_bits(), value.to_bits());
        }
        for row in 0..6 {
            for columns in [0..1, 0..2, 1..4, 2..3, 3..3, 3..5, 5..5, 0..5] {
                let mut out = vec![9.0; columns.len()];
                rows.copy(row, columns.clone(), &mut out);
                assert_eq!(out, expected[5 * row..][columns]);
            }
        }
    }

    #[test]
    fn rows_with_all_neighbours_have_the_same_values() {
        let mut rows = StoredRows::new(&[(0, 0), (0, 1), (2, 0), (2, -1), (4, 0), (0, -2)]);
        let row = |i: usize| {
            let own = |i: usize| (i * i % 7) as f32;
            let after = if i < 8 { own(i + 1) } else { 0.0 };
            let constant = |is_known: bool| if is_known { 3.0 } else { 0.0 };
            [own(i), after, 3.0, constant(i > 0), i as f32, if i > 1 { own(i - 2) } else { 0.0 }]
        };
        let expected: Vec<f32> = (0..9).flat_map(row).collect();
        rows.push(1, &[1.0, 0.0, 1.0, 0.0, 1.0, 0.0]);
        rows.push(9, &expected);
        assert_eq!(rows.values_of(1..10), expected);
    }

    #[test]
    fn columns_of_a_page_are_copied() {
        let (rows, expected) = rows();
        for range in [0..3, 1..3, 2..3, 0..1, 3..4, 4..6, 5..6, 2..2] {
            for column in 0..5 {
                let mut out = vec![9.0; range.len()];
                rows.copy_column(range.clone(), column, &mut out);
                let values: Vec<f32> = range.clone().map(|row| expected[5 * row + column]).collect();
                assert_eq!(bits(&out), bits(&values), "{range:?} {column}");
            }
        }
        let neighbours = (0..5).filter(|&row| rows.are_neighbours(row, row + 1));
        assert_eq!(neighbours.collect::<Vec<_>>(), [0, 1, 4]);
    }

    #[test]
    fn some_pages_are_kept() {
        let (mut rows, expected) = rows();
        assert_eq!(rows.keep(&[3..4, 4..4, 4..6]), [0..1, 1..1, 1..3]);
        assert_eq!(bits(&rows.values_of(0..3)), bits(&expected[15..]));
        assert_eq!(rows.push(1, &[7.0, 0.0, 8.0, 0.0, 1.0]), 3..4);
        assert_eq!(rows.values_of(3..4), [7.0, 0.0, 8.0, 0.0, 1.0]);
        assert_eq!(StoredRows::new(&[]).push(2, &[]), 0..2);
    }

    #[test]
    #[should_panic(expected = "is itself a copy of another column")]
    fn copies_of_copies_are_refused() {
        StoredRows::new(&[(0, 0), (0, 1), (1, 1)]);
    }
}

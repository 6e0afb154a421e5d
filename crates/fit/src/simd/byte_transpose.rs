//! Binned rows and columns of one boosted tree, in a memory layout for fast histogram sums.
//!
//! A group interleaves eight columns, so one load of eight bytes reads a row's eight bins. The sums of a row go
//! to eight different histograms, so the additions do not wait for each other.
//!
//! Sums are fixed-point integers. They are exact and independent of the order of rows. The sums of a child are
//! exactly those of its parent minus those of its sibling.
//!
//! Source: Ke et al., NIPS 2017, "LightGBM"; fixed point as in Shi et al., NeurIPS 2022, "Quantized training
//! of gradient boosting decision trees", but with enough bits to be exact.

use crate::trees::binning::BinnedMatrix;
use rayon::prelude::*;
use std::array::from_fn;

/// Number of columns in a group. The sums of a group take 32 KB.
pub(crate) const WIDTH: usize = 8;

/// Number of rows that are copied together, so that the output stays in the cache.
const BLOCK: usize = 2048;

/// Number of scattered rows that are copied together before they are processed, so that their cache misses
/// overlap.
const GATHERED_ROWS: usize = 32;

/// Sums over rows: the gradients, and the Hessians with the number of rows in the low bits.
pub(crate) type Cell = [i64; 2];

/// Sums for each column of a group and each bin.
pub(crate) type GroupSums = [[Cell; 256]; WIDTH];

/// Bins of selected rows and columns of a matrix.
#[derive(Debug, Default)]
pub(crate) struct ColumnGroups {
    rows: Vec<u32>,
    columns: Vec<u32>,
    codes: Vec<[u8; WIDTH]>,
}

impl ColumnGroups {
    /// Copies the bins of `rows` and `columns` (both ascending). Does nothing if these rows and columns are
    /// already loaded.
    pub(crate) fn load(&mut self, binned: &BinnedMatrix, rows: Vec<u32>, columns: Vec<u32>) {
        if self.rows == rows && self.columns == columns {
            return;
        }
        (self.rows, self.columns) = (rows, columns);
        let n = self.rows.len();
        self.codes.resize(n * self.num_groups(), [0; WIDTH]);
        let (rows, columns) = (&self.rows, &self.columns);
        self.codes.par_chunks_mut(n.max(1)).zip(columns.par_chunks(WIDTH)).for_each(|(codes, columns)| {
            for (codes, rows) in codes.chunks_mut(BLOCK).zip(rows.chunks(BLOCK)) {
                copy(codes, rows, columns, binned);
            }
        });
    }

    /// Number of groups.
    pub(crate) fn num_groups(&self) -> usize {
        self.columns.len().div_ceil(WIDTH)
    }

    /// Number of rows.
    pub(crate) fn num_rows(&self) -> usize {
        self.rows.len()
    }

    /// Matrix rows that are loaded; row `i` of the groups is `rows()[i]`.
    pub(crate) fn rows(&self) -> &[u32] {
        &self.rows
    }

    /// Matrix columns that are loaded.
    pub(crate) fn columns(&self) -> &[u32] {
        &self.columns
    }

    /// Returns the bins of every row in the columns `group * WIDTH..`.
    pub(crate) fn group(&self, group: usize) -> &[[u8; WIDTH]] {
        &self.codes[group * self.rows.len()..][..self.rows.len()]
    }
}

fn copy(codes: &mut [[u8; WIDTH]], rows: &[u32], columns: &[u32], binned: &BinnedMatrix) {
    // the last group is padded with columns whose bins are all 0
    let from: [Option<&[u8]>; WIDTH] = from_fn(|k| columns.get(k).map(|&c| binned.codes(c as usize)));
    for (codes, rows) in codes.chunks_mut(WIDTH).zip(rows.chunks(WIDTH)) {
        let start = rows[0] as usize;
        // most rows are contiguous, since whole pages are sampled
        if rows.get(WIDTH - 1).is_some_and(|&last| last as usize - start == WIDTH - 1) {
            let load =
                |from: &[u8]| from[start..][..WIDTH].first_chunk().map_or(0, |b| u64::from_le_bytes(*b));
            let bins = from.map(|from| from.map_or(0, load));
            codes.iter_mut().zip(transpose(bins)).for_each(|(code, bins)| *code = bins.to_le_bytes());
        } else {
            for (code, &row) in codes.iter_mut().zip(rows) {
                *code = from.map(|from| from.map_or(0, |from| from[row as usize]));
            }
        }
    }
}

/// Transposes an 8 x 8 byte matrix: byte `k` of number `i` becomes byte `i` of number `k`.
fn transpose(mut x: [u64; WIDTH]) -> [u64; WIDTH] {
    // swaps 4 x 4 blocks, then 2 x 2 blocks, then single bytes
    for (distance, mask) in [(4, 0xffff_ffff), (2, 0xffff_0000_ffff), (1, 0x00ff_00ff_00ff_00ff)] {
        for i in (0..WIDTH).filter(|i| i & distance == 0) {
            let difference = ((x[i] >> (8 * distance)) ^ x[i + distance]) & mask;
            x[i] ^= difference << (8 * distance);
            x[i + distance] ^= difference;
        }
    }
    x
}

/// Adds the `cells` of `rows` to the histogram sums.
pub(crate) fn add(sums: &mut GroupSums, codes: &[[u8; WIDTH]], rows: &[u32], cells: &[Cell]) {
    // the rows of a node are scattered in memory
    let mut gathered = [[0; WIDTH]; GATHERED_ROWS];
    for (rows, cells) in rows.chunks(GATHERED_ROWS).zip(cells.chunks(GATHERED_ROWS)) {
        gathered.iter_mut().zip(rows).for_each(|(code, &row)| *code = codes[row as usize]);
        for (code, &[first, second]) in gathered.iter().zip(cells) {
            for (sums, &code) in sums.iter_mut().zip(code) {
                let cell = &mut sums[usize::from(code)];
                *cell = [cell[0].wrapping_add(first), cell[1].wrapping_add(second)];
            }
        }
    }
}

/// Subtracts the sums of a subset of the rows.
pub(crate) fn subtract(sums: &mut GroupSums, part: &GroupSums) {
    for (cell, part) in sums.as_flattened_mut().iter_mut().zip(part.as_flattened()) {
        *cell = [cell[0].wrapping_sub(part[0]), cell[1].wrapping_sub(part[1])];
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::Array2;

    #[test]
    fn sums_of_sampled_rows_and_columns() {
        let x = Array2::from_shape_fn((5000, 12), |(i, j)| ((i * (j + 3)) % 17) as f32);
        let binned = BinnedMatrix::new(x.view(), None, 255);
        let mut groups = ColumnGroups::default();
        // 1501 contiguous rows, 999 scattered rows
        let rows: Vec<u32> = (0..1501).chain((1502..3500).step_by(2)).collect();
        let columns: Vec<u32> = (1..11).collect();
        groups.load(&binned, rows.clone(), columns.clone());
        assert_eq!((groups.num_groups(), groups.num_rows()), (2, 2500));
        for (k, &column) in columns.iter().enumerate() {
            let codes = groups.group(k / WIDTH).iter().map(|c| c[k % WIDTH]);
            let expected = rows.iter().map(|&r| binned.codes(column as usize)[r as usize]);
            assert!(codes.eq(expected), "{column}");
        }
        assert!(groups.group(1).iter().all(|c| c[2..] == [0; 6]));
        let of: Vec<Cell> = (0..2500).map(|i| [i - 700, 1]).collect();
        let order: Vec<u32> = (0..2500).collect();
        let mut all = [[[0; 2]; 256]; WIDTH];
        add(&mut all, groups.group(0), &order, &of);
        assert_eq!(all[3].iter().fold(0, |n, c| n + c[1]), 2500);
        assert_eq!(all[3].iter().fold(0, |n, c| n + c[0]), 2499 * 2500 / 2 - 700 * 2500);
        let mut part = [[[0; 2]; 256]; WIDTH];
        add(&mut part, groups.group(0), &order[..900], &of[..900]);
        subtract(&mut all, &part);
        let mut rest = [[[0; 2]; 256]; WIDTH];
        add(&mut rest, groups.group(0), &order[900..], &of[900..]);
        assert_eq!(all, rest);
    }
}

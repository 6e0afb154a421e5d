//! Histograms, from which splits are chosen: sums over the rows of a node, by column and bin.

use crate::trees::binning::BinnedMatrix;
use rayon::prelude::*;

/// Sums over the rows of a node that are in one bin: weight of content, weight of boilerplate, number of rows.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Bin {
    /// Sum of the first statistic of the rows.
    pub first: f64,
    /// Sum of the second statistic of the rows.
    pub second: f64,
    /// Number of rows.
    pub count: u32,
}

impl Bin {
    /// Adds another bin.
    pub(crate) fn add(&mut self, other: &Self) {
        self.first += other.first;
        self.second += other.second;
        self.count += other.count;
    }

    /// Subtracts another bin. The result is exactly 0 if no row is left.
    #[must_use]
    pub(crate) fn without(&self, other: &Self) -> Self {
        let count = self.count.saturating_sub(other.count);
        if count == 0 {
            return Self::default();
        }
        Self { first: self.first - other.first, second: self.second - other.second, count }
    }
}

/// The bins of some columns, one column after the other.
#[derive(Debug, Clone)]
pub(crate) struct Histogram {
    columns: Vec<u32>,
    starts: Vec<usize>,
    bins: Vec<Bin>,
}

impl Histogram {
    /// Sums `stats` by bin for each of `columns`. `stats` has two numbers for each of `rows`, in the same
    /// order.
    ///
    /// Each column is summed by one thread in the order of `rows`, so the result does not depend on the number
    /// of threads.
    pub(crate) fn build(binned: &BinnedMatrix, columns: &[u32], rows: &[u32], stats: &[[f32; 2]]) -> Self {
        let mut starts = Vec::with_capacity(columns.len() + 1);
        starts.push(0);
        for &col in columns {
            starts.push(starts[starts.len() - 1] + binned.num_bins(col as usize));
        }
        let mut bins = vec![Bin::default(); starts[columns.len()]];
        let mut parts = Vec::with_capacity(columns.len());
        let mut rest = bins.as_mut_slice();
        for (&col, span) in columns.iter().zip(starts.windows(2)) {
            let (part, after) = rest.split_at_mut(span[1] - span[0]);
            parts.push((col, part));
            rest = after;
        }
        // For small nodes, the overhead of many threads is larger than the gain.
        let min_columns = (20_000 / rows.len().max(1)).max(1);
        parts.into_par_iter().with_min_len(min_columns).for_each(|(col, bins)| {
            fill(bins, binned.codes(col as usize), rows, stats);
        });
        Self { columns: columns.to_vec(), starts, bins }
    }

    /// Subtracts the histogram of one child from that of the parent. Returns the histogram of the other child.
    #[must_use]
    pub(crate) fn without(mut self, part: &Self) -> Self {
        for (bin, part) in self.bins.iter_mut().zip(&part.bins) {
            *bin = bin.without(part);
        }
        self
    }

    /// Returns the column indices with their bins.
    pub(crate) fn columns(&self) -> impl Iterator<Item = (u32, &[Bin])> {
        self.columns
            .iter()
            .zip(self.starts.windows(2))
            .map(|(&col, span)| (col, &self.bins[span[0]..span[1]]))
    }
}

fn fill(bins: &mut [Bin], codes: &[u8], rows: &[u32], stats: &[[f32; 2]]) {
    for (&row, &[first, second]) in rows.iter().zip(stats) {
        let bin = &mut bins[usize::from(codes[row as usize])];
        bin.first += f64::from(first);
        bin.second += f64::from(second);
        bin.count += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    #[test]
    fn subtraction_gives_the_other_child() {
        let x = array![[0.0, 7.0], [1.0, 7.0], [1.0, 8.0], [2.0, 7.0]];
        let binned = BinnedMatrix::new(x.view(), None, 16);
        let stats = [[1.0, 0.0], [0.0, 2.0], [0.5, 0.0], [0.25, 0.0]];
        let all = Histogram::build(&binned, &[0, 1], &[0, 1, 2, 3], &stats);
        let columns: Vec<_> = all.columns().collect();
        assert_eq!(columns[0].1[1], Bin { first: 0.5, second: 2.0, count: 2 });
        assert_eq!(columns[1].1[0], Bin { first: 1.25, second: 2.0, count: 3 });
        let part = Histogram::build(&binned, &[0, 1], &[1, 3], &[stats[1], stats[3]]);
        let other = Histogram::build(&binned, &[0, 1], &[0, 2], &[stats[0], stats[2]]);
        let rest = all.without(&part);
        assert!(rest.columns().zip(other.columns()).all(|(a, b)| a == b));
    }
}

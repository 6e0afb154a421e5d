//! Binning: converts a feature matrix to one byte per value, for histogram-based training.
//!
//! Source: Ke et al., NIPS 2017, "LightGBM" (histogram-based split finding); cuts as in scikit-learn, halfway
//! between neighbouring values.

use crate::TrainingRows;
use rayon::prelude::*;

/// Maximum number of bins per column in tree training. Source: LightGBM's default.
pub(crate) const MAX_BINS: usize = 255;

/// Number of columns that a thread reads together. Their values in one row often share a cache line.
const GROUP: usize = 4;

/// A matrix of bin indices, shape (n_rows, n_columns), column-major.
#[derive(Debug, Clone)]
pub(crate) struct BinnedMatrix {
    rows: usize,
    codes: Vec<u8>,
    cuts: Vec<Vec<f32>>,
}

impl BinnedMatrix {
    /// Bins each column of `x`, shape (n_rows, n_columns).
    ///
    /// `max_bins` is clamped to 2..=256. If a column has at most `max_bins` distinct values, each value gets
    /// its own bin. Otherwise, bins have about equal numbers of rows; a frequent value may have its own bin.
    /// If `weight` is given, rows of weight 0 do not affect the cuts. The result does not depend on the
    /// number of threads.
    pub(crate) fn new<'a>(x: impl Into<TrainingRows<'a>>, weight: Option<&[f32]>, max_bins: usize) -> Self {
        let x = x.into();
        let (rows, columns) = (x.nrows(), x.ncols());
        let max_bins = max_bins.clamp(2, 256);
        let mut codes = vec![0u8; rows * columns];
        // `max(1)`, since a chunk size of 0 panics
        let cuts = codes
            .par_chunks_mut((rows * GROUP).max(1))
            .enumerate()
            .map(|(group, codes)| bin_group(x, weight, group * GROUP, codes, max_bins))
            .collect::<Vec<_>>();
        let mut cuts: Vec<_> = cuts.into_iter().flatten().collect();
        cuts.resize(columns, Vec::new());
        Self { rows, codes, cuts }
    }

    /// Number of columns.
    pub(crate) fn num_columns(&self) -> usize {
        self.cuts.len()
    }

    /// Number of bins of column `col`, at least 1.
    pub(crate) fn num_bins(&self, col: usize) -> usize {
        self.cuts[col].len() + 1
    }

    /// Returns the bin of every row in column `col`, in matrix order.
    pub(crate) fn codes(&self, col: usize) -> &[u8] {
        &self.codes[col * self.rows..][..self.rows]
    }

    /// Returns the cut between bins `bin` and `bin + 1` of column `col`: values `<= cut` are in the bins up to
    /// `bin`.
    pub(crate) fn cut(&self, col: usize, bin: usize) -> f32 {
        self.cuts[col][bin]
    }
}

/// Bins as many columns as fit in `codes`, starting at column `first`. Returns their cuts.
fn bin_group(
    x: TrainingRows<'_>,
    weight: Option<&[f32]>,
    first: usize,
    codes: &mut [u8],
    max_bins: usize,
) -> Vec<Vec<f32>> {
    let rows = x.nrows();
    let width = codes.len() / rows.max(1);
    let mut values = vec![0f32; rows * width];
    x.copy_columns(first..first + width, &mut values);
    // converts -0.0 to 0.0
    values.iter_mut().for_each(|value| *value += 0.0);
    let mut sorted = Vec::with_capacity(rows);
    let columns = values.chunks_exact(rows).zip(codes.chunks_exact_mut(rows));
    columns
        .map(|(values, codes)| {
            sorted.clear();
            match weight {
                None => sorted.extend_from_slice(values),
                Some(w) => sorted.extend(values.iter().zip(w).filter(|(_, w)| **w > 0.0).map(|(v, _)| *v)),
            }
            sorted.sort_unstable_by(f32::total_cmp);
            let cuts = find_cuts(&sorted, max_bins);
            // neighbouring rows often have equal values, so the last result is reused
            let mut last = (f32::NAN, 0);
            for (code, &v) in codes.iter_mut().zip(values) {
                if v != last.0 {
                    // the bin index fits in `u8`, since there are at most max_bins - 1 <= 255 cuts
                    last = (v, cuts.partition_point(|cut| *cut < v) as u8);
                }
                *code = last.1;
            }
            cuts
        })
        .collect()
}

/// Returns the cuts of a sorted column, at most `max_bins - 1`.
fn find_cuts(sorted: &[f32], max_bins: usize) -> Vec<f32> {
    let mut distinct: Vec<(f32, usize)> = Vec::new();
    for run in sorted.chunk_by(|a, b| a == b) {
        distinct.push((run[0], run.len()));
    }
    if distinct.len() <= max_bins {
        return distinct.windows(2).map(|w| midpoint(w[0].0, w[1].0)).collect();
    }
    let (mut cuts, mut in_bin, mut rest) = (Vec::with_capacity(max_bins - 1), 0, sorted.len());
    for pair in distinct.windows(2) {
        let bins_left = max_bins - cuts.len();
        if bins_left == 1 {
            break;
        }
        in_bin += pair[0].1;
        // The target size is recomputed after each bin, so that a frequent value does not coarsen the later
        // bins.
        if in_bin * bins_left >= rest {
            cuts.push(midpoint(pair[0].0, pair[1].0));
            rest -= in_bin;
            in_bin = 0;
        }
    }
    cuts
}

/// Returns a number `m` with `lo <= m < hi`; it is the midpoint if `f32` can represent it.
pub(crate) fn midpoint(lo: f32, hi: f32) -> f32 {
    let m = ((f64::from(lo) + f64::from(hi)) / 2.0) as f32;
    if m < hi { m.max(lo) } else { lo }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::{Array2, array};
    use proptest::prelude::*;

    #[test]
    fn few_values_have_a_bin_each() {
        let b = BinnedMatrix::new(array![[3.0, 1.0], [0.0, 1.0], [3.0, 1.0], [-2.0, 1.0]].view(), None, 256);
        assert_eq!((b.num_bins(0), b.num_bins(1)), (3, 1));
        assert_eq!(b.codes(0), [2, 1, 2, 0]);
        assert_eq!((b.cut(0, 0), b.cut(0, 1)), (-1.0, 1.5));
    }

    #[test]
    fn many_values_share_bins_evenly() {
        let x = Array2::from_shape_fn((10_000, 1), |(i, _)| if i < 5_000 { 0.0 } else { i as f32 });
        let b = BinnedMatrix::new(x.view(), None, 11);
        let mut sizes = [0; 11];
        b.codes(0).iter().for_each(|&c| sizes[usize::from(c)] += 1);
        assert_eq!(sizes[0], 5_000);
        assert!(sizes[1..].iter().all(|&n| (490..=510).contains(&n)), "{sizes:?}");
    }

    #[test]
    fn adjacent_floats_are_separated() {
        let hi = 1.0 + f32::EPSILON;
        assert_eq!(midpoint(1.0, hi), 1.0);
        assert_eq!(midpoint(-f32::MAX, f32::MAX), 0.0);
        assert_eq!(midpoint(f32::MAX / 2.0, f32::MAX), f32::MAX * 0.75);
    }

    #[test]
    fn empty_matrices_are_binned() {
        assert_eq!(BinnedMatrix::new(Array2::zeros((0, 3)).view(), None, 8).num_columns(), 3);
        assert_eq!(BinnedMatrix::new(Array2::zeros((3, 0)).view(), None, 8).num_columns(), 0);
    }

    proptest! {
        #[test]
        fn codes_agree_with_cuts(
            values in proptest::collection::vec(-9e9f32..9e9, 1..400),
            bins in 2usize..40,
        ) {
            let x = Array2::from_shape_vec((values.len(), 1), values.clone()).unwrap();
            let b = BinnedMatrix::new(x.view(), None, bins);
            prop_assert!(b.num_bins(0) <= bins);
            for (v, &code) in values.iter().zip(b.codes(0)) {
                let code = usize::from(code);
                prop_assert!(code == 0 || *v > b.cut(0, code - 1));
                prop_assert!(code + 1 == b.num_bins(0) || *v <= b.cut(0, code));
            }
        }
    }
}

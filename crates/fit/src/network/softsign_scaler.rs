//! Fits softsign scaling, and scales training rows.

use crate::sampling::draw;
use crate::{TrainingRows, TrainingSet};
use std::ops::Range;
use threshr_models::network::softsign_scaler::{SoftsignScaler, softsign};

/// Maximum number of rows that are sampled for column statistics.
const ROWS: usize = 20_000;

/// Share of the values that is clipped at each end (winsorising).
const TAIL: f64 = 0.01;

/// Fits a scaler to rows that are sampled by weight.
pub(crate) fn fit_softsign(set: &TrainingSet<'_>, seed: u64) -> SoftsignScaler {
    let num_rows = set.weight.iter().filter(|w| **w > 0.0).count();
    let rows = draw(set, ROWS.min(num_rows), seed);
    let x = set.x.select(&rows);
    let (mut middle, mut spread) = (Vec::new(), Vec::new());
    for column in x.columns() {
        let mut values = column.to_vec();
        values.sort_unstable_by(f32::total_cmp);
        let last = values.len() - 1;
        let end = (TAIL * last as f64) as usize;
        let (mut low, mut high) = (values[end], values[last - end]);
        if low == high {
            // values vary only in the tails, so do not clip
            (low, high) = (values[0], values[last]);
        }
        let clipped = || values.iter().map(|v| f64::from(v.clamp(low, high)));
        let n = values.len() as f64;
        let num_zeros = values.iter().filter(|v| **v == 0.0).count();
        let mean = if 2 * num_zeros < values.len() { clipped().sum::<f64>() / n } else { 0.0 };
        let distance = clipped().map(|v| (v - mean).abs()).sum::<f64>() / n;
        middle.push(mean as f32);
        spread.push(if low < high { distance as f32 } else { 0.0 });
    }
    SoftsignScaler { middle, spread }
}

/// Scales a range of rows into `out` of shape (n, columns).
pub(crate) fn scale_rows(scaler: &SoftsignScaler, x: TrainingRows<'_>, rows: Range<usize>, out: &mut [f32]) {
    let width = scaler.num_columns();
    let arch = pulp::Arch::new();
    x.for_stored(rows, |i, row, replaced, values| {
        let out = &mut out[i * width..][..width];
        arch.dispatch(|| scaler.apply(row, out));
        for (&column, &value) in replaced.iter().zip(values) {
            let column = column as usize;
            out[column] = softsign(value, scaler.middle[column], scaler.spread[column]);
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::{Array2, array};

    /// Returns a scaler that is fitted on rows of equal weight.
    fn scaler_of(x: &Array2<f32>) -> SoftsignScaler {
        let n = x.nrows();
        let (y, page) = ((0..n).map(|i| i % 2 == 0).collect::<Vec<_>>(), vec![0; n]);
        let columns: Vec<_> = (0..x.ncols()).map(|j| format!("c{j}")).collect();
        fit_softsign(
            &TrainingSet {
                x: x.view().into(),
                y: &y,
                weight: &vec![1.0; n],
                page: &page,
                class: &[],
                columns: &columns,
            },
            1,
        )
    }

    #[test]
    fn scales_by_the_mean_distance() {
        // columns: a rare flag, a count with an outlier, a constant
        let mut x = Array2::from_shape_fn((400, 3), |(i, j)| [f32::from(i == 9), (i % 5) as f32, 7.0][j]);
        x[[11, 1]] = 1e9;
        let scaler = scaler_of(&x);
        scaler.check(3).unwrap();
        assert!(scaler.check(2).is_err());
        assert_eq!(scaler.used().collect::<Vec<_>>(), [true, true, false]);
        let mut out = [9.0; 3];
        let mut scaled = |row: [f32; 3]| {
            scaler.apply(&row, &mut out);
            out
        };
        assert!(scaled([1.0, 2.0, 8.0])[0] > 0.9 && scaled([0.0, 2.0, 8.0])[2] == 0.0);
        // in a column of mostly zeros, 0 is scaled to 0; in other columns, 0 is below the middle
        assert_eq!(scaled([0.0, 2.0, 7.0])[0], 0.0);
        assert!(scaled([0.0, 0.0, 7.0])[1] < -0.5);
        // middle 2 and mean absolute deviation 1.2, despite the outlier
        assert!((scaled([0.0, 3.2, 7.0])[1] - 0.5).abs() < 0.01);
        assert_eq!(scaled([f32::NAN, f32::INFINITY, 7.0]), [0.0, 1.0, 0.0]);
        let mut all = [0.0; 6];
        scale_rows(
            &scaler,
            TrainingRows::from(array![[1.0, 3.2, 7.0], [0.0, 2.0, 7.0]].view()),
            0..2,
            &mut all,
        );
        assert_eq!(all[3..5], scaled([0.0, 2.0, 7.0])[..2]);
    }
}

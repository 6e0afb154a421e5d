//! Fits the standardisation of columns.

use crate::TrainingRows;
use ndarray::Array2;
use threshr_models::linear::scaling::{CLIP, Scaler, log_transform};

/// Columns are log-transformed only if an absolute value exceeds this limit.
const LOG_FROM: f64 = 10.0;

/// Fits a scaler to `x` of shape (n_rows, n_columns). All values must be finite, and at least one weight must
/// be positive.
///
/// A column is heavy-tailed, and log-transformed, if a value is more than [`CLIP`] standard deviations from the
/// mean and an absolute value exceeds 10. The second condition excludes rare flags.
pub fn fit_scaler<'a>(x: impl Into<TrainingRows<'a>>, weight: &[f32]) -> Scaler {
    let x = x.into();
    let mut log = vec![false; x.ncols()];
    let plain = moments(x, weight, &log);
    for (log, m) in log.iter_mut().zip(&plain) {
        let farthest = (m.max - m.mean).max(m.mean - m.min);
        *log = farthest > CLIP * m.sd && m.max.max(-m.min) > LOG_FROM && m.min < m.max;
    }
    let fitted = if log.contains(&true) { moments(x, weight, &log) } else { plain };
    let scale = |m: &Moments| if m.min < m.max && m.sd > 0.0 { 1.0 / m.sd } else { 0.0 };
    Scaler { mean: fitted.iter().map(|m| m.mean).collect(), scale: fitted.iter().map(scale).collect(), log }
}

/// Returns the scaled `rows` of `x`, shape (`rows.len()`, n_columns).
pub fn scaled_rows<'a>(scaler: &Scaler, x: impl Into<TrainingRows<'a>>, rows: &[usize]) -> Array2<f32> {
    let x = x.into();
    let mut out = x.select(rows);
    let mut row = vec![0.0; x.ncols()];
    for mut values in out.rows_mut() {
        row.iter_mut().zip(&values).for_each(|(to, v)| *to = *v);
        let scaled = values.as_slice_mut().unwrap_or_default(); // rows of a new matrix are slices
        scaler.apply(&row, scaled);
    }
    out
}

/// Returns the width of a Gaussian kernel: `eps` if it is positive, otherwise the number of columns that vary.
/// The default equals scikit-learn's "scale" for standardised columns.
pub fn kernel_width(eps: f32, scaler: &Scaler) -> f32 {
    if eps > 0.0 { eps } else { scaler.num_used().max(1) as f32 }
}

struct Moments {
    mean: f64,
    sd: f64,
    min: f64,
    max: f64,
}

/// Returns the weighted moments of each column over the rows with a positive weight, in two passes.
fn moments(x: TrainingRows<'_>, weight: &[f32], log: &[bool]) -> Vec<Moments> {
    let nothing = || Moments { mean: 0.0, sd: 0.0, min: f64::INFINITY, max: f64::NEG_INFINITY };
    let mut all: Vec<_> = log.iter().map(|_| nothing()).collect();
    let total: f64 = weight.iter().map(|w| f64::from(*w)).sum::<f64>().max(f64::MIN_POSITIVE);
    x.for_rows(0..x.nrows(), |i, row| {
        let w = f64::from(weight[i]) / total;
        if w > 0.0 {
            for ((m, &v), &log) in all.iter_mut().zip(row).zip(log) {
                let v = log_transform(v, log);
                m.mean += w * v;
                (m.min, m.max) = (m.min.min(v), m.max.max(v));
            }
        }
    });
    x.for_rows(0..x.nrows(), |i, row| {
        let w = f64::from(weight[i]) / total;
        for ((m, &v), &log) in all.iter_mut().zip(row).zip(log) {
            let d = log_transform(v, log) - m.mean;
            m.sd += w * d * d;
        }
    });
    for m in &mut all {
        m.sd = m.sd.sqrt();
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    #[test]
    fn scales_by_weighted_moments() {
        let x = array![[0.0, 5.0], [2.0, 5.0], [9.0, 7.0]];
        let s = fit_scaler(x.view(), &[1.0, 1.0, 0.0]);
        assert_eq!((s.num_columns(), s.num_used()), (2, 1));
        let mut out = [9.0; 2];
        s.apply(&[3.0, 100.0], &mut out);
        assert_eq!(out, [2.0, 0.0]);
        s.apply(&[f32::MAX, f32::INFINITY], &mut out);
        assert_eq!(out, [CLIP as f32, 0.0]);
        s.apply(&[f32::NAN, f32::MIN], &mut out);
        assert_eq!(out, [0.0, 0.0]);
    }

    #[test]
    fn only_heavy_tails_get_a_logarithm() {
        let x = Array2::from_shape_fn((500, 3), |(i, j)| match j {
            0 => f32::from(i == 3) * 1e6 + (i % 3) as f32,
            1 => f32::from(i == 3),
            _ => (i % 90) as f32,
        });
        assert_eq!(fit_scaler(x.view(), &[1.0; 500]).log, [true, false, false]);
    }

    #[test]
    fn huge_values_give_finite_scales() {
        let s = fit_scaler(array![[f32::MAX], [f32::MIN], [0.0]].view(), &[1.0; 3]);
        s.check(1).unwrap();
        assert!(s.check(2).is_err());
    }
}

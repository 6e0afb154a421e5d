//! Columns brought to comparable ranges, for methods that measure distances or penalise weights.

use crate::TrainingRows;
use crate::rows::{finite, for_rows};
use ndarray::{Array2, ArrayView2};
use serde::{Deserialize, Serialize};
use threshr_core::{Error, Result};

/// Scaled values stay within plus or minus this.
pub const CLIP: f64 = 8.0;

/// Below this largest absolute value the logarithm would change little.
const LOG_FROM: f64 = 10.0;

/// Per column: a logarithm for heavy tails, then (value - mean) / standard deviation, clipped to ±[`CLIP`].
///
/// A column is heavy-tailed, and replaced by `sign(x) ln(1 + |x|)`, if some training value lies more than
/// [`CLIP`] standard deviations from the mean and some is larger than 10 in size (a rare flag is not).
/// A column that is constant over the training rows gives 0 for any value.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scaler {
    log: Vec<bool>,
    mean: Vec<f64>,
    scale: Vec<f64>,
}

impl Scaler {
    /// Fits on `x` of shape (n_rows, n_columns), finite, and the weight of each row (one positive at least).
    pub fn fit<'a>(x: impl Into<TrainingRows<'a>>, weight: &[f32]) -> Self {
        let x = x.into();
        let mut log = vec![false; x.ncols()];
        let plain = moments(x, weight, &log);
        for (log, m) in log.iter_mut().zip(&plain) {
            let farthest = (m.max - m.mean).max(m.mean - m.min);
            *log = farthest > CLIP * m.sd && m.max.max(-m.min) > LOG_FROM && m.min < m.max;
        }
        let fitted = if log.contains(&true) { moments(x, weight, &log) } else { plain };
        let scale = |m: &Moments| if m.min < m.max && m.sd > 0.0 { 1.0 / m.sd } else { 0.0 };
        Self { mean: fitted.iter().map(|m| m.mean).collect(), scale: fitted.iter().map(scale).collect(), log }
    }

    /// Number of columns.
    pub fn num_columns(&self) -> usize {
        self.mean.len()
    }

    /// Number of columns that were not constant.
    pub fn num_used(&self) -> usize {
        self.used().into_iter().filter(|&used| used).count()
    }

    /// Whether each column was not constant; the others make no difference.
    pub fn used(&self) -> Vec<bool> {
        self.scale.iter().map(|s| *s != 0.0).collect()
    }

    /// Checks a scaler that was read.
    ///
    /// # Errors
    /// If it is not one for `num_columns` columns or has numbers that are not finite.
    pub fn check(&self, num_columns: usize) -> Result<()> {
        let numbers = self.mean.iter().chain(&self.scale);
        let lengths = [self.log.len(), self.mean.len(), self.scale.len()];
        if lengths != [num_columns; 3] || numbers.into_iter().any(|v| !v.is_finite()) {
            return Err(Error::model("the scaling of columns is damaged")
                .expected(format!("finite numbers for {num_columns} columns")));
        }
        Ok(())
    }

    /// Writes the scaled `row` to `out`, both of length n_columns.
    pub fn apply(&self, row: &[f32], out: &mut [f32]) {
        for (j, (&v, out)) in row.iter().zip(out).enumerate() {
            let v = tame(v, self.log[j]);
            // `finite`: infinity times 0 is not a number.
            *out = finite((v - self.mean[j]) * self.scale[j]).clamp(-CLIP as f32, CLIP as f32);
        }
    }

    /// Writes the scaled rows of `x`, one after the other with `stride >= n_columns` values each, to `out`.
    pub fn apply_all(&self, x: ArrayView2<'_, f32>, out: &mut [f32], stride: usize) {
        let columns = self.num_columns();
        for_rows(x, |i, row| self.apply(row, &mut out[i * stride..][..columns]));
    }

    /// The scaled `rows` of `x`, of shape (`rows.len()`, n_columns).
    pub fn take<'a>(&self, x: impl Into<TrainingRows<'a>>, rows: &[usize]) -> Array2<f32> {
        let x = x.into();
        let mut out = x.select(rows);
        let mut row = vec![0.0; x.ncols()];
        for mut values in out.rows_mut() {
            row.iter_mut().zip(&values).for_each(|(to, v)| *to = *v);
            let scaled = values.as_slice_mut().unwrap_or_default(); // rows of a fresh matrix are slices
            self.apply(&row, scaled);
        }
        out
    }
}

fn tame(v: f32, log: bool) -> f64 {
    let v = f64::from(v);
    if log { v.signum() * v.abs().ln_1p() } else { v }
}

struct Moments {
    mean: f64,
    sd: f64,
    min: f64,
    max: f64,
}

/// Weighted moments of each column over the rows of positive weight, in two passes.
fn moments(x: TrainingRows<'_>, weight: &[f32], log: &[bool]) -> Vec<Moments> {
    let nothing = || Moments { mean: 0.0, sd: 0.0, min: f64::INFINITY, max: f64::NEG_INFINITY };
    let mut all: Vec<_> = log.iter().map(|_| nothing()).collect();
    let total: f64 = weight.iter().map(|w| f64::from(*w)).sum::<f64>().max(f64::MIN_POSITIVE);
    x.for_rows(0..x.nrows(), |i, row| {
        let w = f64::from(weight[i]) / total;
        if w > 0.0 {
            for ((m, &v), &log) in all.iter_mut().zip(row).zip(log) {
                let v = tame(v, log);
                m.mean += w * v;
                (m.min, m.max) = (m.min.min(v), m.max.max(v));
            }
        }
    });
    x.for_rows(0..x.nrows(), |i, row| {
        let w = f64::from(weight[i]) / total;
        for ((m, &v), &log) in all.iter_mut().zip(row).zip(log) {
            let d = tame(v, log) - m.mean;
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
        let s = Scaler::fit(x.view(), &[1.0, 1.0, 0.0]);
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
    fn logarithm_for_heavy_tails_only() {
        let x = Array2::from_shape_fn((500, 3), |(i, j)| match j {
            0 => f32::from(i == 3) * 1e6 + (i % 3) as f32,
            1 => f32::from(i == 3),
            _ => (i % 90) as f32,
        });
        assert_eq!(Scaler::fit(x.view(), &[1.0; 500]).log, [true, false, false]);
    }

    #[test]
    fn huge_values_give_finite_scales() {
        let s = Scaler::fit(array![[f32::MAX], [f32::MIN], [0.0]].view(), &[1.0; 3]);
        s.check(1).unwrap();
        assert!(s.check(2).is_err());
    }
}

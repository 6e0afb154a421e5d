//! Column standardisation, for methods that measure distances or penalise weights.

use crate::rows::{finite, for_rows};
use ndarray::ArrayView2;
use serde::{Deserialize, Serialize};
use threshr_core::{Error, Result};

/// Maximum absolute value of a scaled column. Larger values are clipped.
pub const CLIP: f64 = 8.0;

/// Standardises each column: (value - mean) / standard deviation, clipped to ±[`CLIP`].
///
/// A heavy-tailed column is first transformed to `sign(x) ln(1 + |x|)`. A column that is constant in the
/// training rows is scaled to 0.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scaler {
    /// Whether each column is heavy-tailed.
    pub log: Vec<bool>,
    /// Mean of each column.
    pub mean: Vec<f64>,
    /// 1 / standard deviation of each column; 0 for a constant column.
    pub scale: Vec<f64>,
}

impl Scaler {
    /// Number of columns.
    pub fn num_columns(&self) -> usize {
        self.mean.len()
    }

    /// Number of columns that vary.
    pub fn num_used(&self) -> usize {
        self.used().into_iter().filter(|&used| used).count()
    }

    /// Returns whether each column varies. Constant columns have no effect.
    pub fn used(&self) -> Vec<bool> {
        self.scale.iter().map(|s| *s != 0.0).collect()
    }

    /// Validates a deserialized scaler.
    ///
    /// # Errors
    /// If the scaler does not have `num_columns` columns, or a number is not finite.
    pub fn check(&self, num_columns: usize) -> Result<()> {
        let numbers = self.mean.iter().chain(&self.scale);
        let lengths = [self.log.len(), self.mean.len(), self.scale.len()];
        if lengths != [num_columns; 3] || numbers.into_iter().any(|v| !v.is_finite()) {
            return Err(Error::model("invalid scaling of columns")
                .expected(format!("finite numbers for {num_columns} columns")));
        }
        Ok(())
    }

    /// Writes the scaled `row` to `out`. Both have n_columns values.
    pub fn apply(&self, row: &[f32], out: &mut [f32]) {
        for (j, (&v, out)) in row.iter().zip(out).enumerate() {
            let v = log_transform(v, self.log[j]);
            // `finite` is needed, since infinity times 0 is NaN
            *out = finite((v - self.mean[j]) * self.scale[j]).clamp(-CLIP as f32, CLIP as f32);
        }
    }

    /// Writes the scaled rows of `x` to `out`, with `stride` values per row. `stride` is at least n_columns.
    pub fn apply_all(&self, x: ArrayView2<'_, f32>, out: &mut [f32], stride: usize) {
        let columns = self.num_columns();
        for_rows(x, |i, row| self.apply(row, &mut out[i * stride..][..columns]));
    }
}

/// Returns `sign(v) ln(1 + |v|)` if `log` is true (heavy-tailed column), otherwise `v`.
pub fn log_transform(v: f32, log: bool) -> f64 {
    let v = f64::from(v);
    if log { v.signum() * v.abs().ln_1p() } else { v }
}

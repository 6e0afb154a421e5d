//! Softsign scaling: maps columns to -1..=1, which limits the effect of outliers.

use serde::{Deserialize, Serialize};
use threshr_core::{Error, Result};

/// Scales a value to d / (|d| + spread), where d is the difference between the value and the column's middle.
///
/// Columns that are constant in training are scaled to 0.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SoftsignScaler {
    /// Winsorised mean of each column. It is 0 if at least half of the values are 0, so that 0 is scaled to 0.
    pub middle: Vec<f32>,
    /// Mean absolute difference from the middle; 0 if the column is constant.
    pub spread: Vec<f32>,
}

impl SoftsignScaler {
    /// Number of columns.
    pub fn num_columns(&self) -> usize {
        self.middle.len()
    }

    /// Returns whether each column varies.
    pub fn used(&self) -> impl Iterator<Item = bool> {
        self.spread.iter().map(|s| *s > 0.0)
    }

    /// Validates deserialized data.
    ///
    /// # Errors
    /// If a length is not `num_columns`, or a number is invalid.
    pub fn check(&self, num_columns: usize) -> Result<()> {
        let good = num_columns > 0
            && self.middle.iter().all(|v| v.is_finite())
            && self.spread.iter().all(|v| v.is_finite() && *v >= 0.0)
            && [self.middle.len(), self.spread.len()] == [num_columns; 2];
        if good {
            return Ok(());
        }
        Err(Error::model("invalid scaling of columns")
            .expected(format!("finite numbers for {num_columns} columns, at least one")))
    }

    /// Scales a row. The results are in -1..=1.
    #[inline(always)]
    pub fn apply(&self, row: &[f32], out: &mut [f32]) {
        for (((&v, &middle), &spread), out) in row.iter().zip(&self.middle).zip(&self.spread).zip(out) {
            *out = softsign(v, middle, spread);
        }
    }

    /// Scales the values of column `j` into the start of `out`. If all results are 0, returns false and leaves
    /// `out` unchanged.
    #[inline(always)]
    pub fn apply_column(&self, j: usize, values: &[f32], out: &mut [f32]) -> bool {
        let (middle, spread) = (self.middle[j], self.spread[j]);
        let is_zero = || values.iter().fold(true, |all, v| all & (*v == 0.0));
        if spread == 0.0 || middle == 0.0 && is_zero() {
            return false;
        }
        values.iter().zip(out).for_each(|(&v, out)| *out = softsign(v, middle, spread));
        true
    }
}

/// Returns the softsign-scaled value; 0 if `spread` is 0.
#[inline(always)]
pub fn softsign(v: f32, middle: f32, spread: f32) -> f32 {
    let distance = v.clamp(-1e30, 1e30) - middle;
    let scaled = distance / (distance.abs() + spread);
    // branch-free, so that the compiler vectorises the loop: `&` evaluates both conditions
    if (spread > 0.0) & (scaled.abs() <= 1.0) { scaled } else { 0.0 }
}

//! The fitted model of linear methods: one weight per scaled column.

use crate::linear::scaling::Scaler;
use crate::rows::{finite, for_rows};
use ndarray::ArrayView2;
use serde::{Deserialize, Serialize};
use threshr_core::{Error, Result};

/// A linear model: decision value = bias + sum of weight x scaled column.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Linear {
    /// Scales the columns.
    pub scaler: Scaler,
    /// One weight per column.
    pub weight: Vec<f64>,
    /// Constant term of the decision value.
    pub bias: f64,
}

impl Linear {
    /// Validates deserialized data.
    ///
    /// # Errors
    /// If lengths do not agree or a number is not finite.
    pub fn check(&self, num_columns: usize) -> Result<()> {
        self.scaler.check(num_columns)?;
        let finite = self.bias.is_finite() && self.weight.iter().all(|w| w.is_finite());
        if self.weight.len() != num_columns || !finite {
            return Err(Error::model("invalid weights of a linear model")
                .expected(format!("{num_columns} finite numbers")));
        }
        Ok(())
    }

    /// Writes the decision value of each row.
    pub(crate) fn decide(&self, x: ArrayView2<'_, f32>, out: &mut [f32]) {
        let mut scaled = vec![0.0; self.weight.len()];
        for_rows(x, |i, row| {
            self.scaler.apply(row, &mut scaled);
            let sum: f64 = scaled.iter().zip(&self.weight).map(|(&v, w)| f64::from(v) * w).sum();
            out[i] = finite(self.bias + sum);
        });
    }

    /// Writes the contribution of each column to `out`, and returns the bias. If a column's value is its mean,
    /// the contribution is 0.
    pub(crate) fn contributions(&self, row: &[f32], out: &mut [f32]) -> f32 {
        self.scaler.apply(row, out);
        out.iter_mut().zip(&self.weight).for_each(|(out, w)| *out = finite(f64::from(*out) * w));
        finite(self.bias)
    }

    /// Returns each column's share in the sum of absolute weights.
    pub(crate) fn importance(&self) -> Vec<f32> {
        let size = |(w, used): (&f64, bool)| if used { w.abs() } else { 0.0 };
        let mut unit = vec![0.0; self.weight.len()];
        // A column that is constant in training has no effect, whatever its weight.
        self.scaler.apply(&vec![f32::MAX; unit.len()], &mut unit);
        let sizes: Vec<_> = self.weight.iter().zip(unit.iter().map(|v| *v != 0.0)).map(size).collect();
        let total: f64 = sizes.iter().sum();
        sizes.iter().map(|s| if total > 0.0 { (s / total) as f32 } else { 0.0 }).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    #[test]
    fn decides_and_checks() {
        let x = array![[0.0, 1.0], [2.0, 1.0]];
        let scaler = Scaler { log: vec![false; 2], mean: vec![1.0, 1.0], scale: vec![1.0, 0.0] };
        let mut model = Linear { scaler, weight: vec![3.0, 5.0], bias: 0.5 };
        model.check(2).unwrap();
        let mut out = [0.0; 2];
        model.decide(x.view(), &mut out);
        assert_eq!((out, model.importance()), ([-2.5, 3.5], vec![1.0, 0.0]));
        assert_eq!((model.contributions(&[2.0, 9.0], &mut out), out), (0.5, [3.0, 0.0]));
        model.weight = vec![f64::MAX; 2];
        model.decide(x.view(), &mut out);
        assert!(out[1].is_finite());
        model.weight.pop();
        assert!(model.check(2).is_err());
    }
}

//! Decision values of a support vector machine with a Gaussian kernel, computed in blocks of rows.

use crate::linear::scaling::Scaler;
use crate::rows::{BLOCK, finite, row_blocks};
use ndarray::{Array2, ArrayView2};
use serde::{Deserialize, Serialize};
use threshr_core::{Budget, Error, Result};

/// A Gaussian kernel model: decision value = sum over support vectors of alpha exp(-|x - vector|^2 / eps),
/// minus rho.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Gaussian {
    /// Scales the columns.
    pub scaler: Scaler,
    /// Width of the kernel.
    pub eps: f32,
    /// Constant that is subtracted from the decision value.
    pub rho: f32,
    /// Multiplier of each support vector, positive for content.
    pub alpha: Vec<f32>,
    /// Scaled support vectors, shape (n_support_vectors, n_columns).
    #[serde(with = "crate::packed")]
    pub vectors: Vec<f32>,
}

impl Gaussian {
    /// Validates deserialized data.
    pub(crate) fn check(&self, num_columns: usize) -> Result<()> {
        self.scaler.check(num_columns)?;
        let wanted = self.alpha.len().checked_mul(num_columns);
        let numbers = self.alpha.iter().chain(&self.vectors).chain([&self.rho, &self.eps]);
        if Some(self.vectors.len()) != wanted
            || self.alpha.is_empty()
            || self.eps <= 0.0
            || numbers.into_iter().any(|v| !v.is_finite())
        {
            return Err(Error::model("invalid support vectors")
                .expected(format!("{num_columns} finite numbers and a multiplier for each")));
        }
        Ok(())
    }

    /// Writes the decision value of each row.
    ///
    /// # Errors
    /// If the budget is used up.
    pub(crate) fn decide(&self, x: ArrayView2<'_, f32>, out: &mut [f32], budget: &Budget) -> Result<()> {
        let columns = self.scaler.num_columns();
        let shape = (self.alpha.len(), columns);
        // `check` ensures that the lengths match
        let Ok(vectors) = ArrayView2::from_shape(shape, &self.vectors) else { return Ok(()) };
        let norms: Vec<f32> = vectors.rows().into_iter().map(|v| v.dot(&v)).collect();
        row_blocks(x, out, 1, budget, |rows, out| {
            let mut scaled = vec![0.0; BLOCK * columns];
            self.scaler.apply_all(rows, &mut scaled, columns);
            let Ok(scaled) = Array2::from_shape_vec((BLOCK, columns), scaled) else { return };
            let products = scaled.dot(&vectors.t());
            for ((row, products), out) in scaled.rows().into_iter().zip(products.rows()).zip(out) {
                let norm = row.dot(&row);
                let terms = products.iter().zip(&norms).zip(&self.alpha);
                let kernel = |product: f32, other: f32| {
                    // |x - v|^2 is computed from dot products; rounding may make it negative
                    let distance = (norm + other - 2.0 * product).max(0.0);
                    (-distance / self.eps).exp()
                };
                let sum: f64 = terms.map(|((&p, &n), &a)| f64::from(a) * f64::from(kernel(p, n))).sum();
                *out = finite(sum - f64::from(self.rho));
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    #[test]
    fn agrees_with_the_formula() {
        let x = array![[1.0, 0.0], [-1.0, 0.0]];
        let scaler = Scaler { log: vec![false; 2], mean: vec![0.0; 2], scale: vec![1.0, 0.0] };
        let (alpha, vectors) = (vec![2.0, -1.0], vec![1.0, 0.0, -1.0, 0.0]);
        let model = Gaussian { scaler, eps: 4.0, rho: 0.25, alpha, vectors };
        model.check(2).unwrap();
        let mut out = [0.0; 2];
        model.decide(x.view(), &mut out, &Budget::UNLIMITED).unwrap();
        let far = (-1.0f32).exp();
        assert!((out[0] - (2.0 - far - 0.25)).abs() < 1e-6);
        assert!((out[1] - (2.0 * far - 1.0 - 0.25)).abs() < 1e-6);
        assert!(Gaussian { alpha: vec![1.0], ..model }.check(2).is_err());
    }
}

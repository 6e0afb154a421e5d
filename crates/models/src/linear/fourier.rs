//! Random Fourier features: approximate a Gaussian kernel by a dot product.
//!
//! Source: Rahimi and Recht, NIPS 2007, "Random features for large-scale kernel machines".

use crate::linear::scaling::Scaler;
use crate::rows::BLOCK;
use ndarray::{Array2, ArrayView2};
use serde::{Deserialize, Serialize};
use threshr_core::{Error, Result};

/// Maps a row x to D features sqrt(2/D) cos(w.x + b), followed by a constant 1. If `linear` is true, the scaled
/// columns, divided by the square root of their number, come before the constant.
///
/// The random numbers w and b are stored in the model file, so a model does not depend on a random number
/// generator.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fourier {
    /// Scales the columns.
    pub scaler: Scaler,
    /// Whether the scaled columns are used as features too.
    pub linear: bool,
    /// Frequency vectors w in full turns, shape (n_components, n_columns).
    #[serde(with = "crate::packed")]
    pub projection: Vec<f32>,
    /// Phases b in full turns, shape (n_components), in `0..1`.
    pub phase: Vec<f32>,
}

impl Fourier {
    /// Returns whether each column has an effect.
    pub fn used_columns(&self) -> Vec<bool> {
        self.scaler.used()
    }

    /// Number of features: the components, the columns if `linear` is true, and the constant 1.
    pub fn width(&self) -> usize {
        self.phase.len() + if self.linear { self.scaler.num_columns() } else { 0 } + 1
    }

    /// Validates deserialized data.
    ///
    /// # Errors
    /// If lengths do not agree, or a number is not finite.
    pub fn check(&self, num_columns: usize) -> Result<()> {
        self.scaler.check(num_columns)?;
        let wanted = self.phase.len().checked_mul(num_columns);
        let bounded = |v: &f32| v.abs() <= 1e6; // false for NaN
        let numbers = self.projection.iter().chain(&self.phase).all(bounded);
        if Some(self.projection.len()) != wanted || self.phase.is_empty() || !numbers {
            return Err(Error::model("invalid random projection")
                .expected(format!("finite numbers, {num_columns} for each component")));
        }
        Ok(())
    }

    /// Writes the features of at most [`BLOCK`] rows to `out`, shape (n_rows, width).
    pub fn features(&self, rows: ArrayView2<'_, f32>, out: &mut [f32]) {
        let (columns, components) = (self.scaler.num_columns(), self.phase.len());
        let mut scaled = vec![0.0; BLOCK * columns];
        self.scaler.apply_all(rows, &mut scaled, columns);
        // `check` ensures that the shapes match
        let Ok(scaled) = Array2::from_shape_vec((BLOCK, columns), scaled) else { return };
        let Ok(w) = ArrayView2::from_shape((components, columns), &self.projection) else { return };
        let turns = scaled.dot(&w.t());
        let height = (2.0 / components as f32).sqrt();
        let share = (1.0 / self.scaler.num_used().max(1) as f32).sqrt();
        for ((out, turns), row) in out.chunks_exact_mut(self.width()).zip(turns.rows()).zip(scaled.rows()) {
            let (waves, rest) = out.split_at_mut(components);
            for ((z, turn), phase) in waves.iter_mut().zip(turns).zip(&self.phase) {
                *z = height * cos_turns(turn + phase);
            }
            // if `linear` is false, `rest` contains only the constant
            rest.iter_mut().zip(row).for_each(|(z, v)| *z = share * v);
            out[components..].last_mut().into_iter().for_each(|one| *one = 1.0);
        }
    }
}

/// Returns the cosine of an angle in full turns, accurate to about 2e-7. The result is bit-identical on all
/// platforms, and the code can be vectorised.
fn cos_turns(t: f32) -> f32 {
    const ROUND: f32 = 12_582_912.0; // adding 1.5 x 2^23 rounds to an integer
    let r = t - ((t + ROUND) - ROUND);
    // cos(2 pi r) = sin(2 pi (1/4 - |r|)). The angle is at most a quarter turn; Taylor series up to x^11.
    let x = std::f32::consts::TAU * (0.25 - r.abs());
    let s = x * x;
    let tail = 1.0 / 362_880.0 - s / 39_916_800.0;
    x * (1.0 - s * (1.0 / 6.0 - s * (1.0 / 120.0 - s * (1.0 / 5040.0 - s * tail))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::TAU;

    #[test]
    fn cosine_is_accurate() {
        for i in -4000..4000 {
            let t = i as f32 / 777.0;
            let exact = (f64::from(t) * TAU).cos();
            assert!((f64::from(cos_turns(t)) - exact).abs() < 4e-6, "{t}");
        }
    }
}

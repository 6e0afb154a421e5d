//! Random Fourier features: approximate a Gaussian kernel by a dot product.
//!
//! Source: Rahimi and Recht, NIPS 2007, "Random features for large-scale kernel machines".

use crate::linear::scaling::Scaler;
use crate::rows::BLOCK;
use ndarray::{Array2, ArrayView2};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};
use std::f64::consts::TAU;
use threshr_core::{Error, Result};

/// Maps rows to the features sqrt(2/D) cos(w.x + b), optionally the scaled columns / sqrt(their number), and
/// 1.
///
/// The model file holds the random numbers, so a model does not depend on a random generator.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Fourier {
    scaler: Scaler,
    linear: bool,
    /// w in full turns, shape (n_components, n_columns).
    #[serde(with = "crate::packed")]
    projection: Vec<f32>,
    /// b in full turns, shape (n_components), in `0..1`.
    phase: Vec<f32>,
}

impl Fourier {
    /// Whether each column has an effect.
    pub(crate) fn used_columns(&self) -> Vec<bool> {
        self.scaler.used()
    }

    /// Draws w with variance 2 / `eps` in each column, for the kernel exp(-|d|^2 / `eps`).
    pub(crate) fn draw(
        scaler: Scaler,
        components: usize,
        linear: bool,
        eps: f32,
        rng: &mut ChaCha8Rng,
    ) -> Self {
        let sd = (2.0 / f64::from(eps)).sqrt() / TAU;
        let count = components * scaler.num_columns();
        let projection = (0..count).map(|_| (sd * normal(rng)) as f32).collect();
        let phase = (0..components).map(|_| rng.random::<f32>()).collect();
        Self { scaler, linear, projection, phase }
    }

    /// Number of features: components, columns if `linear`, and the constant 1.
    pub(crate) fn width(&self) -> usize {
        self.phase.len() + if self.linear { self.scaler.num_columns() } else { 0 } + 1
    }

    /// Validates deserialized data.
    pub(crate) fn check(&self, num_columns: usize) -> Result<()> {
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

    /// Writes the features of at most [`BLOCK`] rows to `out`, of shape (n_rows, width).
    pub(crate) fn features(&self, rows: ArrayView2<'_, f32>, out: &mut [f32]) {
        let (columns, components) = (self.scaler.num_columns(), self.phase.len());
        let mut scaled = vec![0.0; BLOCK * columns];
        self.scaler.apply_all(rows, &mut scaled, columns);
        // `check` and `draw` ensure the shapes.
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
            // Without the linear part, `rest` has only the constant.
            rest.iter_mut().zip(row).for_each(|(z, v)| *z = share * v);
            out[components..].last_mut().into_iter().for_each(|one| *one = 1.0);
        }
    }
}

/// Cosine of an angle in full turns, accurate to about 2e-7; equal bits on every platform, and vectorisable.
fn cos_turns(t: f32) -> f32 {
    const ROUND: f32 = 12_582_912.0; // adding 1.5 x 2^23 rounds to an integer
    let r = t - ((t + ROUND) - ROUND);
    // cos(2 pi r) = sin(2 pi (1/4 - |r|)), an angle of at most a quarter turn: Taylor's series to x^11
    let x = std::f32::consts::TAU * (0.25 - r.abs());
    let s = x * x;
    let tail = 1.0 / 362_880.0 - s / 39_916_800.0;
    x * (1.0 - s * (1.0 / 6.0 - s * (1.0 / 120.0 - s * (1.0 / 5040.0 - s * tail))))
}

/// A standard normal number. Source: Box and Muller, 1958.
fn normal(rng: &mut ChaCha8Rng) -> f64 {
    let (u, v) = (1.0 - rng.random::<f64>(), rng.random::<f64>());
    (-2.0 * u.ln()).sqrt() * (TAU * v).cos()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;

    #[test]
    fn cosine_is_accurate() {
        for i in -4000..4000 {
            let t = i as f32 / 777.0;
            let exact = (f64::from(t) * TAU).cos();
            assert!((f64::from(cos_turns(t)) - exact).abs() < 4e-6, "{t}");
        }
    }

    #[test]
    fn products_of_features_are_the_kernel() {
        let mut rng = ChaCha8Rng::seed_from_u64(2);
        let x = Array2::from_shape_fn((10, 6), |_| normal(&mut rng) as f32);
        let scaler = Scaler::fit(x.view(), &[1.0; 10]);
        let scaled = scaler.take(x.view(), &(0..10).collect::<Vec<_>>());
        let fourier = Fourier::draw(scaler, 8192, false, 6.0, &mut rng);
        fourier.check(6).unwrap();
        let mut z = vec![0.0; 10 * fourier.width()];
        fourier.features(x.view(), &mut z);
        let z: Vec<_> = z.chunks_exact(fourier.width()).collect();
        for (a, za) in scaled.rows().into_iter().zip(&z) {
            for (b, zb) in scaled.rows().into_iter().zip(&z) {
                let d = &a - &b;
                let kernel = (-d.dot(&d) / 6.0).exp();
                let product: f32 = za.iter().zip(*zb).map(|(a, b)| a * b).sum();
                assert!((product - 1.0 - kernel).abs() < 0.06, "{product} {kernel}");
            }
        }
    }
}

//! `svm-rff`: a Gaussian support vector machine, approximated by random Fourier features.

use crate::linear::fourier::Fourier;
use crate::rows::{BLOCK, finite, row_blocks};
use crate::{FittedClassifier, Stored};
use ndarray::ArrayView2;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use threshr_core::{Budget, Error, Result};

/// Content of the model file.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Saved {
    /// Random Fourier features.
    pub fourier: Fourier,
    /// One weight per feature. The last feature is constant, so its weight is the bias.
    pub weight: Vec<f32>,
    /// Number of passes over the training rows.
    pub epochs: usize,
    /// Whether training reached its tolerance.
    pub converged: bool,
}

/// A fitted support vector machine on random Fourier features.
#[derive(Debug)]
pub struct RffModel {
    saved: Saved,
    num_columns: usize,
}

impl Stored for RffModel {
    type Data = Saved;

    fn new(saved: Saved, num_columns: usize) -> Result<Self> {
        saved.fourier.check(num_columns)?;
        if saved.weight.len() != saved.fourier.width() || saved.weight.iter().any(|w| !w.is_finite()) {
            return Err(Error::model("invalid weights of random features")
                .expected(format!("{} finite numbers", saved.fourier.width())));
        }
        Ok(Self { saved, num_columns })
    }
}

impl FittedClassifier for RffModel {
    fn num_columns(&self) -> usize {
        self.num_columns
    }

    fn used_columns(&self) -> Option<Vec<bool>> {
        Some(self.saved.fourier.used_columns())
    }

    fn decide(&self, x: ArrayView2<'_, f32>, out: &mut [f32], budget: &Budget) -> Result<()> {
        let width = self.saved.fourier.width();
        row_blocks(x, out, 1, budget, |rows, out| {
            let mut z = vec![0f32; BLOCK * width];
            self.saved.fourier.features(rows, &mut z[..rows.nrows() * width]);
            for (z, out) in z.chunks_exact(width).zip(out) {
                *out = finite(f64::from(dot(&self.saved.weight, z)));
            }
        })
    }

    fn to_json(&self) -> Value {
        json!(self.saved)
    }

    fn facts(&self) -> Vec<(&'static str, String)> {
        vec![
            ("features", self.saved.weight.len().to_string()),
            ("epochs", self.saved.epochs.to_string()),
            ("converged", self.saved.converged.to_string()),
        ]
    }
}

/// Returns the dot product. Additions have a fixed order in 16 lanes, so the compiler can vectorise them.
pub fn dot(a: &[f32], b: &[f32]) -> f32 {
    let (a, b) = (a.chunks_exact(16), b.chunks_exact(16));
    let rest: f32 = a.remainder().iter().zip(b.remainder()).map(|(x, y)| x * y).sum();
    let mut lanes = [0f32; 16];
    for (a, b) in a.zip(b) {
        for lane in 0..16 {
            lanes[lane] += a[lane] * b[lane];
        }
    }
    lanes.iter().sum::<f32>() + rest
}

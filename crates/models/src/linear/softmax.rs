//! Multinomial logistic regression on standardised columns.
//!
//! It is intended for few rows and a few hundred columns, for example one row per page. It is not a block
//! classifier.
//!
//! Source: Böhning, Annals of the Institute of Statistical Mathematics 44, 1992, "Multinomial logistic
//! regression algorithm".

use crate::packed;
use serde::{Deserialize, Serialize};
use threshr_core::{Error, Result};

/// Maximum absolute value of a standardised column. Larger values are clipped.
const CLIP: f64 = 4.0;

/// A fitted model, which predicts the probability of each class for a row.
///
/// Each value `x` is transformed to `sign(x) ln(1 + |x|)`, standardised and clipped to ±4. A column that is
/// constant in training has no effect.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Softmax {
    /// Mean of each column.
    #[serde(with = "packed")]
    pub mean: Vec<f32>,
    /// 1 / standard deviation of each column; 0 for a constant column.
    #[serde(with = "packed")]
    pub scale: Vec<f32>,
    /// Bias of each class.
    #[serde(with = "packed")]
    pub bias: Vec<f32>,
    /// Weights, class by class, with one weight per column.
    #[serde(with = "packed")]
    pub weights: Vec<f32>,
}

impl Softmax {
    /// Number of columns.
    pub fn num_columns(&self) -> usize {
        self.mean.len()
    }

    /// Number of classes.
    pub fn num_classes(&self) -> usize {
        self.bias.len()
    }

    /// Validates a deserialized model.
    ///
    /// # Errors
    /// If the model is not for `num_columns` columns and `num_classes` classes, or a number is not finite.
    pub fn check(&self, num_columns: usize, num_classes: usize) -> Result<()> {
        let lengths = [self.mean.len(), self.scale.len(), self.bias.len(), self.weights.len()];
        if num_classes == 0 || lengths != [num_columns, num_columns, num_classes, num_columns * num_classes] {
            return Err(Error::model(format!("a softmax model has arrays of {lengths:?} numbers"))
                .expected(format!("arrays for {num_columns} columns and {num_classes} classes")));
        }
        let all = self.mean.iter().chain(&self.scale).chain(&self.bias).chain(&self.weights);
        if !all.into_iter().all(|v| v.is_finite()) {
            return Err(Error::model("a softmax model has a number that is not finite"));
        }
        Ok(())
    }

    /// Returns the probability of each class; the sum is 1. `row` has one value per column; missing values are
    /// treated as 0.
    pub fn probabilities(&self, row: &[f32]) -> Vec<f32> {
        let missing = std::iter::repeat(&0.0);
        let values = self.standardised(row.iter().chain(missing));
        let width = self.mean.len().max(1);
        let mut scores: Vec<f64> = self.bias.iter().map(|&b| f64::from(b)).collect();
        for (score, weights) in scores.iter_mut().zip(self.weights.chunks_exact(width)) {
            *score += dot(weights, &values);
        }
        normalise(&mut scores);
        scores.into_iter().map(|p| p as f32).collect()
    }

    /// Returns the standardised values of a row.
    pub fn standardised<'a>(&self, row: impl Iterator<Item = &'a f32>) -> Vec<f64> {
        let columns = row.zip(self.mean.iter().zip(&self.scale));
        columns
            .map(|(&v, (&mean, &scale))| {
                let z = (squashed(v) - f64::from(mean)) * f64::from(scale);
                if z.is_nan() { 0.0 } else { z.clamp(-CLIP, CLIP) }
            })
            .collect()
    }
}

/// Number of sums in [`dot`]. Their additions do not wait for each other.
const NUM_SUMS: usize = 4;

fn dot(weights: &[f32], values: &[f64]) -> f64 {
    let (weights, last_weights) = weights.as_chunks::<NUM_SUMS>();
    let (values, last_values) = values.as_chunks::<NUM_SUMS>();
    let mut sums = [0.0; NUM_SUMS];
    for (weights, values) in weights.iter().zip(values) {
        for (sum, (&w, v)) in sums.iter_mut().zip(weights.iter().zip(values)) {
            *sum += f64::from(w) * v;
        }
    }
    let last = last_weights.iter().zip(last_values).map(|(&w, v)| f64::from(w) * v);
    sums.into_iter().chain(last).sum()
}

/// Returns `sign(x) ln(1 + |x|)`.
pub fn squashed(value: f32) -> f64 {
    // many columns are 0 on most pages
    if value == 0.0 {
        return 0.0;
    }
    let value = f64::from(value);
    value.signum() * value.abs().ln_1p()
}

/// Converts scores to probabilities (softmax).
pub fn normalise(scores: &mut [f64]) {
    let max = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    scores.iter_mut().for_each(|s| *s = (*s - max).exp());
    let sum: f64 = scores.iter().sum();
    scores.iter_mut().for_each(|s| *s /= sum);
}

//! The expected token F1 of a page's extracted text, with an interval.

use crate::type_and_quality::{COLUMNS_VERSION, check_version, num_columns};
use serde::{Deserialize, Serialize};
use threshr_core::{Error, Result};
use threshr_models::linear::softmax::Softmax;
use threshr_models::packed;
use threshr_output::Quality;

/// Boundaries between the bins of F1. The F1 of most pages is above 0.9, so the bins are narrow there.
const BOUNDS: [f32; 11] = [0.2, 0.4, 0.55, 0.68, 0.78, 0.85, 0.9, 0.935, 0.96, 0.98, 0.993];
/// Number of bins.
pub const NUM_BINS: usize = BOUNDS.len() + 1;
/// Probability levels of the quantiles at the ends of the interval.
const INTERVAL: [f64; 2] = [0.1, 0.9];

/// Predicts the distribution of a page's F1 over bins by multinomial logistic regression. Its columns are those
/// of [`PageInputs::score_columns`](crate::type_and_quality::PageInputs::score_columns).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct QualityModel {
    columns_version: u32,
    /// Mean F1 of the training pages in each bin.
    #[serde(with = "packed")]
    means: Vec<f32>,
    model: Softmax,
    /// Spearman rank correlation between expected and true F1 on held-out training pages, with cross-validation
    /// grouped by site; `None` if there are too few sites.
    pub held_out_correlation: Option<f64>,
}

/// Returns the bin of an F1 value.
pub fn bin_of(f1: f32) -> usize {
    BOUNDS.partition_point(|bound| *bound <= f1)
}

/// Returns the lower and the upper bound of a bin.
pub fn bounds(bin: usize) -> [f32; 2] {
    let below = bin.checked_sub(1).and_then(|i| BOUNDS.get(i));
    [below.copied().unwrap_or(0.0), BOUNDS.get(bin).copied().unwrap_or(1.0)]
}

impl QualityModel {
    /// Creates a model. `means` has the mean F1 of each bin. `model` must be fitted to rows of score columns.
    pub fn new(means: Vec<f32>, model: Softmax) -> Self {
        QualityModel { columns_version: COLUMNS_VERSION, means, model, held_out_correlation: None }
    }

    /// Validates a deserialized model.
    ///
    /// # Errors
    /// If the model is invalid.
    pub(super) fn check(&self) -> Result<()> {
        check_version(self.columns_version)?;
        let is_share = |v: &f32| (0.0..=1.0).contains(v);
        if self.means.len() != NUM_BINS || !self.means.iter().all(is_share) {
            return Err(Error::model("the quality model has invalid means")
                .expected(format!("{NUM_BINS} numbers from 0 to 1")));
        }
        self.model.check(num_columns().1, NUM_BINS)
    }

    /// Predicts the quality of a page with these score columns.
    pub fn predict(&self, columns: &[f32]) -> Quality {
        let probabilities = self.model.probabilities(columns);
        let expected: f64 =
            probabilities.iter().zip(&self.means).map(|(&p, &m)| f64::from(p) * f64::from(m)).sum();
        let [low, high] = INTERVAL.map(|p| quantile(&probabilities, p));
        // most pages in the last bin have an F1 of 1
        let high = if bin_of(high) + 1 == NUM_BINS { 1.0 } else { high };
        Quality { expected: (expected as f32).clamp(0.0, 1.0), low, high }
    }
}

/// Returns the `p`-quantile of the distribution, with linear interpolation within a bin.
fn quantile(probabilities: &[f32], p: f64) -> f32 {
    let mut below = 0.0;
    for (bin, &probability) in probabilities.iter().enumerate() {
        let probability = f64::from(probability);
        if below + probability >= p && probability > 0.0 {
            let [from, to] = bounds(bin);
            let inside = ((p - below) / probability).clamp(0.0, 1.0) as f32;
            return from + (to - from) * inside;
        }
        below += probability;
    }
    1.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bins_cover_all_values() {
        assert_eq!([0.0, 0.19, 0.2, 0.985, 0.993, 1.0].map(bin_of), [0, 0, 1, 10, 11, 11]);
        assert_eq!((bounds(0), bounds(11)), ([0.0, 0.2], [0.993, 1.0]));
        assert!((0..NUM_BINS).all(|bin| bin_of(bounds(bin)[0]) == bin));
    }

    #[test]
    fn quantiles_are_interpolated() {
        let mut p = [0.0; NUM_BINS];
        (p[0], p[5]) = (0.2, 0.8);
        assert!((quantile(&p, 0.1) - 0.1).abs() < 1e-6);
        assert!((quantile(&p, 0.6) - 0.815).abs() < 1e-6, "{}", quantile(&p, 0.6));
        assert_eq!(quantile(&[0.0; NUM_BINS], 0.5), 1.0);
    }
}

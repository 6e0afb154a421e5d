//! The width of a Gaussian kernel, as a setting.

use crate::check_range;
use serde::{Deserialize, Serialize};
use threshr_core::Result;
use threshr_models::linear::scaling::Scaler;

/// Width of a Gaussian kernel.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Width {
    /// This number.
    Number(f32),
    /// A rule.
    Rule(Rule),
}

/// A rule for the width of a Gaussian kernel.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Rule {
    /// The number of columns that vary, as scikit-learn's "scale" on standardised columns.
    Scale,
}

impl Width {
    /// The width as a number.
    ///
    /// # Errors
    /// If the number is out of range.
    pub fn resolve(&self, classifier: &str, scaler: &Scaler) -> Result<f32> {
        match *self {
            Self::Number(eps) => check_range(classifier, "eps", f64::from(eps), 1e-6, 1e9).map(|()| eps),
            Self::Rule(Rule::Scale) => Ok(scaler.num_used().max(1) as f32),
        }
    }
}

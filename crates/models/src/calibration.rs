//! Platt scaling: maps decision values to scores that estimate probabilities.

use serde::{Deserialize, Serialize};

/// Sigmoid `score = 1 / (1 + exp(-(a * decision + b)))` with `a >= 0`.
///
/// Source: Platt, 1999, "Probabilistic outputs for support vector machines".
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sigmoid {
    /// Increase of the log-odds per unit of the decision value, `>= 0`.
    pub a: f64,
    /// Log-odds of the score at decision value 0.
    pub b: f64,
}

impl Sigmoid {
    /// Returns the score of a decision value, in `0..=1`. NaN is treated as 0.
    pub fn score(&self, decision: f32) -> f32 {
        let d = if decision.is_nan() { 0.0 } else { f64::from(decision).clamp(-1e300, 1e300) };
        let z = self.a * d + self.b;
        if z.is_nan() { 0.5 } else { (1.0 / (1.0 + (-z).exp())) as f32 }
    }

    /// Returns the scores of decision values.
    pub fn apply(&self, decisions: &[f32]) -> Vec<f32> {
        decisions.iter().map(|&d| self.score(d)).collect()
    }
}

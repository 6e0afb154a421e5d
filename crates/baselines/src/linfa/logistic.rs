//! `logistic`: L2-regularised logistic regression by linfa-logistic.

use linfa::DatasetBase;
use linfa::traits::Fit;
use linfa_logistic::LogisticRegression;
use ndarray::Array1;
use serde::{Deserialize, Serialize};
use threshr_core::{Error, Result};
use threshr_fit::linear::scaling::{fit_scaler, scaled_rows};
use threshr_fit::sampling::all_or_drawn;
use threshr_fit::{Classifier, Classifiers, Ranges, Settings, TrainingSet, Weights};
use threshr_models::linear::linear_model::Linear;
use threshr_models::linear::logistic::Logistic;
use threshr_models::registry::LOGISTIC;
use threshr_models::{FittedClassifier, ModelKind, Stored};

/// Logistic regression over scaled columns.
pub(crate) static CLASSIFIER: Classifier = Classifier {
    summary: "logistic regression: one weight a column, small and fast",
    source: "Cox, 1958, The regression analysis of binary sequences; crate linfa-logistic 0.8 (L-BFGS)",
    limits: "Linear in the scaled columns. Training rows are sampled by weight if weights differ or there are \
             more than max_rows. After max_iterations the best weights so far are used; a failed line \
             search is an error.",
    weights: Weights::BySampling,
    ..Classifier::new::<Params>()
};

/// Settings of `logistic`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Params {
    /// Strength of the L2 penalty: 0.5 alpha |w|^2 is added to the summed loss of the rows.
    alpha: f64,
    /// Maximum number of L-BFGS iterations.
    max_iterations: u64,
    /// Stop when the gradient's norm, divided by the number of rows, is below this.
    gradient_tolerance: f64,
    /// Maximum number of training rows; more are sampled by weight. A row takes 8 bytes for each column.
    max_rows: usize,
}

impl Default for Params {
    fn default() -> Self {
        Self { alpha: 1.0, max_iterations: 100, gradient_tolerance: 1e-4, max_rows: 20_000 }
    }
}

impl Settings for Params {
    const KIND: &'static ModelKind = &LOGISTIC;
    const RANGES: Ranges = &[
        ("alpha", 0.0, 1e12),
        ("max_iterations", 1.0, 1e6),
        ("gradient_tolerance", 1e-12, 1.0),
        ("max_rows", 2.0, 1e7),
    ];

    fn fit(&self, set: &TrainingSet<'_>, seed: u64, _: &Classifiers) -> Result<Box<dyn FittedClassifier>> {
        let scaler = fit_scaler(set.x, set.weight);
        let rows = all_or_drawn(set, self.max_rows, seed);
        let x = scaled_rows(&scaler, set.x, &rows).mapv(f64::from);
        let y: Array1<bool> = rows.iter().map(|&row| set.y[row]).collect();
        let fitted = LogisticRegression::default()
            .alpha(self.alpha)
            .max_iterations(self.max_iterations)
            .gradient_tolerance(self.gradient_tolerance * rows.len() as f64)
            .fit(&DatasetBase::new(x, y))
            .map_err(|e| {
                Error::classifier("logistic regression did not converge")
                    .expected("a larger alpha or gradient_tolerance")
                    .because(e)
            })?;
        // linfa calls the more frequent class positive.
        let sign = if fitted.labels().pos.class { 1.0 } else { -1.0 };
        let weight = fitted.params().iter().map(|w| sign * w).collect();
        let model = Linear { scaler, weight, bias: sign * fitted.intercept() };
        let model = Logistic::new(model, set.columns.len()).map_err(|_| {
            Error::classifier("logistic regression gave weights that are not finite")
                .expected("a larger alpha")
        })?;
        Ok(Box::new(model))
    }
}

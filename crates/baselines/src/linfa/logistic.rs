//! `logistic`: L2-regularised logistic regression by linfa-logistic.

use linfa::DatasetBase;
use linfa::traits::Fit;
use linfa_logistic::LogisticRegression;
use ndarray::Array1;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use threshr_core::{Error, Result};
use threshr_models::linear::linear_model::Linear;
use threshr_models::linear::logistic::{Logistic, NAME, load};
use threshr_models::linear::scaling::Scaler;
use threshr_models::sampling::all_or_drawn;
use threshr_models::{Classifier, Classifiers, FittedClassifier, Range, TrainingSet, Weights, settings};

/// Logistic regression over scaled columns.
pub(crate) static CLASSIFIER: Classifier = Classifier {
    name: NAME,
    summary: "logistic regression: one weight a column, small and fast",
    source: "Cox, 1958, The regression analysis of binary sequences; crate linfa-logistic 0.8 (L-BFGS)",
    limits: "Linear in the scaled columns. Training rows are sampled by weight if weights differ or there are \
             more than max_rows. After max_iterations the best weights so far are used; a failed line \
             search is an error.",
    weights: Weights::BySampling,
    defaults: || json!(Settings::default()),
    fit,
    fit_group: None,
    load,
};

/// Settings of `logistic`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Settings {
    /// Strength of the L2 penalty: 0.5 alpha |w|^2 is added to the summed loss of the rows.
    alpha: f64,
    /// Maximum number of L-BFGS iterations.
    max_iterations: u64,
    /// Stop when the gradient's norm, divided by the number of rows, is below this.
    gradient_tolerance: f64,
    /// Maximum number of training rows; more are sampled by weight. A row takes 8 bytes for each column.
    max_rows: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self { alpha: 1.0, max_iterations: 100, gradient_tolerance: 1e-4, max_rows: 20_000 }
    }
}

impl Settings {
    fn check(&self) -> Result<()> {
        let range = Range(NAME);
        range.check("alpha", self.alpha, 0.0, 1e12)?;
        range.check("max_iterations", self.max_iterations as f64, 1.0, 1e6)?;
        range.check("gradient_tolerance", self.gradient_tolerance, 1e-12, 1.0)?;
        range.check("max_rows", self.max_rows as f64, 2.0, 1e7)
    }
}

fn fit(
    set: &TrainingSet<'_>,
    params: &Value,
    seed: u64,
    _all: &Classifiers,
) -> Result<Box<dyn FittedClassifier>> {
    set.check()?;
    let settings: Settings = settings(NAME, params)?;
    settings.check()?;
    let scaler = Scaler::fit(set.x, set.weight);
    let rows = all_or_drawn(set, settings.max_rows, seed);
    let x = scaler.take(set.x, &rows).mapv(f64::from);
    let y: Array1<bool> = rows.iter().map(|&row| set.y[row]).collect();
    let fitted = LogisticRegression::default()
        .alpha(settings.alpha)
        .max_iterations(settings.max_iterations)
        .gradient_tolerance(settings.gradient_tolerance * rows.len() as f64)
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
    let num_columns = set.columns.len();
    model.check(num_columns).map_err(|_| {
        Error::classifier("logistic regression gave weights that are not finite").expected("a larger alpha")
    })?;
    Ok(Box::new(Logistic(model)))
}

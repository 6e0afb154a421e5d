//! `logistic`: L2-regularised logistic regression by linfa-logistic.

use linfa::DatasetBase;
use linfa::traits::Fit;
use linfa_logistic::LogisticRegression;
use ndarray::Array1;
use threshr_core::{Error, Result};
use threshr_fit::linear::scaling::{fit_scaler, scaled_rows};
use threshr_fit::sampling::all_or_drawn;
use threshr_fit::{Classifier, Classifiers, Ranges, Settings, TrainingSet, settings_of};
use threshr_models::linear::linear_model::Linear;
use threshr_models::linear::logistic::Logistic;
use threshr_models::registry::LOGISTIC;
use threshr_models::{FittedClassifier, ModelKind, Stored};

/// Logistic regression over scaled columns.
pub(crate) static CLASSIFIER: Classifier = Classifier {
    summary: "logistic regression: one weight per column, small and fast",
    source: "Cox, 1958, The regression analysis of binary sequences; crate linfa-logistic 0.8 (L-BFGS)",
    limits: "Linear in the scaled columns. Training rows are sampled by weight if weights differ or there are \
             more than max_rows. If training does not converge within max_iterations, the best weights found are used; a failed line search is an error.",
    ..Classifier::new::<Params>()
};

settings_of! {
    /// Settings of `logistic`.
    struct Params {
        /// Strength of the L2 penalty: 0.5 alpha |w|^2 is added to the sum of the rows' losses.
        alpha: f64 = 1.0, 0.0 to 1e12;
        /// Maximum number of L-BFGS iterations.
        max_iterations: u64 = 100, 1.0 to 1e6;
        /// Stop when the norm of the gradient, divided by the number of rows, is below this value.
        gradient_tolerance: f64 = 1e-4, 1e-12 to 1.0;
        /// Maximum number of training rows. If there are more, they are sampled by weight. A row takes 8 bytes
        /// for each column.
        max_rows: usize = 20_000, 2.0 to 1e7;
    }
}

impl Settings for Params {
    const KIND: &'static ModelKind = &LOGISTIC;
    const RANGES: Ranges = Self::LIMITS;

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
        // linfa's positive class is the more frequent class
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

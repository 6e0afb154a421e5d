//! `svm-rff`: a Gaussian support vector machine for many rows, approximated by random Fourier features.

use crate::linear::dual_descent::{Problem, solve};
use crate::linear::fourier::draw_features;
use crate::linear::kernel_width::{Rule, Width};
use crate::linear::scaling::fit_scaler;
use crate::rows::par_blocks;
use crate::sampling::draw;
use crate::{Classifier, Classifiers, Ranges, Settings, TrainingSet};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};
use threshr_core::Result;
use threshr_models::linear::svm_rff::{RffModel, Saved};
use threshr_models::registry::SVM_RFF;
use threshr_models::{FittedClassifier, ModelKind, Stored};

/// A linear support vector machine over random Fourier features and the scaled columns themselves.
pub(crate) static CLASSIFIER: Classifier = Classifier {
    summary: "support vector machine with an approximate Gaussian kernel: all rows, exact weights",
    source: "Rahimi and Recht, NIPS 2007, Random features for large-scale kernel machines; Hsieh et al., \
             ICML 2008, A dual coordinate descent method for large-scale linear SVM",
    limits: "Approximates the Gaussian kernel. Training needs 4 bytes x (components + columns + 1) a row. \
             More than max_rows rows are sampled by weight. Stops after max_epochs, converged or not.",
    ..Classifier::new::<Params>()
};

/// Settings of `svm-rff`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Params {
    /// Number of random Fourier features.
    components: usize,
    /// Whether the scaled columns are features too.
    linear: bool,
    /// Cost of an error in a row of average weight.
    c: f64,
    /// Width of the Gaussian kernel exp(-|d|^2 / eps): a number, or "scale" for the number of columns that
    /// vary.
    eps: Width,
    /// "squared" or "hinge".
    loss: Loss,
    /// Tolerance: fitting stops if the projected gradients lie within it.
    tolerance: f64,
    /// Most passes over the rows.
    max_epochs: usize,
    /// Most training rows; more are sampled.
    max_rows: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Loss {
    Squared,
    Hinge,
}

impl Default for Params {
    fn default() -> Self {
        Self {
            components: 512,
            linear: true,
            c: 1.0,
            eps: Width::Rule(Rule::Scale),
            loss: Loss::Squared,
            tolerance: 0.1,
            max_epochs: 40,
            max_rows: 1_000_000,
        }
    }
}

impl Settings for Params {
    const KIND: &'static ModelKind = &SVM_RFF;
    const RANGES: Ranges = &[
        ("components", 1.0, 16_384.0),
        ("c", 1e-6, 1e6),
        ("tolerance", 1e-9, 1.0),
        ("max_epochs", 1.0, 1e6),
        ("max_rows", 2.0, 1e8),
    ];

    fn fit(&self, set: &TrainingSet<'_>, seed: u64, _: &Classifiers) -> Result<Box<dyn FittedClassifier>> {
        let scaler = fit_scaler(set.x, set.weight);
        let eps = self.eps.resolve(Self::KIND.name, &scaler)?;
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let fourier = draw_features(scaler, self.components, self.linear, eps, &mut rng);
        let (rows, weight);
        let all = set.y.len() <= self.max_rows;
        let (x, y, w) = if all {
            (set.x.select(&(0..set.y.len()).collect::<Vec<_>>()), set.y, set.weight)
        } else {
            rows = draw(set, self.max_rows, seed);
            weight = (rows.iter().map(|&row| set.y[row]).collect::<Vec<_>>(), vec![1.0; rows.len()]);
            (set.x.select(&rows), &weight.0[..], &weight.1[..])
        };
        let width = fourier.width();
        let mut z = vec![0f32; y.len() * width];
        par_blocks(x.view(), &mut z, width, |rows, out| fourier.features(rows, out));
        let mean = w.iter().map(|w| f64::from(*w)).sum::<f64>() / w.len() as f64;
        let cost: Vec<_> = w.iter().map(|w| self.c * f64::from(*w) / mean).collect();
        let problem = Problem { z: &z, width, y, cost: &cost, squared: self.loss == Loss::Squared };
        let solution = solve(&problem, self.tolerance, self.max_epochs, &mut rng);
        let (epochs, converged) = (solution.epochs, solution.converged);
        let saved = Saved { fourier, weight: solution.weight, epochs, converged };
        Ok(Box::new(RffModel::new(saved, set.columns.len())?))
    }
}

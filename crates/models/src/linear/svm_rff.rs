//! `svm-rff`: a Gaussian support vector machine for many rows, approximated by random Fourier features.

use crate::linear::dual_descent::{Problem, dot, solve};
use crate::linear::fourier::Fourier;
use crate::linear::scaling::Scaler;
use crate::linear::svm_kernel::{Rule, Width};
use crate::range::Range;
use crate::rows::{BLOCK, finite, par_blocks, row_blocks};
use crate::sampling::draw;
use crate::{Classifier, Classifiers, FittedClassifier, TrainingSet, Weights, from_json, settings};
use ndarray::ArrayView2;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use threshr_core::{Budget, Error, Result};

const NAME: &str = "svm-rff";

/// A linear support vector machine over random Fourier features and the scaled columns themselves.
pub(crate) static CLASSIFIER: Classifier = Classifier {
    name: NAME,
    summary: "support vector machine with an approximate Gaussian kernel: all rows, exact weights",
    source: "Rahimi and Recht, NIPS 2007, Random features for large-scale kernel machines; Hsieh et al., \
             ICML 2008, A dual coordinate descent method for large-scale linear SVM",
    limits: "Approximates the Gaussian kernel. Training needs 4 bytes x (components + columns + 1) a row. \
             More than max_rows rows are sampled by weight. Stops after max_epochs, converged or not.",
    weights: Weights::Exact,
    defaults: || json!(Settings::default()),
    fit,
    fit_group: None,
    load,
};

/// Settings of `svm-rff`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Settings {
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

impl Default for Settings {
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

impl Settings {
    fn check(&self) -> Result<()> {
        let range = Range(NAME);
        range.check("components", self.components as f64, 1.0, 16_384.0)?;
        range.check("c", self.c, 1e-6, 1e6)?;
        range.check("tolerance", self.tolerance, 1e-9, 1.0)?;
        range.check("max_epochs", self.max_epochs as f64, 1.0, 1e6)?;
        range.check("max_rows", self.max_rows as f64, 2.0, 1e8)
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
    let eps = settings.eps.resolve(NAME, &scaler)?;
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let fourier = Fourier::draw(scaler, settings.components, settings.linear, eps, &mut rng);
    let (rows, weight);
    let all = set.y.len() <= settings.max_rows;
    let (x, y, w) = if all {
        (set.x.select(&(0..set.y.len()).collect::<Vec<_>>()), set.y, set.weight)
    } else {
        rows = draw(set, settings.max_rows, seed);
        weight = (rows.iter().map(|&row| set.y[row]).collect::<Vec<_>>(), vec![1.0; rows.len()]);
        (set.x.select(&rows), &weight.0[..], &weight.1[..])
    };
    let width = fourier.width();
    let mut z = vec![0f32; y.len() * width];
    par_blocks(x.view(), &mut z, width, |rows, out| fourier.features(rows, out));
    let mean = w.iter().map(|w| f64::from(*w)).sum::<f64>() / w.len() as f64;
    let cost: Vec<_> = w.iter().map(|w| settings.c * f64::from(*w) / mean).collect();
    let problem = Problem { z: &z, width, y, cost: &cost, squared: settings.loss == Loss::Squared };
    let solution = solve(&problem, settings.tolerance, settings.max_epochs, &mut rng);
    let (epochs, converged) = (solution.epochs, solution.converged);
    RffModel::of(Saved { fourier, weight: solution.weight, epochs, converged }, set.columns.len())
}

fn load(value: &Value, num_columns: usize) -> Result<Box<dyn FittedClassifier>> {
    RffModel::of(from_json(NAME, value)?, num_columns)
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Saved {
    fourier: Fourier,
    /// A weight for each feature; the last is the bias.
    weight: Vec<f32>,
    epochs: usize,
    converged: bool,
}

#[derive(Debug)]
struct RffModel {
    saved: Saved,
    num_columns: usize,
}

impl RffModel {
    fn of(saved: Saved, num_columns: usize) -> Result<Box<dyn FittedClassifier>> {
        saved.fourier.check(num_columns)?;
        if saved.weight.len() != saved.fourier.width() || saved.weight.iter().any(|w| !w.is_finite()) {
            return Err(Error::model("invalid weights of random features")
                .expected(format!("{} finite numbers", saved.fourier.width())));
        }
        Ok(Box::new(Self { saved, num_columns }))
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

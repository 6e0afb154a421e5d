//! `svm-rff`: a Gaussian support vector machine for many rows, approximated by random Fourier features.

use crate::linear::dual_descent::{Problem, solve};
use crate::linear::fourier::draw_features;
use crate::linear::scaling::{fit_scaler, kernel_width};
use crate::rows::par_blocks;
use crate::sampling::draw;
use crate::{Classifier, Classifiers, Ranges, Settings, TrainingSet, settings_of};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use threshr_core::Result;
use threshr_models::linear::svm_rff::{RffModel, Saved};
use threshr_models::registry::SVM_RFF;
use threshr_models::{FittedClassifier, ModelKind, Stored};

/// A linear support vector machine on random Fourier features and, optionally, the scaled columns.
pub(crate) static CLASSIFIER: Classifier = Classifier {
    summary: "support vector machine with an approximate Gaussian kernel: all rows, exact weights",
    source: "Rahimi and Recht, NIPS 2007, Random features for large-scale kernel machines; Hsieh et al., \
             ICML 2008, A dual coordinate descent method for large-scale linear SVM",
    limits: "Approximates the Gaussian kernel. Training needs 4 bytes x (components + columns + 1) per row. \
             More than max_rows rows are sampled by weight. Training stops after max_epochs, even if it has \
             not converged.",
    ..Classifier::new::<Params>()
};

settings_of! {
    /// Settings of `svm-rff`.
    struct Params {
        /// Number of random Fourier features.
        components: usize = 512, 1.0 to 16_384.0;
        /// Whether the scaled columns are used as features too.
        linear: bool = true;
        /// Cost of an error in a row of average weight.
        c: f64 = 1.0, 1e-6 to 1e6;
        /// Width of the Gaussian kernel exp(-|d|^2 / eps). If 0, it is the number of columns that vary.
        eps: f32 = 0.0, 0.0 to 1e9;
        /// Tolerance: fitting stops if the spread of the projected gradients is at most this value.
        tolerance: f64 = 0.1, 1e-9 to 1.0;
        /// Maximum number of passes over the rows.
        max_epochs: usize = 40, 1.0 to 1e6;
        /// Maximum number of training rows. If there are more, rows are sampled.
        max_rows: usize = 1_000_000, 2.0 to 1e8;
    }
}

impl Settings for Params {
    const KIND: &'static ModelKind = &SVM_RFF;
    const RANGES: Ranges = Self::LIMITS;

    fn fit(&self, set: &TrainingSet<'_>, seed: u64, _: &Classifiers) -> Result<Box<dyn FittedClassifier>> {
        let scaler = fit_scaler(set.x, set.weight);
        let eps = kernel_width(self.eps, &scaler);
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
        let problem = Problem { z: &z, width, y, cost: &cost };
        let solution = solve(&problem, self.tolerance, self.max_epochs, &mut rng);
        let (epochs, converged) = (solution.epochs, solution.converged);
        let saved = Saved { fourier, weight: solution.weight, epochs, converged };
        Ok(Box::new(RffModel::new(saved, set.columns.len())?))
    }
}

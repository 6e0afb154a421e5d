//! `svm`: a support vector machine that linfa-svm trains on a sample of a few thousand rows.

use linfa::DatasetBase;
use linfa::traits::Fit;
use linfa_svm::Svm;
use ndarray::{Array1, Array2};
use serde::{Deserialize, Serialize};
use threshr_core::{Error, Result};
use threshr_fit::linear::kernel_width::{Rule, Width};
use threshr_fit::linear::scaling::{fit_scaler, scaled_rows};
use threshr_fit::sampling::{draw, equal_weights};
use threshr_fit::{Classifier, Classifiers, Ranges, Settings, TrainingSet, Weights};
use threshr_models::linear::linear_model::Linear;
use threshr_models::linear::scaling::Scaler;
use threshr_models::linear::svm::{Saved, SvmModel};
use threshr_models::linear::svm_kernel::Gaussian;
use threshr_models::registry::SVM;
use threshr_models::{FittedClassifier, ModelKind, Stored};

/// Maximum size of the kernel matrix, in bytes.
const MAX_KERNEL_BYTES: f64 = 2e9;

/// Multipliers up to this value count as 0, as in linfa-svm.
const ZERO_ALPHA: f32 = 100.0 * f32::EPSILON;

/// A support vector machine over scaled columns.
pub(crate) static CLASSIFIER: Classifier = Classifier {
    summary: "support vector machine with a Gaussian or linear kernel, on a sample of the blocks; slow",
    source: "Cortes and Vapnik, 1995, Support-vector networks; crate linfa-svm 0.8 (SMO)",
    limits: "Time and memory grow with the square of the rows: rows are sampled by weight if weights differ \
             or there are more than max_rows, and a kernel matrix over 2 GB is an error. Prediction computes one \
             kernel value for each support vector. For more rows use `svm-rff`.",
    weights: Weights::BySampling,
    ..Classifier::new::<Params>()
};

/// Settings of `svm`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Params {
    /// "gaussian" or "linear".
    kernel: Kernel,
    /// Cost of an error.
    c: f32,
    /// Width of the kernel, exp(-|d|^2 / eps) or x.v / eps: a number, or "scale", the number of columns that
    /// vary. Without the division, SMO takes ten times as long on a linear kernel over hundreds of columns.
    eps: Width,
    /// Stop when the optimality conditions hold this closely.
    tolerance: f32,
    /// Maximum number of training rows.
    max_rows: usize,
    /// Whether to sample `max_rows` rows by weight if there are more; otherwise more rows are an error.
    sample: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Kernel {
    Gaussian,
    Linear,
}

impl Default for Params {
    fn default() -> Self {
        Self {
            kernel: Kernel::Gaussian,
            c: 1.0,
            eps: Width::Rule(Rule::Scale),
            tolerance: 0.01,
            max_rows: 5000,
            sample: true,
        }
    }
}

impl Params {
    /// The rows to fit on. A row with a larger weight occurs more often.
    fn rows(&self, set: &TrainingSet<'_>, seed: u64) -> Result<Vec<usize>> {
        let all = set.y.len();
        if all > self.max_rows && !self.sample {
            return Err(Error::classifier(format!("{all} blocks are too many for `{}`", SVM.name)).expected(
                format!("at most max_rows = {}; or set sample = true, or use `svm-rff`", self.max_rows),
            ));
        }
        let n = all.min(self.max_rows);
        let bytes = 4.0 * (n as f64) * (n as f64);
        if bytes > MAX_KERNEL_BYTES {
            let (need, fit) = (bytes / 1e9, (MAX_KERNEL_BYTES / 4.0).sqrt());
            return Err(Error::classifier(format!("the kernel matrix of {n} blocks takes {need:.1} GB"))
                .expected(format!("at most {fit:.0} blocks; set max_rows, or use `svm-rff`")));
        }
        Ok(if n == all && equal_weights(set) { (0..n).collect() } else { draw(set, n, seed) })
    }
}

impl Settings for Params {
    const KIND: &'static ModelKind = &SVM;
    const RANGES: Ranges = &[("c", 1e-6, 1e6), ("tolerance", 1e-7, 1.0), ("max_rows", 2.0, 1e6)];

    fn fit(&self, set: &TrainingSet<'_>, seed: u64, _: &Classifiers) -> Result<Box<dyn FittedClassifier>> {
        let scaler = fit_scaler(set.x, set.weight);
        let eps = self.eps.resolve(Self::KIND.name, &scaler)?;
        let rows = self.rows(set, seed)?;
        let mut x = scaled_rows(&scaler, set.x, &rows);
        if self.kernel == Kernel::Linear {
            x /= eps.sqrt();
        }
        let y: Array1<bool> = rows.iter().map(|&row| set.y[row]).collect();
        let data = DatasetBase::new(x, y);
        let params = Svm::<f32, bool>::params().pos_neg_weights(self.c, self.c).eps(self.tolerance);
        let params = match self.kernel {
            Kernel::Gaussian => params.gaussian_kernel(eps),
            Kernel::Linear => params.linear_kernel(),
        };
        let svm = params.fit(&data).map_err(|e| Error::classifier("linfa-svm cannot fit").because(e))?;
        let (alpha, vectors) = support(&svm.alpha, data.records());
        if alpha.is_empty() || !svm.rho.is_finite() || alpha.iter().any(|a| !a.is_finite()) {
            return Err(Error::classifier("linfa-svm found no support vectors")
                .expected("columns that differ between content and boilerplate; other values of c or eps"));
        }
        let saved = match self.kernel {
            Kernel::Gaussian => Saved::Gaussian(Gaussian { scaler, eps, rho: svm.rho, alpha, vectors }),
            Kernel::Linear => Saved::Linear(collapse(scaler, eps, svm.rho, &alpha, &vectors)),
        };
        Ok(Box::new(SvmModel::new(saved, set.columns.len())?))
    }
}

/// The multipliers, signed by label, and the concatenated support vectors. Equal support vectors are merged.
fn support(alpha: &[f32], x: &Array2<f32>) -> (Vec<f32>, Vec<f32>) {
    let row = |i: usize| x.row(i).to_vec();
    let used = (0..x.nrows()).filter(|&i| alpha[i].abs() > ZERO_ALPHA);
    let mut used: Vec<(Vec<f32>, f32)> = used.map(|i| (row(i), alpha[i])).collect();
    used.sort_by(|a, b| {
        a.0.iter().zip(&b.0).map(|(a, b)| a.total_cmp(b)).find(|o| o.is_ne()).unwrap_or(a.1.total_cmp(&b.1))
    });
    let (mut alphas, mut vectors) = (Vec::new(), Vec::new());
    for same in used.chunk_by(|a, b| a.0 == b.0) {
        let sum: f32 = same.iter().map(|(_, a)| a).sum();
        if sum.abs() > ZERO_ALPHA {
            alphas.push(sum);
            vectors.extend(&same[0].0);
        }
    }
    (alphas, vectors)
}

/// The weights of the columns for a linear kernel: the weighted sum of the support vectors.
fn collapse(scaler: Scaler, eps: f32, rho: f32, alpha: &[f32], vectors: &[f32]) -> Linear {
    let mut weight = vec![0.0; scaler.num_columns()];
    for (a, vector) in alpha.iter().zip(vectors.chunks_exact(weight.len())) {
        weight.iter_mut().zip(vector).for_each(|(w, v)| *w += f64::from(*a) * f64::from(*v));
    }
    weight.iter_mut().for_each(|w| *w /= f64::from(eps).sqrt());
    Linear { scaler, weight, bias: -f64::from(rho) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;
    use serde_json::{Value, json};

    #[test]
    fn equal_support_vectors_are_merged() {
        let x = array![[1.0, 2.0], [0.0, 1.0], [1.0, 2.0], [5.0, 5.0], [0.0, 1.0]];
        let (alpha, vectors) = support(&[0.5, -1.0, 0.25, 0.0, 1.0], &x);
        assert_eq!((alpha, vectors), (vec![0.75], vec![1.0, 2.0]));
    }

    #[test]
    fn too_many_rows_are_an_error() {
        let n = 60_000;
        let x = Array2::zeros((n, 1));
        let y: Vec<_> = (0..n).map(|i| i % 2 == 0).collect();
        let (w, page, columns) = (vec![1.0; n], vec![0; n], ["a".to_string()]);
        let set =
            TrainingSet { x: x.view().into(), y: &y, weight: &w, page: &page, class: &[], columns: &columns };
        let say = |params: Value| {
            (CLASSIFIER.fit)(&set, &params, 0, &Classifiers::default()).unwrap_err().to_string()
        };
        assert!(say(json!({"max_rows": 100_000})).contains("14.4 GB"));
        assert!(say(json!({"sample": false})).contains("max_rows = 5000"));
    }
}

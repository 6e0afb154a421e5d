//! `svm`: a support vector machine that linfa-svm trains on a sample of a few thousand rows.

use linfa::DatasetBase;
use linfa::traits::Fit;
use linfa_svm::Svm;
use ndarray::{Array1, Array2};
use threshr_core::{Error, Result};
use threshr_fit::linear::scaling::{fit_scaler, kernel_width, scaled_rows};
use threshr_fit::sampling::all_or_drawn;
use threshr_fit::{Classifier, Classifiers, Ranges, Settings, TrainingSet, settings_of};
use threshr_models::linear::svm::SvmModel;
use threshr_models::linear::svm_kernel::Gaussian;
use threshr_models::registry::SVM;
use threshr_models::{FittedClassifier, ModelKind, Stored};

/// Maximum number of bytes of the kernel matrix.
const MAX_KERNEL_BYTES: f64 = 2e9;

/// Maximum absolute value of a Lagrange multiplier that counts as 0, as in linfa-svm.
const ZERO_ALPHA: f32 = 100.0 * f32::EPSILON;

/// A support vector machine over scaled columns.
pub(crate) static CLASSIFIER: Classifier = Classifier {
    summary: "support vector machine with a Gaussian kernel, on a sample of the blocks; slow",
    source: "Cortes and Vapnik, 1995, Support-vector networks; crate linfa-svm 0.8 (SMO)",
    limits: "Time and memory grow with the square of the rows: rows are sampled by weight if weights differ \
             or there are more than max_rows, and a kernel matrix over 2 GB is an error. Prediction computes one \
             kernel value for each support vector. For more rows use `svm-rff`.",
    ..Classifier::new::<Params>()
};

settings_of! {
    /// Settings of `svm`.
    struct Params {
        /// Cost of an error in training.
        c: f32 = 1.0, 1e-6 to 1e6;
        /// Width of the kernel exp(-|d|^2 / eps). The value 0 selects the number of columns that vary.
        eps: f32 = 0.0, 0.0 to 1e9;
        /// Stop when the optimality conditions hold within this tolerance.
        tolerance: f32 = 0.01, 1e-7 to 1.0;
        /// Maximum number of training rows. If there are more, they are sampled by weight.
        max_rows: usize = 5000, 2.0 to 1e6;
    }
}

impl Params {
    /// Returns the rows to fit on. Rows with a larger weight occur more often.
    fn rows(&self, set: &TrainingSet<'_>, seed: u64) -> Result<Vec<usize>> {
        let n = set.y.len().min(self.max_rows);
        let bytes = 4.0 * (n as f64) * (n as f64);
        if bytes > MAX_KERNEL_BYTES {
            let (need, fit) = (bytes / 1e9, (MAX_KERNEL_BYTES / 4.0).sqrt());
            return Err(Error::classifier(format!("the kernel matrix of {n} blocks takes {need:.1} GB"))
                .expected(format!("at most {fit:.0} blocks; set max_rows, or use `svm-rff`")));
        }
        Ok(all_or_drawn(set, self.max_rows, seed))
    }
}

impl Settings for Params {
    const KIND: &'static ModelKind = &SVM;
    const RANGES: Ranges = Self::LIMITS;

    fn fit(&self, set: &TrainingSet<'_>, seed: u64, _: &Classifiers) -> Result<Box<dyn FittedClassifier>> {
        let scaler = fit_scaler(set.x, set.weight);
        let eps = kernel_width(self.eps, &scaler);
        let rows = self.rows(set, seed)?;
        let x = scaled_rows(&scaler, set.x, &rows);
        let y: Array1<bool> = rows.iter().map(|&row| set.y[row]).collect();
        let data = DatasetBase::new(x, y);
        let params = Svm::<f32, bool>::params().pos_neg_weights(self.c, self.c);
        let params = params.eps(self.tolerance).gaussian_kernel(eps);
        let svm = params.fit(&data).map_err(|e| Error::classifier("linfa-svm cannot fit").because(e))?;
        let (alpha, vectors) = support(&svm.alpha, data.records());
        if alpha.is_empty() || !svm.rho.is_finite() || alpha.iter().any(|a| !a.is_finite()) {
            return Err(Error::classifier("linfa-svm found no support vectors")
                .expected("columns that differ between content and boilerplate; other values of c or eps"));
        }
        let gaussian = Gaussian { scaler, eps, rho: svm.rho, alpha, vectors };
        Ok(Box::new(SvmModel::new(gaussian, set.columns.len())?))
    }
}

/// Returns the Lagrange multipliers, signed by label, and the concatenated support vectors. Equal support vectors
/// are merged.
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
    }
}

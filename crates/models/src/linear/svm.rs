//! The fitted model of `svm`, which `threshr-baselines` trains with linfa-svm.

use crate::linear::svm_kernel::Gaussian;
use crate::{FittedClassifier, Stored};
use ndarray::ArrayView2;
use serde_json::{Value, json};
use threshr_core::{Budget, Result};

/// A fitted support vector machine.
#[derive(Debug)]
pub struct SvmModel {
    saved: Gaussian,
    num_columns: usize,
}

impl Stored for SvmModel {
    type Data = Gaussian;

    fn new(saved: Gaussian, num_columns: usize) -> Result<Self> {
        saved.check(num_columns)?;
        Ok(Self { saved, num_columns })
    }
}

impl FittedClassifier for SvmModel {
    fn num_columns(&self) -> usize {
        self.num_columns
    }

    fn decide(&self, x: ArrayView2<'_, f32>, out: &mut [f32], budget: &Budget) -> Result<()> {
        self.saved.decide(x, out, budget)
    }

    fn used_columns(&self) -> Option<Vec<bool>> {
        Some(self.saved.scaler.used())
    }

    fn to_json(&self) -> Value {
        json!(self.saved)
    }

    fn facts(&self) -> Vec<(&'static str, String)> {
        vec![("support vectors", self.saved.alpha.len().to_string()), ("eps", self.saved.eps.to_string())]
    }
}

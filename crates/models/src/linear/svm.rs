//! The fitted model of `svm`, which `threshr-baselines` trains with linfa-svm.

use crate::linear::linear_model::Linear;
use crate::linear::svm_kernel::Gaussian;
use crate::{FittedClassifier, Stored};
use ndarray::ArrayView2;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use threshr_core::{Budget, Result};

/// The model file.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Saved {
    /// Support vectors of a Gaussian kernel.
    Gaussian(Gaussian),
    /// One weight a column.
    Linear(Linear),
}

/// A fitted support vector machine.
#[derive(Debug)]
pub struct SvmModel {
    saved: Saved,
    num_columns: usize,
}

impl Stored for SvmModel {
    type Data = Saved;

    fn new(saved: Saved, num_columns: usize) -> Result<Self> {
        match &saved {
            Saved::Gaussian(model) => model.check(num_columns)?,
            Saved::Linear(model) => model.check(num_columns)?,
        }
        Ok(Self { saved, num_columns })
    }
}

impl FittedClassifier for SvmModel {
    fn num_columns(&self) -> usize {
        self.num_columns
    }

    fn decide(&self, x: ArrayView2<'_, f32>, out: &mut [f32], budget: &Budget) -> Result<()> {
        match &self.saved {
            Saved::Gaussian(model) => model.decide(x, out, budget),
            Saved::Linear(model) => {
                model.decide(x, out);
                Ok(())
            }
        }
    }

    fn used_columns(&self) -> Option<Vec<bool>> {
        Some(match &self.saved {
            Saved::Gaussian(model) => model.scaler.used(),
            Saved::Linear(model) => model.scaler.used(),
        })
    }

    fn to_json(&self) -> Value {
        json!(self.saved)
    }

    fn facts(&self) -> Vec<(&'static str, String)> {
        match &self.saved {
            Saved::Gaussian(m) => {
                vec![("support vectors", m.alpha.len().to_string()), ("eps", m.eps.to_string())]
            }
            Saved::Linear(m) => vec![("columns used", m.scaler.num_used().to_string())],
        }
    }

    fn importance(&self) -> Option<Vec<f32>> {
        match &self.saved {
            Saved::Gaussian(_) => None,
            Saved::Linear(model) => Some(model.importance()),
        }
    }

    fn contributions(&self, row: &[f32], out: &mut [f32]) -> Option<f32> {
        match &self.saved {
            Saved::Gaussian(_) => None,
            Saved::Linear(model) => Some(model.contributions(row, out)),
        }
    }
}

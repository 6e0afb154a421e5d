//! The fitted model of `svm`, which `threshr-baselines` trains with linfa-svm.

use crate::linear::linear_model::Linear;
use crate::linear::svm_kernel::Gaussian;
use crate::{FittedClassifier, from_json};
use ndarray::ArrayView2;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use threshr_core::{Budget, Result};

/// The classifier's name.
pub const NAME: &str = "svm";

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

impl SvmModel {
    /// A model of `num_columns` columns.
    ///
    /// # Errors
    /// If lengths or numbers are invalid.
    pub fn of(saved: Saved, num_columns: usize) -> Result<Box<dyn FittedClassifier>> {
        match &saved {
            Saved::Gaussian(model) => model.check(num_columns)?,
            Saved::Linear(model) => model.check(num_columns)?,
        }
        Ok(Box::new(Self { saved, num_columns }))
    }
}

/// Reads the output of [`FittedClassifier::to_json`].
///
/// # Errors
/// If the data are invalid.
pub fn load(value: &Value, num_columns: usize) -> Result<Box<dyn FittedClassifier>> {
    SvmModel::of(from_json(NAME, value)?, num_columns)
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

//! The fitted model of `logistic`, which `threshr-baselines` trains with linfa-logistic.

use crate::linear::linear_model::Linear;
use crate::{FittedClassifier, Stored};
use ndarray::ArrayView2;
use serde_json::{Value, json};
use threshr_core::{Budget, Result};

/// A fitted logistic regression.
#[derive(Debug)]
pub struct Logistic(Linear);

impl Stored for Logistic {
    type Data = Linear;

    fn new(data: Linear, num_columns: usize) -> Result<Self> {
        data.check(num_columns)?;
        Ok(Logistic(data))
    }
}

impl FittedClassifier for Logistic {
    fn num_columns(&self) -> usize {
        self.0.weight.len()
    }

    fn decide(&self, x: ArrayView2<'_, f32>, out: &mut [f32], _budget: &Budget) -> Result<()> {
        self.0.decide(x, out);
        Ok(())
    }

    fn to_json(&self) -> Value {
        json!(self.0)
    }

    fn facts(&self) -> Vec<(&'static str, String)> {
        vec![("bias", format!("{:.4}", self.0.bias)), ("columns used", self.0.scaler.num_used().to_string())]
    }

    fn used_columns(&self) -> Option<Vec<bool>> {
        Some(self.0.scaler.used())
    }

    fn importance(&self) -> Option<Vec<f32>> {
        Some(self.0.importance())
    }

    fn contributions(&self, row: &[f32], out: &mut [f32]) -> Option<f32> {
        Some(self.0.contributions(row, out))
    }
}

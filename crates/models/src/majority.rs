//! `majority`: a constant score, the baseline for all classifiers.

use crate::rows::finite;
use crate::{FittedClassifier, Stored};
use ndarray::ArrayView2;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use threshr_core::{Budget, Error, Result};

/// Content of the model file.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Data {
    /// Log-odds of the content share by weight.
    pub decision: f64,
}

/// A model with the same decision value for every row.
#[derive(Debug)]
pub struct Majority {
    data: Data,
    num_columns: usize,
}

impl Stored for Majority {
    type Data = Data;

    fn new(data: Data, num_columns: usize) -> Result<Self> {
        if !data.decision.is_finite() {
            return Err(Error::model("the decision value of a `majority` model is not finite"));
        }
        Ok(Majority { data, num_columns })
    }
}

impl FittedClassifier for Majority {
    fn num_columns(&self) -> usize {
        self.num_columns
    }

    fn used_columns(&self) -> Option<Vec<bool>> {
        Some(vec![false; self.num_columns])
    }

    fn decide(&self, _x: ArrayView2<'_, f32>, out: &mut [f32], _budget: &Budget) -> Result<()> {
        out.fill(finite(self.data.decision));
        Ok(())
    }

    fn to_json(&self) -> Value {
        json!(self.data)
    }

    fn facts(&self) -> Vec<(&'static str, String)> {
        let share = 1.0 / (1.0 + (-self.data.decision).exp());
        vec![("share of content", format!("{share:.4}"))]
    }
}

//! `forest`: a random forest.

use crate::rows::row_blocks;
use crate::trees::ensemble::{TreeScorer, Trees};
use crate::trees::shapley::Shapley;
use crate::trees::tree_model::MIN_FRACTION;
use crate::{FittedClassifier, Stored};
use ndarray::ArrayView2;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use threshr_core::{Budget, Error, Result};

/// The model file.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Data {
    /// Number of columns.
    pub num_columns: usize,
    /// The trees, whose leaves have fractions of content.
    pub trees: Trees,
}

/// Decision value: log-odds of the mean fraction of content over the trees.
#[derive(Debug)]
pub struct Forest {
    data: Data,
    scorer: TreeScorer,
}

impl Stored for Forest {
    type Data = Data;

    fn new(data: Data, num_columns: usize) -> Result<Self> {
        if data.num_columns != num_columns {
            return Err(Error::model(format!("the forest has {} columns", data.num_columns))
                .expected(num_columns.to_string()));
        }
        if data.trees.len() == 0 {
            return Err(Error::model("the forest has no trees").expected("at least one"));
        }
        let scorer = TreeScorer::new(&data.trees, data.num_columns)?;
        Ok(Self { data, scorer })
    }
}

impl Forest {
    /// Log-odds of the mean of leaves with the sum `sum`.
    fn log_odds(&self, sum: f64) -> f64 {
        let p = (sum / self.data.trees.len() as f64).clamp(MIN_FRACTION, 1.0 - MIN_FRACTION);
        (p / (1.0 - p)).ln()
    }
}

impl FittedClassifier for Forest {
    fn num_columns(&self) -> usize {
        self.data.num_columns
    }

    fn decide(&self, x: ArrayView2<'_, f32>, out: &mut [f32], budget: &Budget) -> Result<()> {
        row_blocks(x, out, 1, budget, |rows, out| {
            let sums = self.scorer.sums(rows);
            out.iter_mut().zip(sums).for_each(|(out, sum)| *out = self.log_odds(sum) as f32);
        })
    }

    fn to_json(&self) -> Value {
        json!(self.data)
    }

    fn facts(&self) -> Vec<(&'static str, String)> {
        self.scorer.facts(&self.data.trees, self.data.num_columns)
    }

    fn importance(&self) -> Option<Vec<f32>> {
        Some(self.data.trees.importance(self.data.num_columns))
    }

    fn used_columns(&self) -> Option<Vec<bool>> {
        Some(self.data.trees.used_columns(self.data.num_columns))
    }

    /// Shapley values of the mean fraction, scaled to log-odds by one factor for the row.
    fn contributions(&self, row: &[f32], out: &mut [f32]) -> Option<f32> {
        let mut shapley = Shapley::new(self.data.num_columns);
        self.data.trees.explain(row, &mut shapley).ok()?;
        let (base, moved) = (self.log_odds(shapley.base), shapley.sum() - shapley.base);
        let distance = self.log_odds(shapley.sum()) - base;
        // If the contributions cancel out, the factor is 0.
        shapley.write(if moved.abs() > 1e-12 { distance / moved } else { 0.0 }, out);
        Some(base as f32)
    }
}

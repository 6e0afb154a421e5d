//! `gbt`: gradient-boosted trees on the logistic loss.

use crate::rows::{finite, row_blocks};
use crate::trees::ensemble::{TreeScorer, Trees};
use crate::trees::shapley::Shapley;
use crate::{FittedClassifier, Stored};
use ndarray::ArrayView2;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use threshr_core::{Budget, Error, Result};

/// Content of the model file.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Data {
    /// Number of columns.
    pub num_columns: usize,
    /// Log-odds of the content share in the training set.
    pub base: f64,
    /// The trees. Their leaf values are added to the log-odds.
    pub trees: Trees,
}

/// Boosted trees. The decision value is a log-odds: the sum of the base and one leaf value per tree.
#[derive(Debug)]
pub struct Boosted {
    data: Data,
    scorer: TreeScorer,
}

impl Stored for Boosted {
    type Data = Data;

    fn new(data: Data, num_columns: usize) -> Result<Self> {
        if data.num_columns != num_columns {
            return Err(Error::model(format!("the trees are for {} columns", data.num_columns))
                .expected(num_columns.to_string()));
        }
        if !data.base.is_finite() {
            return Err(Error::model("the base of boosted trees is not finite"));
        }
        let scorer = TreeScorer::new(&data.trees, data.num_columns)?;
        Ok(Self { data, scorer })
    }
}

impl FittedClassifier for Boosted {
    fn num_columns(&self) -> usize {
        self.data.num_columns
    }

    fn decide(&self, x: ArrayView2<'_, f32>, out: &mut [f32], budget: &Budget) -> Result<()> {
        row_blocks(x, out, 1, budget, |rows, out| {
            let sums = self.scorer.sums(rows);
            out.iter_mut().zip(sums).for_each(|(out, sum)| *out = finite(self.data.base + sum));
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

    fn contributions(&self, row: &[f32], out: &mut [f32]) -> Option<f32> {
        let mut shapley = Shapley::new(self.data.num_columns);
        self.data.trees.explain(row, &mut shapley).ok()?;
        shapley.write(out);
        Some((self.data.base + shapley.base) as f32)
    }
}

//! `majority`: a constant score, the baseline of all classifiers.

use crate::rows::finite;
use crate::{Classifier, Classifiers, FittedClassifier, TrainingSet, Weights, from_json, settings};
use ndarray::ArrayView2;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use threshr_core::{Budget, Error, Result};

const NAME: &str = "majority";

/// The constant classifier.
pub(crate) static CLASSIFIER: Classifier = Classifier {
    name: NAME,
    summary: "the same score for every block, the share of content: the baseline of all classifiers",
    source: "the usual baseline, as in the tables of Kohlschütter et al., WSDM 2010",
    limits: "Uses no feature.",
    weights: Weights::Exact,
    defaults: || json!({}),
    fit,
    fit_group: None,
    load,
};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Settings {}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Majority {
    /// Log-odds of the weight of content.
    decision: f64,
    #[serde(skip)]
    num_columns: usize,
}

fn fit(
    set: &TrainingSet<'_>,
    params: &Value,
    _seed: u64,
    _all: &Classifiers,
) -> Result<Box<dyn FittedClassifier>> {
    set.check()?;
    let Settings {} = settings(NAME, params)?;
    let weight_of = |class: bool| -> f64 {
        set.y.iter().zip(set.weight).filter(|(y, _)| **y == class).map(|(_, w)| f64::from(*w)).sum()
    };
    let decision = (weight_of(true) / weight_of(false)).ln();
    Ok(Box::new(Majority { decision, num_columns: set.columns.len() }))
}

fn load(value: &Value, num_columns: usize) -> Result<Box<dyn FittedClassifier>> {
    let model = Majority { num_columns, ..from_json(NAME, value)? };
    if !model.decision.is_finite() {
        return Err(Error::model("the decision value of a `majority` model is not finite"));
    }
    Ok(Box::new(model))
}

impl FittedClassifier for Majority {
    fn num_columns(&self) -> usize {
        self.num_columns
    }

    fn used_columns(&self) -> Option<Vec<bool>> {
        Some(vec![false; self.num_columns])
    }

    fn decide(&self, _x: ArrayView2<'_, f32>, out: &mut [f32], _budget: &Budget) -> Result<()> {
        out.fill(finite(self.decision));
        Ok(())
    }

    fn to_json(&self) -> Value {
        json!(self)
    }

    fn facts(&self) -> Vec<(&'static str, String)> {
        let share = 1.0 / (1.0 + (-self.decision).exp());
        vec![("share of content", format!("{share:.4}"))]
    }
}

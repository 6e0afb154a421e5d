//! A cascade over columns: a first stage decides most rows from a few columns, a second stage the others from all.
//!
//! Columns that only the second stage reads need not be computed for the rows that the first stage decides.

use crate::registry::{ModelKind, load as load_model};
use crate::rows::decide_rows;
use crate::{FittedClassifier, from_json};
use ndarray::ArrayView2;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::ops::RangeInclusive;
use threshr_core::{Budget, Error, Result};

/// The name in model files.
pub const NAME: &str = "cascade";

/// The kind of these models.
pub static KIND: ModelKind = ModelKind { name: NAME, read };

/// Range of the margin.
pub const MARGINS: RangeInclusive<f64> = 0.0..=1e3;

/// One of the two stages: the name of its classifier and the model.
#[derive(Debug)]
pub struct Stage {
    /// Name of the classifier.
    pub name: String,
    /// The model.
    pub model: Box<dyn FittedClassifier>,
}

/// A classifier of two stages.
///
/// The decision value of a row is that of the first stage if its absolute value reaches the margin, else that of the
/// second stage. Both must have the same scale, such as log-odds.
///
/// Source: Viola and Jones, CVPR 2001, "Rapid object detection using a boosted cascade of simple features"; with costs of
/// features: Xu et al., ICML 2013, "Cost-sensitive tree of classifiers".
#[derive(Debug)]
pub struct Cascade {
    first: Stage,
    margin: f64,
    second: Stage,
    /// Which columns the first stage reads.
    columns: Vec<bool>,
}

/// The model file.
#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Saved {
    first: SavedStage,
    margin: f64,
    second: SavedStage,
}

#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct SavedStage {
    name: String,
    data: Value,
}

impl Cascade {
    /// A cascade of two models of the same columns.
    ///
    /// # Errors
    /// - The margin is out of range, or the numbers of columns differ.
    /// - A stage reads neighbouring rows, which the first stage may have decided.
    /// - The first stage does not say which columns it uses.
    pub fn new(first: Stage, margin: f64, second: Stage) -> Result<Self> {
        if !MARGINS.contains(&margin) {
            return Err(Error::classifier(format!("the margin of a cascade is {margin}"))
                .expected(format!("a number in {MARGINS:?}")));
        }
        let num_columns = [&first, &second].map(|stage| stage.model.num_columns());
        if num_columns[0] != num_columns[1] {
            return Err(Error::classifier(format!("the stages of a cascade have {num_columns:?} columns"))
                .expected("the same columns"));
        }
        if let Some(stage) = [&first, &second].into_iter().find(|stage| stage.model.context_radius() > 0) {
            return Err(Error::classifier(format!("`{}` is a stage of a cascade", stage.name))
                .expected("a classifier that decides each block by itself"));
        }
        let columns = first.model.used_columns().ok_or_else(|| {
            Error::classifier(format!("`{}` is the first stage of a cascade", first.name))
                .expected("a classifier that says which columns it uses")
        })?;
        Ok(Cascade { first, margin, second, columns })
    }

    /// The names of the classifiers of both stages.
    pub fn names(&self) -> [&str; 2] {
        [&self.first.name, &self.second.name]
    }

    /// The first stage decides rows whose decision value is at least this far from 0.
    pub fn margin(&self) -> f64 {
        self.margin
    }

    /// Which columns the first stage reads.
    pub fn first_columns(&self) -> &[bool] {
        &self.columns
    }

    /// Decision values of the first stage for the blocks of a page. Other columns of `x` are not read.
    ///
    /// # Errors
    /// If the budget is used up.
    pub fn first(&self, x: ArrayView2<'_, f32>, budget: &Budget) -> Result<Vec<f32>> {
        crate::decide(self.first.model.as_ref(), x, budget)
    }

    /// Whether the first stage decides a row with this decision value.
    pub fn is_decided(&self, decision: f32) -> bool {
        f64::from(decision.abs()) >= self.margin
    }

    /// Replaces the decision values that the first stage does not decide by those of the second stage. `decisions` are
    /// those of [`Cascade::first`] for the same rows.
    ///
    /// # Errors
    /// If the budget is used up.
    pub fn finish(&self, x: ArrayView2<'_, f32>, decisions: &mut [f32], budget: &Budget) -> Result<()> {
        let rows: Vec<usize> = (0..decisions.len()).filter(|&row| !self.is_decided(decisions[row])).collect();
        let mut second = vec![0.0; rows.len()];
        decide_rows(self.second.model.as_ref(), x, &rows, &mut second, budget)?;
        rows.into_iter().zip(second).for_each(|(row, decision)| decisions[row] = decision);
        Ok(())
    }
}

/// Reads a cascade of a model file.
fn read(name: &str, value: &Value, num_columns: usize) -> Result<Box<dyn FittedClassifier>> {
    let Saved { first, margin, second } = from_json(name, value)?;
    let stage = |SavedStage { name, data }: SavedStage| match name == NAME {
        true => Err(Error::model("a cascade is a stage of a cascade").expected("another classifier")),
        false => Ok(Stage { model: load_model(&name, &data, num_columns)?, name }),
    };
    Ok(Box::new(Cascade::new(stage(first)?, margin, stage(second)?)?))
}

impl FittedClassifier for Cascade {
    fn num_columns(&self) -> usize {
        self.columns.len()
    }

    fn decide(&self, x: ArrayView2<'_, f32>, out: &mut [f32], budget: &Budget) -> Result<()> {
        self.first.model.decide(x, out, budget)?;
        self.finish(x, out, budget)
    }

    fn to_json(&self) -> Value {
        let saved = |stage: &Stage| SavedStage { name: stage.name.clone(), data: stage.model.to_json() };
        json!(Saved { first: saved(&self.first), margin: self.margin, second: saved(&self.second) })
    }

    fn facts(&self) -> Vec<(&'static str, String)> {
        let num_columns = self.columns.iter().filter(|used| **used).count();
        let first = format!("{} on {num_columns} columns, decides from {}", self.first.name, self.margin);
        [vec![("first stage", first)], self.second.model.facts()].concat()
    }

    /// The importances in the second stage. Columns that decide in the first stage may be low there.
    fn importance(&self) -> Option<Vec<f32>> {
        self.second.model.importance()
    }

    fn used_columns(&self) -> Option<Vec<bool>> {
        let second = self.second.model.used_columns()?;
        Some(self.columns.iter().zip(second).map(|(&first, second)| first || second).collect())
    }

    /// Contributions to the stage that decides the row.
    fn contributions(&self, row: &[f32], out: &mut [f32]) -> Option<f32> {
        let single = ArrayView2::from_shape((1, row.len()), row).ok()?;
        let decision = self.first(single, &Budget::UNLIMITED).ok()?[0];
        let stage = if self.is_decided(decision) { &self.first } else { &self.second };
        stage.model.contributions(row, out)
    }

    fn cascade(&self) -> Option<&Cascade> {
        Some(self)
    }
}

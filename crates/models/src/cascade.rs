//! A cascade over columns: a first stage decides most rows from a few columns, a second stage the others from all.
//!
//! Columns that only the second stage reads need not be computed for the rows that the first stage decides.

use crate::registry::load as load_model;
use crate::rows::decide_rows;
use crate::{FittedClassifier, from_json};
use ndarray::ArrayView2;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::ops::RangeInclusive;
use threshr_core::{Budget, Error, Result};

/// The name in model files.
pub const NAME: &str = "cascade";

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
pub(crate) fn load(value: &Value, num_columns: usize) -> Result<Box<dyn FittedClassifier>> {
    let Saved { first, margin, second } = from_json(NAME, value)?;
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Classifiers, TrainingRows, TrainingSet, contributions, decide};
    use ndarray::{Array2, array};

    const COLUMNS: [&str; 2] = ["cheap", "costly"];

    /// The first column tells all but the rows with 0; the second column tells those.
    fn rows() -> (Array2<f32>, Vec<bool>) {
        let x = Array2::from_shape_fn((240, 2), |(row, column)| match (row % 3, column) {
            (0, 0) => -1.0 - (row % 5) as f32,
            (1, 0) => 1.0 + (row % 5) as f32,
            (_, 0) => 0.0,
            _ => {
                if row % 2 == 0 {
                    3.0
                } else {
                    -3.0
                }
            }
        });
        let y = (0..240).map(|row| if row % 3 == 2 { row % 2 == 0 } else { row % 3 == 1 }).collect();
        (x, y)
    }

    fn stage(x: &Array2<f32>, y: &[bool], wanted: &[bool]) -> Stage {
        let page: Vec<u32> = (0..240).map(|row| row / 12).collect();
        let columns = COLUMNS.map(String::from);
        let set = TrainingSet {
            x: TrainingRows::from(x.view()).only(wanted),
            y,
            weight: &[1.0; 240],
            page: &page,
            class: &[],
            columns: &columns,
        };
        let params = json!({"rounds": 60, "column_share": 1.0, "row_share": 1.0});
        let classifiers = Classifiers::default();
        let gbt = classifiers.by_name("gbt").expect("gbt");
        Stage { name: "gbt".into(), model: (gbt.fit)(&set, &params, 1, &classifiers).expect("a fit") }
    }

    fn cascade(margin: f64) -> (Cascade, Array2<f32>, Vec<bool>) {
        let (x, y) = rows();
        let (first, second) = (stage(&x, &y, &[true, false]), stage(&x, &y, &[true, true]));
        (Cascade::new(first, margin, second).expect("a cascade"), x, y)
    }

    #[test]
    fn the_second_stage_decides_what_the_first_does_not() {
        let (cascade, x, y) = cascade(1.5);
        assert_eq!(cascade.first_columns(), [true, false]);
        let own = decide(&cascade, x.view(), &Budget::UNLIMITED).expect("decisions");
        assert!(own.iter().zip(&y).all(|(d, y)| (*d > 0.0) == *y));
        let first = cascade.first(x.view(), &Budget::UNLIMITED).expect("decisions");
        let decided: Vec<bool> = first.iter().map(|d| cascade.is_decided(*d)).collect();
        assert!(decided.iter().enumerate().all(|(row, decided)| *decided == (row % 3 != 2)));
        // the costly column of a decided row is not read
        let mut without = x.clone();
        (0..240).filter(|row| decided[*row]).for_each(|row| without[[row, 1]] = f32::NAN);
        assert_eq!(decide(&cascade, without.view(), &Budget::UNLIMITED).expect("decisions"), own);
    }

    #[test]
    fn a_margin_of_0_is_the_first_stage_alone() {
        let (cascade, x, _) = cascade(0.0);
        let own = decide(&cascade, x.view(), &Budget::UNLIMITED).expect("decisions");
        assert_eq!(own, cascade.first(x.view(), &Budget::UNLIMITED).expect("decisions"));
    }

    #[test]
    fn contributions_sum_to_the_decision_value() {
        let (cascade, x, _) = cascade(1.5);
        let own = decide(&cascade, x.view(), &Budget::UNLIMITED).expect("decisions");
        let explained =
            contributions(&cascade, x.view(), &[0, 2], &Budget::UNLIMITED).expect("contributions");
        for ((base, parts), decision) in explained.iter().zip([own[0], own[2]]) {
            assert!((base + parts.iter().sum::<f32>() - decision).abs() < 1e-4);
        }
        assert_eq!(explained[0].1[1], 0.0);
        assert!(explained[1].1[1] != 0.0);
    }

    #[test]
    fn a_saved_cascade_decides_the_same() {
        let (cascade, x, _) = cascade(1.5);
        let again = crate::load(NAME, &cascade.to_json(), 2).expect("a cascade");
        let of =
            |model: &dyn FittedClassifier| decide(model, x.view(), &Budget::UNLIMITED).expect("decisions");
        assert_eq!(of(again.as_ref()), of(&cascade));
        let mut invalid = cascade.to_json();
        invalid["margin"] = json!(-1.0);
        assert!(crate::load(NAME, &invalid, 2).expect_err("a margin").to_string().contains("margin"));
        let mut nested = cascade.to_json();
        nested["second"] = json!({"name": NAME, "data": cascade.to_json()});
        assert!(crate::load(NAME, &nested, 2).is_err());
    }

    #[test]
    fn only_some_columns_have_values() {
        let x = array![[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]];
        let rows = TrainingRows::from(x.view());
        let only = rows.only(&[true, false, true]);
        let mut found = Vec::new();
        only.for_rows(0..2, |_, row| found.push(row.to_vec()));
        assert_eq!(found, [[1.0, 0.0, 3.0], [4.0, 0.0, 6.0]]);
        assert_eq!(only.select(&[1]), array![[4.0, 0.0, 6.0]]);
        assert_eq!((only.column(1), only.column(2)), (vec![0.0, 0.0], vec![3.0, 6.0]));
        let mut columns = [9.0; 4];
        only.copy_columns(1..3, &mut columns);
        assert_eq!(columns, [0.0, 0.0, 3.0, 6.0]);
        only.for_stored(1..2, |_, row, replaced, _| {
            assert_eq!((row, replaced.len()), (&[4.0, 0.0, 6.0][..], 0))
        });
    }
}

//! `blend`: a weighted sum of the decision values of several classifiers, with optional early exit.

use crate::registry::BLEND;
use crate::rows::{COPIED_ROWS, decide_rows, finite, select_rows};
use crate::{FittedClassifier, Stored, load};
use ndarray::{Array2, ArrayView2};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::ops::RangeInclusive;
use threshr_core::{Budget, Error, ParagraphClass, Result};

/// Maximum number of members.
pub const MAX_MEMBERS: usize = 16;

/// Allowed range of a member's weight.
const WEIGHTS: RangeInclusive<f64> = 1e-6..=1e3;

/// Allowed range of the early-exit margin.
const MARGINS: RangeInclusive<f64> = 0.0..=1e3;

/// Checks the early-exit margin. `error` creates the error from a message.
///
/// # Errors
/// If the margin is out of range.
pub fn check_margin(early_exit_margin: Option<f64>, error: fn(String) -> Error) -> Result<()> {
    match early_exit_margin {
        Some(early_exit_margin) if !MARGINS.contains(&early_exit_margin) => {
            Err(error(format!("`early_exit_margin` of a blend is {early_exit_margin}"))
                .expected(format!("a number in {MARGINS:?}")))
        }
        _ => Ok(()),
    }
}

/// Checks a member. `error` creates the error for a weight that is out of range.
///
/// # Errors
/// If the weight is out of range, or the member is a blend itself.
pub fn check_member(name: &str, weight: f64, error: fn(String) -> Error) -> Result<()> {
    if !WEIGHTS.contains(&weight) {
        return Err(error(format!("the weight of member `{name}` of a blend is {weight}"))
            .expected(format!("a number in {WEIGHTS:?}")));
    }
    if name == BLEND.name {
        return Err(Error::invalid_option("a member of a blend is a blend").expected("another classifier"));
    }
    Ok(())
}

/// Content of the model file. The lists have one entry per member.
#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Saved {
    /// Names of the members.
    pub names: Vec<String>,
    /// Weights of the members.
    pub weights: Vec<f64>,
    /// Models of the members.
    pub models: Vec<Value>,
    /// The early-exit margin, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub early_exit_margin: Option<f64>,
}

/// A member of a blend.
#[derive(Debug)]
pub struct Part {
    /// Name of the member's model kind.
    pub name: String,
    /// Factor of the member's decision value.
    pub weight: f64,
    /// The member's model.
    pub model: Box<dyn FittedClassifier>,
}

/// A blend. Its decision value is the weighted sum of the members' decision values. After an early exit, the
/// partial sum is scaled to the total weight of all members.
#[derive(Debug)]
pub struct Blend {
    parts: Vec<Part>,
    early_exit_margin: Option<f64>,
    num_columns: usize,
}

impl Stored for Blend {
    type Data = Saved;

    fn new(saved: Saved, num_columns: usize) -> Result<Self> {
        let Saved { names, weights, models, early_exit_margin } = saved;
        let lengths = [names.len(), weights.len(), models.len()];
        if !(1..=MAX_MEMBERS).contains(&lengths[0]) || lengths.iter().any(|n| *n != lengths[0]) {
            return Err(Error::model("the lists of a blend differ in length")
                .expected(format!("1 to {MAX_MEMBERS} names, and as many weights and models")));
        }
        check_margin(early_exit_margin, Error::model)?;
        let mut parts = Vec::new();
        for ((name, weight), model) in names.into_iter().zip(weights).zip(&models) {
            check_member(&name, weight, Error::model)?;
            let model = load(&name, model, num_columns)?;
            parts.push(Part { name, weight, model });
        }
        Ok(Blend { parts, early_exit_margin, num_columns })
    }
}

impl Blend {
    /// Creates a blend of models with `num_columns` columns. Members and margin must have passed
    /// [`check_member`] and [`check_margin`].
    pub fn from_parts(parts: Vec<Part>, early_exit_margin: Option<f64>, num_columns: usize) -> Self {
        Blend { parts, early_exit_margin, num_columns }
    }

    /// Returns one factor for each member. The factor scales the partial sum up to and including this member to the
    /// total weight of all members. The factor of the last member is 1.
    fn scale_factors(&self) -> impl Iterator<Item = f64> {
        let total: f64 = self.parts.iter().map(|p| p.weight).sum();
        self.parts.iter().scan(0.0, move |sum, part| {
            *sum += part.weight;
            Some(total / *sum)
        })
    }

    /// Returns whether the next member runs on a row with this scaled partial decision value.
    fn needs_next_member(&self, decision: f64) -> bool {
        self.early_exit_margin.is_none_or(|early_exit_margin| decision.abs() < early_exit_margin)
    }
}

impl FittedClassifier for Blend {
    fn num_columns(&self) -> usize {
        self.num_columns
    }

    fn decide(&self, x: ArrayView2<'_, f32>, out: &mut [f32], budget: &Budget) -> Result<()> {
        let (mut sums, mut decisions) = (vec![0f64; out.len()], vec![0f32; out.len()]);
        let mut active: Vec<usize> = (0..out.len()).collect();
        let mut rows: Option<Array2<f32>> = None;
        for (i, (part, factor)) in self.parts.iter().zip(self.scale_factors()).enumerate() {
            let before = active.len();
            active.retain(|&row| i == 0 || self.needs_next_member(f64::from(out[row])));
            if active.is_empty() {
                break;
            }
            if active.len() < before && active.len() <= COPIED_ROWS {
                rows = Some(select_rows(x, &active));
            }
            if part.model.context_radius() > 0 {
                // the member uses neighbouring rows, so evaluate the whole page
                part.model.decide(x, &mut decisions, budget)?;
                active.iter().enumerate().for_each(|(i, &row)| decisions[i] = decisions[row]);
            } else if let Some(rows) = &rows {
                part.model.decide(rows.view(), &mut decisions[..active.len()], budget)?;
            } else {
                let own = &mut decisions[..active.len()];
                decide_rows(part.model.as_ref(), x, &active, own, budget)?;
            }
            for (&row, d) in active.iter().zip(&decisions) {
                sums[row] += part.weight * f64::from(*d);
                out[row] = finite(sums[row] * factor);
            }
        }
        Ok(())
    }

    fn to_json(&self) -> Value {
        json!(Saved {
            names: self.parts.iter().map(|p| p.name.clone()).collect(),
            weights: self.parts.iter().map(|p| p.weight).collect(),
            models: self.parts.iter().map(|p| p.model.to_json()).collect(),
            early_exit_margin: self.early_exit_margin,
        })
    }

    fn facts(&self) -> Vec<(&'static str, String)> {
        let facts_of = |p: &Part| {
            let mut facts = vec![("weight of a member", format!("{} {}", p.weight, p.name))];
            facts.extend(p.model.facts());
            facts
        };
        self.parts.iter().flat_map(facts_of).collect()
    }

    fn classes(&self, x: ArrayView2<'_, f32>) -> Option<Vec<ParagraphClass>> {
        self.parts.iter().find_map(|p| p.model.classes(x))
    }

    /// Returns the weighted mean of the members' importances, or `None` if a member does not provide them.
    fn importance(&self) -> Option<Vec<f32>> {
        let total: f64 = self.parts.iter().map(|p| p.weight).sum();
        let mut mean = vec![0f64; self.num_columns];
        for part in &self.parts {
            let share = part.weight / total;
            mean.iter_mut().zip(part.model.importance()?).for_each(|(sum, v)| *sum += share * f64::from(v));
        }
        Some(mean.into_iter().map(|v| v as f32).collect())
    }

    fn used_columns(&self) -> Option<Vec<bool>> {
        let mut any = vec![false; self.num_columns];
        for part in &self.parts {
            any.iter_mut().zip(part.model.used_columns()?).for_each(|(any, used)| *any |= used);
        }
        Some(any)
    }

    fn context_radius(&self) -> usize {
        self.parts.iter().map(|p| p.model.context_radius()).max().unwrap_or(0)
    }

    /// Returns the contributions of those members that run on the row.
    fn contributions(&self, row: &[f32], out: &mut [f32]) -> Option<f32> {
        let (mut sums, mut base) = (vec![0f64; row.len()], 0.0);
        let (mut decision, mut share) = (0.0, 1.0);
        let single = ArrayView2::from_shape((1, row.len()), row).ok()?;
        for (part, factor) in self.parts.iter().zip(self.scale_factors()) {
            share = factor;
            base += part.weight * f64::from(part.model.contributions(row, out)?);
            sums.iter_mut().zip(&*out).for_each(|(sum, v)| *sum += part.weight * f64::from(*v));
            let mut value = [0.0];
            part.model.decide(single, &mut value, &Budget::UNLIMITED).ok()?;
            decision += part.weight * f64::from(value[0]);
            if !self.needs_next_member(f64::from(finite(decision * factor))) {
                break;
            }
        }
        out.iter_mut().zip(sums).for_each(|(out, sum)| *out = finite(sum * share));
        Some(finite(base * share))
    }
}

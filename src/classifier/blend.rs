//! `blend`: the decision values of several classifiers, weighed and added up.

use super::range::Range;
use super::rows::finite;
use super::{Classifier, Model, TrainingSet, Weights, by_name, from_json, settings};
use crate::block::ParagraphClass;
use crate::error::{Error, Result};
use ndarray::ArrayView2;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::ops::RangeInclusive;

const NAME: &str = "blend";

/// Most members.
const MOST: usize = 16;

/// What a decision value may be multiplied by.
const WEIGHTS: RangeInclusive<f64> = 1e-6..=1e3;

/// Several classifiers together.
pub static CLASSIFIER: Classifier = Classifier {
    name: NAME,
    summary: "several classifiers on the same columns, their decision values weighed and added up",
    source: "Perrone and Cooper, 1993, When networks disagree: ensemble methods for hybrid neural networks",
    limits: "Weights are set, not learned, and multiply decision values as they are: log-odds of gbt, network and \
             logistic can be averaged, margins of support vector machines have another size. Block weights are \
             honoured as each member does. Members are fitted at the same time, in the memory of \
             all; a fault in the params of one is told when all are done.",
    weights: Weights::Exact,
    defaults: || json!(Settings::default()),
    fit,
    load,
};

/// Settings of `blend`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Settings {
    /// The classifiers, 1 to 16; none a blend.
    members: Vec<Member>,
}

/// A classifier of a blend.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Member {
    /// Its name.
    name: String,
    /// What its decision value is multiplied by, 1e-6..=1000.
    weight: f64,
    /// Its settings, over its defaults.
    #[serde(default)]
    params: Value,
}

impl Default for Settings {
    fn default() -> Self {
        let member = |name: &str| Member { name: name.to_owned(), weight: 0.5, params: json!({}) };
        Self { members: vec![member("gbt"), member("network")] }
    }
}

/// The classifier of a member, which is none of several itself; `error` makes that of a weight that cannot be.
fn member(name: &str, weight: f64, error: fn(String) -> Error) -> Result<&'static Classifier> {
    if !WEIGHTS.contains(&weight) {
        return Err(error(format!("the weight of member `{name}` of a blend is {weight}"))
            .expected(format!("a number in {WEIGHTS:?}")));
    }
    if name == NAME {
        return Err(Error::recipe("a blend is a member of a blend").expected("any other classifier"));
    }
    by_name(name)
}

fn fit(set: &TrainingSet<'_>, params: &Value, seed: u64) -> Result<Box<dyn Model>> {
    set.check()?;
    let settings: Settings = settings(NAME, params)?;
    Range(NAME).check("members", settings.members.len() as f64, 1.0, MOST as f64)?;
    let mut members = Vec::new();
    for Member { name, weight, params } in settings.members {
        members.push((member(&name, weight, Error::recipe)?, weight, params));
    }
    // at the same time, since some take one core alone; of several faults the first member's is told
    let fit = |(classifier, weight, params): (&'static Classifier, f64, Value)| {
        let model = (classifier.fit)(set, &params, seed)?;
        Ok(Part { name: classifier.name, weight, model })
    };
    let parts: Vec<Result<Part>> = members.into_par_iter().map(fit).collect();
    let parts = parts.into_iter().collect::<Result<Vec<_>>>()?;
    Ok(Box::new(Blend { parts, num_columns: set.columns.len() }))
}

/// What is saved: lists as long as there are members.
#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Saved {
    names: Vec<String>,
    weights: Vec<f64>,
    models: Vec<Value>,
}

fn load(value: &Value, num_columns: usize) -> Result<Box<dyn Model>> {
    let Saved { names, weights, models } = from_json(NAME, value)?;
    let lengths = [names.len(), weights.len(), models.len()];
    if !(1..=MOST).contains(&lengths[0]) || lengths.iter().any(|n| *n != lengths[0]) {
        return Err(Error::model("the members of a blend are damaged")
            .expected(format!("1 to {MOST} names, and as many weights and models")));
    }
    let mut parts = Vec::new();
    for ((name, weight), model) in names.iter().zip(weights).zip(&models) {
        let classifier = member(name, weight, Error::model)?;
        parts.push(Part { name: classifier.name, weight, model: (classifier.load)(model, num_columns)? });
    }
    Ok(Box::new(Blend { parts, num_columns }))
}

#[derive(Debug)]
struct Part {
    name: &'static str,
    weight: f64,
    model: Box<dyn Model>,
}

/// Decision value: the members' times their weights, added up.
#[derive(Debug)]
struct Blend {
    parts: Vec<Part>,
    num_columns: usize,
}

impl Model for Blend {
    fn num_columns(&self) -> usize {
        self.num_columns
    }

    fn decide(&self, x: ArrayView2<'_, f32>, out: &mut [f32]) {
        let (mut sums, mut decisions) = (vec![0f64; out.len()], vec![0f32; out.len()]);
        for part in &self.parts {
            part.model.decide(x, &mut decisions);
            sums.iter_mut().zip(&decisions).for_each(|(sum, d)| *sum += part.weight * f64::from(*d));
        }
        out.iter_mut().zip(sums).for_each(|(out, sum)| *out = finite(sum));
    }

    fn to_json(&self) -> Value {
        json!(Saved {
            names: self.parts.iter().map(|p| p.name.to_owned()).collect(),
            weights: self.parts.iter().map(|p| p.weight).collect(),
            models: self.parts.iter().map(|p| p.model.to_json()).collect(),
        })
    }

    fn facts(&self) -> Vec<(&'static str, String)> {
        let of = |p: &Part| {
            let mut facts = vec![("weight of a member", format!("{} {}", p.weight, p.name))];
            facts.extend(p.model.facts());
            facts
        };
        self.parts.iter().flat_map(of).collect()
    }

    fn classes(&self, x: ArrayView2<'_, f32>) -> Option<Vec<ParagraphClass>> {
        self.parts.iter().find_map(|p| p.model.classes(x))
    }

    /// The members' by weight, where all have such a thing.
    fn importance(&self) -> Option<Vec<f32>> {
        let total: f64 = self.parts.iter().map(|p| p.weight).sum();
        let mut mean = vec![0f64; self.num_columns];
        for part in &self.parts {
            let share = part.weight / total;
            mean.iter_mut().zip(part.model.importance()?).for_each(|(sum, v)| *sum += share * f64::from(v));
        }
        Some(mean.into_iter().map(|v| v as f32).collect())
    }

    fn looks_at(&self) -> Option<Vec<bool>> {
        let mut any = vec![false; self.num_columns];
        for part in &self.parts {
            any.iter_mut().zip(part.model.looks_at()?).for_each(|(any, asked)| *any |= asked);
        }
        Some(any)
    }

    fn reach(&self) -> usize {
        self.parts.iter().map(|p| p.model.reach()).max().unwrap_or(0)
    }

    fn contributions(&self, row: &[f32], out: &mut [f32]) -> Option<f32> {
        let (mut sums, mut base) = (vec![0f64; row.len()], 0.0);
        for part in &self.parts {
            base += part.weight * f64::from(part.model.contributions(row, out)?);
            sums.iter_mut().zip(&*out).for_each(|(sum, v)| *sum += part.weight * f64::from(*v));
        }
        out.iter_mut().zip(sums).for_each(|(out, sum)| *out = finite(sum));
        Some(finite(base))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::classifier::decide;
    use ndarray::Array2;

    #[test]
    fn adds_up_what_its_members_say() {
        let x = Array2::from_shape_fn((90, 2), |(i, j)| ((i * 7 + 5 * i * j) % 13) as f32);
        let y: Vec<_> = x.rows().into_iter().map(|r| r[0] > 6.0).collect();
        let (weight, page) = (vec![1.0; 90], (0..90).collect::<Vec<_>>());
        let columns = ["a", "b"].map(str::to_owned);
        let set =
            TrainingSet { x: x.view(), y: &y, weight: &weight, page: &page, class: &[], columns: &columns };
        let fit = |params: Value| fit(&set, &params, 3);
        let params = json!({"rounds": 5});
        let members =
            json!([{"name": "gbt", "weight": 2.0, "params": params}, {"name": "logistic", "weight": 0.5}]);
        let model = fit(json!({ "members": members })).unwrap();
        let of = |name: &str, params: &Value| {
            let model = (by_name(name).unwrap().fit)(&set, params, 3).unwrap();
            decide(model.as_ref(), x.view()).unwrap()
        };
        let (gbt, logistic) = (of("gbt", &params), of("logistic", &Value::Null));
        for ((d, a), b) in decide(model.as_ref(), x.view()).unwrap().iter().zip(gbt).zip(logistic) {
            assert!((d - 2.0 * a - 0.5 * b).abs() < 1e-4);
        }
        assert!((model.importance().unwrap().iter().sum::<f32>() - 1.0).abs() < 1e-5);
        for (members, says) in [
            (json!([]), "`members` of classifier `blend` is 0"),
            (json!([{"name": "gbt", "weight": 0}]), "the weight of member `gbt` of a blend is 0"),
            (json!([{"name": "blend", "weight": 1}]), "a blend is a member of a blend"),
            (json!([{"name": "no", "weight": 1}]), "there is no classifier `no`"),
            (json!([{"name": "gbt", "weight": 1, "params": {"what": 1}}]), "what"),
        ] {
            let error = fit(json!({ "members": members })).unwrap_err().to_string();
            assert!(error.contains(says), "{error}");
        }
    }
}

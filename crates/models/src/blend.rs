//! `blend`: a weighted sum of the decision values of several classifiers, with optional early exit.

use crate::range::Range;
use crate::registry::load as load_model;
use crate::rows::{COPIED_ROWS, decide_rows, finite, select_rows};
use crate::{Classifier, Classifiers, FittedClassifier, TrainingSet, Weights, from_json, settings};
use ndarray::{Array2, ArrayView2};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use threshr_core::{Budget, Error, Result};
use threshr_html::blocks::ParagraphClass;

const NAME: &str = "blend";

/// Most members.
const MAX_MEMBERS: usize = 16;

/// Range of the weight of a member.
const WEIGHTS: RangeInclusive<f64> = 1e-6..=1e3;

/// Range of the early-exit margin.
const MARGINS: RangeInclusive<f64> = 0.0..=1e3;

/// Several classifiers together.
pub(crate) static CLASSIFIER: Classifier = Classifier {
    name: NAME,
    summary: "weighted sum of the decision values of several classifiers on the same columns",
    source: "Perrone and Cooper, 1993, When networks disagree: ensemble methods for hybrid neural networks; \
             Cambazoglu et al., WSDM 2010, Early exit optimizations for additive machine learned ranking \
             systems",
    limits: "Weights are set, not learned. They multiply raw decision values: log-odds of gbt, network and \
             logistic can be averaged; margins of support vector machines have another scale. Each member \
             uses block weights in its own way. Members of different classifiers are fitted in parallel and \
             need the memory of all; an invalid setting of a member is reported after all fits.",
    weights: Weights::Exact,
    defaults: || json!(Settings::default()),
    fit,
    fit_group: None,
    load,
};

/// Settings of `blend`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Settings {
    /// The members, 1 to 16; none is a blend.
    members: Vec<Member>,
    /// Early-exit margin, 0..=1000: later members run only on blocks with an absolute decision value below
    /// it. The decision value so far is scaled to the weight of all members. Without it, all members run.
    #[serde(skip_serializing_if = "Option::is_none")]
    early_exit_margin: Option<f64>,
}

/// A member of a blend.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Member {
    /// Its name.
    name: String,
    /// Factor of its decision value, 1e-6..=1000.
    weight: f64,
    /// Its settings, over its defaults.
    #[serde(default)]
    params: Value,
}

impl Default for Settings {
    fn default() -> Self {
        let member = |name: &str| Member { name: name.to_owned(), weight: 0.5, params: json!({}) };
        Self { members: vec![member("gbt"), member("network")], early_exit_margin: None }
    }
}

/// Checks the early-exit margin; `error` creates the error.
fn check_margin(early_exit_margin: Option<f64>, error: fn(String) -> Error) -> Result<()> {
    match early_exit_margin {
        Some(early_exit_margin) if !MARGINS.contains(&early_exit_margin) => {
            Err(error(format!("`early_exit_margin` of a blend is {early_exit_margin}"))
                .expected(format!("a number in {MARGINS:?}")))
        }
        _ => Ok(()),
    }
}

/// Checks a member; `error` creates the error of a weight out of range.
fn check_member(name: &str, weight: f64, error: fn(String) -> Error) -> Result<()> {
    if !WEIGHTS.contains(&weight) {
        return Err(error(format!("the weight of member `{name}` of a blend is {weight}"))
            .expected(format!("a number in {WEIGHTS:?}")));
    }
    if name == NAME {
        return Err(Error::recipe("a blend is a member of a blend").expected("another classifier"));
    }
    Ok(())
}

fn fit(
    set: &TrainingSet<'_>,
    params: &Value,
    seed: u64,
    all: &Classifiers,
) -> Result<Box<dyn FittedClassifier>> {
    set.check()?;
    let settings: Settings = settings(NAME, params)?;
    Range(NAME).check("members", settings.members.len() as f64, 1.0, MAX_MEMBERS as f64)?;
    check_margin(settings.early_exit_margin, Error::recipe)?;
    // members of one classifier are fitted in sequence, in the memory of one
    let mut groups: BTreeMap<&str, Vec<_>> = BTreeMap::new();
    for (i, Member { name, weight, params }) in settings.members.into_iter().enumerate() {
        check_member(&name, weight, Error::recipe)?;
        let classifier = all.by_name(&name)?;
        groups.entry(classifier.name).or_default().push((i, classifier, weight, params));
    }
    // two members of one classifier use different random numbers
    let seed_of = |i: usize| seed ^ (i as u64).rotate_left(48);
    let fit = |members: Vec<(usize, &'static Classifier, f64, Value)>| {
        let models: Vec<_> = match members.first().and_then(|member| member.1.fit_group) {
            Some(fit_group) => {
                fit_group(set, &members.iter().map(|m| (&m.3, seed_of(m.0))).collect::<Vec<_>>())
            }
            None => members.iter().map(|m| (m.1.fit)(set, &m.3, seed_of(m.0), all)).collect(),
        };
        let part = |((i, classifier, weight, _), model): ((usize, &Classifier, f64, Value), Result<_>)| {
            (i, model.map(|model| Part { name: classifier.name.to_owned(), weight, model }))
        };
        members.into_iter().zip(models).map(part).collect::<Vec<_>>()
    };
    // classifiers are fitted in parallel, since some use a single core; the first member's error is returned
    let groups: Vec<Vec<_>> = groups.into_values().collect();
    let mut parts: Vec<_> = groups.into_par_iter().flat_map_iter(fit).collect();
    parts.sort_by_key(|(i, _)| *i);
    let parts = parts.into_iter().map(|(_, part)| part).collect::<Result<Vec<_>>>()?;
    Ok(Box::new(Blend {
        parts,
        early_exit_margin: settings.early_exit_margin,
        num_columns: set.columns.len(),
    }))
}

/// The model file: lists with one entry a member.
#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Saved {
    names: Vec<String>,
    weights: Vec<f64>,
    models: Vec<Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    early_exit_margin: Option<f64>,
}

fn load(value: &Value, num_columns: usize) -> Result<Box<dyn FittedClassifier>> {
    let Saved { names, weights, models, early_exit_margin } = from_json(NAME, value)?;
    let lengths = [names.len(), weights.len(), models.len()];
    if !(1..=MAX_MEMBERS).contains(&lengths[0]) || lengths.iter().any(|n| *n != lengths[0]) {
        return Err(Error::model("the lists of a blend differ in length")
            .expected(format!("1 to {MAX_MEMBERS} names, and as many weights and models")));
    }
    check_margin(early_exit_margin, Error::model)?;
    let mut parts = Vec::new();
    for ((name, weight), model) in names.into_iter().zip(weights).zip(&models) {
        check_member(&name, weight, Error::model)?;
        let model = load_model(&name, model, num_columns)?;
        parts.push(Part { name, weight, model });
    }
    Ok(Box::new(Blend { parts, early_exit_margin, num_columns }))
}

#[derive(Debug)]
struct Part {
    name: String,
    weight: f64,
    model: Box<dyn FittedClassifier>,
}

/// Decision value: the weighted sum of the members. After an early exit, the sum so far is scaled to the
/// weight of all members.
#[derive(Debug)]
struct Blend {
    parts: Vec<Part>,
    early_exit_margin: Option<f64>,
    num_columns: usize,
}

impl Blend {
    /// For each member, the factor that scales the sum up to it to the weight of all members; 1 for the last.
    fn scale_factors(&self) -> impl Iterator<Item = f64> {
        let total: f64 = self.parts.iter().map(|p| p.weight).sum();
        self.parts.iter().scan(0.0, move |sum, part| {
            *sum += part.weight;
            Some(total / *sum)
        })
    }

    /// Whether the next member runs on a row with this decision value so far.
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
                // neighbours count: evaluate the whole page
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

    /// Weighted mean of the members' importances, if all have them.
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

    /// Contributions of the members that run on the row.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decide;

    /// Rows of two columns.
    struct Data {
        x: Array2<f32>,
        y: Vec<bool>,
        page: Vec<u32>,
        columns: [String; 2],
    }

    impl Data {
        /// `is_content` labels a row by the matrix and the row's number.
        fn new(is_content: impl Fn(&Array2<f32>, usize) -> bool, rows_of_page: u32) -> Self {
            let x = Array2::from_shape_fn((90, 2), |(i, j)| ((i * 7 + 5 * i * j) % 13) as f32);
            let y = (0..90).map(|i| is_content(&x, i)).collect();
            let page = (0..90).map(|i| i / rows_of_page).collect();
            Data { x, y, page, columns: ["a", "b"].map(str::to_owned) }
        }

        fn set(&self) -> TrainingSet<'_> {
            let Data { x, y, page, columns } = self;
            TrainingSet { x: x.view().into(), y, weight: &[1.0; 90], page, class: &[], columns }
        }
    }

    fn is_high(x: &Array2<f32>, i: usize) -> bool {
        x[[i, 0]] > 6.0
    }

    #[test]
    fn sums_its_members() {
        let data = Data::new(is_high, 1);
        let (x, set) = (&data.x, data.set());
        let fit = |params: Value| fit(&set, &params, 3, &Classifiers::default());
        let params = json!({"rounds": 5});
        let members =
            json!([{"name": "gbt", "weight": 2.0, "params": params}, {"name": "tree", "weight": 0.5}]);
        let model = fit(json!({ "members": members })).unwrap();
        let of = |name: &str, params: &Value| {
            let model =
                (Classifiers::default().by_name(name).unwrap().fit)(&set, params, 3, &Classifiers::default())
                    .unwrap();
            decide(model.as_ref(), x.view(), &Budget::UNLIMITED).unwrap()
        };
        let (gbt, linear) = (of("gbt", &params), of("tree", &Value::Null));
        for ((d, a), b) in
            decide(model.as_ref(), x.view(), &Budget::UNLIMITED).unwrap().iter().zip(gbt).zip(linear)
        {
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
        let error = fit(json!({ "members": members, "early_exit_margin": -1.0 })).unwrap_err().to_string();
        assert!(error.contains("`early_exit_margin` of a blend is -1"), "{error}");

        // rows beyond the margin use the first member alone, scaled; other rows use all members
        let first = of("gbt", &params);
        let mut distances: Vec<_> = first.iter().map(|d| d.abs()).collect();
        distances.sort_unstable_by(f32::total_cmp);
        let early_exit_margin = f64::from(2.5 * distances[45]);
        let some = fit(json!({ "members": members, "early_exit_margin": early_exit_margin })).unwrap();
        let read = load(&some.to_json(), 2).unwrap();
        let (all, some) = (
            decide(model.as_ref(), x.view(), &Budget::UNLIMITED).unwrap(),
            decide(some.as_ref(), x.view(), &Budget::UNLIMITED).unwrap(),
        );
        assert_eq!(decide(read.as_ref(), x.view(), &Budget::UNLIMITED).unwrap(), some);
        let (mut alone, mut out) = (0, [0.0; 2]);
        for (i, d) in some.iter().enumerate() {
            let is_decided = f64::from(2.5 * first[i]).abs() >= early_exit_margin;
            alone += usize::from(is_decided);
            assert!((d - if is_decided { 2.5 * first[i] } else { all[i] }).abs() < 1e-5);
            let base = read.contributions(&x.row(i).to_vec(), &mut out).unwrap();
            assert!((base + out.iter().sum::<f32>() - d).abs() < 1e-4);
        }
        assert!((20..=60).contains(&alone), "{alone}");
    }

    #[test]
    fn members_keep_their_order_and_have_own_random_numbers() {
        let data = Data::new(is_high, 1);
        let members = ["network", "gbt", "network"].map(|name| json!({"name": name, "weight": 1.0}));
        let saved =
            fit(&data.set(), &json!({ "members": members }), 3, &Classifiers::default()).unwrap().to_json();
        assert_eq!(saved["names"], json!(["network", "gbt", "network"]));
        assert_eq!(saved["models"][0]["first_units"], saved["models"][2]["first_units"]);
        assert_ne!(saved["models"][0], saved["models"][2]);
    }

    #[test]
    fn members_with_context_get_the_whole_page() {
        let data = Data::new(|x, i| x[[i, 0]] + x[[(i + 1) % 90, 1]] > 11.0, 30);
        let network = json!({"name": "network", "weight": 1.0, "params": {"context_radius": 1}});
        let members = json!([{"name": "gbt", "weight": 1.0}, network]);
        let of = |early_exit_margin: f64| {
            let model = fit(
                &data.set(),
                &json!({ "members": members, "early_exit_margin": early_exit_margin }),
                3,
                &Classifiers::default(),
            )
            .unwrap();
            decide(model.as_ref(), data.x.view(), &Budget::UNLIMITED).unwrap()
        };
        let (all, none) = (of(1e3), of(0.0));
        let middle = f64::from(none[40].abs());
        let changed = of(middle).iter().zip(all.iter().zip(&none)).fold(0, |n, (d, (all, none))| {
            assert!(d == if f64::from(none.abs()) < middle { all } else { none });
            n + usize::from(d == all)
        });
        assert!((5..85).contains(&changed), "{changed}");
    }
}

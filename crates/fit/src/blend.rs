//! `blend`: a weighted sum of the decision values of several classifiers, with optional early exit.

use crate::{Classifier, Classifiers, Settings, TrainingSet, check_range};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use threshr_core::{Error, Result};
use threshr_models::blend::{Blend, MAX_MEMBERS, Part, check_margin, check_member};
use threshr_models::registry::BLEND;
use threshr_models::{FittedClassifier, KINDS, ModelKind};

/// Weighted sum of several classifiers.
pub(crate) static CLASSIFIER: Classifier = Classifier {
    summary: "weighted sum of the decision values of several classifiers on the same columns",
    source: "Perrone and Cooper, 1993, When networks disagree: ensemble methods for hybrid neural networks; \
             Cambazoglu et al., WSDM 2010, Early exit optimizations for additive machine learned ranking \
             systems",
    limits: "Weights are set, not learned. They multiply raw decision values: log-odds of gbt, network and \
             logistic can be averaged; margins of support vector machines have another scale. Each member \
             uses block weights in its own way. Members of different classifiers are fitted in parallel, so training needs the memory of all of them. An invalid setting of a member is reported after all fits.",
    ..Classifier::new::<Params>()
};

/// Settings of `blend`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Params {
    /// The members, 1 to 16. A member cannot be a blend itself.
    members: Vec<Member>,
    /// Early-exit margin, 0..=1000. Later members run only on blocks whose absolute decision value is still
    /// below the margin. For this comparison, the decision value is scaled up to the total weight of all
    /// members. If `None`, all members run.
    #[serde(skip_serializing_if = "Option::is_none")]
    early_exit_margin: Option<f64>,
}

/// A member of a blend.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Member {
    /// Name of the member's classifier.
    name: String,
    /// Factor of the member's decision value, 1e-6..=1000.
    weight: f64,
    /// The member's settings, which override the classifier's defaults.
    #[serde(default)]
    params: Value,
}

impl Default for Params {
    fn default() -> Self {
        let member = |name: &str| Member { name: name.to_owned(), weight: 0.5, params: json!({}) };
        Self { members: vec![member("gbt"), member("network")], early_exit_margin: None }
    }
}

impl Settings for Params {
    const KIND: &'static ModelKind = &BLEND;

    fn check(&self) -> Result<()> {
        check_range(Self::KIND.name, "members", self.members.len() as f64, 1.0, MAX_MEMBERS as f64)?;
        check_margin(self.early_exit_margin, Error::invalid_option)?;
        self.members
            .iter()
            .try_for_each(|member| check_member(&member.name, member.weight, Error::invalid_option))
    }

    fn fit(&self, set: &TrainingSet<'_>, seed: u64, all: &Classifiers) -> Result<Box<dyn FittedClassifier>> {
        // members of the same classifier are fitted one after the other, so that only one of them needs memory
        let mut groups: BTreeMap<&str, Vec<_>> = BTreeMap::new();
        for (i, Member { name, weight, params }) in self.members.iter().enumerate() {
            let classifier = all.by_name(name)?;
            // a saved blend must be readable by a program that does not register further classifiers
            if KINDS.iter().all(|kind| kind.name != classifier.name()) {
                let error = Error::invalid_option(format!("`{name}` cannot be a member of a blend"));
                return Err(error.expected("a classifier of threshr"));
            }
            groups.entry(classifier.name()).or_default().push((i, classifier, *weight, params));
        }
        // each member has its own seed, so that two members of the same classifier differ
        let seed_of = |i: usize| seed ^ (i as u64).rotate_left(48);
        let fit = |members: Vec<(usize, &'static Classifier, f64, &Value)>| {
            let models: Vec<_> = match members.first().and_then(|member| member.1.fit_group) {
                Some(fit_group) => {
                    fit_group(set, &members.iter().map(|m| (m.3, seed_of(m.0))).collect::<Vec<_>>())
                }
                None => members.iter().map(|m| (m.1.fit)(set, m.3, seed_of(m.0), all)).collect(),
            };
            let part =
                |((i, classifier, weight, _), model): ((usize, &Classifier, f64, &Value), Result<_>)| {
                    (i, model.map(|model| Part { name: classifier.name().to_owned(), weight, model }))
                };
            members.into_iter().zip(models).map(part).collect::<Vec<_>>()
        };
        // classifiers are fitted in parallel, since some of them use a single core
        let groups: Vec<Vec<_>> = groups.into_values().collect();
        let mut parts: Vec<_> = groups.into_par_iter().flat_map_iter(fit).collect();
        parts.sort_by_key(|(i, _)| *i);
        let parts = parts.into_iter().map(|(_, part)| part).collect::<Result<Vec<_>>>()?;
        Ok(Box::new(Blend::from_parts(parts, self.early_exit_margin, set.columns.len())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::Array2;
    use threshr_core::Budget;
    use threshr_models::{decide, load};

    /// Training data with two columns.
    struct Data {
        x: Array2<f32>,
        y: Vec<bool>,
        page: Vec<u32>,
        columns: [String; 2],
    }

    impl Data {
        /// `is_content(matrix, row)` returns the label of a row.
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
        let fit = |params: Value| (CLASSIFIER.fit)(&set, &params, 3, &Classifiers::default());
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
            (json!([{"name": "blend", "weight": 1}]), "a member of a blend is a blend"),
            (json!([{"name": "no", "weight": 1}]), "there is no classifier `no`"),
            (json!([{"name": "gbt", "weight": 1, "params": {"what": 1}}]), "what"),
        ] {
            let error = fit(json!({ "members": members })).unwrap_err().to_string();
            assert!(error.contains(says), "{error}");
        }
        let error = fit(json!({ "members": members, "early_exit_margin": -1.0 })).unwrap_err().to_string();
        assert!(error.contains("`early_exit_margin` of a blend is -1"), "{error}");

        // rows beyond the margin use only the first member, scaled to the total weight; other rows use all
        // members
        let first = of("gbt", &params);
        let mut distances: Vec<_> = first.iter().map(|d| d.abs()).collect();
        distances.sort_unstable_by(f32::total_cmp);
        let early_exit_margin = f64::from(2.5 * distances[45]);
        let some = fit(json!({ "members": members, "early_exit_margin": early_exit_margin })).unwrap();
        let read = load("blend", &some.to_json(), 2).unwrap();
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
        let saved = (CLASSIFIER.fit)(&data.set(), &json!({ "members": members }), 3, &Classifiers::default())
            .unwrap()
            .to_json();
        assert_eq!(saved["names"], json!(["network", "gbt", "network"]));
        assert_eq!(saved["models"][0]["first_units"], saved["models"][2]["first_units"]);
        assert_ne!(saved["models"][0], saved["models"][2]);
    }

    #[test]
    fn members_with_context_get_the_whole_page() {
        let data = Data::new(|x, i| x[[i, 0]] + x[[(i + 1) % 90, 1]] > 11.0, 30);
        let members = json!([{"name": "gbt", "weight": 1.0}, {"name": "crf", "weight": 1.0}]);
        let of = |early_exit_margin: f64| {
            let model = (CLASSIFIER.fit)(
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

//! Conformance tests that every classifier in the registry must pass.

#![allow(clippy::unwrap_used)]

use ndarray::{Array2, ArrayView1, ArrayView2, Axis, Slice};
use proptest::prelude::*;
use serde_json::{Value, json};
use std::sync::LazyLock;
use threshr_core::{Budget, Result};
use threshr_fit::{Classifier, Classifiers, TrainingSet};
use threshr_models::FittedClassifier;

/// All classifiers of the command line, including those from linfa.
static CLASSIFIERS: LazyLock<Classifiers> = LazyLock::new(|| threshr::registries().classifiers);

fn by_name(name: &str) -> &'static Classifier {
    CLASSIFIERS.by_name(name).unwrap()
}

fn decide(model: &dyn FittedClassifier, x: ArrayView2<'_, f32>) -> Result<Vec<f32>> {
    threshr_models::decide(model, x, &Budget::UNLIMITED)
}

fn contributions(
    model: &dyn FittedClassifier,
    x: ArrayView2<'_, f32>,
    rows: &[usize],
) -> Result<Vec<(f32, Vec<f32>)>> {
    threshr_models::contributions(model, x, rows, &Budget::UNLIMITED)
}

/// A training set that owns its data.
struct Data {
    x: Array2<f32>,
    y: Vec<bool>,
    weight: Vec<f32>,
    page: Vec<u32>,
    columns: Vec<String>,
}

impl Data {
    /// Creates columns with flags, counts, ratios, a heavy-tailed distribution and a constant. Rows with
    /// high counts and ratios are content.
    fn new(n: usize) -> Self {
        let mut state = 11u64;
        let mut next = move || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 40) as f32 / (1u64 << 24) as f32
        };
        let mut x = Array2::zeros((n, 6));
        for mut row in x.rows_mut() {
            row[0] = (next() * 2.0).floor();
            row[1] = (next() * 7.0).floor();
            row[2] = next();
            row[3] = (next() * 12.0).exp();
            row[4] = 3.0;
            row[5] = (next() * 3.0).floor();
        }
        let says = |r: ArrayView1<'_, f32>| r[1] / 7.0 + r[2] + 0.3 * r[0] > 1.2;
        let y = x.rows().into_iter().map(says).collect();
        let columns = (0..6).map(|j| format!("c{j}")).collect();
        Self { x, y, weight: vec![1.0; n], page: (0..n as u32).map(|i| i / 10).collect(), columns }
    }

    fn set(&self) -> TrainingSet<'_> {
        let Self { x, y, weight, page, columns } = self;
        TrainingSet { x: x.view().into(), y, weight, page, class: &[], columns }
    }

    fn fit(&self, classifier: &Classifier) -> Result<Box<dyn FittedClassifier>> {
        (classifier.fit)(&self.set(), &Value::Null, 5, &CLASSIFIERS)
    }
}

/// Returns some of the rows. (`s!` does not compile where unsafe code is forbidden.)
fn part(x: &Array2<f32>, start: usize, end: usize) -> ArrayView2<'_, f32> {
    x.slice_axis(Axis(0), Slice::from(start..end))
}

/// Computes the area under the ROC curve.
fn auc(decisions: &[f32], y: &[bool]) -> f64 {
    let (mut good, mut pairs) = (0.0, 0.0);
    for (&p, _) in decisions.iter().zip(y).filter(|(_, y)| **y) {
        for (&n, _) in decisions.iter().zip(y).filter(|(_, y)| !**y) {
            good += if p > n { 1.0 } else { 0.5 * f64::from(p == n) };
            pairs += 1.0;
        }
    }
    good / pairs
}

fn reload(classifier: &Classifier, model: &dyn FittedClassifier) -> Box<dyn FittedClassifier> {
    let text = serde_json::to_string(&model.to_json()).unwrap();
    load(classifier, &serde_json::from_str(&text).unwrap(), model.num_columns()).unwrap()
}

/// Loads a model in the same way as `predict`, which does not depend on linfa.
fn load(classifier: &Classifier, data: &Value, num_columns: usize) -> Result<Box<dyn FittedClassifier>> {
    threshr_models::load(classifier.name(), data, num_columns)
}

fn bits(v: &[f32]) -> Vec<u32> {
    v.iter().map(|v| v.to_bits()).collect()
}

#[test]
fn names_are_unique_and_found() {
    for c in CLASSIFIERS.all() {
        assert_eq!(by_name(c.name()).name(), c.name());
        assert!((c.defaults)().is_object() && !c.limits.is_empty() && !c.source.is_empty());
    }
    assert!(CLASSIFIERS.by_name("oracle").unwrap_err().to_string().contains("svm-rff"));
}

#[test]
fn learns_what_can_be_learnt() {
    let (train, test) = (Data::new(1200), Data::new(1900));
    for c in CLASSIFIERS.all() {
        let model = train.fit(c).unwrap();
        let decisions = decide(model.as_ref(), part(&test.x, 1200, 1900)).unwrap();
        let auc = auc(&decisions, &test.y[1200..]);
        assert!(
            auc > if c.name() == "majority" { 0.49 } else { 0.9 },
            "{}: AUC {auc} on held-out rows that can be learnt, expected above 0.9",
            c.name()
        );
        if let Some(importance) = model.importance() {
            assert!(
                (importance.iter().sum::<f32>() - 1.0).abs() < 1e-4 && importance[4] == 0.0,
                "{}",
                c.name()
            );
        }
        assert!(!model.facts().is_empty());
    }
}

#[test]
fn columns_that_are_not_looked_at_make_no_difference() {
    let data = Data::new(900);
    for c in CLASSIFIERS.all() {
        let model = data.fit(c).unwrap();
        // `None` means that the model reads all columns.
        let Some(used) = model.used_columns() else { continue };
        assert!(used.len() == 6 && !used[4], "{}: uses the constant column: {used:?}", c.name());
        let mut x = data.x.clone();
        (0..6).filter(|&j| !used[j]).for_each(|j| x.column_mut(j).fill(99.0));
        let of = |x: &Array2<f32>| bits(&decide(model.as_ref(), x.view()).unwrap());
        assert_eq!(of(&x), of(&data.x), "{}", c.name());
    }
}

#[test]
fn other_settings_learn_too() {
    let data = Data::new(900);
    let variants = [
        ("svm", json!({"eps": 3.0, "max_rows": 300, "c": 10.0})),
        ("svm-rff", json!({"components": 64})),
        ("svm-rff", json!({"linear": false, "max_rows": 500, "eps": 2.0})),
        ("tree", json!({"max_leaves": 20, "smoothing": 0.0})),
        ("gbt", json!({"models": 2, "rounds": 40, "max_depth": 3})),
        ("gbt", json!({"row_share": 1.0, "column_share": 1.0, "lambda_l2": 0.0, "max_leaves": 4})),
        ("linfa-tree", json!({"quality": "entropy", "max_rows": 700})),
        ("logistic", json!({"max_rows": 400, "alpha": 0.1})),
        ("network", json!({"first_units": 16, "models": 2, "epochs": 40})),
        ("blend", json!({"members": [{"name": "svm", "weight": 0.5}, {"name": "crf", "weight": 1.0}]})),
        (
            "blend",
            json!({"members": [{"name": "gbt", "weight": 0.5}, {"name": "crf", "weight": 1.0}], "early_exit_margin": 0.5}),
        ),
        ("crf", json!({"bins": 5, "classes": "paragraph"})),
    ];
    for (name, params) in variants {
        let c = by_name(name);
        let model = (c.fit)(&data.set(), &params, 5, &CLASSIFIERS).unwrap();
        let decisions = decide(model.as_ref(), data.x.view()).unwrap();
        let auc = auc(&decisions, &data.y);
        assert!(auc > 0.9, "{name} {params}: {auc}");
        let loaded = reload(c, model.as_ref());
        assert_eq!(
            bits(&decisions),
            bits(&decide(loaded.as_ref(), data.x.view()).unwrap()),
            "{name} {params}"
        );
    }
}

#[test]
fn defaults_are_the_settings_used() {
    let data = Data::new(300);
    for c in CLASSIFIERS.all() {
        let explicit = (c.fit)(&data.set(), &(c.defaults)(), 5, &CLASSIFIERS).unwrap();
        assert_eq!(explicit.to_json(), data.fit(c).unwrap().to_json(), "{}", c.name());
    }
}

#[test]
fn the_same_input_gives_the_same_bytes() {
    let mut data = Data::new(600);
    data.weight.iter_mut().enumerate().for_each(|(i, w)| *w = 0.3 + (i % 5) as f32);
    for c in CLASSIFIERS.all() {
        let text = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| serde_json::to_string(&data.fit(c).unwrap().to_json()).unwrap())
        };
        assert_eq!(text(1), text(3), "{}", c.name());
    }
}

#[test]
fn survives_saving_bit_for_bit() {
    let data = Data::new(500);
    for c in CLASSIFIERS.all() {
        let model = data.fit(c).unwrap();
        let loaded = reload(c, model.as_ref());
        assert_eq!(model.to_json(), loaded.to_json(), "{}", c.name());
        let before = bits(&decide(model.as_ref(), data.x.view()).unwrap());
        assert_eq!(before, bits(&decide(loaded.as_ref(), data.x.view()).unwrap()), "{}", c.name());
        // One row at a time, and with another memory layout.
        let row = decide(model.as_ref(), part(&data.x, 77, 78)).unwrap();
        // A sequence model also depends on the neighbouring rows.
        assert_eq!(bits(&row)[0] == before[77], c.name() != "crf", "{}", c.name());
        let turned = data.x.t().as_standard_layout().into_owned();
        assert_eq!(bits(&decide(model.as_ref(), turned.t()).unwrap()), before, "{}", c.name());
        assert!(decide(model.as_ref(), part(&data.x, 0, 0)).unwrap().is_empty());
    }
}

#[test]
fn wrong_columns_are_an_error() {
    let data = Data::new(200);
    for c in CLASSIFIERS.all() {
        let model = data.fit(c).unwrap();
        for columns in [Array2::zeros((3, 5)), Array2::zeros((3, 7))] {
            assert!(decide(model.as_ref(), columns.view()).is_err(), "{}", c.name());
        }
    }
}

#[test]
fn bad_training_sets_are_errors() {
    let changes: [fn(&mut Data); 9] = [
        |d| d.x[[3, 2]] = f32::NAN,
        |d| d.x[[3, 2]] = f32::INFINITY,
        |d| d.y.fill(true),
        |d| d.y.fill(false),
        |d| *d = Data::new(0),
        |d| d.weight.fill(0.0),
        |d| d.weight[1] = f32::NAN,
        |d| d.weight[1] = -1.0,
        |d| drop(d.columns.pop()),
    ];
    for c in CLASSIFIERS.all() {
        for change in changes {
            let mut data = Data::new(100);
            change(&mut data);
            assert!(data.fit(c).is_err(), "{}", c.name());
        }
    }
}

/// Checks that the contributions of the columns add up to the decision value. Returns whether the model
/// computes exact contributions.
fn contributions_add_up(name: &str, model: &dyn FittedClassifier, x: ArrayView2<'_, f32>) -> bool {
    let decisions = decide(model, x).unwrap();
    let rows: Vec<_> = (0..decisions.len()).collect();
    let explained = contributions(model, x, &rows).unwrap();
    assert_eq!(explained, contributions(model, x, &rows).unwrap(), "{name}");
    for ((base, out), decision) in explained.into_iter().zip(decisions) {
        let parts = out.iter().map(|v| f64::from(*v));
        let (size, sum) = (parts.clone().map(f64::abs).sum::<f64>(), parts.sum::<f64>());
        let (is, should) = (f64::from(base) + sum, f64::from(decision));
        assert!(
            (is - should).abs() < 1e-5 * (1.0 + size),
            "{name}: base and contributions sum to {is}, expected the decision {should} up to 1e-5"
        );
    }
    assert!(contributions(model, x, &[x.nrows()]).is_err());
    model.contributions(&x.row(0).to_vec(), &mut vec![0.0; x.ncols()]).is_some()
}

#[test]
fn contributions_add_up_to_the_decision() {
    let data = Data::new(600);
    let fits = CLASSIFIERS.all().iter().map(|c| (c, data.fit(c).unwrap()));
    let tell = fits.filter(|(c, model)| contributions_add_up(c.name(), model.as_ref(), part(&data.x, 0, 40)));
    let mut names: Vec<_> = tell.map(|(c, _)| c.name()).collect();
    names.sort_unstable();
    let expected = ["blend", "gbt", "linfa-tree", "logistic", "network", "tree"];
    let missing: Vec<_> = expected.iter().filter(|name| !names.contains(name)).collect();
    assert!(missing.is_empty(), "no exact contributions from {missing:?}");
    // sequence models have no contributions, so the base value is the decision value
    let chain = (by_name("crf").fit)(&data.set(), &Value::Null, 5, &CLASSIFIERS).unwrap();
    assert!(!contributions_add_up("crf", chain.as_ref(), part(&data.x, 0, 90)));
}

#[test]
fn weights_have_effect() {
    let mut data = Data::new(800);
    // The labels of every second row are inverted. The weights determine which half of the rows the model
    // follows.
    data.y.iter_mut().step_by(2).for_each(|y| *y = !*y);
    for c in CLASSIFIERS.all() {
        let decisions = [0usize, 1].map(|heavy| {
            let weight = (0..800).map(|i| if i % 2 == heavy { 9.0 } else { 1.0 }).collect();
            let weighted = Data { weight, x: data.x.clone(), ..Data::new(800) };
            let weighted = Data { y: data.y.clone(), ..weighted };
            decide(weighted.fit(c).unwrap().as_ref(), data.x.view()).unwrap()
        });
        assert_ne!(decisions[0], decisions[1], "{}: weights have no effect", c.name());
        if c.name() != "majority" {
            let [turned, right] = decisions.map(|d| auc(&d, &Data::new(800).y));
            assert!(
                turned < 0.25 && right > 0.75,
                "{}: AUC {turned} and {right} with weights on other rows, expected below 0.25 and above 0.75",
                c.name()
            );
        }
    }
}

#[test]
fn rows_of_no_weight_do_not_count() {
    let mut data = Data::new(500);
    let half = |data: &Data| Data {
        x: part(&data.x, 0, 250).to_owned(),
        y: data.y[..250].to_vec(),
        weight: vec![1.0; 250],
        page: data.page[..250].to_vec(),
        columns: data.columns.clone(),
    };
    data.weight[250..].fill(0.0);
    data.y[250..].iter_mut().for_each(|y| *y = !*y);
    for c in CLASSIFIERS.all().iter().filter(|c| !c.name().contains("svm") && c.name() != "logistic") {
        let (a, b) = (data.fit(c).unwrap(), half(&data).fit(c).unwrap());
        let x = data.x.view();
        assert_eq!(decide(a.as_ref(), x).unwrap(), decide(b.as_ref(), x).unwrap(), "{}", c.name());
    }
}

#[test]
fn unknown_or_wild_settings_are_errors() {
    let data = Data::new(60);
    for c in CLASSIFIERS.all() {
        let wild = |params: Value| (c.fit)(&data.set(), &params, 0, &CLASSIFIERS).is_err();
        assert!(wild(json!({"no_such_setting": 1})), "{}", c.name());
        assert!(wild(json!([1])) && wild(json!("x")), "{}", c.name());
        for (key, value) in (c.defaults)().as_object().unwrap() {
            if value.is_number() {
                assert!(wild(json!({ key: -1 })), "{}: {key} = -1", c.name());
                assert!(wild(json!({ key: 1e300 })), "{}: {key} = 1e300", c.name());
            }
            assert!(wild(json!({ key: {} })), "{}: {key} = {{}}", c.name());
        }
    }
}

/// Appends the paths of all values inside `value` to `out`.
fn paths(value: &Value, path: String, out: &mut Vec<String>) {
    match value {
        Value::Array(items) => {
            // Checks only the first, second and last entry of an array.
            for i in [0, 1, items.len().saturating_sub(1)].into_iter().filter(|&i| i < items.len()) {
                paths(&items[i], format!("{path}/{i}"), out);
            }
        }
        Value::Object(map) => map.iter().for_each(|(key, v)| paths(v, format!("{path}/{key}"), out)),
        _ => {}
    }
    out.push(path);
}

#[test]
fn hostile_models_are_errors_or_harmless() {
    let data = Data::new(300);
    for c in CLASSIFIERS.all() {
        let good = data.fit(c).unwrap().to_json();
        let mut all = Vec::new();
        paths(&good, String::new(), &mut all);
        for path in &all {
            let try_with = |new: Value| {
                let mut bad = good.clone();
                *bad.pointer_mut(path).unwrap() = new;
                match load(c, &bad, 6) {
                    Ok(model) => {
                        let decisions = decide(model.as_ref(), data.x.view()).unwrap();
                        assert!(decisions.iter().all(|d| d.is_finite()), "{} {path}", c.name());
                        true
                    }
                    Err(e) => {
                        assert!(!e.to_string().is_empty());
                        false
                    }
                }
            };
            let old = good.pointer(path).unwrap();
            assert!(!try_with(Value::Null), "{} {path} = null", c.name());
            assert!(!try_with(json!("x")), "{} {path} = \"x\"", c.name());
            for number in [json!(-1), json!(0), json!(1), json!(u32::MAX), json!(1e38), json!(1e300)] {
                try_with(number);
            }
            if let Value::Array(items) = old {
                assert!(!try_with(json!([])), "{} {path} = []", c.name());
                assert!(!try_with(json!(items[1..])), "{} {path} shorter", c.name());
                let longer: Vec<_> = items.iter().chain(items.last()).cloned().collect();
                assert!(!try_with(json!(longer)), "{} {path} longer", c.name());
                for number in [json!(0), json!(1), json!(2), json!(u32::MAX), json!(1e300)] {
                    try_with(json!(vec![number; items.len()]));
                }
            }
            if let Value::Object(map) = old {
                for key in map.keys() {
                    let mut less = map.clone();
                    less.remove(key);
                    assert!(!try_with(json!(less)), "{} {path} without {key}", c.name());
                }
                assert!(!try_with(json!({"surprise": 1})), "{} {path}", c.name());
            }
        }
        if c.name() != "majority" {
            assert!(
                load(c, &good, 5).is_err() && load(c, &good, 0).is_err(),
                "{}: `load` accepts a model with another number of columns",
                c.name()
            );
        }
    }
}

#[test]
fn indices_and_cycles_in_trees_are_found() {
    let data = Data::new(300);
    for c in [by_name("tree"), by_name("linfa-tree")] {
        let good = data.fit(c).unwrap().to_json();
        let changes = [
            ("left", 0, 0),
            ("left", 0, 9999),
            ("right", 0, 1),
            ("feature", 0, 6),
            ("feature", 0, 4_000_000),
        ];
        for (field, node, value) in changes {
            let mut bad = good.clone();
            bad["tree"][field][node] = json!(value);
            assert!(load(c, &bad, 6).is_err(), "{} {field}[{node}] = {value}", c.name());
        }
    }
}

#[test]
fn extreme_values_give_finite_decisions() {
    let mut data = Data::new(300);
    for c in CLASSIFIERS.all() {
        let model = data.fit(c).unwrap();
        for value in [f32::MAX, f32::MIN, f32::MIN_POSITIVE, -0.0, f32::NAN, f32::INFINITY] {
            let x = Array2::from_elem((3, 6), value);
            assert!(decide(model.as_ref(), x.view()).unwrap().iter().all(|d| d.is_finite()), "{}", c.name());
        }
    }
    data.x[[0, 2]] = f32::MAX;
    data.x[[1, 2]] = f32::MIN;
    for c in CLASSIFIERS.all() {
        let model = data.fit(c).unwrap();
        assert!(decide(model.as_ref(), data.x.view()).unwrap().iter().all(|d| d.is_finite()), "{}", c.name());
        reload(c, model.as_ref());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]
    #[test]
    fn never_panics(
        n in 2usize..60,
        p in 1usize..5,
        cells in proptest::collection::vec(prop_oneof![Just(0.0), Just(1.0), -1e3f32..1e3, -3e38f32..3e38], 300),
        y in proptest::collection::vec(any::<bool>(), 60),
        weight in proptest::collection::vec(prop_oneof![Just(0.0), Just(1.0), 0f32..1e6], 60),
        seed in any::<u64>(),
    ) {
        let x = Array2::from_shape_fn((n, p), |(i, j)| cells[i * p + j]);
        let columns: Vec<_> = (0..p).map(|j| format!("c{j}")).collect();
        let (y, weight, page) = (&y[..n], &weight[..n], &vec![0; n]);
        let set = TrainingSet { x: x.view().into(), y, weight, page, class: &[], columns: &columns };
        let small = json!({"min_leaf_rows": 1});
        for c in CLASSIFIERS.all() {
            let params = if matches!(c.name(), "tree" | "gbt") { &small } else { &Value::Null };
            if let Ok(model) = (c.fit)(&set, params, seed, &CLASSIFIERS) {
                prop_assert!(decide(model.as_ref(), x.view()).unwrap().iter().all(|d| d.is_finite()));
                contributions_add_up(c.name(), model.as_ref(), part(&x, 0, n.min(3)));
                reload(c, model.as_ref());
            }
        }
    }
}

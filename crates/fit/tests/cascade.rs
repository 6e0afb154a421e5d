//! A cascade of fitted models.

use ndarray::Array2;
use serde_json::json;
use threshr_core::Budget;
use threshr_fit::{Classifiers, TrainingRows, TrainingSet};
use threshr_models::cascade::{Cascade, NAME, Stage};
use threshr_models::{FittedClassifier, contributions, decide, load};

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
    let explained = contributions(&cascade, x.view(), &[0, 2], &Budget::UNLIMITED).expect("contributions");
    for ((base, parts), decision) in explained.iter().zip([own[0], own[2]]) {
        assert!((base + parts.iter().sum::<f32>() - decision).abs() < 1e-4);
    }
    assert_eq!(explained[0].1[1], 0.0);
    assert!(explained[1].1[1] != 0.0);
}

#[test]
fn a_saved_cascade_decides_the_same() {
    let (cascade, x, _) = cascade(1.5);
    let again = load(NAME, &cascade.to_json(), 2).expect("a cascade");
    let of = |model: &dyn FittedClassifier| decide(model, x.view(), &Budget::UNLIMITED).expect("decisions");
    assert_eq!(of(again.as_ref()), of(&cascade));
    let mut invalid = cascade.to_json();
    invalid["margin"] = json!(-1.0);
    assert!(load(NAME, &invalid, 2).expect_err("a margin").to_string().contains("margin"));
    let mut nested = cascade.to_json();
    nested["second"] = json!({"name": NAME, "data": cascade.to_json()});
    assert!(load(NAME, &nested, 2).is_err());
}

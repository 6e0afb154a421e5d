//! Fitted classifiers: feature rows to decision values.
//!
//! [`load`] reads a [`FittedClassifier`] from the JSON of a model file. Each kind of model is one file and one line in
//! [`KINDS`]. The crate `threshr-fit` fits models.
//!
//! A *decision value* is a real number: positive for content, negative for boilerplate, 0 on the boundary.
//! [`calibration::Sigmoid`] turns it into a score in `0..=1`; it is fitted on held-out pages.
//!
//! ```
//! use ndarray::array;
//! use serde_json::json;
//! use threshr_core::Budget;
//! use threshr_models::{decide, load};
//!
//! let scaler = json!({"log": [false, false], "mean": [20.0, 0.5], "scale": [0.05, 2.0]});
//! let data = json!({"scaler": scaler, "weight": [1.0, -1.0], "bias": 0.0});
//! let model = load("logistic", &data, 2)?;
//! let x = array![[3.0, 0.9], [40.0, 0.1]];
//! let decisions = decide(model.as_ref(), x.view(), &Budget::UNLIMITED)?;
//! assert!(decisions[0] < 0.0 && decisions[1] > 0.0);
//! # Ok::<(), threshr_core::Error>(())
//! ```

pub mod blend;
pub mod boosting;
pub mod calibration;
pub mod linear;
pub mod majority;
pub mod network;
pub mod packed;
pub mod registry;
pub mod rows;
mod sampled_shapley;
pub mod sequence;
pub mod trees;

pub use registry::{KINDS, ModelKind, Stored, load};

use ndarray::ArrayView2;
use sampled_shapley::ShapleySampler;
use serde_json::Value;
use std::fmt;
use threshr_core::{Budget, Error, ParagraphClass, Result};

/// A fitted classifier.
pub trait FittedClassifier: fmt::Debug + Send + Sync {
    /// Number of columns that [`FittedClassifier::decide`] expects.
    fn num_columns(&self) -> usize;
    /// Writes the decision value of each row to `out`; the values are finite.
    ///
    /// The rows are the blocks of one page, in order. Models with a [`FittedClassifier::context_radius`] of 0
    /// treat rows independently. `x` has shape (n_blocks, [`FittedClassifier::num_columns`]), `out` has
    /// length n_blocks; [`decide`] checks the shape.
    ///
    /// # Errors
    /// If the budget is used up.
    fn decide(&self, x: ArrayView2<'_, f32>, out: &mut [f32], budget: &Budget) -> Result<()>;
    /// The model as JSON. Equal models give equal bytes, and floats survive a round trip bit for bit.
    fn to_json(&self) -> Value;
    /// Facts for people: (name, value).
    fn facts(&self) -> Vec<(&'static str, String)>;
    /// The most likely paragraph class of each row, given that the row is content; `None` if the model has no
    /// paragraph classes. Rows as for [`FittedClassifier::decide`].
    fn classes(&self, _x: ArrayView2<'_, f32>) -> Option<Vec<ParagraphClass>> {
        None
    }
    /// Importance of each column (sums to 1), if the method defines one.
    fn importance(&self) -> Option<Vec<f32>> {
        None
    }
    /// Whether the model uses each column, length [`FittedClassifier::num_columns`]; `None` means all.
    /// Unused columns need not be computed.
    fn used_columns(&self) -> Option<Vec<bool>> {
        None
    }
    /// Number of rows before and after a row that its decision value depends on; `usize::MAX` for the whole
    /// page.
    fn context_radius(&self) -> usize {
        0
    }
    /// Contribution of each column to the decision value of `row`: returns a base value and fills `out`.
    ///
    /// The base and all of `out` sum to the decision value. `None` if the method has no exact contributions;
    /// [`contributions`] then estimates them. `row` and `out` have length [`FittedClassifier::num_columns`],
    /// and `row` is finite.
    ///
    /// Trees give path-dependent Shapley values. Linear models give the weight times the scaled column.
    /// Networks give integrated gradients. Blends give the weighted contributions of their members.
    fn contributions(&self, row: &[f32], out: &mut [f32]) -> Option<f32> {
        let _ = (row, out);
        None
    }
}

/// Decision values of `model` for every row of `x`, the blocks of one page in order.
///
/// # Errors
/// If the number of columns is not that of the model, or the budget is used up.
pub fn decide(model: &dyn FittedClassifier, x: ArrayView2<'_, f32>, budget: &Budget) -> Result<Vec<f32>> {
    check_columns(model, x)?;
    decide_unchecked(model, x, budget)
}

/// As [`decide`], without the check of columns.
fn decide_unchecked(
    model: &dyn FittedClassifier,
    x: ArrayView2<'_, f32>,
    budget: &Budget,
) -> Result<Vec<f32>> {
    let mut out = vec![0.0; x.nrows()];
    model.decide(x, &mut out, budget)?;
    Ok(out)
}

/// Contributions of the columns to the decision values of some rows of a page: a base and one value a column.
///
/// The base and the values sum to the decision value. They are those of [`FittedClassifier::contributions`].
/// If the method has none, they are Shapley values, estimated against the mean of the page's rows.
///
/// `x` has shape (n_blocks, [`FittedClassifier::num_columns`]), the blocks of one page in order.
///
/// # Errors
/// If the number of columns is not that of the model, a row does not exist, or the budget is used up.
pub fn contributions(
    model: &dyn FittedClassifier,
    x: ArrayView2<'_, f32>,
    rows: &[usize],
    budget: &Budget,
) -> Result<Vec<(f32, Vec<f32>)>> {
    check_columns(model, x)?;
    if let Some(missing) = rows.iter().find(|&&row| row >= x.nrows()) {
        return Err(Error::classifier(format!("row {missing} does not exist"))
            .expected(format!("rows from 0 to {}", x.nrows().saturating_sub(1))));
    }
    let mut sampler = None;
    let mut explain = |&row: &usize| {
        budget.check()?;
        let mut out = vec![0.0; x.ncols()];
        let exact = model.contributions(&x.row(row).to_vec(), &mut out);
        let base = match exact {
            Some(base) => base,
            None => {
                let sampler = match &sampler {
                    Some(sampler) => sampler,
                    None => sampler.insert(ShapleySampler::new(model, x, budget)?),
                };
                sampler.contributions(row, &mut out, budget)?
            }
        };
        Ok((base, out))
    };
    rows.iter().map(&mut explain).collect()
}

/// As [`FittedClassifier::classes`], for the blocks of one page.
///
/// # Errors
/// If the number of columns is not that of the model.
pub fn classes(model: &dyn FittedClassifier, x: ArrayView2<'_, f32>) -> Result<Option<Vec<ParagraphClass>>> {
    check_columns(model, x)?;
    Ok(model.classes(x))
}

fn check_columns(model: &dyn FittedClassifier, x: ArrayView2<'_, f32>) -> Result<()> {
    if x.ncols() == model.num_columns() {
        return Ok(());
    }
    Err(Error::features(format!("the matrix has {} columns", x.ncols()))
        .expected(format!("{} as in training", model.num_columns())))
}

/// Deserializes the data of a model.
///
/// # Errors
/// If the JSON does not match `T`.
pub fn from_json<T: serde::de::DeserializeOwned>(name: &str, value: &Value) -> Result<T> {
    T::deserialize(value).map_err(|e| Error::model(format!("invalid model data of classifier `{name}`: {e}")))
}

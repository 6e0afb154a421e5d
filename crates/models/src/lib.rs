//! Fitted classifiers: compute decision values from feature rows.
//!
//! [`load`] reads a [`FittedClassifier`] from the JSON of a model file. Each kind of model has its own file and
//! an entry in [`KINDS`]. The crate `threshr-fit` fits models.
//!
//! A *decision value* is a real number: positive for content, negative for boilerplate, 0 on the boundary.
//! [`calibration::Sigmoid`], which is fitted on held-out pages, maps it to a score in `0..=1`.
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
pub mod sequence;
pub mod trees;

pub use registry::{KINDS, ModelKind, Stored, load};

use ndarray::ArrayView2;
use serde_json::Value;
use std::fmt;
use threshr_core::{Budget, Error, ParagraphClass, Result};

/// A fitted classifier.
pub trait FittedClassifier: fmt::Debug + Send + Sync {
    /// Number of columns that [`FittedClassifier::decide`] expects.
    fn num_columns(&self) -> usize;
    /// Writes the decision value of each row to `out`. The values are finite.
    ///
    /// The rows are the blocks of one page, in order. If the [`FittedClassifier::context_radius`] of a model is
    /// 0, rows are treated independently. `x` has shape (n_blocks, [`FittedClassifier::num_columns`]), `out`
    /// has length n_blocks; [`decide`] checks these sizes.
    ///
    /// # Errors
    /// If the budget is used up.
    fn decide(&self, x: ArrayView2<'_, f32>, out: &mut [f32], budget: &Budget) -> Result<()>;
    /// Returns the model as JSON. Equal models give equal bytes, and floats survive a round trip bit for bit.
    fn to_json(&self) -> Value;
    /// Returns human-readable facts about the model, as pairs (name, value).
    fn facts(&self) -> Vec<(&'static str, String)>;
    /// Returns the most probable paragraph class of each row, given that the row is content. Returns `None` if
    /// the model has no paragraph classes. The rows are as for [`FittedClassifier::decide`].
    fn classes(&self, _x: ArrayView2<'_, f32>) -> Option<Vec<ParagraphClass>> {
        None
    }
    /// Returns the importance of each column (the sum is 1), if the method defines importances.
    fn importance(&self) -> Option<Vec<f32>> {
        None
    }
    /// Returns whether the model uses each column, with length [`FittedClassifier::num_columns`]. `None` means
    /// that all columns are used. Unused columns need not be computed.
    fn used_columns(&self) -> Option<Vec<bool>> {
        None
    }
    /// Returns the number of rows before and after a row that affect the decision value of the row;
    /// `usize::MAX` means the whole page.
    fn context_radius(&self) -> usize {
        0
    }
    /// Writes the contribution of each column to the decision value of `row` to `out`, and returns a base
    /// value.
    ///
    /// The base value and all contributions sum to the decision value. Returns `None` if the method has no
    /// contributions. `row` and `out` have length [`FittedClassifier::num_columns`], and `row` is finite.
    ///
    /// The method depends on the model: path-dependent Shapley values for trees, weight times scaled column for
    /// linear models, integrated gradients for networks, weighted contributions of the members for blends.
    fn contributions(&self, row: &[f32], out: &mut [f32]) -> Option<f32> {
        let _ = (row, out);
        None
    }
}

/// Returns the decision value of each row of `x`. The rows are the blocks of one page, in order.
///
/// # Errors
/// If the number of columns differs from that of the model, or the budget is used up.
pub fn decide(model: &dyn FittedClassifier, x: ArrayView2<'_, f32>, budget: &Budget) -> Result<Vec<f32>> {
    check_columns(model, x)?;
    decide_unchecked(model, x, budget)
}

/// Like [`decide`], without the check of columns.
fn decide_unchecked(
    model: &dyn FittedClassifier,
    x: ArrayView2<'_, f32>,
    budget: &Budget,
) -> Result<Vec<f32>> {
    let mut out = vec![0.0; x.nrows()];
    model.decide(x, &mut out, budget)?;
    Ok(out)
}

/// Returns the contributions of the columns to the decision values of some rows of a page: a base value, and
/// one value per column.
///
/// The base and the values sum to the decision value, see [`FittedClassifier::contributions`]. If the method
/// has no contributions, the base is the decision value, and the values are 0.
///
/// `x` has shape (n_blocks, [`FittedClassifier::num_columns`]). Its rows are the blocks of one page, in order.
///
/// # Errors
/// If the number of columns differs from that of the model, a row does not exist, or the budget is used up.
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
    let decisions = decide_unchecked(model, x, budget)?;
    let explain = |&row: &usize| {
        budget.check()?;
        let mut out = vec![0.0; x.ncols()];
        let base = model.contributions(&x.row(row).to_vec(), &mut out);
        Ok((base.unwrap_or(decisions[row]), out))
    };
    rows.iter().map(explain).collect()
}

/// Like [`FittedClassifier::classes`], for the blocks of one page; also checks the number of columns.
///
/// # Errors
/// If the number of columns differs from that of the model.
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

//! Classifiers: training rows to a fitted model, feature rows to decision values.
//!
//! A [`Classifier`] is an algorithm with default settings. Its file defines it, and [`CLASSIFIERS`] lists it.
//! Fitting returns a boxed [`FittedClassifier`], which [`load`] reads back from JSON.
//!
//! A *decision value* is a real number: positive for content, negative for boilerplate, 0 on the boundary.
//! [`calibration::Sigmoid`] turns it into a score in `0..=1`; it is fitted on held-out pages.
//!
//! ```
//! use ndarray::array;
//! use serde_json::json;
//! use threshr_core::Budget;
//! use threshr_models::{Classifiers, TrainingSet, decide};
//!
//! let x = array![[3.0, 0.9], [40.0, 0.1], [5.0, 0.8], [60.0, 0.0]];
//! let columns = ["words", "link_density"].map(String::from);
//! let set = TrainingSet {
//!     x: x.view().into(),
//!     y: &[false, true, false, true],
//!     weight: &[1.0; 4],
//!     page: &[0, 0, 1, 1],
//!     class: &[],
//!     columns: &columns,
//! };
//! let classifiers = Classifiers::default();
//! let tree = classifiers.by_name("tree")?;
//! let model = (tree.fit)(&set, &json!({"min_leaf_rows": 1}), 0, &classifiers)?;
//! let decisions = decide(model.as_ref(), x.view(), &Budget::UNLIMITED)?;
//! assert!(decisions[0] < 0.0 && decisions[1] > 0.0);
//! # Ok::<(), threshr_core::Error>(())
//! ```

mod blend;
mod boosting;
pub mod calibration;
pub mod linear;
mod majority;
mod network;
pub mod packed;
mod range;
mod registry;
mod rows;
mod sampled_shapley;
pub mod sampling;
mod sequence;
mod simd;
mod stored_rows;
mod training_rows;
pub mod trees;

pub use range::Range;
pub use registry::{Classifiers, load};
pub use stored_rows::StoredRows;
pub use training_rows::{RowView, TrainingRows};

use ndarray::ArrayView2;
use rayon::prelude::*;
use sampled_shapley::ShapleySampler;
use serde_json::Value;
use std::fmt;
use threshr_core::Budget;
use threshr_core::{Error, Result};
use threshr_html::blocks::ParagraphClass;

/// The classifiers that this crate trains, in the order of help texts and tables.
pub static CLASSIFIERS: &[&Classifier] = &[
    &trees::tree::CLASSIFIER,
    &boosting::gbt::CLASSIFIER,
    &trees::forest::CLASSIFIER,
    &linear::svm_rff::CLASSIFIER,
    &sequence::crf::CLASSIFIER,
    &network::classifier::CLASSIFIER,
    &blend::CLASSIFIER,
    &majority::CLASSIFIER,
];

/// Rows in one unit of the parallel check.
const CHECKED_ROWS: usize = 1024;

/// The rows that a classifier is fitted on.
#[derive(Debug, Clone, Copy)]
pub struct TrainingSet<'a> {
    /// Feature rows, shape (n_blocks, n_features); every value finite.
    pub x: TrainingRows<'a>,
    /// Label of each block: `true` is content.
    pub y: &'a [bool],
    /// Weight of each block: the product of page, class and length weights. Finite, `>= 0`, not all 0.
    pub weight: &'a [f32],
    /// Index of the page of each block; the blocks of a page are contiguous.
    pub page: &'a [u32],
    /// Paragraph class of each block, where the gold standard has one; may be empty. Only classifiers with
    /// paragraph classes read it.
    pub class: &'a [Option<ParagraphClass>],
    /// Column names, in matrix order.
    pub columns: &'a [String],
}

/// How a classifier uses the weights of the blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Weights {
    /// The loss is weighted.
    Exact,
    /// Training rows are sampled with probability proportional to their weight.
    BySampling,
}

/// Fits a model from a training set, settings, a seed and all known classifiers (for ensembles).
pub type Fit = fn(&TrainingSet<'_>, &Value, u64, &Classifiers) -> Result<Box<dyn FittedClassifier>>;

/// Fits one model for each pair of settings and seed on the same rows.
pub type FitGroup = fn(&TrainingSet<'_>, &[(&Value, u64)]) -> Vec<Result<Box<dyn FittedClassifier>>>;

/// An algorithm: name, texts, default settings, and functions to fit and to load a model.
pub struct Classifier {
    /// The name on the command line and in model files.
    pub name: &'static str,
    /// One line for help and tables.
    pub summary: &'static str,
    /// The publications of the method.
    pub source: &'static str,
    /// Its limits.
    pub limits: &'static str,
    /// How it uses block weights.
    pub weights: Weights,
    /// The default settings, a JSON object.
    pub defaults: fn() -> Value,
    /// Fits a model.
    ///
    /// The settings are a JSON object that overrides the defaults; an unknown key is an error. Equal rows,
    /// settings and seed give the same model, bit for bit.
    pub fit: Fit,
    /// Fits several models on the same rows, each with its settings and seed, if that is cheaper than one
    /// [`Classifier::fit`] after the other. The models are the same.
    pub fit_group: Option<FitGroup>,
    /// Reads the output of [`FittedClassifier::to_json`] and validates it for `num_columns` columns.
    pub load: fn(&Value, num_columns: usize) -> Result<Box<dyn FittedClassifier>>,
}

impl fmt::Debug for Classifier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Classifier").field("name", &self.name).finish_non_exhaustive()
    }
}

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

impl TrainingSet<'_> {
    /// Checks the lengths, that values and weights are finite, and that both classes have weight.
    ///
    /// # Errors
    /// The first fault, with its column or row.
    pub fn check(&self) -> Result<()> {
        let n = self.x.nrows();
        if n == 0 {
            return Err(Error::classifier("the training set is empty")
                .expected("pages with text and a gold standard"));
        }
        if self.y.len() != n || self.weight.len() != n || self.page.len() != n {
            let lengths =
                format!("{} labels, {} weights, {} pages", self.y.len(), self.weight.len(), self.page.len());
            return Err(Error::classifier(format!("{lengths} for {n} blocks"))
                .expected("one of each for every block"));
        }
        if self.columns.len() != self.x.ncols() || self.columns.is_empty() {
            return Err(Error::features(format!(
                "{} names for {} columns",
                self.columns.len(),
                self.x.ncols()
            ))
            .expected("one name for each column, and at least one column"));
        }
        let rows_of = |chunk: usize| chunk * CHECKED_ROWS..((chunk + 1) * CHECKED_ROWS).min(n);
        let fault_in = |chunk: usize| {
            let mut fault = None;
            self.x.for_rows(rows_of(chunk), |i, row| {
                // without a jump, so that the compiler vectorises it
                let is_finite = row.iter().fold(true, |all, v| all & v.is_finite());
                if !is_finite && fault.is_none() {
                    let column = row.iter().position(|v| !v.is_finite()).unwrap_or(0);
                    fault = Some((rows_of(chunk).start + i, column, row[column]));
                }
            });
            fault
        };
        let fault = (0..n.div_ceil(CHECKED_ROWS)).into_par_iter().find_map_first(fault_in);
        if let Some((row, column, value)) = fault {
            return Err(Error::features(format!("the value in row {row} is {value}"))
                .at_column(&self.columns[column])
                .expected("a finite number"));
        }
        if let Some(row) = self.weight.iter().position(|w| !w.is_finite() || *w < 0.0) {
            return Err(Error::classifier(format!("the weight of row {row} is {}", self.weight[row]))
                .expected("a finite number >= 0"));
        }
        for (class, what) in [(true, "content"), (false, "boilerplate")] {
            if !self.y.iter().zip(self.weight).any(|(&y, &w)| y == class && w > 0.0) {
                return Err(Error::classifier(format!(
                    "the training set has no {what} blocks with a positive weight"
                ))
                .expected("blocks of both classes; check that the gold standard belongs to these pages"));
            }
        }
        Ok(())
    }
}

/// Reads a classifier's settings: `params` overrides the defaults of `T`.
///
/// # Errors
/// If a setting is unknown or has the wrong type.
pub fn settings<T: serde::de::DeserializeOwned>(name: &str, params: &Value) -> Result<T> {
    if !(params.is_null() || params.is_object()) {
        // Serde accepts a list as the fields in order of declaration.
        return Err(Error::recipe(format!("the settings of classifier `{name}` are not a table"))
            .expected("a table of names and values"));
    }
    let params = if params.is_null() { Value::Object(serde_json::Map::new()) } else { params.clone() };
    T::deserialize(&params).map_err(|e| {
        // Serde's message lacks the name: find the first setting that fails alone.
        let fails_alone = |&(key, value): &(&String, &Value)| {
            let alone = serde_json::Map::from_iter([(key.clone(), value.clone())]);
            T::deserialize(Value::Object(alone)).is_err()
        };
        let which = params.as_object().and_then(|p| p.iter().find(fails_alone));
        let which = which.map(|(key, _)| format!("`{key}`: ")).unwrap_or_default();
        Error::recipe(format!("invalid settings of classifier `{name}`: {which}{e}"))
    })
}

/// Deserializes the data of a model.
///
/// # Errors
/// If the JSON does not match `T`.
pub fn from_json<T: serde::de::DeserializeOwned>(name: &str, value: &Value) -> Result<T> {
    T::deserialize(value).map_err(|e| Error::model(format!("invalid model data of classifier `{name}`: {e}")))
}

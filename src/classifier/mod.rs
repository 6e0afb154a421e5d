//! Training rows → a fitted model → decision values. One file per algorithm, one line each in [`REGISTRY`].
//!
//! A [`Classifier`] is an algorithm with its settings' defaults; fitting gives a boxed [`Model`], flat data of
//! our own whatever library trained it. A model's *decision value* is any real number that grows with the
//! belief that a block is content (0 where it is undecided); [`calibration::Sigmoid`], fitted on pages held
//! out of the fit, turns it into a score in `0..=1`.

pub mod binning;
mod bit_scorer;
mod blend;
mod boosting;
pub mod calibration;
pub mod cart;
#[cfg(test)]
mod conformance;
mod crf;
mod crf_chain;
mod crf_fit;
mod crf_model;
mod dual_descent;
mod ensemble;
pub mod flat_tree;
mod forest;
mod fourier;
mod gbt;
pub mod histogram;
mod lbfgs;
mod leafwise;
mod linear;
mod linfa_tree;
mod logistic;
mod majority;
mod matmul;
mod network;
mod network_fit;
mod network_net;
pub(crate) mod packed;
mod range;
mod rows;
mod sampled;
pub mod sampling;
pub mod scaling;
mod shapley;
mod sparse_layer;
mod squash;
mod svm;
mod svm_kernel;
mod svm_rff;
mod tiles;
pub mod tree;
mod tree_model;

use crate::block::ParagraphClass;
use crate::deadline;
use crate::error::{Error, Result};
use crate::registry;
use ndarray::{ArrayView1, ArrayView2, Axis};
use rayon::prelude::*;
use sampled::Sampler;
use serde_json::Value;
use std::fmt;

/// Every classifier; the order is that of help texts and tables.
pub static REGISTRY: &[&Classifier] = &[
    &tree::CLASSIFIER,
    &gbt::CLASSIFIER,
    &forest::CLASSIFIER,
    &linfa_tree::CLASSIFIER,
    &svm::CLASSIFIER,
    &svm_rff::CLASSIFIER,
    &logistic::CLASSIFIER,
    &crf::CLASSIFIER,
    &network::CLASSIFIER,
    &blend::CLASSIFIER,
    &majority::CLASSIFIER,
];

/// The rows that a classifier is fitted on.
#[derive(Debug, Clone, Copy)]
pub struct TrainingSet<'a> {
    /// Feature matrix of shape (n_blocks, n_features); every value finite.
    pub x: ArrayView2<'a, f32>,
    /// Label of each block: `true` is content.
    pub y: &'a [bool],
    /// Weight of each block (page, class and length weights multiplied), finite and `>= 0`, not all 0.
    pub weight: &'a [f32],
    /// Index of the page each block came from; blocks of one page stand together.
    pub page: &'a [u32],
    /// Paragraph class of each block where the gold says it, or nothing at all (an empty slice); only
    /// classifiers with classes of paragraphs look at it.
    pub class: &'a [Option<ParagraphClass>],
    /// Column names, in matrix order.
    pub columns: &'a [String],
}

/// How a classifier treats the weights of the blocks. None ignores them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Weights {
    /// They enter the loss that is minimised.
    Exact,
    /// Training rows are drawn with probability in proportion to their weight.
    BySampling,
}

/// An algorithm: its name and texts, its settings' defaults, and how to fit and to load it.
pub struct Classifier {
    /// The name on the command line and in model files.
    pub name: &'static str,
    /// One line for help and tables.
    pub summary: &'static str,
    /// Where the method is published.
    pub source: &'static str,
    /// What it cannot do, and what happens then.
    pub limits: &'static str,
    /// How block weights are honoured.
    pub weights: Weights,
    /// The settings with their defaults, a JSON object.
    pub defaults: fn() -> Value,
    /// Fits a model. `params`: a JSON object with any of the settings; an unknown one is an error.
    /// The same rows, settings and seed give the same model, bit for bit.
    pub fit: fn(&TrainingSet<'_>, params: &Value, seed: u64) -> Result<Box<dyn Model>>,
    /// Reads what [`Model::to_json`] wrote; every index and length is checked against `num_columns`.
    pub load: fn(&Value, num_columns: usize) -> Result<Box<dyn Model>>,
}

impl fmt::Debug for Classifier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Classifier").field("name", &self.name).finish_non_exhaustive()
    }
}

/// A fitted classifier.
pub trait Model: fmt::Debug + Send + Sync {
    /// Number of columns that [`Model::decide`] takes.
    fn num_columns(&self) -> usize;
    /// Writes each row's decision value (finite) to `out`.
    ///
    /// The rows are the blocks of one page, in order; only sequence models look at that, to the others each row is
    /// by itself.
    /// `x` has shape (n_blocks, [`Model::num_columns`]) and `out` length n_blocks; [`decide`] checks that.
    fn decide(&self, x: ArrayView2<'_, f32>, out: &mut [f32]);
    /// The model as flat data, sorted and without time stamps; floats survive the round trip bit for bit.
    fn to_json(&self) -> Value;
    /// Facts worth showing to a person: (name, value).
    fn facts(&self) -> Vec<(&'static str, String)>;
    /// The most likely class of each row, were it content, where the model tells classes of paragraphs apart; rows
    /// as for [`Model::decide`].
    fn classes(&self, _x: ArrayView2<'_, f32>) -> Option<Vec<ParagraphClass>> {
        None
    }
    /// Share of the fit that each column accounts for (sums to 1), where the method has such a thing.
    fn importance(&self) -> Option<Vec<f32>> {
        None
    }
    /// Whether the model looks at each column at all, length [`Model::num_columns`]; `None`: at every one. The others need
    /// not be computed.
    fn looks_at(&self) -> Option<Vec<bool>> {
        None
    }
    /// Number of rows before and behind on which a row's decision value depends; `usize::MAX`: all of the page.
    fn reach(&self) -> usize {
        0
    }
    /// How much each column moves the decision value of `row`, where the method can tell by itself ([`contributions`] asks those
    /// that cannot): gives a base value and fills `out` so that the base and all of `out` add up to what
    /// [`Model::decide`] says.
    ///
    /// `row` and `out` have length [`Model::num_columns`]; values of `row` are finite. Trees: Shapley values,
    /// columns not known being averaged over by training weight. Linear methods: weight times the distance
    /// of the scaled column from its training mean. Networks: slopes on the way from the columns' middles. Blends: what
    /// their members say.
    fn contributions(&self, row: &[f32], out: &mut [f32]) -> Option<f32> {
        let _ = (row, out);
        None
    }
}

/// The classifier called `name`, or an error that lists the names there are.
pub fn by_name(name: &str) -> Result<&'static Classifier> {
    registry::find(REGISTRY, "classifier", name, |entry| entry.name)
}

/// Decision values of `model` for every row of `x`, the blocks of one page in order; the number of columns checked.
pub fn decide(model: &dyn Model, x: ArrayView2<'_, f32>) -> Result<Vec<f32>> {
    check_columns(model, x)?;
    Ok(decided(model, x))
}

/// The same where the columns are known to be the model's.
fn decided(model: &dyn Model, x: ArrayView2<'_, f32>) -> Vec<f32> {
    let mut out = vec![0.0; x.nrows()];
    model.decide(x, &mut out);
    out
}

/// How much each column moves the decision values of some rows of a page: as the model tells by [`Model::contributions`], or else
/// Shapley values estimated against the mean of the page's rows. For each of `rows` the base and one part a column, which
/// add up to the decision value.
///
/// `x` has shape (n_blocks, [`Model::num_columns`]), the blocks of one page in order.
///
/// # Errors
/// Columns that are not those of the model, no such row.
pub fn contributions(
    model: &dyn Model,
    x: ArrayView2<'_, f32>,
    rows: &[usize],
) -> Result<Vec<(f32, Vec<f32>)>> {
    check_columns(model, x)?;
    if let Some(missing) = rows.iter().find(|&&row| row >= x.nrows()) {
        return Err(Error::classifier(format!("there is no row {missing}"))
            .expected(format!("rows from 0 to {}", x.nrows().saturating_sub(1))));
    }
    let mut sampler = None;
    let mut of = |&row: &usize| {
        deadline::check();
        let mut out = vec![0.0; x.ncols()];
        let own = model.contributions(&x.row(row).to_vec(), &mut out);
        let base = own.unwrap_or_else(|| {
            let sampler = sampler.get_or_insert_with(|| Sampler::of(model, x));
            sampler.contributions(row, &mut out)
        });
        (base, out)
    };
    Ok(rows.iter().map(&mut of).collect())
}

/// Classes of paragraphs by `model` for the blocks of one page, as [`Model::classes`], the number of columns checked.
pub fn classes(model: &dyn Model, x: ArrayView2<'_, f32>) -> Result<Option<Vec<ParagraphClass>>> {
    check_columns(model, x)?;
    Ok(model.classes(x))
}

fn check_columns(model: &dyn Model, x: ArrayView2<'_, f32>) -> Result<()> {
    if x.ncols() == model.num_columns() {
        return Ok(());
    }
    Err(Error::features(format!("the matrix has {} columns", x.ncols()))
        .expected(format!("{} as in training", model.num_columns())))
}

impl TrainingSet<'_> {
    /// Checks lengths, that values and weights are finite, and that there are rows of both classes with weight.
    ///
    /// # Errors
    /// The first fault found, with its column or row.
    pub fn check(&self) -> Result<()> {
        let n = self.x.nrows();
        if n == 0 {
            return Err(
                Error::classifier("there are no blocks to train on").expected("pages with text and gold")
            );
        }
        if self.y.len() != n || self.weight.len() != n || self.page.len() != n {
            let lengths =
                format!("{} labels, {} weights, {} pages", self.y.len(), self.weight.len(), self.page.len());
            return Err(
                Error::classifier(format!("{lengths} for {n} blocks")).expected("one each for every block")
            );
        }
        if self.columns.len() != self.x.ncols() || self.columns.is_empty() {
            return Err(Error::features(format!(
                "{} names for {} columns",
                self.columns.len(),
                self.x.ncols()
            ))
            .expected("one name for each column, and at least one column"));
        }
        // in memory order: by columns, a large matrix takes as long as its features did
        let row_is_finite = |row: ArrayView1<'_, f32>| match row.as_slice() {
            // a shape that compilers make vector code of
            Some(row) => row.iter().fold(true, |all, v| all & v.is_finite()),
            None => row.iter().all(|v| v.is_finite()),
        };
        let all_finite = self.x.axis_iter(Axis(0)).into_par_iter().with_min_len(1024).all(row_is_finite);
        let columns = self.columns.iter().zip(self.x.columns()).filter(|_| !all_finite);
        for (name, column) in columns {
            if let Some(row) = column.iter().position(|v| !v.is_finite()) {
                return Err(Error::features(format!("row {row} is {}", column[row]))
                    .at_column(name)
                    .expected("a finite number"));
            }
        }
        if let Some(row) = self.weight.iter().position(|w| !w.is_finite() || *w < 0.0) {
            return Err(Error::classifier(format!("the weight of row {row} is {}", self.weight[row]))
                .expected("a finite number >= 0"));
        }
        for (class, what) in [(true, "content"), (false, "boilerplate")] {
            if !self.y.iter().zip(self.weight).any(|(&y, &w)| y == class && w > 0.0) {
                return Err(Error::classifier(format!("no block of the training set is {what}"))
                    .expected("blocks of both classes; is the gold text that of these pages?"));
            }
        }
        Ok(())
    }
}

/// Reads a classifier's settings: `params` over the defaults of `T`; an unknown or ill-typed one is an error.
pub(crate) fn settings<T: serde::de::DeserializeOwned>(name: &str, params: &Value) -> Result<T> {
    if !(params.is_null() || params.is_object()) {
        // Serde would take a list for the settings in the order of the code.
        return Err(Error::recipe(format!("the settings of classifier `{name}` are no table"))
            .expected("names and values"));
    }
    let params = if params.is_null() { Value::Object(serde_json::Map::new()) } else { params.clone() };
    T::deserialize(&params).map_err(|e| {
        // the first one that fails by itself; what it is called is not in the message
        let fails = |&(key, value): &(&String, &Value)| {
            let alone = serde_json::Map::from_iter([(key.clone(), value.clone())]);
            T::deserialize(Value::Object(alone)).is_err()
        };
        let which = params.as_object().and_then(|p| p.iter().find(fails));
        let which = which.map(|(key, _)| format!("`{key}`: ")).unwrap_or_default();
        Error::recipe(format!("the settings of classifier `{name}` cannot be used: {which}{e}"))
    })
}

/// Reads a model's flat data.
pub(crate) fn from_json<T: serde::de::DeserializeOwned>(name: &str, value: &Value) -> Result<T> {
    T::deserialize(value)
        .map_err(|e| Error::model(format!("the data of classifier `{name}` cannot be read: {e}")))
}

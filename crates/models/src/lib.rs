//! Training rows → a fitted model → decision values. One file per algorithm, one line each in [`REGISTRY`].
//!
//! A [`Classifier`] is an algorithm with its settings' defaults; fitting gives a boxed [`FittedClassifier`], flat data of
//! our own whatever library trained it. A model's *decision value* is any real number that grows with the
//! belief that a block is content (0 where it is undecided); [`calibration::Sigmoid`], fitted on pages held
//! out of the fit, turns it into a score in `0..=1`.

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
mod sampled;
pub mod sampling;
mod sequence;
mod simd;
mod training_rows;
pub mod trees;

pub use range::Range;
pub use registry::{Classifiers, load};
pub use training_rows::{RowView, TrainingRows};

use ndarray::ArrayView2;
use rayon::prelude::*;
use sampled::Sampler;
use serde_json::Value;
use std::fmt;
use threshr_core::Budget;
use threshr_core::{Error, Result};
use threshr_html::blocks::ParagraphClass;

/// The classifiers that this crate trains; the order is that of help texts and tables.
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

/// Rows that are checked at a time.
const CHECKED_ROWS: usize = 1024;

/// The rows that a classifier is fitted on.
#[derive(Debug, Clone, Copy)]
pub struct TrainingSet<'a> {
    /// Feature rows, shape (n_blocks, n_features); every value finite.
    pub x: TrainingRows<'a>,
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

/// Fits a classifier: training set, settings, seed, all known classifiers.
pub type Fit = fn(&TrainingSet<'_>, &Value, u64, &Classifiers) -> Result<Box<dyn FittedClassifier>>;

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
    /// `all` are the classifiers there are, for those that are made of others.
    pub fit: Fit,
    /// Reads what [`FittedClassifier::to_json`] wrote; every index and length is checked against `num_columns`.
    pub load: fn(&Value, num_columns: usize) -> Result<Box<dyn FittedClassifier>>,
}

impl fmt::Debug for Classifier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Classifier").field("name", &self.name).finish_non_exhaustive()
    }
}

/// A fitted classifier.
pub trait FittedClassifier: fmt::Debug + Send + Sync {
    /// Number of columns that [`FittedClassifier::decide`] takes.
    fn num_columns(&self) -> usize;
    /// Writes each row's decision value (finite) to `out`.
    ///
    /// The rows are the blocks of one page, in order; only sequence models look at that, to the others each row is
    /// by itself.
    /// `x` has shape (n_blocks, [`FittedClassifier::num_columns`]) and `out` length n_blocks; [`decide`] checks that.
    ///
    /// # Errors
    /// Where the time is over.
    fn decide(&self, x: ArrayView2<'_, f32>, out: &mut [f32], budget: &Budget) -> Result<()>;
    /// The model as flat data, sorted and without time stamps; floats survive the round trip bit for bit.
    fn to_json(&self) -> Value;
    /// Facts worth showing to a person: (name, value).
    fn facts(&self) -> Vec<(&'static str, String)>;
    /// The most likely class of each row, were it content, where the model tells classes of paragraphs apart; rows
    /// as for [`FittedClassifier::decide`].
    fn classes(&self, _x: ArrayView2<'_, f32>) -> Option<Vec<ParagraphClass>> {
        None
    }
    /// Share of the fit that each column accounts for (sums to 1), where the method has such a thing.
    fn importance(&self) -> Option<Vec<f32>> {
        None
    }
    /// Whether the model looks at each column at all, length [`FittedClassifier::num_columns`]; `None`: at every one. The others need
    /// not be computed.
    fn used_columns(&self) -> Option<Vec<bool>> {
        None
    }
    /// Number of rows before and behind on which a row's decision value depends; `usize::MAX`: all of the page.
    fn context_radius(&self) -> usize {
        0
    }
    /// How much each column moves the decision value of `row`, where the method can tell by itself ([`contributions`] asks those
    /// that cannot): gives a base value and fills `out` so that the base and all of `out` add up to what
    /// [`FittedClassifier::decide`] says.
    ///
    /// `row` and `out` have length [`FittedClassifier::num_columns`]; values of `row` are finite. Trees: Shapley values,
    /// columns not known being averaged over by training weight. Linear methods: weight times the distance
    /// of the scaled column from its training mean. Networks: slopes on the way from the columns' middles. Blends: what
    /// their members say.
    fn contributions(&self, row: &[f32], out: &mut [f32]) -> Option<f32> {
        let _ = (row, out);
        None
    }
}

/// Decision values of `model` for every row of `x`, the blocks of one page in order; the number of columns checked.
///
/// # Errors
/// Columns that are not those of the model; the time is over.
pub fn decide(model: &dyn FittedClassifier, x: ArrayView2<'_, f32>, budget: &Budget) -> Result<Vec<f32>> {
    check_columns(model, x)?;
    decided(model, x, budget)
}

/// The same where the columns are known to be the model's.
fn decided(model: &dyn FittedClassifier, x: ArrayView2<'_, f32>, budget: &Budget) -> Result<Vec<f32>> {
    let mut out = vec![0.0; x.nrows()];
    model.decide(x, &mut out, budget)?;
    Ok(out)
}

/// How much each column moves the decision values of some rows of a page: as the model tells by [`FittedClassifier::contributions`], or else
/// Shapley values estimated against the mean of the page's rows. For each of `rows` the base and one part a column, which
/// add up to the decision value.
///
/// `x` has shape (n_blocks, [`FittedClassifier::num_columns`]), the blocks of one page in order.
///
/// # Errors
/// Columns that are not those of the model, no such row.
pub fn contributions(
    model: &dyn FittedClassifier,
    x: ArrayView2<'_, f32>,
    rows: &[usize],
    budget: &Budget,
) -> Result<Vec<(f32, Vec<f32>)>> {
    check_columns(model, x)?;
    if let Some(missing) = rows.iter().find(|&&row| row >= x.nrows()) {
        return Err(Error::classifier(format!("there is no row {missing}"))
            .expected(format!("rows from 0 to {}", x.nrows().saturating_sub(1))));
    }
    let mut sampler = None;
    let mut of = |&row: &usize| {
        budget.check()?;
        let mut out = vec![0.0; x.ncols()];
        let own = model.contributions(&x.row(row).to_vec(), &mut out);
        let base = match own {
            Some(base) => base,
            None => {
                let sampler = match &sampler {
                    Some(sampler) => sampler,
                    None => sampler.insert(Sampler::of(model, x, budget)?),
                };
                sampler.contributions(row, &mut out, budget)?
            }
        };
        Ok((base, out))
    };
    rows.iter().map(&mut of).collect()
}

/// Classes of paragraphs by `model` for the blocks of one page, as [`FittedClassifier::classes`], the number of columns checked.
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
        let first_of = |chunk: usize| chunk * CHECKED_ROWS..((chunk + 1) * CHECKED_ROWS).min(n);
        let fault_in = |chunk: usize| {
            let mut fault = None;
            self.x.for_rows(first_of(chunk), |i, row| {
                // a shape that compilers make vector code of
                let is_finite = row.iter().fold(true, |all, v| all & v.is_finite());
                if !is_finite && fault.is_none() {
                    let column = row.iter().position(|v| !v.is_finite()).unwrap_or(0);
                    fault = Some((first_of(chunk).start + i, column, row[column]));
                }
            });
            fault
        };
        let fault = (0..n.div_ceil(CHECKED_ROWS)).into_par_iter().find_map_first(fault_in);
        if let Some((row, column, value)) = fault {
            return Err(Error::features(format!("row {row} is {value}"))
                .at_column(&self.columns[column])
                .expected("a finite number"));
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
pub fn settings<T: serde::de::DeserializeOwned>(name: &str, params: &Value) -> Result<T> {
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
pub fn from_json<T: serde::de::DeserializeOwned>(name: &str, value: &Value) -> Result<T> {
    T::deserialize(value)
        .map_err(|e| Error::model(format!("the data of classifier `{name}` cannot be read: {e}")))
}

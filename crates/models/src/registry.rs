//! The classifiers that a program knows.
//!
//! # How to add a classifier
//!
//! 1. Write `KIND/NAME.rs` with a `static CLASSIFIER: Classifier`; `trees/tree.rs` is a short one. If linfa trains it,
//!    the `CLASSIFIER` is in `crates/baselines/src/linfa/`, and `load` and model are here, in `TRAINED_ELSEWHERE`.
//! 2. Settings are a serde struct with `deny_unknown_fields`.
//! 3. `fit` checks the training set first, honours weights, and gives the same bits for the same rows and seed.
//! 4. `load` checks every index and length.
//! 5. Add it to `CLASSIFIERS` in the `lib.rs` of its crate, and to the table of `docs/guide/train.md`.
//!
//! `tests/suite/classifier_conformance.rs` trains it on awkward rows and damages every field of the saved data.

use crate::cascade;
use crate::linear::{logistic, svm};
use crate::trees::linfa_tree;
use crate::{CLASSIFIERS, Classifier, FittedClassifier};
use serde_json::Value;
use threshr_core::{Error, Result, registry};

/// The classifiers that a program can train: those of this crate, and those that other crates add.
#[derive(Debug, Clone)]
pub struct Classifiers(Vec<&'static Classifier>);

impl Default for Classifiers {
    fn default() -> Self {
        Classifiers(CLASSIFIERS.to_vec())
    }
}

impl Classifiers {
    /// Adds classifiers.
    #[must_use]
    pub fn with(mut self, more: &[&'static Classifier]) -> Self {
        self.0.extend(more);
        self
    }

    /// All classifiers, in the order of help texts and tables.
    pub fn all(&self) -> &[&'static Classifier] {
        &self.0
    }

    /// The classifier called `name`.
    ///
    /// # Errors
    /// If the name is unknown; the error lists the known names.
    pub fn by_name(&self, name: &str) -> Result<&'static Classifier> {
        registry::find(&self.0, "classifier", name, |entry| entry.name)
    }
}

/// Reads the saved data of a model.
type Load = fn(&Value, usize) -> Result<Box<dyn FittedClassifier>>;

/// Models that no classifier of this crate trains, by name: those that linfa trains, and the cascade, which training
/// makes of two models.
static TRAINED_ELSEWHERE: &[(&str, Load)] = &[
    (svm::NAME, svm::load),
    (logistic::NAME, logistic::load),
    (linfa_tree::NAME, linfa_tree::load),
    (cascade::NAME, cascade::load),
];

/// Reads the output of [`FittedClassifier::to_json`] for a model of the classifier `name`.
///
/// This includes the models that linfa trains; this crate runs them without linfa.
///
/// # Errors
/// If the classifier is unknown, or the data do not describe a model of `num_columns` columns.
pub fn load(name: &str, data: &Value, num_columns: usize) -> Result<Box<dyn FittedClassifier>> {
    let own = CLASSIFIERS.iter().map(|c| (c.name, c.load));
    let load = own.chain(TRAINED_ELSEWHERE.iter().copied()).find(|(own_name, _)| *own_name == name);
    let (_, load) = load.ok_or_else(|| Error::model(format!("unknown classifier `{name}`")))?;
    load(data, num_columns)
}

//! The classifiers that a program knows.

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

/// Classifiers of other crates that this crate loads and runs, by name. Training them needs linfa.
static TRAINED_ELSEWHERE: &[(&str, Load)] =
    &[(svm::NAME, svm::load), (logistic::NAME, logistic::load), (linfa_tree::NAME, linfa_tree::load)];

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

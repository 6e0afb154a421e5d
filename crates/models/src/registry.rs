//! The classifiers that a program knows.

use crate::linear::{logistic, svm};
use crate::trees::linfa_tree;
use crate::{CLASSIFIERS, Classifier, FittedClassifier};
use serde_json::Value;
use threshr_core::{Error, Result, registry};

/// The classifiers that a program can train: those of this crate, and what other crates add.
#[derive(Debug, Clone)]
pub struct Classifiers(Vec<&'static Classifier>);

impl Default for Classifiers {
    fn default() -> Self {
        Classifiers(CLASSIFIERS.to_vec())
    }
}

impl Classifiers {
    /// These classifiers and `more`.
    #[must_use]
    pub fn with(mut self, more: &[&'static Classifier]) -> Self {
        self.0.extend(more);
        self
    }

    /// All of them; the order is that of help texts and tables.
    pub fn all(&self) -> &[&'static Classifier] {
        &self.0
    }

    /// The classifier called `name`.
    ///
    /// # Errors
    /// Lists the names there are.
    pub fn by_name(&self, name: &str) -> Result<&'static Classifier> {
        registry::find(&self.0, "classifier", name, |entry| entry.name)
    }
}

/// Reads what [`FittedClassifier::to_json`] wrote for a model of the classifier `name`. Models that linfa trained are read too:
/// what they learned is flat data that this crate runs.
///
/// # Errors
/// For an unknown classifier, and where the data are not those of a model of `num_columns` columns.
pub fn load(name: &str, data: &Value, num_columns: usize) -> Result<Box<dyn FittedClassifier>> {
    if let Some(classifier) = CLASSIFIERS.iter().find(|c| c.name == name) {
        return (classifier.load)(data, num_columns);
    }
    match name {
        svm::NAME => svm::load(data, num_columns),
        logistic::NAME => logistic::load(data, num_columns),
        linfa_tree::NAME => linfa_tree::load(data, num_columns),
        _ => Err(Error::model(format!("the classifier `{name}` is not known"))),
    }
}

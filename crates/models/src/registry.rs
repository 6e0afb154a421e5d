//! The model kinds that a program can read.

use crate::boosting::gbt::Boosted;
use crate::linear::logistic::Logistic;
use crate::linear::svm::SvmModel;
use crate::linear::svm_rff::RffModel;
use crate::majority::Majority;
use crate::network::classifier::Network;
use crate::sequence::crf_model::Crf;
use crate::trees::tree_model::TreeModel;
use crate::{FittedClassifier, blend::Blend, from_json};
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::fmt;
use threshr_core::{Error, Result};

/// A kind of model: its name in model files, and the function that reads a model.
pub struct ModelKind {
    /// Name in model files.
    pub name: &'static str,
    /// Reads the output of [`FittedClassifier::to_json`], and validates it for a number of columns. The name is
    /// used in error messages.
    pub read: fn(&str, &Value, usize) -> Result<Box<dyn FittedClassifier>>,
}

/// A model whose state is the data in its model file.
pub trait Stored: FittedClassifier + Sized + 'static {
    /// Content of the model file.
    type Data: DeserializeOwned;

    /// Creates a model with `num_columns` columns. Validates its data.
    ///
    /// # Errors
    /// If a length, an index or a number is invalid. The error refers to the first one.
    fn new(data: Self::Data, num_columns: usize) -> Result<Self>;
}

impl ModelKind {
    /// Creates a kind whose models are stored like `M`.
    pub const fn new<M: Stored>(name: &'static str) -> Self {
        ModelKind { name, read: |name, data, columns| Ok(Box::new(M::new(from_json(name, data)?, columns)?)) }
    }

    /// Reads a model of this kind.
    ///
    /// # Errors
    /// If the data do not describe a model of `num_columns` columns.
    pub fn load(&self, data: &Value, num_columns: usize) -> Result<Box<dyn FittedClassifier>> {
        (self.read)(self.name, data, num_columns)
    }
}

impl fmt::Debug for ModelKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ModelKind").field("name", &self.name).finish_non_exhaustive()
    }
}

/// All model kinds of this crate. They include linfa's classifiers, since this crate evaluates their models
/// without linfa.
pub static KINDS: &[&ModelKind] =
    &[&TREE, &LINFA_TREE, &GBT, &SVM_RFF, &SVM, &LOGISTIC, &CRF, &NETWORK, &BLEND, &MAJORITY];

/// A decision tree.
pub static TREE: ModelKind = ModelKind::new::<TreeModel>("tree");
/// A decision tree trained by linfa-trees.
pub static LINFA_TREE: ModelKind = ModelKind::new::<TreeModel>("linfa-tree");
/// Gradient-boosted trees.
pub static GBT: ModelKind = ModelKind::new::<Boosted>("gbt");
/// A support vector machine on random Fourier features.
pub static SVM_RFF: ModelKind = ModelKind::new::<RffModel>("svm-rff");
/// A support vector machine trained by linfa-svm.
pub static SVM: ModelKind = ModelKind::new::<SvmModel>("svm");
/// A logistic regression trained by linfa-logistic.
pub static LOGISTIC: ModelKind = ModelKind::new::<Logistic>("logistic");
/// A conditional random field.
pub static CRF: ModelKind = ModelKind::new::<Crf>("crf");
/// Neural networks.
pub static NETWORK: ModelKind = ModelKind::new::<Network>("network");
/// A weighted sum of models.
pub static BLEND: ModelKind = ModelKind::new::<Blend>("blend");
/// A constant score.
pub static MAJORITY: ModelKind = ModelKind::new::<Majority>("majority");

/// Model kinds that a program can read: those of this crate, and those that the program adds.
#[derive(Debug, Clone)]
pub struct Kinds(Vec<&'static ModelKind>);

impl Default for Kinds {
    fn default() -> Self {
        Kinds(KINDS.to_vec())
    }
}

impl Kinds {
    /// Adds model kinds. A kind whose name is already known is skipped.
    #[must_use]
    pub fn with(mut self, more: impl IntoIterator<Item = &'static ModelKind>) -> Self {
        for kind in more {
            if self.0.iter().all(|known| known.name != kind.name) {
                self.0.push(kind);
            }
        }
        self
    }

    /// Reads the output of [`FittedClassifier::to_json`] for a model of the kind `name`.
    ///
    /// # Errors
    /// If the kind is unknown, or the data do not describe a model of `num_columns` columns.
    pub fn load(&self, name: &str, data: &Value, num_columns: usize) -> Result<Box<dyn FittedClassifier>> {
        let kind = self.0.iter().find(|kind| kind.name == name);
        let kind = kind.ok_or_else(|| Error::model(format!("unknown classifier `{name}`")))?;
        kind.load(data, num_columns)
    }
}

/// Reads the output of [`FittedClassifier::to_json`] for a model of the kind `name`, which must be a kind of
/// this crate.
///
/// # Errors
/// If the kind is unknown, or the data do not describe a model of `num_columns` columns.
pub fn load(name: &str, data: &Value, num_columns: usize) -> Result<Box<dyn FittedClassifier>> {
    Kinds::default().load(name, data, num_columns)
}

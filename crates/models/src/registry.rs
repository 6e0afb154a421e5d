//! The kinds of models that a program can read.

use crate::boosting::gbt::Boosted;
use crate::linear::logistic::Logistic;
use crate::linear::svm::SvmModel;
use crate::linear::svm_rff::RffModel;
use crate::majority::Majority;
use crate::network::classifier::Network;
use crate::sequence::crf_model::Crf;
use crate::trees::forest::Forest;
use crate::trees::tree_model::TreeModel;
use crate::{FittedClassifier, blend::Blend, from_json};
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::fmt;
use threshr_core::{Error, Result};

/// A kind of model: its name in model files, and how a model is read.
pub struct ModelKind {
    /// The name in model files.
    pub name: &'static str,
    /// Reads the output of [`FittedClassifier::to_json`] and validates it for a number of columns. The name is for
    /// errors.
    pub read: fn(&str, &Value, usize) -> Result<Box<dyn FittedClassifier>>,
}

/// A model that consists of the data in its model file.
pub trait Stored: FittedClassifier + Sized + 'static {
    /// The model file.
    type Data: DeserializeOwned;

    /// Validates the data of a model of `num_columns` columns.
    ///
    /// # Errors
    /// The first invalid length, index or number.
    fn new(data: Self::Data, num_columns: usize) -> Result<Self>;
}

impl ModelKind {
    /// Models that are stored as `M` is.
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

/// Every kind of model. Those of linfa's classifiers are among them: this crate evaluates them without linfa.
pub static KINDS: &[&ModelKind] =
    &[&TREE, &LINFA_TREE, &GBT, &FOREST, &SVM_RFF, &SVM, &LOGISTIC, &CRF, &NETWORK, &BLEND, &MAJORITY];

/// A decision tree.
pub static TREE: ModelKind = ModelKind::new::<TreeModel>("tree");
/// A decision tree that linfa-trees trains.
pub static LINFA_TREE: ModelKind = ModelKind::new::<TreeModel>("linfa-tree");
/// Boosted trees.
pub static GBT: ModelKind = ModelKind::new::<Boosted>("gbt");
/// A random forest.
pub static FOREST: ModelKind = ModelKind::new::<Forest>("forest");
/// A support vector machine over random Fourier features.
pub static SVM_RFF: ModelKind = ModelKind::new::<RffModel>("svm-rff");
/// A support vector machine that linfa-svm trains.
pub static SVM: ModelKind = ModelKind::new::<SvmModel>("svm");
/// A logistic regression that linfa-logistic trains.
pub static LOGISTIC: ModelKind = ModelKind::new::<Logistic>("logistic");
/// A conditional random field.
pub static CRF: ModelKind = ModelKind::new::<Crf>("crf");
/// Neural networks.
pub static NETWORK: ModelKind = ModelKind::new::<Network>("network");
/// A blend of models.
pub static BLEND: ModelKind = ModelKind::new::<Blend>("blend");
/// A constant.
pub static MAJORITY: ModelKind = ModelKind::new::<Majority>("majority");

/// Reads the output of [`FittedClassifier::to_json`] for a model of the kind `name`.
///
/// # Errors
/// If the kind is unknown, or the data do not describe a model of `num_columns` columns.
pub fn load(name: &str, data: &Value, num_columns: usize) -> Result<Box<dyn FittedClassifier>> {
    let kind = KINDS.iter().find(|kind| kind.name == name);
    let kind = kind.ok_or_else(|| Error::model(format!("unknown classifier `{name}`")))?;
    kind.load(data, num_columns)
}

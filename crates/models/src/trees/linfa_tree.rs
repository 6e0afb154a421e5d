//! The fitted model of `linfa-tree`, which `threshr-baselines` trains with linfa-trees.

use crate::FittedClassifier;
use crate::trees::tree_model::TreeModel;
use serde_json::Value;
use threshr_core::Result;

/// The classifier's name.
pub const NAME: &str = "linfa-tree";

/// Reads the output of [`FittedClassifier::to_json`].
///
/// # Errors
/// If the data are invalid.
pub fn load(value: &Value, num_columns: usize) -> Result<Box<dyn FittedClassifier>> {
    TreeModel::load(NAME, value, num_columns)
}

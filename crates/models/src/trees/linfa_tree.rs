//! The fitted model of `linfa-tree`; `threshr-baselines` trains it by linfa-trees.

use crate::FittedClassifier;
use crate::trees::tree_model::TreeModel;
use serde_json::Value;
use threshr_core::Result;

/// The classifier's name.
pub const NAME: &str = "linfa-tree";

/// Reads what [`FittedClassifier::to_json`] wrote.
///
/// # Errors
/// Where the data are damaged.
pub fn load(value: &Value, num_columns: usize) -> Result<Box<dyn FittedClassifier>> {
    TreeModel::load(NAME, value, num_columns)
}

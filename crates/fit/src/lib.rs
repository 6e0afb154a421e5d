//! Classifiers: fit a model to training rows.
//!
//! A [`Classifier`] is an algorithm with default settings. Each one is defined in its own file and listed in
//! [`CLASSIFIERS`]. Fitting returns a boxed [`FittedClassifier`](threshr_models::FittedClassifier), which
//! `threshr-models` stores, loads and evaluates. To add a classifier from another crate, implement [`Settings`]
//! and call [`Classifiers::with`].
//!
//! ```
//! use ndarray::array;
//! use serde_json::json;
//! use threshr_core::Budget;
//! use threshr_fit::{Classifiers, TrainingSet};
//! use threshr_models::decide;
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
mod classifier;
pub mod linear;
mod majority;
mod network;
mod registry;
mod rows;
pub mod sampling;
mod sequence;
mod simd;
mod stored_rows;
mod training_rows;
mod training_set;
pub mod trees;

pub use classifier::{Classifier, Fit, FitGroup, Ranges, Settings, check_range, settings};
pub use registry::Classifiers;
pub use stored_rows::StoredRows;
pub use training_rows::{RowView, TrainingRows};
pub use training_set::TrainingSet;

/// The classifiers that this crate trains, in the order of help texts and tables.
pub static CLASSIFIERS: &[&Classifier] = &[
    &trees::tree::CLASSIFIER,
    &boosting::gbt::CLASSIFIER,
    &linear::svm_rff::CLASSIFIER,
    &sequence::crf::CLASSIFIER,
    &network::classifier::CLASSIFIER,
    &blend::CLASSIFIER,
    &majority::CLASSIFIER,
];

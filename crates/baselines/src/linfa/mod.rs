//! Classifiers that linfa trains. `threshr-models` loads the trained models and computes their predictions.

pub(crate) mod logistic;
pub(crate) mod svm;
pub(crate) mod tree;

//! Classifiers that linfa trains; `threshr-models` loads and runs what they learn.

pub(crate) mod logistic;
pub(crate) mod svm;
pub(crate) mod tree;

//! Linear models, support vector machines and column scaling.

pub mod fourier;
pub mod linear_model;
pub mod logistic;
pub mod scaling;
pub mod softmax;
pub mod svm;
pub mod svm_kernel;
pub mod svm_rff;

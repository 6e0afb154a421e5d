//! Linear models, support vector machines, and scaling of columns.

pub(crate) mod dual_descent;
pub(crate) mod fourier;
pub mod linear_model;
pub mod logistic;
pub mod scaling;
pub mod softmax;
pub mod svm;
pub mod svm_kernel;
pub(crate) mod svm_rff;

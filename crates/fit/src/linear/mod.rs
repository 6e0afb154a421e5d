//! Fitting of linear models, support vector machines and column scaling.

pub(crate) mod dual_descent;
pub(crate) mod fourier;
pub mod scaling;
pub mod softmax;
pub(crate) mod svm_rff;

//! Fitting of linear models and support vector machines, and of the scaling of columns.

pub(crate) mod dual_descent;
pub(crate) mod fourier;
pub mod kernel_width;
pub mod scaling;
pub mod softmax;
pub(crate) mod svm_rff;

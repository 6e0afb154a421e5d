//! Fitting of decision trees.

pub(crate) mod binning;
pub(crate) mod cart;
pub(crate) mod histogram;
pub(crate) mod leafwise;
mod refill;
pub mod tree;

pub use refill::refill;

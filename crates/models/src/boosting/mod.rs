//! Gradient boosting.

pub mod gbt;

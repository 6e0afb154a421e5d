//! Gradient boosting.

pub(crate) mod gbt;
pub(crate) mod rounds;

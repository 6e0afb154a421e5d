//! Fitting of sequence models, and an optimiser (L-BFGS) that other models use too.

pub(crate) mod crf;
pub(crate) mod crf_fit;
pub(crate) mod lbfgs;

//! Fitting of models of sequences, and the minimisation that they share with other models.

pub(crate) mod crf;
pub(crate) mod crf_fit;
pub(crate) mod lbfgs;

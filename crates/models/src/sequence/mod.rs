//! Models of sequences of blocks: a conditional random field.

pub(crate) mod crf;
pub(crate) mod crf_chain;
pub(crate) mod crf_fit;
pub(crate) mod crf_model;
pub(crate) mod lbfgs;

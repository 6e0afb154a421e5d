//! Models that label the blocks of a page as a sequence.

pub mod crf_chain;
pub mod crf_model;

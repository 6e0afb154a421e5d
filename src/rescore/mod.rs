//! Scores of a first pass → columns for a second: what a block's neighbours, group and page came to.
//!
//! A [`Structure`] holds what these columns need of a page, small enough to keep for every training page;
//! [`fill`] makes [`COLUMNS`] of it and the scores. Stacking after Wolpert 1992 (the first pass must score pages that it
//! was not trained on) and, for sequences, Cohen & Carvalho, IJCAI 2005.

mod columns;
mod structure;

pub use columns::{COLUMNS, fill};
pub use structure::{NUM_LEVELS, Structure};

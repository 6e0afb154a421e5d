//! The systems of the CleanEval 2007 competition.

pub(crate) mod fiasco;
pub(crate) mod genieknows;
pub(crate) mod html_cleaner;
pub(crate) mod kimatu;
pub(crate) mod stupidos;
pub(crate) mod wcc_baseline;
pub(crate) mod wcc_genetic;
pub(crate) mod wcc_heuristic;
pub(crate) mod wcc_lm;
pub(crate) mod wcc_tree;

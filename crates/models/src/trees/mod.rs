//! Decision trees, and what tree ensembles share.

pub(crate) mod binning;
pub(crate) mod bit_scorer;
pub(crate) mod cart;
pub(crate) mod ensemble;
pub mod flat_tree;
pub(crate) mod forest;
pub(crate) mod histogram;
pub(crate) mod leafwise;
pub mod linfa_tree;
pub(crate) mod shapley;
pub mod tree;
pub mod tree_model;
pub(crate) mod tree_view;

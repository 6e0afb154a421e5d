//! Decision trees, and what tree ensembles share.

pub(crate) mod bit_scorer;
pub mod ensemble;
pub mod flat_tree;
pub mod forest;
pub(crate) mod shapley;
pub mod tree_model;
pub(crate) mod tree_view;

pub use tree_view::MAX_DEPTH;

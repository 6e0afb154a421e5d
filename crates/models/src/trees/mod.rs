//! Decision trees, and code shared by tree ensembles.

pub(crate) mod bit_scorer;
pub mod ensemble;
pub mod flat_tree;
pub(crate) mod shapley;
pub mod tree_model;
pub(crate) mod tree_view;

pub use tree_view::MAX_DEPTH;

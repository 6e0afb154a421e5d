//! Training of feed-forward neural networks.

pub(crate) mod classifier;
pub(crate) mod fit;
pub(crate) mod outer;
pub(crate) mod softsign_scaler;

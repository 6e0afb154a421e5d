//! Feed-forward neural networks.

pub mod classifier;
pub mod matmul;
pub mod net;
pub mod softsign_scaler;
pub(crate) mod sparse_layer;

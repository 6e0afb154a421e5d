//! Feed-forward neural networks.

pub(crate) mod classifier;
pub(crate) mod fit;
pub(crate) mod matmul;
pub(crate) mod net;
pub(crate) mod softsign_scaler;
pub(crate) mod sparse_layer;

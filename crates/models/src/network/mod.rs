//! A feed-forward network.

pub(crate) mod classifier;
pub(crate) mod matmul;
pub(crate) mod network_fit;
pub(crate) mod network_net;
pub(crate) mod softsign_scaler;
pub(crate) mod sparse_layer;

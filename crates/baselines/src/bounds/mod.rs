//! Bounds: a lower bound that keeps every block, and an oracle that knows the gold labels.

pub(crate) mod keep_everything;
pub(crate) mod oracle;

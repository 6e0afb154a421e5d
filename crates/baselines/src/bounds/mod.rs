//! Bounds: the floor that keeps everything, and the oracle that knows the gold labels.

pub(crate) mod keep_everything;
pub(crate) mod oracle;

//! Bounds: what keeping everything and what the gold itself reach.

pub(crate) mod keep_everything;
pub(crate) mod oracle;

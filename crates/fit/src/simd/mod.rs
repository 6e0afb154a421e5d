//! Memory layouts for vector code.

pub(crate) mod byte_transpose;

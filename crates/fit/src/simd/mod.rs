//! Memory layouts for SIMD code.

pub(crate) mod byte_transpose;

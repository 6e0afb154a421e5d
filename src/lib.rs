//! threshr
pub mod block;
//pub mod classifier;
pub mod error;
pub mod features;
pub mod page;
pub mod text;
pub use error::{Error, ErrorKind, Result};

/// Bytes as lower-case hexadecimal digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}

//! threshr
pub mod atomic;
pub mod block;
pub mod classifier;
#[cfg(feature = "cli")]
pub mod cli;
pub mod crawl;
pub mod error;
pub mod experiment;
pub mod features;
pub mod filter;
pub mod gold;
pub mod metrics;
pub mod model_file;
pub mod output;
pub mod page;
pub mod pipeline;
pub mod progress;
pub mod systems;
pub mod text;
pub use error::{Error, ErrorKind, Result};

/// Bytes as lower-case hexadecimal digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}

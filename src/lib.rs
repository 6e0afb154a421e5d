//! threshr
pub mod block;
pub mod error;
pub mod page;
pub use error::{Error, ErrorKind, Result};

//! What every crate of threshr shares: errors, time budgets, progress, registries and content policies.

pub mod budget;
mod error;
pub mod policy;
pub mod progress;
pub mod registry;

pub use budget::Budget;
pub use error::{Error, ErrorKind, Place, Result};

/// Bytes as lower-case hexadecimal digits.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}

/// Runs `work` on a page; a panic in it becomes an error of that page alone.
///
/// # Errors
/// Those of `work`, and one for a panic.
pub fn guard<T>(page: &str, work: impl FnOnce() -> Result<T>) -> Result<T> {
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(work))
        .unwrap_or_else(|_| Err(Error::data("an internal error; please report this page")))
        .map_err(|e| e.at_page(page))
}

//! What all crates of threshr share: errors, time budgets, progress reports, registries and content policies.
//!
//! - [`Error`] is the one error type. Callers match on its [`ErrorKind`]; its text says where and what was
//!   expected.
//! - [`Budget`] limits the CPU time and memory of one page. Every stage receives it and returns [`ErrorKind::Timeout`] or
//!   [`ErrorKind::TooLarge`].
//! - [`policy::Policy`] says which kinds of text count as content.
//! - [`site_of`] says to which site an address belongs.
//! - [`progress::Progress`] receives reports on long work. [`stop::Stop`] ends it.
//!
//! ```
//! use std::time::Duration;
//! use threshr_core::policy::Policy;
//! use threshr_core::{Budget, Error, ErrorKind};
//!
//! // a named policy with overrides
//! assert_eq!(Policy::parse("main+comments")?.name(), "main+comments");
//!
//! // errors have a kind to match on, and a text with place and expectation
//! let error = Policy::parse("best").unwrap_err();
//! assert_eq!(error.kind, ErrorKind::Recipe);
//! assert!(error.to_string().starts_with("there is no policy `best`; expected main, article, full"));
//!
//! // a budget ends work that takes too long
//! let budget = Budget::start(Some(Duration::from_millis(5)))?;
//! let error = loop {
//!     if let Err(error) = budget.check() {
//!         break error;
//!     }
//! };
//! assert_eq!(error.kind, ErrorKind::Timeout);
//! # Ok::<(), Error>(())
//! ```

pub mod budget;
mod error;
mod paragraph_class;
pub mod policy;
pub mod progress;
pub mod registry;
pub mod simd_u128;
mod site;
pub mod stop;

pub use budget::Budget;
pub use error::{Error, ErrorKind, Place, Result};
pub use paragraph_class::ParagraphClass;
pub use site::site_of;

/// Writes bytes as lower-case hexadecimal digits.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}

/// Runs `work` on one page and turns a panic into an error of that page. `page` is the id of the page, for
/// errors.
///
/// # Errors
/// Errors of `work`, and an error of kind [`ErrorKind::Data`] after a panic.
pub fn guard<T>(page: &str, work: impl FnOnce() -> Result<T>) -> Result<T> {
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(work))
        .unwrap_or_else(|_| Err(Error::data("an internal error; please report this page")))
        .map_err(|e| e.at_page(page))
}

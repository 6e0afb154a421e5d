//! Code that all threshr crates share: errors, time budgets, progress reports, registries and content policies.
//!
//! - [`Error`] is the only error type. Callers match on its [`ErrorKind`]. Its text contains the location and the
//!   expected value.
//! - [`Budget`] limits the CPU time and memory of one page. Every stage receives the budget and returns
//!   [`ErrorKind::Timeout`] or [`ErrorKind::TooLarge`] if a limit is exceeded.
//! - [`policy::Policy`] defines which kinds of text count as content.
//! - [`site_of`] returns the site of a URL.
//! - [`lcs`] aligns two token sequences.
//! - [`progress::Progress`] receives progress reports of long-running work. [`stop::Stop`] cancels such work.
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
//! assert_eq!(error.kind, ErrorKind::InvalidOption);
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
pub mod lcs;
mod paragraph_class;
pub mod policy;
pub mod progress;
pub mod registry;
mod setting;
pub mod simd_u128;
pub mod stop;

pub use budget::{Budget, Limits};
pub use error::{Error, ErrorKind, Place, Result};
pub use paragraph_class::ParagraphClass;
pub use setting::Setting;
pub use threshr_site::site_of;

/// Returns `bytes` as lower-case hexadecimal digits.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}

/// Runs `work` on one page and converts a panic into an error for this page. `page` is the page id in errors; an
/// empty string means that the page has no id.
///
/// # Errors
/// Returns errors of `work`, and an error of kind [`ErrorKind::Data`] after a panic.
pub fn guard<T>(page: &str, work: impl FnOnce() -> Result<T>) -> Result<T> {
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(work))
        .unwrap_or_else(|_| Err(Error::data("an internal error; please report this page")))
        .map_err(|e| if page.is_empty() { e } else { e.at_page(page) })
}

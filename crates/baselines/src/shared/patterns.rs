//! Regular expressions from options and model files. All of them run in linear time.

use regex::{Regex, RegexBuilder, RegexSet, RegexSetBuilder};
use threshr_core::{Error, Result};

/// Maximum size of a compiled expression, in bytes.
const MAX_BYTES: usize = 1 << 20;

/// Compiles the expressions of `option`.
///
/// # Errors
/// An invalid expression, or expressions that are too large together.
pub(crate) fn set(option: &str, expressions: &[String]) -> Result<RegexSet> {
    let limit = MAX_BYTES.saturating_mul(expressions.len() + 1);
    RegexSetBuilder::new(expressions).size_limit(limit).build().map_err(|e| {
        Error::recipe(format!("`{option}` has an invalid regular expression: {e}"))
            .expected("a list of regular expressions")
    })
}

/// Compiles one expression. Its size limit ensures that a [`set`] can hold it.
pub(crate) fn one(expression: &str) -> Result<Regex, regex::Error> {
    RegexBuilder::new(expression).size_limit(MAX_BYTES).build()
}

//! Compiles regular expressions from options and model files. All of them match in linear time.

use regex::{Regex, RegexBuilder, RegexSet, RegexSetBuilder};
use threshr_core::{Error, Result};

/// Maximum number of bytes of a compiled expression.
const MAX_BYTES: usize = 1 << 20;

/// Compiles the expressions of `option`.
///
/// # Errors
/// If an expression is invalid, or the expressions together are too large.
pub(crate) fn set(option: &str, expressions: &[String]) -> Result<RegexSet> {
    let limit = MAX_BYTES.saturating_mul(expressions.len() + 1);
    RegexSetBuilder::new(expressions).size_limit(limit).build().map_err(|e| {
        Error::invalid_option(format!("`{option}` has an invalid regular expression: {e}"))
            .expected("a list of regular expressions")
    })
}

/// Compiles one expression. Its size limit ensures that it fits in a [`set`].
pub(crate) fn one(expression: &str) -> Result<Regex, regex::Error> {
    RegexBuilder::new(expression).size_limit(MAX_BYTES).build()
}

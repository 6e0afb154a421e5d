//! Regular expressions from options and model files, in linear time whatever they are.

use regex::{Regex, RegexBuilder, RegexSet, RegexSetBuilder};
use threshr_core::{Error, Result};

/// Most bytes of a compiled expression.
const MOST_BYTES: usize = 1 << 20;

/// Compiles the expressions of `option`.
///
/// # Errors
/// Where one is none, or they are too large together.
pub(crate) fn set(option: &str, expressions: &[String]) -> Result<RegexSet> {
    let limit = MOST_BYTES.saturating_mul(expressions.len() + 1);
    RegexSetBuilder::new(expressions).size_limit(limit).build().map_err(|e| {
        Error::recipe(format!("`{option}` cannot be used: {e}")).expected("a list of regular expressions")
    })
}

/// Compiles one expression, small enough for a [`set`].
pub(crate) fn one(expression: &str) -> Result<Regex, regex::Error> {
    RegexBuilder::new(expression).size_limit(MOST_BYTES).build()
}

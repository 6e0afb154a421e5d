//! Checks the ranges of system options.

use std::ops::RangeInclusive;
use threshr_core::{Error, Result};

/// Checks the value of a numeric option. `option` is its name, such as `SYSTEM.OPTION`.
///
/// # Errors
/// If the value is outside the range.
pub(crate) fn check(option: &str, value: f64, range: RangeInclusive<f64>) -> Result<()> {
    if range.contains(&value) {
        return Ok(());
    }
    let (low, high) = range.into_inner();
    Err(Error::invalid_option(format!("`{option}` is {value}")).expected(format!("{low} to {high}")))
}

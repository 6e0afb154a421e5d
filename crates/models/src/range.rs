//! Range checks of numeric settings.

use threshr_core::{Error, Result};

/// Checks the settings of the classifier with this name.
pub struct Range(pub &'static str);

impl Range {
    /// Checks `low <= value <= high`.
    ///
    /// # Errors
    /// If the value is out of range; names the setting and the range.
    pub fn check(&self, setting: &str, value: f64, low: f64, high: f64) -> Result<()> {
        if (low..=high).contains(&value) {
            return Ok(());
        }
        Err(Error::recipe(format!("`{setting}` of classifier `{}` is {value}", self.0))
            .expected(format!("a number in {low}..={high}")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_the_setting_and_its_range() {
        let e = Range("tree").check("max_depth", f64::NAN, 1.0, 64.0).unwrap_err();
        assert_eq!(e.to_string(), "`max_depth` of classifier `tree` is NaN; expected a number in 1..=64");
        assert!(Range("tree").check("max_depth", 64.0, 1.0, 64.0).is_ok());
    }
}

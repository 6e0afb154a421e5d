//! Look-up of registry entries by name.

use crate::{Error, Result};

/// Returns the entry of `registry` called `name`. Error messages use `kind` as the noun for an entry.
///
/// # Errors
/// If no entry has this name. The error contains all names.
pub fn find<T>(
    registry: &[&'static T],
    kind: &str,
    name: &str,
    name_of: fn(&T) -> &'static str,
) -> Result<&'static T> {
    registry.iter().copied().find(|entry| name_of(entry) == name).ok_or_else(|| {
        let names: Vec<_> = registry.iter().map(|entry| name_of(entry)).collect();
        Error::invalid_option(format!("there is no {kind} `{name}`"))
            .expected(format!("one of {}", names.join(", ")))
    })
}

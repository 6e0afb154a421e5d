//! Look-up of registry entries by name.

use crate::{Error, Result};

/// Finds the entry of `registry` with the name `name`; `kind` says in errors what the entries are.
///
/// # Errors
/// If no entry has this name. The error lists all names.
pub fn find<T>(
    registry: &[&'static T],
    kind: &str,
    name: &str,
    name_of: fn(&T) -> &'static str,
) -> Result<&'static T> {
    registry.iter().copied().find(|entry| name_of(entry) == name).ok_or_else(|| {
        let names: Vec<_> = registry.iter().map(|entry| name_of(entry)).collect();
        Error::recipe(format!("there is no {kind} `{name}`")).expected(format!("one of {}", names.join(", ")))
    })
}

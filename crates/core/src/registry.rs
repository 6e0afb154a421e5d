//! Looking things up by name in the registries.

use crate::{Error, Result};

/// The entry of `registry` called `name`.
///
/// # Errors
/// Names the kind of thing and lists the names there are.
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

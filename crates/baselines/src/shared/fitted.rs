//! Converts the trained data of systems to and from JSON.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use threshr_core::{Error, Result};

/// Converts the trained data of a system to JSON.
///
/// # Errors
/// If a value cannot be represented in JSON.
pub(crate) fn write<T: Serialize>(system: &str, learned: &T) -> Result<Value> {
    serde_json::to_value(learned).map_err(|e| {
        Error::model(format!("the trained data of system `{system}` cannot be written")).because(e)
    })
}

/// Converts the output of [`write`] back to trained data.
///
/// # Errors
/// If the data are invalid.
pub(crate) fn read<T: DeserializeOwned>(system: &str, data: &Value) -> Result<T> {
    T::deserialize(data)
        .map_err(|e| Error::model(format!("the trained data of system `{system}` cannot be read: {e}")))
}

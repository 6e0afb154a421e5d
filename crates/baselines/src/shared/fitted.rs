//! Trained data of systems as JSON.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use threshr_core::{Error, Result};

/// Converts the trained data of a system to JSON.
///
/// # Errors
/// A number is not finite.
pub(crate) fn write<T: Serialize>(system: &str, learned: &T) -> Result<Value> {
    serde_json::to_value(learned).map_err(|e| {
        Error::model(format!("the trained data of system `{system}` cannot be written")).because(e)
    })
}

/// Reads the output of [`write`].
///
/// # Errors
/// The data are damaged.
pub(crate) fn read<T: DeserializeOwned>(system: &str, data: &Value) -> Result<T> {
    T::deserialize(data)
        .map_err(|e| Error::model(format!("the trained data of system `{system}` cannot be read: {e}")))
}

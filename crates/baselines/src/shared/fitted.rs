//! What trained systems learned, as JSON and back.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use threshr_core::{Error, Result};

/// What a system learned, to be saved.
///
/// # Errors
/// Where a number is not finite.
pub(crate) fn write<T: Serialize>(system: &str, learned: &T) -> Result<Value> {
    serde_json::to_value(learned)
        .map_err(|e| Error::model(format!("what `{system}` learned cannot be written")).because(e))
}

/// Reads what [`write`] gave.
///
/// # Errors
/// Where it is damaged.
pub(crate) fn read<T: DeserializeOwned>(system: &str, data: &Value) -> Result<T> {
    T::deserialize(data)
        .map_err(|e| Error::model(format!("the data of system `{system}` cannot be read: {e}")))
}

//! Options of systems, with documentation, published defaults and type checks.

use crate::baseline::System;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use threshr_core::{Error, Result};

/// An option of a system.
#[derive(Debug, Clone, Copy)]
pub struct SystemOption {
    /// The name, as in `--system-param NAME.KEY=VALUE`.
    pub name: &'static str,
    /// The published default, as JSON.
    pub default: &'static str,
    /// The meaning and the unit.
    pub help: &'static str,
}

impl SystemOption {
    /// Creates an option with its published default, as JSON.
    pub const fn new(name: &'static str, default: &'static str, help: &'static str) -> Self {
        SystemOption { name, default, help }
    }

    /// Returns the default as a value. A test checks that all defaults are valid JSON.
    pub fn value(&self) -> Value {
        serde_json::from_str(self.default).unwrap_or_default()
    }
}

impl System {
    /// Returns all options with their values. Options that are not given have default values.
    ///
    /// # Errors
    /// For an unknown option, and for a value whose type differs from that of the default. If the default is
    /// `null`, all types are allowed.
    pub fn settings(&self, given: &Value) -> Result<Value> {
        let mut all: Map<String, Value> =
            self.options.iter().map(|o| (o.name.to_owned(), o.value())).collect();
        let given = match given {
            Value::Null => &Map::new(),
            Value::Object(given) => given,
            other => {
                return Err(Error::invalid_option(format!("the options of `{}` are {other}", self.name))
                    .expected("a table of options"));
            }
        };
        for (key, value) in given {
            let Some(slot) = all.get_mut(key) else {
                let names: Vec<&str> = self.options.iter().map(|o| o.name).collect();
                return Err(Error::invalid_option(format!(
                    "the system `{}` has no option `{key}`",
                    self.name
                ))
                .expected(if names.is_empty() {
                    "no options".into()
                } else {
                    format!("one of {}", names.join(", "))
                }));
            };
            if !slot.is_null() && type_name(slot) != type_name(value) {
                return Err(Error::invalid_option(format!("`{}.{key}` is {value}", self.name))
                    .expected(format!("{} such as {slot}", type_name(slot))));
            }
            *slot = value.clone();
        }
        Ok(Value::Object(all))
    }
}

fn type_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "nothing",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "a table",
    }
}

/// Converts complete settings to the settings type of a system.
///
/// # Errors
/// If a value is invalid, such as a negative count.
pub fn read<T: DeserializeOwned>(settings: &Value) -> Result<T> {
    serde_json::from_value(settings.clone())
        .map_err(|e| Error::invalid_option(format!("an option of the system has an invalid value: {e}")))
}

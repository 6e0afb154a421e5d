//! Options of systems: documented, with their published defaults, checked by name and kind.

use crate::baseline::System;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use threshr_core::{Error, Result};

/// An option of a system.
#[derive(Debug, Clone, Copy)]
pub struct SystemOption {
    /// Its name, as in `--system-param NAME.KEY=VALUE`.
    pub name: &'static str,
    /// Its published default, as JSON.
    pub default: &'static str,
    /// What it does, with its unit.
    pub help: &'static str,
}

impl SystemOption {
    /// The default as a value. Every default is JSON; a test checks it.
    pub fn value(&self) -> Value {
        serde_json::from_str(self.default).unwrap_or_default()
    }
}

impl System {
    /// All options with their values: those given, the others' defaults.
    ///
    /// # Errors
    /// For an option that the system does not have, and a value of another kind than the default (a default `null`
    /// takes any).
    pub fn settings(&self, given: &Value) -> Result<Value> {
        let mut all: Map<String, Value> =
            self.options.iter().map(|o| (o.name.to_owned(), o.value())).collect();
        let given = match given {
            Value::Null => &Map::new(),
            Value::Object(given) => given,
            other => {
                return Err(Error::recipe(format!("the options of `{}` are {other}", self.name))
                    .expected("a table of options"));
            }
        };
        for (key, value) in given {
            let Some(slot) = all.get_mut(key) else {
                let names: Vec<&str> = self.options.iter().map(|o| o.name).collect();
                return Err(Error::recipe(format!("the system `{}` has no option `{key}`", self.name))
                    .expected(if names.is_empty() {
                        "none".into()
                    } else {
                        format!("one of {}", names.join(", "))
                    }));
            };
            if !slot.is_null() && kind(slot) != kind(value) {
                return Err(Error::recipe(format!("`{}.{key}` is {value}", self.name))
                    .expected(format!("{} such as {slot}", kind(slot))));
            }
            *slot = value.clone();
        }
        Ok(Value::Object(all))
    }
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "nothing",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "a table",
    }
}

/// Complete settings as a system's own type.
///
/// # Errors
/// Where a value does not fit: a negative count, say.
pub fn read<T: DeserializeOwned>(settings: &Value) -> Result<T> {
    serde_json::from_value(settings.clone())
        .map_err(|e| Error::recipe(format!("an option of the system has a value that does not fit: {e}")))
}

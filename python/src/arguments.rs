//! Conversion of arguments of Python functions. A wrong type or value raises an exception of the package
//! that contains the name of the argument.

use crate::errors::{exception, named_exception};
use pyo3::exceptions::PyOverflowError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};
use std::path::PathBuf;
use threshr_core::Error;

/// An optional argument.
pub(crate) type Given<'a, 'py> = Option<&'a Bound<'py, PyAny>>;

/// Returns the exception for an argument whose type is not `expected`.
pub(crate) fn wrong_type(name: &str, value: &Bound<'_, PyAny>, expected: &str) -> PyErr {
    not_an_argument(value.py(), format!("`{name}` is {}; expected {expected}", type_name(value)))
}

/// Returns the exception for a value of a wrong type.
pub(crate) fn not_an_argument(py: Python<'_>, message: String) -> PyErr {
    named_exception(py, "ArgumentTypeError", message)
}

/// Returns the name of the type of a value.
pub(crate) fn type_name(value: &Bound<'_, PyAny>) -> String {
    value.get_type().name().map(|n| n.to_string()).unwrap_or_default()
}

fn invalid(value: &Bound<'_, PyAny>, name: &str, found: &str, expected: &str) -> PyErr {
    exception(value.py(), &Error::invalid_option(format!("`{name}` {found}")).expected(expected))
}

/// Converts a string.
pub(crate) fn text(name: &str, value: Given<'_, '_>) -> PyResult<Option<String>> {
    let Some(value) = value.filter(|v| !v.is_none()) else { return Ok(None) };
    let Ok(text) = value.cast::<PyString>() else { return Err(wrong_type(name, value, "str")) };
    let utf8 = text.to_cow().map_err(|_| {
        invalid(value, name, "has half of a surrogate pair", "text that can be encoded as UTF-8")
    })?;
    Ok(Some(utf8.into_owned()))
}

/// Converts a sequence of strings.
pub(crate) fn texts(name: &str, value: Given<'_, '_>) -> PyResult<Option<Vec<String>>> {
    let Some(value) = value.filter(|v| !v.is_none()) else { return Ok(None) };
    let expected = "a sequence of str";
    if value.is_instance_of::<PyString>() || value.is_instance_of::<PyBytes>() {
        return Err(wrong_type(name, value, expected));
    }
    let entries = value.try_iter().map_err(|_| wrong_type(name, value, expected))?;
    let entry = |entry: PyResult<Bound<'_, PyAny>>| {
        let entry = entry?;
        let text = text(&format!("an entry of {name}"), Some(&entry))?;
        text.ok_or_else(|| wrong_type(name, &entry, expected))
    };
    entries.map(entry).collect::<PyResult<_>>().map(Some)
}

/// Converts a boolean.
pub(crate) fn flag(name: &str, value: Given<'_, '_>) -> PyResult<Option<bool>> {
    let Some(value) = value.filter(|v| !v.is_none()) else { return Ok(None) };
    value.extract().map(Some).map_err(|_| wrong_type(name, value, "bool"))
}

/// Converts a number.
pub(crate) fn number(name: &str, value: Given<'_, '_>) -> PyResult<Option<f64>> {
    let Some(value) = value.filter(|v| !v.is_none()) else { return Ok(None) };
    match value.extract() {
        Ok(number) => Ok(Some(number)),
        Err(error) if error.is_instance_of::<PyOverflowError>(value.py()) => {
            Err(invalid(value, name, "is too large", "a number"))
        }
        Err(_) => Err(wrong_type(name, value, "a number")),
    }
}

/// Converts a non-negative integer.
pub(crate) fn count(name: &str, value: Given<'_, '_>) -> PyResult<Option<usize>> {
    let Some(value) = value.filter(|v| !v.is_none()) else { return Ok(None) };
    match value.extract() {
        Ok(count) => Ok(Some(count)),
        Err(error) if error.is_instance_of::<PyOverflowError>(value.py()) => {
            Err(invalid(value, name, &format!("is {value}"), "a number from 0"))
        }
        Err(_) => Err(wrong_type(name, value, "int")),
    }
}

/// Converts a path.
pub(crate) fn path(name: &str, value: &Bound<'_, PyAny>) -> PyResult<PathBuf> {
    value.extract().map_err(|_| wrong_type(name, value, "a path"))
}

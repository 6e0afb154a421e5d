//! Conversion of library errors to Python exceptions, which are defined in `threshr/_errors.py`.

use pyo3::prelude::*;
use pyo3::types::PyType;
use threshr_core::{Error, ErrorKind};

/// Converts an error to an exception.
pub(crate) fn exception(py: Python<'_>, error: &Error) -> PyErr {
    let name = match error.kind {
        ErrorKind::Io => "FileError",
        ErrorKind::Data | ErrorKind::Truncated => "DataError",
        ErrorKind::Features => "FeaturesError",
        ErrorKind::Classifier => "ClassifierError",
        ErrorKind::Model => "ModelError",
        ErrorKind::InvalidOption => "OptionError",
        ErrorKind::NotHtml => "NotHtmlError",
        ErrorKind::TooLarge => "TooLargeError",
        ErrorKind::Timeout => "PageTimeoutError",
        _ => "Error",
    };
    named_exception(py, name, error.with_causes())
}

/// Creates the exception `name` of the package.
pub(crate) fn named_exception(py: Python<'_>, name: &str, message: String) -> PyErr {
    let class = py.import("threshr._errors").and_then(|m| m.getattr(name));
    match class.and_then(|c| Ok(c.cast_into::<PyType>()?)) {
        Ok(class) => PyErr::from_type(class, (message,)),
        Err(failure) => failure,
    }
}

/// Returns whether an exception belongs to the package.
pub(crate) fn is_own(py: Python<'_>, raised: &PyErr) -> PyResult<bool> {
    Ok(raised.is_instance(py, &py.import("threshr._errors")?.getattr("Error")?))
}

/// Converts the error of a result to an exception.
pub(crate) trait OrRaise<T> {
    /// Returns the value, or the exception for the error.
    fn or_raise(self, py: Python<'_>) -> PyResult<T>;
}

impl<T> OrRaise<T> for threshr_core::Result<T> {
    fn or_raise(self, py: Python<'_>) -> PyResult<T> {
        self.map_err(|error| exception(py, &error))
    }
}

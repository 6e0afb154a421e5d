//! Errors of the library as Python exceptions, which `threshr/_errors.py` defines.

use pyo3::prelude::*;
use pyo3::types::PyType;
use threshr_core::{Error, ErrorKind};

/// The exception of an error.
pub(crate) fn exception(py: Python<'_>, error: &Error) -> PyErr {
    let name = match error.kind {
        ErrorKind::Io => "FileError",
        ErrorKind::Data => "DataError",
        ErrorKind::Features => "FeaturesError",
        ErrorKind::Classifier => "ClassifierError",
        ErrorKind::Model => "ModelError",
        ErrorKind::Recipe => "OptionError",
        ErrorKind::NotHtml => "NotHtmlError",
        ErrorKind::TooLarge => "TooLargeError",
        ErrorKind::Timeout => "PageTimeoutError",
        _ => "Error",
    };
    named_exception(py, name, error.with_causes())
}

/// The exception `name` of the package.
pub(crate) fn named_exception(py: Python<'_>, name: &str, message: String) -> PyErr {
    let class = py.import("threshr._errors").and_then(|m| m.getattr(name));
    match class.and_then(|c| Ok(c.cast_into::<PyType>()?)) {
        Ok(class) => PyErr::from_type(class, (message,)),
        Err(failure) => failure,
    }
}

/// Whether an exception is one of the package.
pub(crate) fn is_own(py: Python<'_>, raised: &PyErr) -> PyResult<bool> {
    Ok(raised.is_instance(py, &py.import("threshr._errors")?.getattr("Error")?))
}

/// Results whose errors become exceptions.
pub(crate) trait OrRaise<T> {
    /// The value, or the exception of the error.
    fn or_raise(self, py: Python<'_>) -> PyResult<T>;
}

impl<T> OrRaise<T> for threshr_core::Result<T> {
    fn or_raise(self, py: Python<'_>) -> PyResult<T> {
        self.map_err(|error| exception(py, &error))
    }
}

//! Python file objects as streams of bytes.

use pyo3::exceptions::PyException;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use std::io::{self, Read};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

/// An exception that is not an error of the input, such as `KeyboardInterrupt`. The caller raises it.
pub(crate) type Raised = Arc<Mutex<Option<PyErr>>>;

/// Takes the exception that a stream met.
pub(crate) fn take(raised: &Raised) -> PyResult<()> {
    raised.lock().unwrap_or_else(PoisonError::into_inner).take().map_or(Ok(()), Err)
}

/// Stores an exception that is not an error of the input.
pub(crate) fn keep(py: Python<'_>, error: PyErr, raised: &Raised) {
    if !error.is_instance_of::<PyException>(py) {
        *raised.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
    }
}

/// The bytes of a Python object with a method `read`.
pub(crate) struct ObjectStream {
    object: Py<PyAny>,
    /// Number of bytes that were read.
    offset: u64,
    /// The error of an earlier read. Reading does not continue after it.
    failure: Option<String>,
    raised: Raised,
}

impl ObjectStream {
    /// Creates a stream. The exceptions that are not errors are stored in `raised`.
    pub(crate) fn new(object: Bound<'_, PyAny>, raised: Raised) -> Self {
        ObjectStream { object: object.unbind(), offset: 0, failure: None, raised }
    }

    fn read_object(&self, out: &mut [u8]) -> Result<usize, String> {
        Python::attach(|py| {
            let read = self.object.bind(py).call_method1("read", (out.len(),));
            let bytes = read.and_then(|bytes| Ok(bytes.extract::<PyBackedBytes>()?)).map_err(|error| {
                let text = error.to_string();
                keep(py, error, &self.raised);
                text
            })?;
            match out.get_mut(..bytes.len()) {
                Some(start) => start.copy_from_slice(&bytes),
                None => return Err(format!("`read({})` returns {} bytes", out.len(), bytes.len())),
            }
            Ok(bytes.len())
        })
    }
}

impl Read for ObjectStream {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if self.failure.is_none() {
            match self.read_object(out) {
                Ok(num_bytes) => {
                    self.offset += num_bytes as u64;
                    return Ok(num_bytes);
                }
                Err(error) => self.failure = Some(format!("at byte {}: {error}", self.offset)),
            }
        }
        Err(io::Error::other(self.failure.clone().unwrap_or_default()))
    }
}

/// Returns the name and the object of an argument that is not a local path: an object with `read`, or an address such as
/// `s3://bucket/key`, which `threshr._remote` opens.
pub(crate) fn remote<'py>(given: &Bound<'py, PyAny>) -> PyResult<Option<(PathBuf, Bound<'py, PyAny>)>> {
    let py = given.py();
    if given.hasattr("read")? {
        let name = given.getattr("name").ok().and_then(|name| name.extract::<PathBuf>().ok());
        return Ok(Some((name.unwrap_or_else(|| "stream".into()), given.clone())));
    }
    match given.extract::<String>() {
        Ok(address) if address.contains("://") => {
            let object = py.import("threshr._remote")?.getattr("RemoteFile")?.call1((&address,))?;
            Ok(Some((address.into(), object)))
        }
        _ => Ok(None),
    }
}

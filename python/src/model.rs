//! `Model`: a model file in memory.

use crate::Reduced;
use crate::arguments;
use crate::errors::OrRaise;
use crate::settings::ModelSource;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyTuple};
use threshr::registries;
use threshr_core::{Error, Result};
use threshr_extract::model::{Trained, file};

/// A trained model. It can be pickled.
#[pyclass(frozen, module = "threshr")]
pub(crate) struct Model {
    inner: threshr_extract::Model,
    bytes: Vec<u8>,
}

impl Model {
    /// Wraps a model and also keeps its serialized form, the bytes of a model file.
    pub(crate) fn new(inner: threshr_extract::Model) -> Result<Self> {
        let bytes = file::to_bytes(&inner)?;
        Ok(Model { inner, bytes })
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }
    pub(crate) fn inner(&self) -> &threshr_extract::Model {
        &self.inner
    }

    /// Returns a deep copy of the model.
    pub(crate) fn copy(&self) -> Result<threshr_extract::Model> {
        model_of(&self.bytes)
    }

    fn of_bytes(bytes: Vec<u8>) -> Result<Self> {
        Ok(Model { inner: model_of(&bytes)?, bytes })
    }
}

/// Loads a model from the content of a model file.
fn model_of(bytes: &[u8]) -> Result<threshr_extract::Model> {
    file::from_bytes(bytes, &registries().known()).and_then(Trained::into_model)
}

#[pymethods]
impl Model {
    /// Loads a model: a path, the content of a model file as bytes, or the name of a shipped model (`default`, `fast`, `tiny`); the
    /// model `default` if it is None.
    ///
    /// Raises `FileError` if the file cannot be read, and `ModelError` if it is not a valid model.
    #[staticmethod]
    #[pyo3(signature = (source=None))]
    fn load(py: Python<'_>, source: Option<Bound<'_, PyAny>>) -> PyResult<Self> {
        let source = ModelSource::new(source.as_ref())?;
        py.detach(|| match source {
            ModelSource::Shipped(name) => Model::new(threshr::shipped_model(name)?),
            ModelSource::Bytes(bytes) => Model::of_bytes(bytes),
            ModelSource::File(path) => {
                let bytes = std::fs::read(&path)
                    .map_err(|e| threshr::with_shipped_names(Error::io(&path, e), &path))?;
                Model::of_bytes(bytes).map_err(|e| e.at_path(&path))
            }
        })
        .or_raise(py)
    }

    /// Saves the model. The file is written atomically.
    fn save(&self, py: Python<'_>, path: &Bound<'_, PyAny>) -> PyResult<()> {
        let path = arguments::path("path", path)?;
        py.detach(|| threshr::training::save(&self.inner, &path)).or_raise(py)
    }

    /// The content of the model file.
    fn to_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.bytes)
    }

    /// Training data, recipe and the most important columns, as text: the output of `threshr model show`. `columns` is the
    /// number of columns.
    #[pyo3(signature = (*, columns=None), text_signature = "($self, *, columns=20)")]
    fn show(&self, columns: Option<Bound<'_, PyAny>>) -> PyResult<String> {
        let columns = arguments::count("columns", columns.as_ref())?.unwrap_or(20);
        Ok(threshr_cli::describe_model(&self.inner, columns))
    }

    /// The recipe of the model, as TOML.
    #[getter]
    fn recipe(&self) -> String {
        self.inner.recipe().to_toml()
    }

    /// The names of the feature columns that the model reads.
    #[getter]
    fn feature_names(&self) -> Vec<String> {
        self.inner.columns().to_vec()
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> Reduced<'py, Bound<'py, PyTuple>> {
        let load = py.get_type::<Model>().getattr("load")?;
        Ok((load, PyTuple::new(py, [self.to_bytes(py)])?))
    }

    fn __repr__(&self) -> String {
        let summary = self.inner.summary();
        format!(
            "<Model {}: {} columns, trained on {} pages>",
            self.inner.recipe().classifier.name,
            self.inner.columns().len(),
            summary.num_pages
        )
    }
}

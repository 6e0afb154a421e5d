//! Pickled extractions, which contain the written outputs.

use crate::errors::{exception, is_own};
use crate::extraction::{BlockFields, Extraction, Source};
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};
use threshr::{Quality, TypeAndQuality};
use threshr_core::Error;

/// Content of a pickled extraction other than its outputs.
#[derive(FromPyObject)]
pub(crate) struct Pickled {
    #[pyo3(item)]
    pub(crate) blocks: Vec<BlockFields>,
    #[pyo3(item)]
    pub(crate) title: String,
    #[pyo3(item)]
    pub(crate) url: Option<String>,
    #[pyo3(item)]
    pub(crate) defect: Option<String>,
    /// Exceptions of outputs that could not be written, by name.
    #[pyo3(item)]
    failures: Py<PyDict>,
}

impl Pickled {
    /// Returns the exception for an output that is missing.
    pub(crate) fn failure(&self, py: Python<'_>, form: &str) -> PyErr {
        match self.failures.bind(py).get_item(form) {
            Ok(Some(raised)) => PyErr::from_value(raised),
            Ok(None) => exception(py, &Error::data(format!("the pickled extraction has no `{form}`"))),
            Err(error) => error,
        }
    }
}

/// Page types and quality in pickled format.
type PickledLevel = (Vec<(String, f32)>, Option<(f32, f32, f32)>);

/// Restores a pickled extraction.
pub(crate) fn read(py: Python<'_>, state: &Bound<'_, PyDict>) -> PyResult<Extraction> {
    let extraction = Extraction::of(Source::Pickled(state.extract()?));
    for (name, cell) in
        [("text", &extraction.text), ("markdown", &extraction.markdown), ("html", &extraction.html)]
    {
        if let Some(text) = state.get_item(name)? {
            let _ = cell.set(py, text.cast_into::<PyString>()?.unbind());
        }
    }
    for (name, cell) in [
        ("metadata", &extraction.metadata),
        ("posts", &extraction.posts),
        ("comments", &extraction.comments),
        ("units", &extraction.units),
    ] {
        if let Some(value) = state.get_item(name)? {
            let _ = cell.set(py, value.unbind());
        }
    }
    if let Some(language) = state.get_item("language")? {
        let _ = extraction.language.set(py, language.extract()?);
    }
    if let Some(level) = state.get_item("type_and_quality")? {
        let level: Option<PickledLevel> = level.extract()?;
        let level = level.map(|(page_types, quality)| TypeAndQuality {
            page_types,
            quality: quality.map(|(expected, low, high)| Quality { expected, low, high }),
        });
        let _ = extraction.type_and_quality.set(py, level);
    }
    Ok(extraction)
}

/// Returns the outputs of an extraction to be pickled. Writes all outputs that are not cached yet.
pub(crate) fn write<'py>(slf: &Bound<'py, Extraction>) -> PyResult<Bound<'py, PyDict>> {
    let (py, this) = (slf.py(), slf.get());
    let (state, failures) = (PyDict::new(py), PyDict::new(py));
    let level = || {
        let level: Option<PickledLevel> = this
            .type_and_quality(py)?
            .map(|level| (level.page_types.clone(), level.quality.map(|q| (q.expected, q.low, q.high))));
        level.into_bound_py_any(py)
    };
    state.set_item("blocks", this.block_fields())?;
    state.set_item("title", this.title())?;
    state.set_item("url", this.url())?;
    state.set_item("defect", this.defect())?;
    let forms = ["text", "markdown", "html", "metadata", "posts", "comments", "units", "language"];
    let written = forms.iter().map(|&form| (form, slf.getattr(form)));
    for (form, value) in written.chain([("type_and_quality", level())]) {
        match value {
            Ok(value) => state.set_item(form, value)?,
            // If an output exceeds the time limit, its exception is pickled and raised when the output is
            // accessed.
            Err(raised) if is_own(py, &raised)? => failures.set_item(form, raised.value(py))?,
            Err(raised) => return Err(raised),
        }
    }
    state.set_item("failures", failures)?;
    Ok(state)
}

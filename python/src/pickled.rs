//! Pickled extractions: their written forms.

use crate::errors::{exception, is_own};
use crate::extraction::{Extraction, Source};
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};
use threshr::{PageLevel, Quality};
use threshr_core::Error;

/// What a pickled extraction has beside its forms.
#[derive(FromPyObject)]
pub(crate) struct Pickled {
    #[pyo3(item)]
    pub(crate) blocks: Vec<(String, f32, bool)>,
    #[pyo3(item)]
    pub(crate) title: String,
    #[pyo3(item)]
    pub(crate) url: Option<String>,
    /// The exceptions of forms that cannot be written, by name.
    #[pyo3(item)]
    failures: Py<PyDict>,
}

impl Pickled {
    /// The exception of a form that is not there.
    pub(crate) fn failure(&self, py: Python<'_>, form: &str) -> PyErr {
        match self.failures.bind(py).get_item(form) {
            Ok(Some(raised)) => PyErr::from_value(raised),
            Ok(None) => exception(py, &Error::data(format!("the pickled extraction has no `{form}`"))),
            Err(error) => error,
        }
    }
}

/// Type and quality of a page, as they are pickled.
type PickledLevel = (Vec<(String, f32)>, Option<(f32, f32, f32)>);

/// The extraction that was pickled.
pub(crate) fn read(py: Python<'_>, state: &Bound<'_, PyDict>) -> PyResult<Extraction> {
    let extraction = Extraction::of(Source::Pickled(state.extract()?));
    for (name, cell) in
        [("text", &extraction.text), ("markdown", &extraction.markdown), ("html", &extraction.html)]
    {
        if let Some(text) = state.get_item(name)? {
            let _ = cell.set(py, text.cast_into::<PyString>()?.unbind());
        }
    }
    for (name, cell) in
        [("metadata", &extraction.metadata), ("comments", &extraction.comments), ("units", &extraction.units)]
    {
        if let Some(value) = state.get_item(name)? {
            let _ = cell.set(py, value.unbind());
        }
    }
    if let Some(language) = state.get_item("language")? {
        let _ = extraction.language.set(py, language.extract()?);
    }
    if let Some(level) = state.get_item("page_level")? {
        let level: Option<PickledLevel> = level.extract()?;
        let level = level.map(|(page_types, quality)| PageLevel {
            page_types,
            quality: quality.map(|(expected, low, high)| Quality { expected, low, high }),
        });
        let _ = extraction.page_level.set(py, level);
    }
    Ok(extraction)
}

/// The forms of an extraction. Those that are not there yet are written.
pub(crate) fn write<'py>(slf: &Bound<'py, Extraction>) -> PyResult<Bound<'py, PyDict>> {
    let (py, this) = (slf.py(), slf.get());
    let (state, failures) = (PyDict::new(py), PyDict::new(py));
    let level = || {
        let level: Option<PickledLevel> = this
            .page_level(py)?
            .map(|level| (level.page_types.clone(), level.quality.map(|q| (q.expected, q.low, q.high))));
        level.into_bound_py_any(py)
    };
    state.set_item(
        "blocks",
        this.blocks().into_iter().map(|b| (b.text, b.score, b.is_content)).collect::<Vec<_>>(),
    )?;
    state.set_item("title", this.title())?;
    state.set_item("url", this.url())?;
    let forms = ["text", "markdown", "html", "metadata", "comments", "units", "language"];
    let written = forms.iter().map(|&form| (form, slf.getattr(form)));
    for (form, value) in written.chain([("page_level", level())]) {
        match value {
            Ok(value) => state.set_item(form, value)?,
            // a form that is not written in time fails where it is read, as here
            Err(raised) if is_own(py, &raised)? => failures.set_item(form, raised.value(py))?,
            Err(raised) => return Err(raised),
        }
    }
    state.set_item("failures", failures)?;
    Ok(state)
}

//! `Extraction`: the content of a page. Each form is written at the first access and kept. A pickled extraction is its
//! written forms, so that another process needs neither the page nor the model.

use crate::Reduced;
use crate::errors::OrRaise;
use crate::pickled::{self, Pickled};
use crate::settings::Limits;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyString};
use std::sync::{Arc, OnceLock};
use threshr::PageLevel;
use threshr_core::{Error, Result, guard};
use threshr_extract::Extractor;
use threshr_output::formats::{PageOutput, WriteOptions, comments_json, html, units_json};
use threshr_page::language::language;

/// A block of text of a page.
#[pyclass(frozen, module = "threshr")]
pub(crate) struct Block {
    /// The text of the block.
    #[pyo3(get)]
    pub(crate) text: String,
    /// Its score, from 0 to 1: the estimated probability that it is content.
    #[pyo3(get)]
    pub(crate) score: f32,
    /// Whether it is content.
    #[pyo3(get)]
    pub(crate) is_content: bool,
}

#[pymethods]
impl Block {
    #[staticmethod]
    fn _of(text: String, score: f32, is_content: bool) -> Self {
        Block { text, score, is_content }
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> Reduced<'py, (&str, f32, bool)> {
        Ok((py.get_type::<Block>().getattr("_of")?, (&self.text, self.score, self.is_content)))
    }

    fn __repr__(&self) -> String {
        let start: String = self.text.chars().take(40).collect();
        let label = if self.is_content { "content" } else { "boilerplate" };
        format!("<Block {label} {:.2} {start:?}>", self.score)
    }
}

/// The content of a page. Text, Markdown and the other forms are written at the first access and kept.
///
/// It can be pickled, with all its forms: a pool of processes gives extractions back. That writes each form, so a worker that
/// returns only what is needed, such as `extraction.text`, is faster.
#[pyclass(frozen, module = "threshr")]
pub(crate) struct Extraction {
    source: Source,
    pub(crate) page_level: PyOnceLock<Option<PageLevel>>,
    pub(crate) text: PyOnceLock<Py<PyString>>,
    pub(crate) markdown: PyOnceLock<Py<PyString>>,
    pub(crate) html: PyOnceLock<Py<PyString>>,
    pub(crate) metadata: PyOnceLock<Py<PyAny>>,
    pub(crate) comments: PyOnceLock<Py<PyAny>>,
    pub(crate) units: PyOnceLock<Py<PyAny>>,
    pub(crate) language: PyOnceLock<Option<String>>,
}

/// Where forms come from.
pub(crate) enum Source {
    Page(Box<Page>),
    /// All forms are there, but for those that failed.
    Pickled(Pickled),
}

/// An extracted page, whose forms are not written yet.
pub(crate) struct Page {
    inner: threshr_extract::Extraction,
    extractor: Arc<Extractor>,
    given_url: Option<String>,
    url: OnceLock<Option<String>>,
    write: WriteOptions,
    limits: Limits,
}

impl Page {
    /// The address that was given, else the one that the page states.
    fn address(&self) -> Option<&str> {
        let given = self.given_url.as_deref();
        given.or_else(|| self.url.get_or_init(|| self.inner.document().url()).as_deref())
    }

    /// Writes a form of the content without the interpreter lock. A form without addresses does not look for that of the
    /// page.
    fn written(
        &self,
        py: Python<'_>,
        has_addresses: bool,
        form: impl Fn(&PageOutput<'_>) -> Result<String> + Sync,
    ) -> PyResult<String> {
        py.detach(|| {
            form(&PageOutput {
                url: has_addresses.then(|| self.address()).flatten(),
                options: self.write,
                budget: self.limits.budget()?,
                ..self.inner.output()
            })
        })
        .or_raise(py)
    }
}

impl Extraction {
    pub(crate) fn new(
        inner: threshr_extract::Extraction,
        extractor: Arc<Extractor>,
        url: Option<String>,
        write: WriteOptions,
        limits: Limits,
    ) -> Self {
        let page = Page { inner, extractor, given_url: url, url: OnceLock::new(), write, limits };
        Extraction::of(Source::Page(Box::new(page)))
    }

    pub(crate) fn of(source: Source) -> Self {
        Extraction {
            source,
            page_level: PyOnceLock::new(),
            text: PyOnceLock::new(),
            markdown: PyOnceLock::new(),
            html: PyOnceLock::new(),
            metadata: PyOnceLock::new(),
            comments: PyOnceLock::new(),
            units: PyOnceLock::new(),
            language: PyOnceLock::new(),
        }
    }

    /// The page, for a form that is not there.
    fn page(&self, py: Python<'_>, form: &str) -> PyResult<&Page> {
        match &self.source {
            Source::Page(page) => Ok(page),
            Source::Pickled(pickled) => Err(pickled.failure(py, form)),
        }
    }

    /// Type and quality, predicted at the first access.
    pub(crate) fn page_level(&self, py: Python<'_>) -> PyResult<Option<&PageLevel>> {
        let predict = || {
            let page = self.page(py, "page_level")?;
            py.detach(|| guard("", || Ok(page.extractor.page_level_of(&page.inner)))).or_raise(py)
        };
        Ok(self.page_level.get_or_try_init(py, predict)?.as_ref())
    }

    fn text_once<'py>(
        &self,
        py: Python<'py>,
        name: &str,
        cell: &PyOnceLock<Py<PyString>>,
        has_addresses: bool,
        form: impl Fn(&PageOutput<'_>) -> Result<String> + Sync,
    ) -> PyResult<Bound<'py, PyString>> {
        let written =
            || Ok(PyString::new(py, &self.page(py, name)?.written(py, has_addresses, form)?).unbind());
        cell.get_or_try_init(py, written).map(|text| text.bind(py).clone())
    }

    /// A form of JSON as Python values.
    fn json_once<'py>(
        &self,
        py: Python<'py>,
        name: &str,
        cell: &PyOnceLock<Py<PyAny>>,
        form: impl Fn(&PageOutput<'_>) -> Result<String> + Sync,
    ) -> PyResult<Bound<'py, PyAny>> {
        let read = || Ok(loads(py, &self.page(py, name)?.written(py, true, form)?)?.unbind());
        cell.get_or_try_init(py, read).map(|value: &Py<PyAny>| value.bind(py).clone())
    }
}

/// Reads JSON as Python values.
fn loads<'py>(py: Python<'py>, json: &str) -> PyResult<Bound<'py, PyAny>> {
    py.import("json")?.call_method1("loads", (json,))
}

fn to_json(value: &impl serde::Serialize) -> Result<String> {
    serde_json::to_string(value).map_err(|e| Error::data("no JSON can be written").because(e))
}

#[pymethods]
impl Extraction {
    /// The content as plain text: one line a block, or several if a block contains line breaks.
    #[getter]
    fn text<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyString>> {
        self.text_once(py, "text", &self.text, false, |page| page.text())
    }

    /// The content as Markdown.
    #[getter]
    fn markdown<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyString>> {
        self.text_once(py, "markdown", &self.markdown, true, |page| page.markdown())
    }

    /// The content as clean HTML: semantic elements, without scripts, styles and handlers.
    #[getter]
    fn html<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyString>> {
        self.text_once(py, "html", &self.html, true, |page| Ok(html(&page.units(false)?, page.options)))
    }

    /// Title, authors, dates and other metadata, each with its source.
    #[getter]
    fn metadata<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let read = || {
            let json = self.page(py, "metadata")?.written(py, true, |page| to_json(&page.metadata()))?;
            let class = py.import("threshr._types")?.getattr("Metadata")?;
            Ok(class.call_method1("_of", (loads(py, &json)?,))?.unbind())
        };
        self.metadata.get_or_try_init(py, read).map(|value: &Py<PyAny>| value.bind(py).clone())
    }

    /// The comments of the page, whether the policy keeps them or not: author, date, text, reply_to, path.
    #[getter]
    fn comments<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.json_once(py, "comments", &self.comments, |page| to_json(&comments_json(page, &page.posts())))
    }

    /// All units of the page as a tree, kept or not: headings, paragraphs, lists, code, tables and figures, each with its
    /// place and score. `docs/reference/units.schema.json` describes the form.
    #[getter]
    fn units<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.json_once(py, "units", &self.units, |page| {
            Ok(units_json(page, &page.posts(), &page.units(true)?))
        })
    }

    /// Every block of the page, content or not, in document order.
    #[getter]
    pub(crate) fn blocks(&self) -> Vec<Block> {
        match &self.source {
            Source::Page(page) => {
                let blocks = page.inner.blocks();
                blocks.map(|b| Block::_of(b.text.to_owned(), b.score, b.is_content)).collect()
            }
            Source::Pickled(pickled) => {
                let blocks = pickled.blocks.iter().cloned();
                blocks.map(|(text, score, is_content)| Block { text, score, is_content }).collect()
            }
        }
    }

    /// The language of the text: its ISO 639-1 code, else its ISO 639-3 code; None if it cannot be detected.
    #[getter]
    fn language(&self, py: Python<'_>) -> PyResult<Option<String>> {
        let detect = || {
            let text = self.text(py)?;
            let text = text.to_cow()?;
            let declared = self.page(py, "language")?.inner.document().language();
            Ok(py.detach(|| language(&text, declared).map(String::from)))
        };
        self.language.get_or_try_init(py, detect).cloned()
    }

    /// The most probable type of the page, such as `article`; None if the model predicts none.
    #[getter]
    fn page_type(&self, py: Python<'_>) -> PyResult<Option<&str>> {
        Ok(self.page_level(py)?.and_then(|page| page.page_type()))
    }

    /// The probability of each page type; empty if the model predicts none.
    #[getter]
    fn page_types<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let types = PyDict::new(py);
        for (name, probability) in self.page_level(py)?.map_or(&[][..], |page| &page.page_types) {
            types.set_item(name, probability)?;
        }
        Ok(types)
    }

    /// The expected quality of the text: its expected token F1 with an 80 % interval; None if the model predicts none.
    #[getter]
    fn quality<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let Some(quality) = self.page_level(py)?.and_then(|page| page.quality) else { return Ok(None) };
        let class = py.import("threshr._types")?.getattr("Quality")?;
        class.call1((quality.expected, quality.low, quality.high)).map(Some)
    }

    /// The text of the page's `<title>`; empty without one.
    #[getter]
    pub(crate) fn title(&self) -> String {
        match &self.source {
            Source::Page(page) => page.inner.title(),
            Source::Pickled(pickled) => pickled.title.clone(),
        }
    }

    /// The address that was given, else the one that the page states.
    #[getter]
    pub(crate) fn url(&self) -> Option<&str> {
        match &self.source {
            Source::Page(page) => page.address(),
            Source::Pickled(pickled) => pickled.url.as_deref(),
        }
    }

    /// Whether any block is content.
    #[getter]
    fn has_content(&self) -> bool {
        match &self.source {
            Source::Page(page) => page.inner.has_content(),
            Source::Pickled(pickled) => pickled.blocks.iter().any(|block| block.2),
        }
    }

    /// An extraction of what `__reduce__` has written.
    #[staticmethod]
    fn _of(py: Python<'_>, state: &Bound<'_, PyDict>) -> PyResult<Self> {
        pickled::read(py, state)
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> Reduced<'py, (Bound<'py, PyDict>,)> {
        let state = pickled::write(slf)?;
        Ok((slf.py().get_type::<Extraction>().getattr("_of")?, (state,)))
    }

    fn __str__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyString>> {
        self.text(py)
    }

    fn __repr__(&self) -> String {
        let (all, kept) = match &self.source {
            Source::Page(page) => {
                page.inner.blocks().fold((0, 0), |(n, k), b| (n + 1, k + usize::from(b.is_content)))
            }
            Source::Pickled(pickled) => {
                (pickled.blocks.len(), pickled.blocks.iter().filter(|block| block.2).count())
            }
        };
        format!("<Extraction: {kept} of {all} blocks are content>")
    }
}

//! `Extraction`: the content of a page. Each output format is written at the first access and cached. A
//! pickled extraction contains the written outputs, so that another process needs neither the page nor the
//! model.

use crate::Reduced;
use crate::errors::OrRaise;
use crate::pickled::{self, Pickled};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyString};
use std::sync::OnceLock;
use threshr::{Extractor, TypeAndQuality};
use threshr_core::{Error, Result, guard};
use threshr_extract::RawExtraction;
use threshr_output::formats::{PageOutput, comments_json, posts_json, units_json};
use threshr_page::language::language;

/// Text, score, and whether the block is content. These are the fields of `Block`.
pub(crate) type BlockFields = (String, f32, bool);

/// The content of a page. Text, Markdown and the other formats are generated at the first access and cached.
///
/// An extraction can be pickled, so that a process pool can return it. Pickling generates all formats. A
/// worker that returns only the needed output, such as `extraction.text`, is faster.
#[pyclass(frozen, module = "threshr")]
pub(crate) struct Extraction {
    source: Source,
    pub(crate) type_and_quality: PyOnceLock<Option<TypeAndQuality>>,
    pub(crate) text: PyOnceLock<Py<PyString>>,
    pub(crate) markdown: PyOnceLock<Py<PyString>>,
    pub(crate) html: PyOnceLock<Py<PyString>>,
    pub(crate) metadata: PyOnceLock<Py<PyAny>>,
    pub(crate) posts: PyOnceLock<Py<PyAny>>,
    pub(crate) comments: PyOnceLock<Py<PyAny>>,
    pub(crate) units: PyOnceLock<Py<PyAny>>,
    pub(crate) language: PyOnceLock<Option<String>>,
}

/// Source of the outputs.
pub(crate) enum Source {
    Page(Box<Page>),
    /// All outputs are already written, except those that failed.
    Pickled(Pickled),
}

/// An extracted page. Its outputs are written on request.
pub(crate) struct Page {
    inner: threshr_extract::Extraction,
    extractor: Extractor,
    given_url: Option<String>,
    url: OnceLock<Option<String>>,
    defect: Option<String>,
}

impl Page {
    /// Returns the URL that the caller gave, or otherwise the URL that the page declares.
    fn address(&self) -> Option<&str> {
        let given = self.given_url.as_deref();
        given.or_else(|| self.url.get_or_init(|| self.inner.document().url()).as_deref())
    }

    /// Writes an output without holding the interpreter lock. If `has_addresses` is false, the URL of the
    /// page is not determined.
    fn written(
        &self,
        py: Python<'_>,
        has_addresses: bool,
        form: impl Fn(&PageOutput<'_>) -> Result<String> + Sync,
    ) -> PyResult<String> {
        let (_, options, limits) = self.extractor.raw();
        py.detach(|| {
            form(&PageOutput {
                url: has_addresses.then(|| self.address()).flatten(),
                options,
                budget: limits.budget()?,
                ..self.inner.output()
            })
        })
        .or_raise(py)
    }
}

impl Extraction {
    pub(crate) fn new(
        inner: threshr_extract::Extraction,
        extractor: Extractor,
        url: Option<String>,
        defect: Option<String>,
    ) -> Self {
        let page = Page { inner, extractor, given_url: url, url: OnceLock::new(), defect };
        Extraction::of(Source::Page(Box::new(page)))
    }

    pub(crate) fn of(source: Source) -> Self {
        Extraction {
            source,
            type_and_quality: PyOnceLock::new(),
            text: PyOnceLock::new(),
            markdown: PyOnceLock::new(),
            html: PyOnceLock::new(),
            metadata: PyOnceLock::new(),
            posts: PyOnceLock::new(),
            comments: PyOnceLock::new(),
            units: PyOnceLock::new(),
            language: PyOnceLock::new(),
        }
    }

    /// Returns the fields of every block.
    pub(crate) fn block_fields(&self) -> Vec<BlockFields> {
        match &self.source {
            Source::Page(page) => {
                page.inner.blocks().map(|b| (b.text.to_owned(), b.score, b.is_content)).collect()
            }
            Source::Pickled(pickled) => pickled.blocks.clone(),
        }
    }
    /// Returns the number of blocks, and the number of blocks that are content.
    fn num_blocks(&self) -> (usize, usize) {
        let count = |(all, kept), is_content: bool| (all + 1, kept + usize::from(is_content));
        match &self.source {
            Source::Page(page) => page.inner.blocks().map(|b| b.is_content).fold((0, 0), count),
            Source::Pickled(pickled) => pickled.blocks.iter().map(|b| b.2).fold((0, 0), count),
        }
    }
    /// Returns the page, from which a missing output can be written. For a pickled extraction, raises the
    /// exception of that output.
    fn page(&self, py: Python<'_>, form: &str) -> PyResult<&Page> {
        match &self.source {
            Source::Page(page) => Ok(page),
            Source::Pickled(pickled) => Err(pickled.failure(py, form)),
        }
    }

    /// Returns type and quality. They are predicted at the first access.
    pub(crate) fn type_and_quality(&self, py: Python<'_>) -> PyResult<Option<&TypeAndQuality>> {
        let predict = || {
            let page = self.page(py, "type_and_quality")?;
            py.detach(|| guard("", || Ok(page.extractor.type_and_quality(&page.inner)))).or_raise(py)
        };
        Ok(self.type_and_quality.get_or_try_init(py, predict)?.as_ref())
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

    /// Returns a JSON output as Python values.
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

/// Parses JSON to Python values.
fn loads<'py>(py: Python<'py>, json: &str) -> PyResult<Bound<'py, PyAny>> {
    py.import("json")?.call_method1("loads", (json,))
}

fn to_json(value: &impl serde::Serialize) -> Result<String> {
    serde_json::to_string(value).map_err(|e| Error::data("no JSON can be written").because(e))
}

#[pymethods]
impl Extraction {
    /// The content as plain text: one line per block, or several if a block contains line breaks.
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
        self.text_once(py, "html", &self.html, true, |page| page.html())
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

    /// The posts of the thread of the page, whether the policy keeps them or not: kind, author, author_url, date, url, score,
    /// reply_to, text, path.
    #[getter]
    fn posts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.json_once(py, "posts", &self.posts, |page| to_json(&posts_json(page, &page.posts())?))
    }

    /// The comments of the page, whether the policy keeps them or not: author, date, text, reply_to, path.
    #[getter]
    fn comments<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.json_once(py, "comments", &self.comments, |page| to_json(&comments_json(page, &page.posts())))
    }

    /// All units of the page as a tree, whether they are content or not: headings, paragraphs, lists, code,
    /// tables and figures, each with its position and score. `docs/reference/units.schema.json` describes the
    /// format.
    #[getter]
    fn units<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.json_once(py, "units", &self.units, |page| {
            Ok(units_json(page, &page.posts(), &page.units(true)?))
        })
    }

    /// Every block of the page, content or not, in document order.
    #[getter]
    fn blocks<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let class = py.import("threshr._types")?.getattr("Block")?;
        self.block_fields().into_iter().map(|fields| class.call1(fields)).collect()
    }
    /// The language of the text as an ISO 639-1 code, or an ISO 639-3 code if there is none; None if it cannot be detected.
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

    /// The most probable type of the page, such as `article`; None if the model does not predict types.
    #[getter]
    fn page_type(&self, py: Python<'_>) -> PyResult<Option<&str>> {
        Ok(self.type_and_quality(py)?.and_then(|page| page.page_type()))
    }

    /// The probability of each page type; empty if the model does not predict types.
    #[getter]
    fn page_types<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let types = PyDict::new(py);
        for (name, probability) in self.type_and_quality(py)?.map_or(&[][..], |page| &page.page_types) {
            types.set_item(name, probability)?;
        }
        Ok(types)
    }

    /// The expected quality of the text: its expected token F1 with an 80 % interval; None if the model predicts none.
    #[getter]
    fn quality<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let Some(quality) = self.type_and_quality(py)?.and_then(|page| page.quality) else { return Ok(None) };
        let class = py.import("threshr._types")?.getattr("Quality")?;
        class.call1((quality.expected, quality.low, quality.high)).map(Some)
    }

    /// The text of the page's `<title>`; empty if the page has none.
    #[getter]
    pub(crate) fn title(&self) -> String {
        match &self.source {
            Source::Page(page) => page.inner.title(),
            Source::Pickled(pickled) => pickled.title.clone(),
        }
    }

    /// The address that the caller gave, or otherwise the address that the page states.
    #[getter]
    pub(crate) fn url(&self) -> Option<&str> {
        match &self.source {
            Source::Page(page) => page.address(),
            Source::Pickled(pickled) => pickled.url.as_deref(),
        }
    }

    /// Why the content may be incomplete: the input is empty, or the page needs rendering because its scripts write the text.
    /// None without a defect.
    #[getter]
    pub(crate) fn defect(&self) -> Option<&str> {
        match &self.source {
            Source::Page(page) => page.defect.as_deref(),
            Source::Pickled(pickled) => pickled.defect.as_deref(),
        }
    }

    /// Whether any block is content.
    #[getter]
    fn has_content(&self) -> bool {
        self.num_blocks().1 > 0
    }
    /// Creates an extraction from the output of `__reduce__`.
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
        let (all, kept) = self.num_blocks();
        format!("<Extraction: {kept} of {all} blocks are content>")
    }
}

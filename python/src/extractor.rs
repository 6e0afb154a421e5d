//! `Extractor`: extracts the content of pages with one model and one set of options.

use crate::arguments::{count, flag, text, texts};
use crate::batch;
use crate::cells::Page;
use crate::errors::OrRaise;
use crate::extraction::Extraction;
use crate::model::Model;
use crate::settings::{Keywords, Limits, Settings, absolute, unknown_charset};
use crate::table::Table;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyTuple};
use std::path::PathBuf;
use std::sync::Arc;
use threshr::PageLevel;
use threshr_core::{Budget, Error, ErrorKind, Result, guard};
use threshr_extract::Input;
use threshr_output::formats::WriteOptions;

/// Extracts the content of pages with one model and one set of options.
///
/// Threads can share an extractor. It can be pickled: by the path of its model, or by the content of the model if it is
/// given as bytes or as a `Model`. All options are keywords:
///
/// - `model`: a model file, its bytes or a `Model`; the shipped model if it is None.
/// - `system`, `system_options`: a published method instead of a model, and its options.
/// - `policy`: what counts as content: `main`, `article`, `full`, with overrides such as `main+title-comments`; or `auto`.
/// - `filter`: the filter after the decision rule. `threshold`, `decision`, `favor`: how scores become labels.
/// - `select`, `drop`: CSS selectors of the elements to keep and to leave out.
/// - `charset`: the charset of all pages. `keep_hidden`: whether hidden text is read. `strict_visibility`: whether text
///   that a script shows stays hidden.
/// - `source_map`: whether units have their place in the page's bytes.
/// - `links`, `images`, `tables`, `formulas`: what Markdown and HTML contain beside text.
/// - `timeout`: CPU seconds of a page. `max_bytes`: bytes of a page. `max_memory`: bytes of memory that a page takes.
///   None means no limit. Set `timeout` and `max_bytes` for pages that you do not know.
///
/// Raises `OptionError` for an unknown name or a wrong value, `ModelError` or `FileError` for a model that cannot be read.
#[pyclass(frozen, module = "threshr")]
pub(crate) struct Extractor {
    inner: Arc<threshr_extract::Extractor>,
    write: WriteOptions,
    limits: Limits,
    /// The keywords, as they are pickled.
    keywords: Py<PyDict>,
}

#[pymethods]
impl Extractor {
    #[new]
    #[pyo3(
        signature = (*, model=None, system=None, system_options=None, policy=None, filter=None, threshold=None,
            decision=None, favor=None, select=None, drop=None, charset=None, keep_hidden=None,
            strict_visibility=None, source_map=None, links=None, images=None, tables=None, formulas=None,
            timeout=None, max_bytes=None, max_memory=None),
        text_signature = "(*, model=None, system=None, system_options=None, policy=None, filter=None, threshold=None, \
            decision=None, favor=None, select=None, drop=None, charset=None, keep_hidden=None, \
            strict_visibility=False, source_map=False, links=True, images=True, tables=True, formulas=True, \
            timeout=None, max_bytes=None, max_memory=None)"
    )]
    #[allow(clippy::too_many_arguments)] // each is a keyword
    fn new<'py>(
        py: Python<'py>,
        model: Option<Bound<'py, PyAny>>,
        system: Option<Bound<'py, PyAny>>,
        system_options: Option<Bound<'py, PyAny>>,
        policy: Option<Bound<'py, PyAny>>,
        filter: Option<Bound<'py, PyAny>>,
        threshold: Option<Bound<'py, PyAny>>,
        decision: Option<Bound<'py, PyAny>>,
        favor: Option<Bound<'py, PyAny>>,
        select: Option<Bound<'py, PyAny>>,
        drop: Option<Bound<'py, PyAny>>,
        charset: Option<Bound<'py, PyAny>>,
        keep_hidden: Option<Bound<'py, PyAny>>,
        strict_visibility: Option<Bound<'py, PyAny>>,
        source_map: Option<Bound<'py, PyAny>>,
        links: Option<Bound<'py, PyAny>>,
        images: Option<Bound<'py, PyAny>>,
        tables: Option<Bound<'py, PyAny>>,
        formulas: Option<Bound<'py, PyAny>>,
        timeout: Option<Bound<'py, PyAny>>,
        max_bytes: Option<Bound<'py, PyAny>>,
        max_memory: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Self> {
        let keywords = PyDict::new(py);
        let model = model.map(|model| lasting_model(&model)).transpose()?;
        let given = [
            ("model", model),
            ("system", system),
            ("system_options", system_options),
            ("policy", policy),
            ("filter", filter),
            ("threshold", threshold),
            ("decision", decision),
            ("favor", favor),
            ("select", select),
            ("drop", drop),
            ("charset", charset),
            ("keep_hidden", keep_hidden),
            ("strict_visibility", strict_visibility),
            ("source_map", source_map),
            ("links", links),
            ("images", images),
            ("tables", tables),
            ("formulas", formulas),
            ("timeout", timeout),
            ("max_bytes", max_bytes),
            ("max_memory", max_memory),
        ];
        for (name, value) in given {
            if let Some(value) = value.filter(|value| !value.is_none()) {
                keywords.set_item(name, value)?;
            }
        }
        let flags = [
            ("strict_visibility", false),
            ("source_map", false),
            ("links", true),
            ("images", true),
            ("tables", true),
            ("formulas", true),
        ];
        for (name, default) in flags {
            let value = keywords.get_item(name)?;
            if flag(name, value.as_ref())? == Some(default) {
                keywords.del_item(name)?;
            }
        }
        let Settings { labeller, options, write, limits } = Keywords::new(&keywords).settings()?;
        let inner = Arc::new(threshr_extract::Extractor::new(labeller, options));
        Ok(Extractor { inner, write, limits, keywords: keywords.unbind() })
    }

    /// Extracts the content of a page.
    ///
    /// `html` is the page as it was fetched, as bytes, or as text that is decoded already. `url` is its address: metadata
    /// and the addresses of links depend on it. `charset` is the charset that an HTTP header states.
    ///
    /// Raises `NotHtmlError`, `TooLargeError` or `PageTimeoutError`. All are a `PageError`.
    #[pyo3(signature = (html, *, url=None, charset=None))]
    fn extract(
        &self,
        py: Python<'_>,
        html: Page,
        url: Option<Bound<'_, PyAny>>,
        charset: Option<Bound<'_, PyAny>>,
    ) -> PyResult<Extraction> {
        let (url, charset) = (text("url", url.as_ref())?, text("charset", charset.as_ref())?);
        let stated = html.charset(charset.as_deref());
        let inner = py.detach(|| self.run(html.bytes(), stated, url.as_deref())).or_raise(py)?;
        Ok(Extraction::new(inner, self.inner.clone(), url, self.write, self.limits))
    }

    /// Extracts the content of many pages: Arrow in, Arrow out.
    ///
    /// `table` is any object with the Arrow PyCapsule interface: a table, a record batch or a stream of them with a column
    /// of pages, or the column alone; or a list of pages. The type of the column is utf8, large_utf8, string_view, binary,
    /// large_binary or binary_view, or a dictionary or runs of them. It is not copied.
    ///
    /// `html` and `url` name the columns of pages and addresses; None means `url`, if there is such a column. `charset`
    /// names the column of the charsets that HTTP headers state; None means that there is none. `columns` names what is
    /// written: text, markdown, html, metadata, comments, units (JSON), title, language, page_type, quality, quality_low,
    /// quality_high, num_kept, mean_score. The column `error` is always written: a failed page is a row whose other values
    /// are null. `keep` names the columns of the input that are kept; None keeps all but the pages. A written column
    /// replaces a kept one of the same name.
    ///
    /// `threads` is the number of threads, including the calling one; 0 means one for each core.
    ///
    /// Raises `OptionError` for an unknown column and `DataError` for a column of another type.
    #[pyo3(
        signature = (table, *, html=None, url=None, charset=None, columns=None, keep=None, threads=None),
        text_signature = "($self, table, *, html='html', url=None, charset=None, columns=None, keep=None, threads=1)"
    )]
    #[allow(clippy::too_many_arguments)] // each is a keyword
    fn extract_batch(
        &self,
        py: Python<'_>,
        table: &Bound<'_, PyAny>,
        html: Option<Bound<'_, PyAny>>,
        url: Option<Bound<'_, PyAny>>,
        charset: Option<Bound<'_, PyAny>>,
        columns: Option<Bound<'_, PyAny>>,
        keep: Option<Bound<'_, PyAny>>,
        threads: Option<Bound<'_, PyAny>>,
    ) -> PyResult<Table> {
        let names = batch::Names {
            html: text("html", html.as_ref())?,
            url: text("url", url.as_ref())?,
            charset: text("charset", charset.as_ref())?,
        };
        let (columns, keep) = (texts("columns", columns.as_ref())?, texts("keep", keep.as_ref())?);
        let threads = count("threads", threads.as_ref())?.unwrap_or(1);
        batch::run(py, self, table, &batch::Request::new(py, names, columns, keep)?, threads)
    }

    /// The options that are not defaults.
    #[getter]
    fn options<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        self.keywords.bind(py).copy()
    }

    fn __getnewargs_ex__<'py>(&self, py: Python<'py>) -> (Bound<'py, PyTuple>, Bound<'py, PyDict>) {
        (PyTuple::empty(py), self.keywords.bind(py).clone())
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let mut shown = Vec::new();
        for (name, value) in self.keywords.bind(py) {
            let value = match value.cast::<PyBytes>() {
                Ok(bytes) => format!("<{} bytes>", bytes.as_bytes().len()),
                Err(_) => value.repr()?.to_string(),
            };
            shown.push(format!("{name}={value}"));
        }
        Ok(format!("Extractor({})", shown.join(", ")))
    }
}

impl Extractor {
    /// Extracts the content of a page. A panic becomes an error of the page.
    pub(crate) fn run(
        &self,
        bytes: &[u8],
        charset: Option<&str>,
        url: Option<&str>,
    ) -> Result<threshr_extract::Extraction> {
        if let Some(label) = charset.filter(|label| !threshr_html::is_charset(label)) {
            return Err(unknown_charset(label));
        }
        self.limits.check_size(bytes)?;
        let budget = self.limits.budget()?;
        // without an id, errors do not name a page
        guard("", || self.run_within(bytes, charset, url, &budget)).map_err(without_page)
    }

    /// Extracts the content of a page with a budget that runs already.
    pub(crate) fn run_within(
        &self,
        bytes: &[u8],
        charset: Option<&str>,
        url: Option<&str>,
        budget: &Budget,
    ) -> Result<threshr_extract::Extraction> {
        self.inner.extract(&Input { bytes, charset, url, ..Input::default() }, budget)
    }

    /// The type and the quality of a page.
    pub(crate) fn page_level_of(&self, extraction: &threshr_extract::Extraction) -> Option<PageLevel> {
        self.inner.page_level_of(extraction)
    }

    pub(crate) fn write(&self) -> WriteOptions {
        self.write
    }
    pub(crate) fn limits(&self) -> Limits {
        self.limits
    }
}

/// The error without the place that [`guard`] adds.
pub(crate) fn without_page(mut error: Error) -> Error {
    if error.place.page.as_deref() == Some("") {
        error.place.page = None;
    }
    if error.kind == ErrorKind::NotHtml && error.expected.is_none() {
        return error.expected("an HTML page");
    }
    error
}

/// What is pickled of a model: an absolute path, or the bytes of the model.
fn lasting_model<'py>(model: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let py = model.py();
    if let Ok(model) = model.cast::<Model>() {
        return Ok(PyBytes::new(py, model.get().bytes()).into_any());
    }
    match model.extract::<PathBuf>() {
        Ok(path) if path.as_os_str() != "default" || path.exists() => {
            Ok(absolute(&path).into_os_string().into_pyobject(py)?.into_any())
        }
        _ => Ok(model.clone()),
    }
}

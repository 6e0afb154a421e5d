//! `Extractor`: extracts the content of pages with one model and one set of options.

use crate::arguments::{count, flag, not_an_argument, text, texts};
use crate::batch;
use crate::cells::Page;
use crate::errors::OrRaise;
use crate::extraction::Extraction;
use crate::model::Model;
use crate::settings::{Keywords, absolute};
use crate::table::Table;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyTuple};
use std::path::{Path, PathBuf};
use threshr::raw::OPTIONS;
use threshr_core::{Error, ErrorKind, Result, Setting};

/// Maximum number of bytes of an address or a path.
const MAX_NAME: usize = 4096;

/// Flags with a default value. The default of all other keywords is None.
const FLAGS: [(Setting, bool); 7] = [
    (Setting::StrictVisibility, false),
    (Setting::SourceMap, false),
    (Setting::Title, true),
    (Setting::Links, true),
    (Setting::Images, true),
    (Setting::Tables, true),
    (Setting::Formulas, true),
];

/// Extracts the content of pages with one model and one set of options.
///
/// Threads can share an extractor. An extractor can be pickled. The pickle contains the path of the model, or its content if
/// the model is given as bytes or as a `Model`. All options are keywords:
///
/// - `model`: a model file, its bytes or a `Model`; the shipped model if it is None.
/// - `system`, `system_options`: a published method instead of a model, and its options.
/// - `policy`: what counts as content: `main`, `article`, `full`, with overrides such as `main+title-comments`; or `auto`.
/// - `filter`: the filter after the decision rule. `threshold`, `decision`, `favor`: how scores become labels.
/// - `select`, `drop`: CSS selectors of the elements to keep and to leave out.
/// - `charset`: the charset of all pages. `keep_hidden`: whether hidden text is read. `strict_visibility`: whether hidden
///   text is left out even if a script of the page shows it.
/// - `source_map`: whether units have their position in the bytes of the page.
/// - `title`: whether Markdown and HTML begin with the title of the page; if not, the headline is also no content, whatever
///   `policy` says. `links`, `images`, `formulas`: whether Markdown and HTML contain these. `tables`: whether Markdown does.
/// - `timeout`: limit of CPU time per page in seconds. `max_bytes`: limit of the size of a page. `max_memory`: limit of the
///   memory for a page in bytes. None means no limit. Set `timeout` and `max_bytes` for pages from unknown sources.
///
/// Raises `OptionError` for an unknown name or a wrong value, `ModelError` or `FileError` for a model that cannot be read.
#[pyclass(frozen, module = "threshr")]
pub(crate) struct Extractor {
    inner: threshr::Extractor,
    /// The keywords as they are pickled.
    keywords: Py<PyDict>,
}

#[pymethods]
impl Extractor {
    #[new]
    #[pyo3(
        signature = (**given),
        text_signature = "(*, model=None, system=None, system_options=None, policy=None, filter=None, threshold=None, \
            decision=None, favor=None, select=None, drop=None, charset=None, keep_hidden=None, \
            strict_visibility=False, source_map=False, title=True, links=True, images=True, tables=True, \
            formulas=True, timeout=None, max_bytes=None, max_memory=None)"
    )]
    fn new<'py>(py: Python<'py>, given: Option<&Bound<'py, PyDict>>) -> PyResult<Self> {
        let keywords = PyDict::new(py);
        for (name, value) in given.into_iter().flatten() {
            let name: String = name.extract()?;
            let Some(option) = OPTIONS.iter().find(|option| option.setting.name() == name) else {
                return Err(unknown_option(py, &name)?);
            };
            let default = FLAGS.iter().find(|(setting, _)| *setting == option.setting);
            let is_default = match default {
                Some((_, default)) => flag(&name, Some(&value))? == Some(*default),
                None => value.is_none(),
            };
            if !value.is_none() && !is_default {
                let is_model = option.setting == Setting::Model;
                keywords.set_item(name, if is_model { lasting_model(&value)? } else { value })?;
            }
        }
        let inner = Keywords::new(&keywords).extractor()?;
        Ok(Extractor { inner, keywords: keywords.unbind() })
    }

    /// Extracts the content of a page.
    ///
    /// `html` is the page as it was fetched, as bytes, or as decoded text. `url` is the address of the page;
    /// metadata and the addresses of links depend on it. `charset` is the charset that an HTTP header states.
    ///
    /// Raises `NotHtmlError`, also for an address or the path of a file, `TooLargeError` or `PageTimeoutError`, which are
    /// subclasses of `PageError`.
    #[pyo3(signature = (html, *, url=None, charset=None))]
    fn extract(
        &self,
        py: Python<'_>,
        html: Page,
        url: Option<Bound<'_, PyAny>>,
        charset: Option<Bound<'_, PyAny>>,
    ) -> PyResult<Extraction> {
        let (url, charset) = (text("url", url.as_ref())?, text("charset", charset.as_ref())?);
        check_is_page(html.bytes()).and_then(|()| check_is_no_path(&html)).or_raise(py)?;
        let stated = html.charset(charset.as_deref());
        let inner = py.detach(|| self.run(page(html.bytes(), stated, url.as_deref()))).or_raise(py)?;
        let defect = inner.defect(html.bytes()).map(|defect| defect.with_causes());
        Ok(Extraction::new(inner, self.inner.clone(), url, defect))
    }

    /// Extracts the content of many pages from an Arrow table to an Arrow table.
    ///
    /// `table` is an object with the Arrow PyCapsule interface, or a list of pages. The object is a table, a record batch or a
    /// stream of them with a column of pages, or that column alone. The type of the column is utf8, large_utf8, string_view,
    /// binary, large_binary or binary_view, or a dictionary or run-end encoding of these. It is not copied.
    ///
    /// `html` names the column of pages, and `url` the column of addresses. If `url` is None, the column `url` is used if it
    /// exists. `charset` names the column of the charsets that HTTP headers state; None means that there is none. `columns`
    /// names the output columns: text, markdown, html, title, authors (a list), date_published, num_kept, mean_score, language,
    /// page_type, quality, quality_low, quality_high, defect, and as JSON metadata, posts, comments, units, page_types. None means
    /// those of the Parquet output of `threshr predict`: all except markdown, html, metadata, posts, comments and units. `defect`
    /// says why the content may be incomplete: the page is empty or needs rendering. The output always has the column `error`; the
    /// other output columns of a failed page are null. `keep` names the input columns that are kept; None keeps all except the pages. An
    /// output column replaces a kept column of the same name.
    ///
    /// `threads` is the number of threads; 0 means one per core.
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

    /// The options whose values are not the defaults.
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
    /// Extracts the content of a page. A panic is converted to an error.
    pub(crate) fn run(&self, page: threshr::Page<'_>) -> Result<threshr::Extraction> {
        self.inner.extract(page).map_err(html_expected)
    }

    /// Returns the extractor of the Rust library.
    pub(crate) fn inner(&self) -> &threshr::Extractor {
        &self.inner
    }
}

/// Returns the exception for a keyword that is not an option.
fn unknown_option(py: Python<'_>, name: &str) -> PyResult<PyErr> {
    let names: Vec<&str> = OPTIONS.iter().map(|option| option.setting.name()).collect();
    let similar = py.import("difflib")?.call_method1("get_close_matches", (name, names.clone(), 1))?;
    let expected = match similar.extract::<Vec<String>>()?.first() {
        Some(similar) => format!("did you mean `{similar}`?"),
        None => format!("expected one of {}", names.join(", ")),
    };
    Ok(not_an_argument(py, format!("there is no option `{name}`; {expected}")))
}

/// Rejects an address in the place of a page.
pub(crate) fn check_is_page(bytes: &[u8]) -> Result<()> {
    let text = std::str::from_utf8(bytes.get(..MAX_NAME.min(bytes.len())).unwrap_or_default()).map(str::trim);
    match text {
        Ok(text) if bytes.len() <= MAX_NAME && threshr_io::is_address(text) => {
            Err(Error::new(ErrorKind::NotHtml, format!("this is the address {text} and not a page"))
                .expected("the HTML of a page, such as urllib.request.urlopen(address).read()"))
        }
        _ => Ok(()),
    }
}

/// Rejects the path of a file or folder in the place of a page.
fn check_is_no_path(page: &Page) -> Result<()> {
    let Page::Text(text) = page else { return Ok(()) };
    let is_name = text.len() <= MAX_NAME && !text.trim().is_empty() && !text.contains(['<', '\n']);
    match is_name && Path::new(&**text).exists() {
        true => Err(Error::new(ErrorKind::NotHtml, format!("this is the path {} and not a page", &**text))
            .expected(
                "the HTML of a page, such as open(path, \"rb\").read(); `read_pages` reads files and folders",
            )),
        false => Ok(()),
    }
}

/// Creates a page with its optional charset and URL.
pub(crate) fn page<'a>(bytes: &'a [u8], charset: Option<&'a str>, url: Option<&'a str>) -> threshr::Page<'a> {
    let page = charset.iter().fold(threshr::Page::new(bytes), |page, charset| page.charset(charset));
    url.iter().fold(page, |page, url| page.url(url))
}

/// Adds what was expected to the error for a page that is not HTML.
pub(crate) fn html_expected(error: Error) -> Error {
    if error.kind == ErrorKind::NotHtml && error.expected.is_none() {
        return error.expected("an HTML page");
    }
    error
}

/// Returns the pickled representation of a model: an absolute path, or the bytes of the model.
fn lasting_model<'py>(model: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let py = model.py();
    if let Ok(model) = model.cast::<Model>() {
        return Ok(PyBytes::new(py, model.get().bytes()).into_any());
    }
    match model.extract::<PathBuf>() {
        Ok(path) if threshr::shipped_name(&path).is_none() => {
            Ok(absolute(&path).into_os_string().into_pyobject(py)?.into_any())
        }
        _ => Ok(model.clone()),
    }
}

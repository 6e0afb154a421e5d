//! `read_pages` and `read_index`: iterate over the pages of an archive or another input, and of the records of an index.

use crate::arguments::{self, count, text, texts};
use crate::errors::{OrRaise, exception};
use crate::stream::{self, ObjectStream, Raised};
use pyo3::exceptions::PyFileNotFoundError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList, PyTuple};
use std::collections::{BTreeMap, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use threshr_core::{Error, ErrorKind, Result};
use threshr_io::raw_page::{Item, RawPage};
use threshr_io::readers::{
    Fields, IndexOptions, Pages, Source, WarcFiles, guarded, open_index, open_stream, sources,
};

/// Maximum time for which records that are not pages are skipped before signals such as Ctrl-C are handled.
const SIGNAL_INTERVAL: Duration = Duration::from_millis(50);

/// An item before it is converted to a Python object.
pub(crate) struct Read {
    pub(crate) id: String,
    pub(crate) url: Option<String>,
    date: Option<String>,
    pub(crate) charset: Option<String>,
    pub(crate) html: Option<Vec<u8>>,
    pub(crate) error: Option<Error>,
    pub(crate) defect: Option<Error>,
}

impl Read {
    fn failed(id: String, error: Error) -> Self {
        Read { id, url: None, date: None, charset: None, html: None, error: Some(error), defect: None }
    }

    /// Converts the item to a Python `RawPage`.
    fn into_page(self, py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
        let raised = |error: Error| exception(py, &error).into_value(py);
        let html = self.html.map(|bytes| PyBytes::new(py, &bytes));
        let (error, defect) = (self.error.map(raised), self.defect.map(raised));
        let class = py.import("threshr._types")?.getattr("RawPage")?;
        class.call1((self.id, self.url, self.date, self.charset, html, error, defect))
    }
}

/// The pages of a file, as an iterator. `read_pages` makes it. One page at a time is in memory.
#[pyclass(frozen, module = "threshr")]
pub(crate) struct PageReader {
    state: Mutex<State>,
    raised: Raised,
}

/// Inputs and current position of a reader.
pub(crate) struct State {
    /// Inputs that are not read yet.
    waiting: VecDeque<Source>,
    failures: VecDeque<Error>,
    current: Option<(Named, Box<dyn Pages>)>,
    fields: Fields,
    max_bytes: Option<u64>,
    skipped: BTreeMap<&'static str, u64>,
}

/// The name of an input, and the id of its page if the name is not unique.
struct Named {
    path: PathBuf,
    id: Option<String>,
}

/// Result of one step of reading.
pub(crate) enum Step {
    Item(Box<Read>),
    /// Only records that are not pages were read in this step.
    Skipped,
    End,
}

impl State {
    /// Creates a state that reads these inputs one by one. The `failures` are returned first.
    pub(crate) fn new(
        waiting: Vec<Source>,
        failures: Vec<Error>,
        fields: Fields,
        max_bytes: Option<u64>,
    ) -> Self {
        State {
            waiting: waiting.into(),
            failures: failures.into(),
            current: None,
            fields,
            max_bytes,
            skipped: BTreeMap::new(),
        }
    }

    /// Creates a state that reads one input, which is open.
    fn opened(path: PathBuf, pages: Box<dyn Pages>, max_bytes: Option<u64>) -> Self {
        let current = Some((Named { path, id: None }, pages));
        State { current, ..State::new(Vec::new(), Vec::new(), Fields::default(), max_bytes) }
    }

    fn open(
        paths: &[PathBuf],
        format: Option<&str>,
        fields: Fields,
        max_bytes: Option<u64>,
    ) -> Result<(Self, Option<Error>)> {
        let found = sources(paths, format)?;
        let left_out = found.left_out.iter().map(|path| {
            Error::data("a crawl file in a folder is not read")
                .expected("its own path in the list")
                .at_path(path)
        });
        let failures = found.failures.into_iter().chain(left_out).collect();
        let mut state = State::new(found.sources, failures, fields, max_bytes);
        // If a file cannot be opened, the call fails, unless there are several inputs.
        let is_one = state.waiting.len() + state.failures.len() == 1;
        let error = match state.failures.pop_front() {
            Some(error) => Some(error),
            None => state.open_next().err(),
        };
        match error {
            Some(error) if is_one => Err(error),
            error => Ok((state, error)),
        }
    }

    /// Opens the next input. Does nothing if there is none.
    fn open_next(&mut self) -> Result<()> {
        if let Some(source) = self.waiting.pop_front() {
            let pages = guarded(|| source.open(&self.fields, &Arc::default()))?;
            self.current = Some((Named { path: source.path, id: source.id }, pages));
        }
        Ok(())
    }

    /// Returns the next item, [`Step::Skipped`] during a long sequence of other records, or [`Step::End`].
    pub(crate) fn step(&mut self) -> Step {
        let start = Instant::now();
        loop {
            if let Some(error) = self.failures.pop_front() {
                return Step::Item(Box::new(Read::failed(name_of(&error), error)));
            }
            let Some((named, pages)) = &mut self.current else {
                if self.waiting.is_empty() {
                    return Step::End;
                }
                if let Err(error) = self.open_next() {
                    self.failures.push_back(error);
                }
                continue;
            };
            match guarded(|| pages.next()) {
                Ok(Some(Item::Page(page))) => {
                    let page = RawPage { id: named.id.clone().unwrap_or(page.id), ..page };
                    return Step::Item(Box::new(loaded(page, &named.path, self.max_bytes)));
                }
                Ok(Some(Item::Failed(unread))) => {
                    let error = unread.error.at_path(&named.path);
                    let read = Read { url: unread.url, date: unread.date, ..Read::failed(unread.id, error) };
                    return Step::Item(Box::new(read));
                }
                Ok(Some(Item::Skipped(why))) => {
                    *self.skipped.entry(why).or_default() += 1;
                    if start.elapsed() > SIGNAL_INTERVAL {
                        return Step::Skipped;
                    }
                }
                Ok(None) => self.current = None,
                Err(error) => {
                    self.failures.push_back(error.at_path(&named.path));
                    self.current = None;
                }
            }
        }
    }
}

/// Returns the id of an input that cannot be read: its file name.
fn name_of(error: &Error) -> String {
    let name = error.place.path.as_deref().and_then(Path::file_name);
    name.map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

/// Reads and decodes the bytes of a page.
fn loaded(page: RawPage, path: &Path, max_bytes: Option<u64>) -> Read {
    let (id, url, date, charset) =
        (page.id.clone(), page.url.clone(), page.date.clone(), page.charset.clone());
    let place = |error: Error| error.at_path(path).at_page(&id);
    let (html, error, defect) = match guarded(|| page.load(max_bytes)) {
        Ok(loaded) => (Some(loaded.bytes), None, loaded.defect.map(place)),
        Err(error) => (None, Some(place(error)), None),
    };
    Read { id, url, date, charset, html, error, defect }
}

#[pymethods]
impl PageReader {
    fn __iter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        loop {
            let step = py.detach(|| self.state.lock().unwrap_or_else(PoisonError::into_inner).step());
            stream::take(&self.raised)?;
            match step {
                Step::Item(read) => return read.into_page(py).map(Some),
                Step::Skipped => py.check_signals()?,
                Step::End => return Ok(None),
            }
        }
    }

    /// The number of records that are not pages so far, by reason, such as `not HTML`.
    #[getter]
    fn skipped(&self, py: Python<'_>) -> BTreeMap<&'static str, u64> {
        py.detach(|| self.state.lock().unwrap_or_else(PoisonError::into_inner).skipped.clone())
    }
}

/// Reads the pages of files and folders one by one: WARC, ARC, JSON Lines, Parquet, HTML and others, each plain or compressed.
///
/// The program `threshr` reads files in the same way. The pages of archives are HTML responses with a 2xx status;
/// their HTTP encodings are decoded. Reading continues after a corrupt part of the file. A part that cannot be read is a
/// `RawPage` with `error` and without `html`. The missing end of a truncated file is also such a `RawPage`, unless the
/// file ends between two records.
///
/// `format` names the format; it is detected otherwise. `html`, `id`, `url` and `date` are the fields of JSON and the columns
/// of Parquet. A page above `max_bytes` is a `RawPage` with `error`; None means 1 GB.
///
/// `path` may also be a folder, of which the HTML files and saved pages are read, a list or tuple of local paths, or a file
/// such as `files.list` with one path per line.
///
/// `path` may also be a file object, which is read from its position to its end, or an address such as `s3://bucket/key` or
/// `https://example.org/crawl.warc.gz`. Addresses need fsspec, which has credentials and other settings, and the package for
/// the protocol: `pip install threshr[remote]`. A read that fails is repeated from the same byte for two minutes. If it
/// still fails, the last `RawPage` has a `FileError` with the address and the byte.
///
/// Raises `FileError` or `DataError` if the file cannot be opened, and `OptionError` for an unknown format.
#[pyfunction]
#[pyo3(
    signature = (path, *, format=None, html=None, id=None, url=None, date=None, max_bytes=None),
    text_signature = "(path, *, format=None, html='html', id='id', url='url', date='date', max_bytes=None)"
)]
#[allow(clippy::too_many_arguments)] // each is a keyword
pub(crate) fn read_pages(
    py: Python<'_>,
    path: &Bound<'_, PyAny>,
    format: Option<Bound<'_, PyAny>>,
    html: Option<Bound<'_, PyAny>>,
    id: Option<Bound<'_, PyAny>>,
    url: Option<Bound<'_, PyAny>>,
    date: Option<Bound<'_, PyAny>>,
    max_bytes: Option<Bound<'_, PyAny>>,
) -> PyResult<PageReader> {
    let remote = stream::remote(path)?;
    let format = text("format", format.as_ref())?;
    let default = Fields::default();
    let fields = Fields {
        html: text("html", html.as_ref())?.unwrap_or(default.html),
        id: text("id", id.as_ref())?.unwrap_or(default.id),
        url: text("url", url.as_ref())?.unwrap_or(default.url),
        date: text("date", date.as_ref())?.unwrap_or(default.date),
        index: IndexOptions::default(),
    };
    let max_bytes = count("max_bytes", max_bytes.as_ref())?.map(|n| n as u64);
    let raised = Raised::default();
    if let Some((name, object)) = remote {
        let stream = Box::new(ObjectStream::new(object, raised.clone()));
        let opened = py.detach(|| guarded(|| open_stream(&name, stream, format.as_deref(), &fields)));
        stream::take(&raised)?;
        let state = State::opened(name, opened.or_raise(py)?, max_bytes);
        return Ok(PageReader { state: Mutex::new(state), raised });
    }
    let paths = local_paths(path)?;
    let opened = py.detach(|| State::open(&paths, format.as_deref(), fields, max_bytes));
    let (mut state, error) = opened.or_raise(py)?;
    state.failures.extend(error);
    Ok(PageReader { state: Mutex::new(state), raised })
}

/// Converts a path or a list of paths.
fn local_paths(given: &Bound<'_, PyAny>) -> PyResult<Vec<PathBuf>> {
    if !given.is_instance_of::<PyList>() && !given.is_instance_of::<PyTuple>() {
        return Ok(vec![arguments::path("path", given)?]);
    }
    let py = given.py();
    let wrong = |message: String| Err(exception(py, &Error::invalid_option(message).expected("local paths")));
    let mut paths = Vec::new();
    for entry in given.try_iter()? {
        let path = arguments::path("an entry of path", &entry?)?;
        if path.to_string_lossy().contains("://") {
            return wrong(format!("`path` is a list with the address {}", path.display()));
        }
        paths.push(path);
    }
    match paths.is_empty() {
        true => wrong("`path` is an empty list".to_owned()),
        false => Ok(paths),
    }
}

/// Reads the pages that an index of Common Crawl names: only these records of its WARC files.
///
/// `table` is a Parquet file with the columns `warc_filename`, `warc_record_offset` and `warc_record_length`, as a path, a
/// file object or an address. `root` is the folder or the address of which the file names are part, such as
/// `https://data.commoncrawl.org/`. Records are read by file, and neighbours by one request. A record that cannot be read is a
/// `RawPage` with `error`.
///
/// `languages` are main languages in ISO 639-3 (column `content_languages`). `domains` are hosts, with their subdomains (`url`).
/// `statuses` are HTTP status codes (`fetch_status`). `mimes` are media types (`content_mime_detected`). A record must fit each
/// filter that is given.
///
/// Raises `FileError` or `DataError` if the table cannot be read.
#[pyfunction]
#[pyo3(signature = (table, root, *, languages=None, domains=None, statuses=None, mimes=None, max_bytes=None))]
#[allow(clippy::too_many_arguments)] // each is a keyword
pub(crate) fn read_index(
    py: Python<'_>,
    table: &Bound<'_, PyAny>,
    root: &Bound<'_, PyAny>,
    languages: Option<Bound<'_, PyAny>>,
    domains: Option<Bound<'_, PyAny>>,
    statuses: Option<Vec<u16>>,
    mimes: Option<Bound<'_, PyAny>>,
    max_bytes: Option<Bound<'_, PyAny>>,
) -> PyResult<PageReader> {
    let is_remote = root.extract::<String>().is_ok_and(|root| root.contains("://"));
    let options = IndexOptions {
        warc_root: if is_remote { PathBuf::new() } else { arguments::path("root", root)? },
        languages: texts("languages", languages.as_ref())?.unwrap_or_default(),
        domains: texts("domains", domains.as_ref())?.unwrap_or_default(),
        statuses: statuses.unwrap_or_default(),
        mimes: texts("mimes", mimes.as_ref())?.unwrap_or_default(),
    };
    let max_bytes = count("max_bytes", max_bytes.as_ref())?.map(|n| n as u64);
    let raised = Raised::default();
    let files = match is_remote {
        true => {
            let files = py.import("threshr._remote")?.getattr("Ranges")?.call1((root,))?.unbind();
            Some(Box::new(ObjectRanges { files, raised: raised.clone() }) as Box<dyn WarcFiles>)
        }
        false => None,
    };
    let (path, stream) = match stream::remote(table)? {
        Some((name, object)) => {
            (name, Some(Box::new(ObjectStream::new(object, raised.clone())) as Box<dyn std::io::Read + Send>))
        }
        None => (arguments::path("table", table)?, None),
    };
    let opened = py.detach(|| guarded(|| open_index(&path, stream, &options, files)));
    stream::take(&raised)?;
    let state = State::opened(path, opened.or_raise(py)?, max_bytes);
    Ok(PageReader { state: Mutex::new(state), raised })
}

/// Byte ranges of files by `threshr._remote.Ranges`.
struct ObjectRanges {
    files: Py<PyAny>,
    raised: Raised,
}

impl WarcFiles for ObjectRanges {
    fn range(&mut self, file: &str, start: u64, length: u64) -> Result<Vec<u8>> {
        Python::attach(|py| {
            let read = self.files.call1(py, (file, start, length));
            read.and_then(|bytes| bytes.extract(py)).map_err(|error| {
                let text = error.to_string();
                let is_missing = error.is_instance_of::<PyFileNotFoundError>(py);
                stream::keep(py, error, &self.raised);
                Error::new(if is_missing { ErrorKind::Data } else { ErrorKind::Io }, text)
            })
        })
    }
}

//! `read_pages`: iterates over the pages of an archive or another input file.

use crate::arguments::{self, count, text};
use crate::errors::{OrRaise, exception};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::collections::{BTreeMap, VecDeque};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use threshr_core::{Error, ErrorKind, Result};
use threshr_io::raw_page::Item;
use threshr_io::readers::{Fields, Pages, Source, guarded, sources};

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
}

/// Inputs and current position of a reader.
pub(crate) struct State {
    /// Inputs that are not read yet.
    waiting: VecDeque<Source>,
    failures: VecDeque<Error>,
    current: Option<(Source, Box<dyn Pages>)>,
    fields: Fields,
    max_bytes: Option<u64>,
    skipped: BTreeMap<&'static str, u64>,
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

    fn open(
        path: &Path,
        format: Option<&str>,
        fields: Fields,
        max_bytes: Option<u64>,
    ) -> Result<(Self, Option<Error>)> {
        if path.is_dir() {
            return Err(Error::new(ErrorKind::Io, "this is a folder").expected("a file").at_path(path));
        }
        let found = sources(&[path.to_path_buf()], format)?;
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
            self.current = Some((source, pages));
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
            let Some((source, pages)) = &mut self.current else {
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
                    let page = source.named(page);
                    return Step::Item(Box::new(loaded(page, &source.path, self.max_bytes)));
                }
                Ok(Some(Item::Failed(unread))) => {
                    let error = unread.error.at_path(&source.path);
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
                    self.failures.push_back(error.at_path(&source.path));
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
fn loaded(page: threshr_io::RawPage, path: &Path, max_bytes: Option<u64>) -> Read {
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
            match py.detach(|| self.state.lock().unwrap_or_else(PoisonError::into_inner).step()) {
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

/// Reads the pages of a file one by one: WARC, ARC, JSON Lines, Parquet, HTML and others, each plain or compressed.
///
/// The program `threshr` reads files in the same way. The pages of archives are HTML responses with a 2xx status;
/// their HTTP encodings are decoded. Reading continues after a corrupt part of the file. A part that cannot be read is a
/// `RawPage` with `error` and without `html`. The missing end of a truncated file is also such a `RawPage`, unless the
/// file ends between two records.
///
/// `format` names the format; it is detected otherwise. `html`, `id`, `url` and `date` are the fields of JSON and the columns
/// of Parquet. A page above `max_bytes` is a `RawPage` with `error`; None means 1 GB. `path` may also be a list of files.
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
    let path = arguments::path("path", path)?;
    let format = text("format", format.as_ref())?;
    let default = Fields::default();
    let fields = Fields {
        html: text("html", html.as_ref())?.unwrap_or(default.html),
        id: text("id", id.as_ref())?.unwrap_or(default.id),
        url: text("url", url.as_ref())?.unwrap_or(default.url),
        date: text("date", date.as_ref())?.unwrap_or(default.date),
    };
    let max_bytes = count("max_bytes", max_bytes.as_ref())?.map(|n| n as u64);
    let opened = py.detach(|| State::open(&path, format.as_deref(), fields, max_bytes));
    let (mut state, error) = opened.or_raise(py)?;
    state.failures.extend(error);
    Ok(PageReader { state: Mutex::new(state) })
}

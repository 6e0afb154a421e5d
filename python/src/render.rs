//! Support for `threshr.render`: the pages to render, and conversion of snapshots to pages and geometry.

use crate::errors::OrRaise;
use crate::reader::{Read, State, Step};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::collections::{BTreeMap, VecDeque};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use threshr_core::policy::Policy;
use threshr_core::{Budget, Error, ErrorKind, Limits, Result, guard};
use threshr_html::{ParseOptions, plain_html};
use threshr_io::names::FreeNames;
use threshr_io::readers::{Fields, Source, Sources, guarded, sources};
use threshr_sets::gold::{CleanevalWrapper, Content, DataSet, Gold, GoldPage, ReadOptions, list_line};
use threshr_snapshot::Snapshot;

/// Maximum size of a page, in bytes. The same as the default of `predict`.
const MAX_PAGE: u64 = 16 << 20;

/// Set formats whose labels are comments. Any web page may contain such comments, and a rendered page keeps
/// them. Therefore, a folder of such pages is read as pages and not as an annotated set.
const COMMENTS: [&str; 2] = ["googleoff", "markers"];

/// A page to render.
#[pyclass(frozen, get_all, module = "threshr")]
pub(crate) struct RenderPage {
    /// Id of the page.
    id: String,
    /// File of the page in the folder of rendered pages.
    file: String,
    /// Address of the page, if known.
    url: Option<String>,
    /// The page as text; None if it must be fetched from its address, or cannot be read.
    html: Option<String>,
    /// Line of the page in `gold.jsonl` as JSON, if the page has gold.
    gold: Option<String>,
    /// Error message, if the page cannot be read; otherwise None.
    error: Option<String>,
    /// Defect of a page that can be read, such as a missing end; None without a defect.
    defect: Option<String>,
}

/// The pages to render, one after the other.
#[pyclass(frozen, module = "threshr")]
pub(crate) struct RenderInputs {
    state: Mutex<Inputs>,
    /// The policy of the annotated sets, if any.
    #[pyo3(get)]
    policy: Option<String>,
    /// The number of pages; None if an input is a file with many pages.
    #[pyo3(get)]
    num: Option<usize>,
    /// The folders that are read.
    #[pyo3(get)]
    folders: Vec<PathBuf>,
    /// Crawl files in folders, which are not read.
    #[pyo3(get)]
    left_out: Vec<PathBuf>,
    /// The number of files in folders that are not pages, by extension.
    #[pyo3(get)]
    skipped: BTreeMap<String, u64>,
}

struct Inputs {
    parts: VecDeque<Part>,
    names: FreeNames,
}

enum Part {
    Address(Option<String>),
    Set(VecDeque<GoldPage>),
    Files(Box<State>),
}

impl Part {
    fn next(&mut self) -> Option<Page> {
        match self {
            Part::Address(address) => address.take().map(Page::Address),
            Part::Set(pages) => pages.pop_front().map(|page| Page::Gold(Box::new(page))),
            Part::Files(state) => loop {
                match state.step() {
                    Step::Item(read) => return Some(Page::File(read)),
                    Step::Skipped => {}
                    Step::End => return None,
                }
            },
        }
    }
}

enum Page {
    Address(String),
    Gold(Box<GoldPage>),
    File(Box<Read>),
}

impl Page {
    fn id(&self) -> &str {
        match self {
            // Removes the scheme, because the id becomes the file name.
            Page::Address(address) => {
                address.split_once("://").map_or(&**address, |(_, rest)| rest).trim_end_matches('/')
            }
            Page::Gold(page) => &page.id,
            Page::File(read) => &read.id,
        }
    }

    fn into_python(self, file: String) -> RenderPage {
        let id = self.id().to_owned();
        let url = None;
        let empty = RenderPage { id, file, url, html: None, gold: None, error: None, defect: None };
        match self {
            Page::Address(address) => RenderPage { url: Some(address), ..empty },
            Page::Gold(page) => {
                let bytes = page.load().map_err(|e| page.placed(e)).and_then(limited);
                let gold = gold_line(&page, &empty.file);
                let options = page.parse_options(ParseOptions::default());
                RenderPage { gold, ..empty.with(bytes, &options, page.url) }
            }
            Page::File(read) => {
                let Read { url, charset, html, error, defect, .. } = *read;
                let missing = || error.unwrap_or_else(|| Error::data("the page has no bytes"));
                let defect = defect.map(|e| e.with_causes());
                let options =
                    ParseOptions { charset, unwrap: Some(&CleanevalWrapper), ..ParseOptions::default() };
                RenderPage { defect, ..empty.with(html.ok_or_else(missing), &options, url) }
            }
        }
    }
}

impl RenderPage {
    fn with(self, bytes: Result<Vec<u8>>, options: &ParseOptions, url: Option<String>) -> Self {
        match bytes.and_then(|bytes| guard(&self.id, || text_and_address(&bytes, options, url))) {
            Ok((html, url)) => RenderPage { html: Some(html), url, ..self },
            Err(error) => RenderPage { error: Some(error.with_causes()), ..self },
        }
    }
}

/// Returns a page in UTF-8, without the markup that its set adds, and its URL: `url`, or otherwise the URL
/// that the page declares.
fn text_and_address(
    bytes: &[u8],
    options: &ParseOptions,
    url: Option<String>,
) -> Result<(String, Option<String>)> {
    if let Some(kind) = threshr_html::other_kind(bytes) {
        return Err(Error::new(ErrorKind::NotHtml, format!("the page is {kind}")));
    }
    let html = plain_html(bytes, options);
    Ok((html, url.or_else(|| threshr_html::parse(bytes, options).url())))
}

fn limited(bytes: Vec<u8>) -> Result<Vec<u8>> {
    Limits { bytes: Some(MAX_PAGE), ..Limits::default() }.check_size(&bytes)?;
    Ok(bytes)
}

/// Returns the line for a page with gold in `gold.jsonl`. The rendered page is in UTF-8 with a byte-order
/// mark.
fn gold_line(page: &GoldPage, file: &str) -> Option<String> {
    let (gold, markup) = match &page.gold {
        Some(Gold::Text { text, markup }) => (Some(text.as_str()), markup.as_deref()),
        _ => (None, None),
    };
    let snippets = &page.snippets;
    let has_gold = gold.is_some() || !snippets.is_empty();
    has_gold.then(|| list_line(page, file, Content { html: &[], charset: None, gold, markup }).to_string())
}

#[pymethods]
impl RenderInputs {
    /// Finds the inputs: addresses, annotated sets, and all that `read_pages` reads. Addresses are recognised by their
    /// scheme.
    #[new]
    fn new(py: Python<'_>, inputs: Vec<PathBuf>) -> PyResult<Self> {
        py.detach(|| RenderInputs::open(&inputs)).or_raise(py)
    }

    fn __iter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    fn __next__(&self, py: Python<'_>) -> Option<RenderPage> {
        py.detach(|| self.state.lock().unwrap_or_else(PoisonError::into_inner).next())
    }
}

impl RenderInputs {
    fn open(inputs: &[PathBuf]) -> Result<Self> {
        let state = Mutex::new(Inputs { parts: VecDeque::new(), names: FreeNames::default() });
        let (folders, left_out, skipped) = (Vec::new(), Vec::new(), BTreeMap::new());
        let mut all = RenderInputs { state, policy: None, num: Some(0), folders, left_out, skipped };
        let mut policies = Vec::new();
        for input in inputs {
            let (part, num) = if let Some(address) = address(input) {
                (Part::Address(Some(address.to_owned())), Some(1))
            } else if input.is_dir() && is_set(input) {
                let set = open_set(input)?;
                all.folders.push(set.path);
                policies.push(set.policy);
                let num = set.pages.len();
                (Part::Set(set.pages.into()), Some(num))
            } else {
                all.files(input)?
            };
            all.num = all.num.zip(num).map(|(all, num)| all + num);
            all.state.get_mut().unwrap_or_else(PoisonError::into_inner).parts.push_back(part);
        }
        let name = |policy: &Option<Policy>| policy.map(|p| p.name().to_owned());
        if policies.iter().any(|policy| name(policy) != name(&policies[0])) {
            return Err(Error::data("the sets have different policies").expected("one folder for each set"));
        }
        all.policy = policies.first().and_then(name);
        Ok(all)
    }

    /// Resolves a file, list or folder to pages. Returns the pages and their number, if it is known.
    fn files(&mut self, path: &Path) -> Result<(Part, Option<usize>)> {
        let Sources { sources, failures, left_out, folders, skipped } = sources(&[path.to_path_buf()], None)?;
        self.folders.extend(folders);
        self.left_out.extend(left_out);
        for (extension, num) in skipped {
            *self.skipped.entry(extension).or_default() += num;
        }
        let is_page = |source: &Source| matches!(source.reader.name, "html" | "mhtml");
        let num = sources.iter().all(is_page).then_some(sources.len() + failures.len());
        let state = State::new(sources, failures, Fields::default(), Some(MAX_PAGE));
        Ok((Part::Files(Box::new(state)), num))
    }
}

impl Inputs {
    fn next(&mut self) -> Option<RenderPage> {
        loop {
            let Some(page) = self.parts.front_mut()?.next() else {
                self.parts.pop_front();
                continue;
            };
            let file = format!("pages/{}.html", self.names.next(page.id()));
            return Some(page.into_python(file));
        }
    }
}

/// Returns the argument as a URL, if it is one.
fn address(argument: &Path) -> Option<&str> {
    let text = argument.to_str()?;
    let has = |scheme: &str| text.get(..scheme.len()).is_some_and(|s| s.eq_ignore_ascii_case(scheme));
    (has("http://") || has("https://")).then_some(text)
}

/// Returns whether a folder is an annotated set and not a folder of pages.
fn is_set(folder: &Path) -> bool {
    DataSet::form_at(folder).is_some_and(|form| !COMMENTS.contains(&form))
}

fn open_set(folder: &Path) -> Result<DataSet> {
    let set = DataSet::open(folder, &ReadOptions::default())?;
    if set.pages.iter().any(|page| matches!(page.gold, Some(Gold::InPage(_)))) {
        return Err(Error::data(format!(
            "the labels of the set are inside its pages (format `{}`)",
            set.format
        ))
        .expected("the set converted by `threshr data convert`")
        .at_path(folder));
    }
    Ok(set)
}

/// Returns the HTML that is served to a browser, and the address to which links of the page are relative, if it is
/// known. The browser opens the page at another address. `seconds` is the time limit.
#[pyfunction]
pub(crate) fn served_page(
    py: Python<'_>,
    html: &str,
    address: Option<String>,
    seconds: f64,
) -> PyResult<(String, Option<String>)> {
    py.detach(|| {
        guarded(|| {
            let (html, address) = threshr_snapshot::served(html, address.as_deref(), &budget(seconds)?)?;
            Ok((html, address.map(str::to_owned)))
        })
    })
    .or_raise(py)
}

/// The HTML and the geometry file of a snapshot, the number of elements in the geometry, the number of lost
/// elements, and the size of the page. `address` is the address of the page; `seconds` is the time limit.
#[pyfunction]
#[allow(clippy::type_complexity)] // a tuple of Python
pub(crate) fn page_of_snapshot<'py>(
    py: Python<'py>,
    snapshot: &[u8],
    address: Option<String>,
    seconds: f64,
) -> PyResult<(Bound<'py, PyBytes>, Bound<'py, PyBytes>, usize, usize, [f64; 2])> {
    let written = py.detach(|| {
        guarded(|| {
            let budget = budget(seconds)?;
            let page = threshr_snapshot::page(&Snapshot::parse(snapshot)?, address.as_deref(), &budget)?;
            Ok((page.geometry.to_json()?, page))
        })
    });
    let (json, page) = written.or_raise(py)?;
    let (html, geometry) = (PyBytes::new(py, page.html.as_bytes()), PyBytes::new(py, &json));
    Ok((html, geometry, page.geometry.elements.len(), page.num_lost, page.geometry.page))
}

fn budget(seconds: f64) -> Result<Budget> {
    match Duration::try_from_secs_f64(seconds) {
        Ok(left) if !left.is_zero() => Budget::start(Some(left)),
        _ => Err(Error::new(ErrorKind::Timeout, "the time for the page is over")),
    }
}

/// Writes a file. It appears under its name when it is complete.
#[pyfunction]
pub(crate) fn write_file(py: Python<'_>, path: PathBuf, content: &[u8]) -> PyResult<()> {
    py.detach(|| {
        let mut file = threshr_io::AtomicFile::create(&path)?;
        file.write_all(content).map_err(|e| Error::io(&path, e))?;
        file.finish()
    })
    .or_raise(py)
}

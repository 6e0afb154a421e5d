//! Readers of many pages. Each format is one file and one line in [`READERS`].
//!
//! # How to add a reader
//!
//! 1. Write `NAME.rs` with a `static READER: Reader`. `open` gives `Pages`; `next` returns a page, a failed page, or
//!    something that is not a page.
//! 2. Continue behind damage. Hold one page at a time. Give the same items for the same file: a resumed run counts them.
//! 3. Add it to [`READERS`], and to the table of `docs/guide/crawl.md`.

mod archive;
mod folder;
mod html;
mod jsonl;
mod list;
mod mhtml;
pub(crate) mod packed;
#[cfg(feature = "parquet")]
mod parquet;
#[cfg(feature = "parquet")]
mod parquet_file;
#[cfg(feature = "parquet")]
mod parquet_pages;
pub(crate) mod stream;

use crate::raw_page::{Item, PACKINGS, RawPage, unpacked_name};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use threshr_core::guard;
use threshr_core::registry;
use threshr_core::{Error, Result};

/// All readers.
pub static READERS: &[&Reader] = &[
    &html::READER,
    &mhtml::READER,
    &list::READER,
    &jsonl::READER,
    &archive::WARC,
    &archive::ARC,
    #[cfg(feature = "parquet")]
    &parquet::READER,
];

/// Opens a file; the counter counts the bytes that are read from it.
type Open = fn(&Path, &Fields, &Arc<AtomicU64>) -> Result<Box<dyn Pages>>;

/// A format of input.
#[derive(Debug)]
pub struct Reader {
    /// The name on the command line.
    pub name: &'static str,
    /// One line for help texts.
    pub summary: &'static str,
    /// File extensions, before `.gz` or `.zst`.
    pub endings: &'static [&'static str],
    /// Opens a file, or standard input if the path is `-`.
    pub(crate) open: Open,
}

/// The items of one input, one after the other. A thread can pass it on to another.
pub trait Pages: Send {
    /// Returns the next item; `None` at the end.
    ///
    /// # Errors
    /// If the rest of the input cannot be read.
    fn next(&mut self) -> Result<Option<Item>>;
}

/// Names of the fields of a JSON object, or of the columns of a Parquet file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fields {
    /// The HTML of the page, as text or bytes.
    pub html: String,
    /// Its id. Without one, the id is the file name and the position in the file.
    pub id: String,
    /// Its URL.
    pub url: String,
    /// When it was fetched.
    pub date: String,
}

impl Default for Fields {
    fn default() -> Self {
        let [html, id, url, date] = ["html", "id", "url", "date"].map(str::to_owned);
        Fields { html, id, url, date }
    }
}

impl Fields {
    /// The names of the fields of id, URL and date, each with whether it is not the usual one. A field that was chosen
    /// so must be there.
    pub(crate) fn others(&self) -> [(&str, bool); 3] {
        let usual = Fields::default();
        [(&self.id, &usual.id), (&self.url, &usual.url), (&self.date, &usual.date)]
            .map(|(name, usual)| (name.as_str(), name != usual))
    }
}

/// An input with its format.
#[derive(Debug, Clone)]
pub struct Source {
    /// The file; `-` for standard input.
    pub path: PathBuf,
    /// Its format.
    pub reader: &'static Reader,
    /// The id of the page, if the file name alone is not unique.
    pub id: Option<String>,
}

impl Source {
    fn new(path: PathBuf, reader: &'static Reader) -> Source {
        Source { path, reader, id: None }
    }
    /// Gives a page of this input its unique id.
    pub fn named(&self, page: RawPage) -> RawPage {
        RawPage { id: self.id.clone().unwrap_or(page.id), ..page }
    }
    /// Opens the input. `bytes_read` counts the bytes that are read from the file.
    ///
    /// # Errors
    /// If the input cannot be opened.
    pub fn open(&self, fields: &Fields, bytes_read: &Arc<AtomicU64>) -> Result<Box<dyn Pages>> {
        (self.reader.open)(&self.path, fields, bytes_read)
    }
    /// Size of the file in bytes; 0 if it is unknown.
    pub fn size(&self) -> u64 {
        std::fs::metadata(&self.path).map_or(0, |m| if m.is_file() { m.len() } else { 0 })
    }
}

/// The inputs that a list of paths stands for.
#[derive(Debug, Default)]
pub struct Sources {
    /// The inputs, in order.
    pub sources: Vec<Source>,
    /// Errors of paths that cannot be used; the other paths are in `sources`.
    pub failures: Vec<Error>,
    /// Crawl files in folders. They may be the gold of a data set, so they are read only if given as a path.
    pub left_out: Vec<PathBuf>,
    /// The folders that stand for their pages: those given, and those in lists.
    pub folders: Vec<PathBuf>,
    /// Number of files in folders that are no pages, by extension.
    pub skipped: BTreeMap<String, u64>,
}

/// Finds the inputs that `paths` stand for.
///
/// - A file is read by the reader for its extension. The first bytes of other files decide between archives,
///   saved pages and HTML. With `format`, that reader reads all files.
/// - A folder stands for the pages in it, sorted by name: HTML files and saved pages.
/// - A list stands for its entries. HTML files in it that do not exist stay, to be reported in their place.
/// - `-` is standard input.
///
/// Pages with equal file names get ids with their folders.
///
/// # Errors
/// If there is no reader `format`, or standard input is named twice.
pub fn sources(paths: &[PathBuf], format: Option<&str>) -> Result<Sources> {
    let forced = format.map(|name| registry::find(READERS, "input format", name, |r| r.name)).transpose()?;
    // The first reader would read it to the end.
    if paths.iter().filter(|p| p.as_os_str() == "-").count() > 1 {
        return Err(Error::recipe("standard input is named twice").expected("`-` once"));
    }
    let mut found = Sources::default();
    for path in paths {
        add(path, forced, &mut found);
    }
    html::disambiguate_ids(&mut found.sources);
    Ok(found)
}

fn add(path: &Path, forced: Option<&'static Reader>, found: &mut Sources) {
    let is_stdin = path.as_os_str() == "-";
    if !is_stdin && path.is_dir() {
        folder::add(path, found);
        found.folders.push(path.to_path_buf());
    } else if !is_stdin && !path.exists() {
        found.failures.push(Error::io(path, std::io::ErrorKind::NotFound.into()));
    } else {
        let reader = forced.unwrap_or_else(|| reader_of_file(path));
        if std::ptr::eq(reader, &list::READER) {
            for path in list::paths(path, &mut found.failures) {
                let reader = reader_of_file(&path);
                if std::ptr::eq(reader, &html::READER) && !path.exists() {
                    // A missing page is reported in its place in the output.
                    found.sources.push(Source::new(path, reader));
                } else {
                    // A list in a list is read as a page, which excludes cycles.
                    add(&path, std::ptr::eq(reader, &list::READER).then_some(&html::READER), found);
                }
            }
        } else {
            found.sources.push(Source::new(path.to_path_buf(), reader));
        }
    }
}

/// The extension of a file in lower case, before that of a packing: `html` for `a.HTML.gz`.
fn extension(path: &Path) -> String {
    let name = unpacked_name(path);
    name.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase()
}

/// The reader for the extension of a file.
fn reader_of(path: &Path) -> Option<&'static Reader> {
    let extension = extension(path);
    READERS.iter().copied().find(|r| r.endings.contains(&&*extension))
}

/// The reader for a file: for its extension, else for its first bytes, else for HTML.
fn reader_of_file(path: &Path) -> &'static Reader {
    // Only files can be read again. What is buffered of standard input stays there.
    let by_content = || match path.as_os_str() == "-" {
        true => reader_of_bytes(&stream::start_of_stdin()),
        false => path.is_file().then(|| reader_of_bytes(&stream::start(path))).flatten(),
    };
    reader_of(path).or_else(by_content).unwrap_or(&html::READER)
}

/// The reader for the first bytes of a file; `None` if they are of no known format.
fn reader_of_bytes(start: &[u8]) -> Option<&'static Reader> {
    #[cfg(feature = "parquet")]
    if start.starts_with(b"PAR1") {
        return Some(&parquet::READER);
    }
    if crate::sniff::is_mime(start) {
        return Some(&mhtml::READER);
    }
    if crate::sniff::is_json(start) {
        return Some(&jsonl::READER);
    }
    archive::reader_of(start).or_else(|| crate::sniff::is_html(start).then_some(&html::READER))
}

/// Runs a reader and turns a panic into an error without a page.
///
/// # Errors
/// Errors of `read`, and an error of kind [`ErrorKind::Data`](threshr_core::ErrorKind::Data) after a panic.
pub fn guarded<T>(read: impl FnOnce() -> Result<T>) -> Result<T> {
    guard("", read).map_err(|mut error| {
        error.place.page = error.place.page.take().filter(|p| !p.is_empty());
        error
    })
}

/// The name of a file for ids: without folders and extensions.
fn stem(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let endings = READERS.iter().flat_map(|r| r.endings);
    let is_end = |after: &str| {
        after.is_empty() || after.strip_prefix('.').is_some_and(|packing| PACKINGS.contains(&packing))
    };
    let ending = |e: &&str| {
        let at = name.rfind(&format!(".{e}"))?;
        is_end(&name[at + 1 + e.len()..]).then_some(at)
    };
    match endings.filter_map(ending).min() {
        Some(at) if at > 0 => name[..at].to_owned(),
        _ => name,
    }
}

#[cfg(test)]
mod tests;

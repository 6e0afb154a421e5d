//! Readers of many pages. Each format is one file and one line in [`READERS`].
//!
//! # How to add a reader
//!
//! 1. Write `NAME.rs` with a `static READER: Reader`. `open` returns `Pages`, and `next` returns a page, a
//!    failed page, or a skipped record.
//! 2. Continue after corrupt data. Keep only one page in memory. Return the same items for the same file, because a
//!    resumed run counts items.
//! 3. Add the reader to [`READERS`], and to the table of `docs/guide/crawl.md`.

mod archive;
#[cfg(feature = "parquet")]
mod cc_index;
pub(crate) mod compressed;
mod folder;
mod html;
mod jsonl;
mod list;
mod mhtml;
#[cfg(feature = "parquet")]
mod parquet;
#[cfg(feature = "parquet")]
mod parquet_file;
#[cfg(feature = "parquet")]
mod parquet_pages;
pub(crate) mod stream;

#[cfg(feature = "parquet")]
pub use cc_index::{WarcFiles, open_index};
pub use folder::{Files, files_below};
pub use html::page_ids;
pub(crate) use stream::Input;
pub use stream::{decoded, is_read_once, read_bytes};

use crate::names::{COMPRESSIONS, extension, text_of};
use crate::raw_page::{Item, RawPage};
use crate::sniff::{fetch_command, is_address, is_addresses, quoted};
use std::collections::BTreeMap;
use std::io::{Cursor, Read};
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
    #[cfg(feature = "parquet")]
    &cc_index::READER,
];

/// Opens an input.
type Open = fn(Input<'_>) -> Result<Box<dyn Pages>>;

/// An input format.
#[derive(Debug)]
pub struct Reader {
    /// The name on the command line.
    pub name: &'static str,
    /// One-line description for help texts.
    pub summary: &'static str,
    /// File extensions, without a compression extension such as `.gz`.
    pub extensions: &'static [&'static str],
    pub(crate) open: Open,
}

impl Reader {
    /// Opens a file, or standard input if the path is `-`. `bytes_read` counts the bytes that are read from the file.
    fn open_path(&self, path: &Path, fields: &Fields, bytes_read: &Arc<AtomicU64>) -> Result<Box<dyn Pages>> {
        (self.open)(Input { path, stream: None, fields, bytes_read })
    }
}

/// Iterator over the items of one input. It can be sent to another thread.
pub trait Pages: Send {
    /// Returns the next item. Returns `None` at the end.
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
    /// The id of the page. If a record has no id, the id is the file name and the position in the file.
    pub id: String,
    /// The URL of the page.
    pub url: String,
    /// The date of the fetch.
    pub date: String,
    /// How an index of WARC records is read.
    pub index: IndexOptions,
}

/// Which records of an index are read, and where the WARC files are. An empty list selects all.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct IndexOptions {
    /// The folder of the WARC files. The paths of the index start here.
    pub warc_root: PathBuf,
    /// Main languages of pages, as in the index: ISO 639-3 codes such as `deu`.
    pub languages: Vec<String>,
    /// Hosts and their subdomains, such as `example.org`.
    pub domains: Vec<String>,
    /// HTTP status codes.
    pub statuses: Vec<u16>,
    /// Media types as detected by the crawler, such as `text/html`.
    pub mimes: Vec<String>,
}

impl Default for Fields {
    fn default() -> Self {
        let [html, id, url, date] = ["html", "id", "url", "date"].map(str::to_owned);
        Fields { html, id, url, date, index: IndexOptions::default() }
    }
}

impl Fields {
    /// Returns the field names of id, URL and date, each with whether it differs from the default name. A
    /// field with another name was chosen by the user and must therefore exist.
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
    /// Format of the input.
    pub reader: &'static Reader,
    /// Id of the page, if its file name is not unique among the inputs.
    pub id: Option<String>,
}

impl Source {
    fn new(path: PathBuf, reader: &'static Reader) -> Source {
        Source { path, reader, id: None }
    }
    /// Sets the id of a page to the unique id of this input, if it has one.
    pub fn named(&self, page: RawPage) -> RawPage {
        RawPage { id: self.id.clone().unwrap_or(page.id), ..page }
    }
    /// Opens the input. `bytes_read` counts the bytes that are read from the file.
    ///
    /// # Errors
    /// If the input cannot be opened.
    pub fn open(&self, fields: &Fields, bytes_read: &Arc<AtomicU64>) -> Result<Box<dyn Pages>> {
        self.reader.open_path(&self.path, fields, bytes_read)
    }
    /// Returns the size of the file in bytes. Returns 0 if it is unknown.
    pub fn size(&self) -> u64 {
        std::fs::metadata(&self.path).map_or(0, |m| if m.is_file() { m.len() } else { 0 })
    }
}

/// Opens a stream, such as an object of an object store, as the input `name`. The reader is selected by the name
/// `format`, else by the extension of `name`, else by the first bytes.
///
/// # Errors
/// If no reader has the name `format`, or the stream cannot be opened.
pub fn open_stream(
    name: &Path,
    mut stream: Box<dyn Read + Send>,
    format: Option<&str>,
    fields: &Fields,
) -> Result<Box<dyn Pages>> {
    let named = format.map(|name| registry::find(READERS, "input format", name, |r| r.name)).transpose()?;
    let reader = match named.or_else(|| reader_of(name)) {
        Some(reader) => reader,
        None => {
            let start = stream::first_bytes(&mut stream);
            stream = Box::new(Cursor::new(start.clone()).chain(stream));
            reader_of_bytes(&stream::unpacked_start(start)).unwrap_or(&html::READER)
        }
    };
    (reader.open)(Input { path: name, stream: Some(stream), fields, bytes_read: &Arc::default() })
}

/// The inputs that a list of paths resolves to.
#[derive(Debug, Default)]
pub struct Sources {
    /// The inputs, in order.
    pub sources: Vec<Source>,
    /// Errors of paths that cannot be read. The other paths are in `sources`.
    pub failures: Vec<Error>,
    /// Crawl files in folders. They may be the gold of a data set, so they are read only if they are given
    /// explicitly.
    pub left_out: Vec<PathBuf>,
    /// Folders among the paths and in lists. They are replaced by the pages that they contain.
    pub folders: Vec<PathBuf>,
    /// Number of files in folders that are not pages, by extension.
    pub skipped: BTreeMap<String, u64>,
}

/// Resolves `paths` to inputs.
///
/// - The reader of a file is selected by its extension. Otherwise, it is detected from the first bytes: an archive,
///   a saved page, JSON, Parquet or HTML. If `format` is `Some`, that reader reads all files.
/// - A folder is replaced by the pages in it, sorted by name: HTML files and saved pages.
/// - A list is replaced by its entries. HTML files in the list that do not exist are kept, so that they are
///   reported at their position in the output.
/// - threshr does not fetch URLs. A URL gives a failure whose message states how to save the page.
/// - `-` is standard input. The format of standard input and of pipes is detected like that of files.
///
/// If several pages have the same file name, their ids contain the folder.
///
/// # Errors
/// If no reader has the name `format`, or standard input or a pipe is named twice.
pub fn sources(paths: &[PathBuf], format: Option<&str>) -> Result<Sources> {
    let forced = format.map(|name| registry::find(READERS, "input format", name, |r| r.name)).transpose()?;
    let paths: Vec<&Path> = paths.iter().map(|path| stdin_or(path)).collect();
    // The first reader would consume all of standard input.
    let is_twice = |(i, path): &(usize, &&Path)| is_read_once(path) && paths[..*i].contains(path);
    if let Some((_, twice)) = paths.iter().enumerate().find(is_twice) {
        let what = if twice.as_os_str() == "-" { "standard input" } else { "a pipe" };
        let error = Error::invalid_option(format!("{what} is named twice"));
        return Err(error.expected(format!("`{}` once", twice.display())));
    }
    let mut found = Sources::default();
    for path in paths {
        add(path, forced, &mut found);
    }
    html::disambiguate_ids(&mut found.sources);
    Ok(found)
}

/// Returns `-` for the devices of standard input. Exception: if standard input is a file, its path stays,
/// because a file has a size and can be read again.
fn stdin_or(path: &Path) -> &Path {
    let is_stdin = ["/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"].iter().any(|name| path == Path::new(name));
    if is_stdin && is_read_once(path) { Path::new("-") } else { path }
}

fn add(path: &Path, forced: Option<&'static Reader>, found: &mut Sources) {
    let is_stdin = path.as_os_str() == "-";
    if !is_stdin && path.is_dir() {
        folder::add(path, found);
        found.folders.push(path.to_path_buf());
    } else if let Some(address) = path.to_str().filter(|text| !is_stdin && is_address(text) && !path.exists())
    {
        let (word, piped) = (quoted(address), fetch_command(address));
        let error = Error::data("this is an address, and threshr reads files").expected(format!(
            "a saved page: `curl -fsSLo page.html {word}`, or `threshr-render {word} --out pages` if scripts build the page; or in one step `{piped}`"
        ));
        found.failures.push(error.at_path(path));
    } else if !is_stdin && !path.exists() {
        let error = Error::io(path, std::io::ErrorKind::NotFound.into());
        found.failures.push(match path.to_str().and_then(crate::sniff::instead_of_address) {
            Some(expected) => error.expected(expected),
            None => error,
        });
    } else {
        let reader = forced.unwrap_or_else(|| reader_of_file(path));
        if std::ptr::eq(reader, &list::READER) {
            for path in list::paths(path, &mut found.failures) {
                let reader = reader_of_file(&path);
                if std::ptr::eq(reader, &html::READER) && !path.exists() {
                    // A missing page is reported at its position in the output.
                    found.sources.push(Source::new(path, reader));
                } else {
                    // A list in a list is read as a page, which prevents cycles.
                    add(&path, std::ptr::eq(reader, &list::READER).then_some(&html::READER), found);
                }
            }
        } else {
            found.sources.push(Source::new(path.to_path_buf(), reader));
        }
    }
}

/// Returns the reader for the extension of a file.
fn reader_of(path: &Path) -> Option<&'static Reader> {
    let extension = extension(path);
    READERS.iter().copied().find(|r| r.extensions.contains(&&*extension))
}

/// Returns the reader for the extension of a file. If there is none, detects the reader from the first
/// bytes. The default is HTML.
fn reader_of_file(path: &Path) -> &'static Reader {
    let by_content = || {
        let start = stream::start(path);
        reader_of_bytes(&start).or_else(|| is_addresses(&start).then_some(&list::READER))
    };
    reader_of(path).or_else(by_content).unwrap_or(&html::READER)
}

/// Returns the reader for the first bytes of a file. Returns `None` if the format is unknown.
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

/// Calls `read` and converts a panic to an error without a page id.
///
/// # Errors
/// Errors of `read`, and an error of kind [`ErrorKind::Data`](threshr_core::ErrorKind::Data) after a panic.
pub fn guarded<T>(read: impl FnOnce() -> Result<T>) -> Result<T> {
    guard("", read).map_err(|mut error| {
        error.place.page = error.place.page.take().filter(|p| !p.is_empty());
        error
    })
}

/// Returns the file name without folders and extensions, for ids.
fn stem(path: &Path) -> String {
    let name = text_of(path.file_name().unwrap_or_default());
    let extensions = READERS.iter().flat_map(|r| r.extensions);
    let is_end = |after: &str| {
        after.is_empty()
            || after.strip_prefix('.').is_some_and(|compression| COMPRESSIONS.contains(&compression))
    };
    let extension = |e: &&str| {
        let at = name.rfind(&format!(".{e}"))?;
        is_end(&name[at + 1 + e.len()..]).then_some(at)
    };
    match extensions.filter_map(extension).min() {
        Some(at) if at > 0 => name[..at].to_owned(),
        _ => name,
    }
}

#[cfg(test)]
mod tests;

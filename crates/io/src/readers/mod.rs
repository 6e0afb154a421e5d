//! Readers of many pages. Each format is one file and one line in [`READERS`].

mod html;
mod jsonl;
mod list;
mod members;
#[cfg(feature = "parquet")]
mod parquet;
pub(crate) mod stream;
mod warc;

use crate::raw_page::{Item, RawPage};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use threshr_core::guard;
use threshr_core::registry;
use threshr_core::{Error, Result};

/// All readers.
pub static READERS: &[&Reader] = &[
    &html::READER,
    &list::READER,
    &jsonl::READER,
    &warc::READER,
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

/// The items of one input, one after the other.
pub trait Pages {
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
}

/// Finds the inputs that `paths` stand for.
///
/// - A file is read by the reader for its extension; other files are HTML. With `format`, that reader reads
///   all files.
/// - A folder stands for the HTML files in it, sorted by name.
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
        let (pages, others) = html::folder(path, &mut found.failures);
        found.sources.extend(pages.into_iter().map(|path| Source::new(path, &html::READER)));
        let is_crawl = |path: &PathBuf| !std::ptr::eq(reader_of(path), &html::READER);
        found.left_out.extend(others.into_iter().filter(is_crawl));
    } else if !is_stdin && !path.exists() {
        found.failures.push(Error::io(path, std::io::ErrorKind::NotFound.into()));
    } else {
        let reader = forced.unwrap_or_else(|| reader_of(path));
        if std::ptr::eq(reader, &list::READER) {
            for path in list::paths(path, &mut found.failures) {
                let reader = reader_of(&path);
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

/// The reader for the extension of a file.
fn reader_of(path: &Path) -> &'static Reader {
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    let name = name.strip_suffix(".gz").or_else(|| name.strip_suffix(".zst")).unwrap_or(&name);
    let ending = name.rsplit_once('.').map_or("", |n| n.1);
    READERS.iter().copied().find(|r| r.endings.contains(&ending)).unwrap_or(&html::READER)
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
    match READERS.iter().flat_map(|r| r.endings).find_map(|e| name.find(&format!(".{e}"))) {
        Some(at) if at > 0 => name[..at].to_owned(),
        _ => name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extensions_select_readers() {
        let name = |path: &str| reader_of(Path::new(path)).name;
        assert_eq!(name("a/b.html"), "html");
        assert_eq!(name("-"), "html");
        assert_eq!(name("page.php"), "html");
        assert_eq!(name("CC-MAIN.WARC.GZ"), "warc");
        assert_eq!(name("a.jsonl.zst"), "jsonl");
        assert_eq!(name("files.list"), "list");
        assert_eq!(stem(Path::new("x/a.b.warc.gz")), "a.b");
    }

    #[test]
    fn folders_and_lists_are_replaced_in_order() {
        let dir = tempfile::tempdir().expect("a folder");
        for name in ["b.html", "a.HTM", "x.txt", "sub/c.html", "w.warc"] {
            let path = dir.path().join(name);
            std::fs::create_dir_all(path.parent().expect("a parent")).expect("made");
            std::fs::write(path, "x").expect("written");
        }
        let list = dir.path().join("some.list");
        let lines = ["w.warc", "", "some.list", "none"].map(|n| dir.path().join(n).display().to_string());
        let lines = format!("\u{feff}{}\r\n", lines.join("\r\n"));
        std::fs::write(&list, [lines.as_bytes(), b"no \xff UTF-8\n"].concat()).expect("written");
        let found =
            sources(&[dir.path().into(), dir.path().join("none"), "-".into(), list], None).expect("read");
        let names: Vec<_> = found
            .sources
            .iter()
            .map(|s| (s.path.file_name().unwrap_or_default().to_string_lossy().into_owned(), s.reader.name))
            .collect();
        let is = |name: &str, reader| (name.to_owned(), reader);
        assert_eq!(
            names[..4],
            [is("a.HTM", "html"), is("b.html", "html"), is("c.html", "html"), is("-", "html")]
        );
        // from the list: a crawl, the folder, a list as a page, and missing pages
        assert_eq!(names[4], is("w.warc", "warc"));
        assert_eq!(names[5..8], names[..3]);
        let others = ["some.list", "none", "no \u{fffd} UTF-8"];
        assert_eq!(names[8..], others.map(|name| is(name, "html")));
        assert_eq!(found.failures.len(), 1, "{:?}", found.failures);
        let again = dir.path().join("sub/a.html");
        std::fs::write(&again, "x").expect("written");
        std::fs::write(dir.path().join("sub/c.htm"), "x").expect("written");
        let found = sources(&[dir.path().into()], None).expect("read").sources;
        let ids: Vec<_> = found.iter().map(|s| s.id.as_deref().unwrap_or("-")).collect();
        assert_eq!(ids, ["a", "-", "sub/a", "c.htm", "c.html"]);
        assert!(sources(&[], Some("pdf")).is_err_and(|e| e.to_string().contains("html, list, jsonl, warc")));
    }
}

//! Annotated sets: pages with gold, the content that annotators marked.
//!
//! A [`Reader`] turns a folder or file into [`GoldPage`]s. Each form is one file and one line in [`REGISTRY`].

mod boilernet;
mod cleaneval;
mod dragnet;
mod form;
mod in_page;
mod inline;
mod jsonl;
mod label_studio;
pub mod markup;
mod page;
mod pairs;
mod places;
mod record_set;
mod table;
mod wcxb;
mod webmainbench;
mod write;
mod xpath;

pub use form::{Match, Probe};
pub use markup::{ParagraphClass, Segment, segments};
pub use page::{Gold, GoldPage, Html, Snippets};
pub use write::{Content, SetWriter};

use crate::names;
use crate::readers::stream;
use std::collections::HashMap;
use std::io::Read;
use std::path::{Path, PathBuf};
use threshr_core::policy::Policy;
use threshr_core::registry;
use threshr_core::{Error, Result};
use threshr_html::Selector;

/// All readers. Without a given form, the first reader whose `detect` says yes reads a set.
pub static REGISTRY: &[&Reader] = &[
    &jsonl::READER,
    &cleaneval::READER,
    &in_page::L3S,
    &in_page::KRDWRD,
    &in_page::GOOGLEOFF,
    &in_page::MARKERS,
    &in_page::SELECTOR,
    &inline::READER,
    &pairs::READER,
    &dragnet::READER,
    &boilernet::READER,
    &wcxb::READER,
    &webmainbench::READER,
    &label_studio::READER,
    &table::READER,
];

/// Maximum size of a page or of a gold file, in bytes after decompression.
const MAX_PAGE: u64 = 1 << 28;

/// The error for a set without gold.
pub fn no_gold(set: impl AsRef<Path>) -> Error {
    Error::data("no page has gold")
        .expected("a field `gold` in gold.jsonl, or a gold file beside a page")
        .at_path(set)
}

/// A form of annotated sets.
#[derive(Debug)]
pub struct Reader {
    /// The name on the command line.
    pub name: &'static str,
    /// One line for help texts and tables.
    pub summary: &'static str,
    /// The source of the form.
    pub source: &'static str,
    /// How sure the form is recognised. If several forms are, the greater number wins; then the first.
    pub rank: u8,
    /// Whether a file or folder has this form.
    pub detect: fn(&Probe, &ReadOptions) -> Match,
    /// Reads the list of pages.
    pub read: fn(&Path, &ReadOptions) -> Result<Listing>,
}

/// The pages of a set, and what there is to say about its files.
#[derive(Debug, Default)]
pub struct Listing {
    /// The pages, in the order of the set.
    pub pages: Vec<GoldPage>,
    /// Remarks for the user, such as `3 texts have no page`.
    pub remarks: Vec<String>,
}

impl From<Vec<GoldPage>> for Listing {
    fn from(pages: Vec<GoldPage>) -> Self {
        Listing { pages, remarks: Vec::new() }
    }
}

/// Options of formats.
#[derive(Debug, Clone, Default)]
pub struct ReadOptions {
    /// Name of the format; `None` detects it.
    pub format: Option<String>,
    /// Opening and closing marker of the format `markers`.
    pub markers: Option<(String, String)>,
    /// CSS selector of the format `selector`.
    pub selector: Option<Selector>,
    /// Classes that count as content in forms with numbered classes.
    pub classes: Option<Vec<u8>>,
    /// Labels that count as content in forms with named labels.
    pub labels: Option<Vec<String>>,
    /// Names of the fields of records; `None`: the usual names.
    pub fields: GoldFields,
}

/// Names of the fields of records with pages and gold. `None`: the usual names.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GoldFields {
    /// The HTML of a page; usually `html`.
    pub html: Option<String>,
    /// The gold text; usually `text` or `gold`.
    pub text: Option<String>,
    /// The id of a page; usually `id`.
    pub id: Option<String>,
    /// The URL of a page; usually `url`.
    pub url: Option<String>,
}

/// An annotated set.
#[derive(Debug, Clone, Default)]
pub struct DataSet {
    /// Its name: the name of the folder or file.
    pub name: String,
    /// The folder or file.
    pub path: PathBuf,
    /// Name of the reader.
    pub format: &'static str,
    /// The policy that its `policy.toml` declares, if any.
    pub policy: Option<Policy>,
    /// The pages, in the order of the set.
    pub pages: Vec<GoldPage>,
    /// Remarks for the user about its files.
    pub remarks: Vec<String>,
}

impl DataSet {
    /// Reads the list of pages of an annotated set: a folder, or a file of records.
    ///
    /// # Errors
    /// If it has no known form, or its list of pages is damaged. The error for an unknown form lists all forms,
    /// and says which is the nearest.
    pub fn open(path: &Path, options: &ReadOptions) -> Result<Self> {
        if !path.exists() {
            return Err(Error::data("there is no such file or folder")
                .expected("a folder with pages and gold, or a file of records")
                .at_path(path));
        }
        let is_gold_list = path.is_file() && names::unpacked(path) == jsonl::LIST;
        let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let given = if is_gold_list { folder } else { path };
        let (reader, path) = form::find(given, options)?;
        let Listing { pages, mut remarks } = (reader.read)(&path, options)?;
        if pages.is_empty() {
            return Err(Error::data("the set has no pages")
                .expected(format!("pages of the form `{}`: {}", reader.name, reader.summary))
                .at_path(path));
        }
        check_ids(&pages, &path)?;
        remarks.extend(unknown_charsets(&pages));
        Ok(DataSet {
            name: set_name(given),
            path: path.clone(),
            format: reader.name,
            policy: declared_policy(if path.is_dir() { &path } else { folder_of(&path) })?,
            pages,
            remarks,
        })
    }

    /// Whether a file or folder is an annotated set of a known form.
    pub fn is_at(path: &Path) -> bool {
        Self::has_form(path, &ReadOptions::default())
    }

    /// Whether a file or folder has a known form with these options.
    pub fn has_form(path: &Path, options: &ReadOptions) -> bool {
        form::find(path, options).is_ok()
    }
}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// The name of a folder, or the name of a file without extensions.
fn set_name(path: &Path) -> String {
    let canonical = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
    let name = if path.is_dir() {
        canonical.file_name().map(|n| n.to_string_lossy().into_owned())
    } else {
        Some(names::stem(&canonical))
    };
    name.filter(|n| !n.is_empty()).unwrap_or_else(|| "data".to_owned())
}

/// What is said of charsets that the set states and that nobody knows.
fn unknown_charsets(pages: &[GoldPage]) -> Option<String> {
    let unknown = |p: &&GoldPage| p.charset.as_deref().is_some_and(|c| !threshr_html::is_charset(c));
    let mut pages = pages.iter().filter(unknown);
    let first = pages.next()?;
    let label = first.charset.as_deref().unwrap_or_default();
    Some(format!(
        "page {}: the encoding `{label}` is unknown, so the page itself decides{}",
        first.id,
        match pages.count() {
            0 => String::new(),
            more => format!("; so it is on {more} more pages"),
        }
    ))
}

/// Reads the policy in the `policy.toml` of a set: one line, such as `policy = "full-byline"`.
fn declared_policy(dir: &Path) -> Result<Option<Policy>> {
    #[derive(serde::Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Declared {
        policy: Policy,
    }
    let path = dir.join("policy.toml");
    if !path.is_file() {
        return Ok(None);
    }
    let text = std::fs::read_to_string(&path).map_err(|e| Error::io(&path, e))?;
    let declared: Declared = toml::from_str(&text).map_err(|e| {
        let line = e.span().map_or(1, |s| 1 + text[..s.start.min(text.len())].matches('\n').count() as u64);
        Error::data(e.message()).expected("a line such as policy = \"main\"").at_path(&path).at_line(line)
    })?;
    Ok(Some(declared.policy))
}

/// Finds the reader `name`.
///
/// # Errors
/// If no reader has this name. The error lists all names.
pub fn by_name(name: &str) -> Result<&'static Reader> {
    registry::find(REGISTRY, "gold format", name, |entry| entry.name)
}

fn check_ids(pages: &[GoldPage], path: &Path) -> Result<()> {
    let mut first: HashMap<&str, &GoldPage> = HashMap::with_capacity(pages.len());
    for page in pages {
        let Some(other) = first.insert(&page.id, page) else { continue };
        let place = |page: &GoldPage| match page.line {
            Some(line) => format!("line {line}"),
            None => page.path.display().to_string(),
        };
        let error = Error::data(format!("two pages have the same id: {}, {}", place(other), place(page)))
            .expected("an id of its own for each page")
            .at_page(&page.id)
            .at_path(path);
        return Err(match page.line {
            Some(line) => error.at_line(line),
            None => error,
        });
    }
    Ok(())
}

/// The site of a URL: its registrable domain by the public suffix list, else its host.
///
/// ```
/// use threshr_io::site_of;
///
/// assert_eq!(site_of("https://news.bbc.co.uk/1/x.html").as_deref(), Some("bbc.co.uk"));
/// ```
pub fn site_of(url: &str) -> Option<String> {
    let parsed = url::Url::parse(url).or_else(|_| url::Url::parse(&format!("http://{url}"))).ok()?;
    let host = match parsed.host()? {
        url::Host::Domain(host) => host.trim_end_matches('.').to_lowercase(),
        address => return Some(address.to_string()),
    };
    let domain = psl::domain_str(&host).map(str::to_owned);
    (!host.is_empty()).then(|| domain.unwrap_or(host))
}

/// Reads a file; `.gz` and `.zst` are unpacked, by the first bytes.
///
/// # Errors
/// If the file cannot be read, or has more than 256 MB; the error has its path.
pub fn read_bytes(path: &Path) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let from = stream::decoded(path, &Default::default())?;
    from.take(MAX_PAGE + 1).read_to_end(&mut bytes).map_err(|e| Error::io(path, e))?;
    match bytes.len() as u64 > MAX_PAGE {
        true => Err(Error::data("the file is too large").expected("at most 256 MB").at_path(path)),
        false => Ok(bytes),
    }
}

/// Reads a text file: its byte-order mark or its bytes decide its charset; lines end in `\n`. White space around
/// the text is left out.
pub(crate) fn read_text(path: &Path) -> Result<String> {
    let bytes = read_bytes(path)?;
    let text = threshr_html::decode(&bytes, None).text;
    Ok(unix_lines(text.trim_start_matches('\u{feff}').trim()))
}

/// Text with `\n` at the end of lines.
pub(crate) fn unix_lines(text: &str) -> String {
    text.replace("\r\n", "\n").replace('\r', "\n")
}

/// The HTML files of a folder, packed or not. Files with numeric names come first, sorted by number; the others
/// are sorted by name.
pub(crate) fn html_files(dir: &Path) -> Result<Vec<PathBuf>> {
    let entries = std::fs::read_dir(dir).map_err(|e| Error::io(dir, e))?;
    let mut files = Vec::new();
    for entry in entries {
        let path = entry.map_err(|e| Error::io(dir, e))?.path();
        if names::is_html(&path) && !is_hidden(&path) && path.is_file() {
            files.push(path);
        }
    }
    sort(&mut files);
    Ok(files)
}

/// Sorts files: numeric names first, by number; the others by name.
pub(crate) fn sort(files: &mut [PathBuf]) {
    files.sort_by_cached_key(|p| {
        let stem = names::stem(p);
        (stem.parse::<u64>().unwrap_or(u64::MAX), stem, p.clone())
    });
}

/// Whether a file is one of the system's own, such as `.DS_Store` and `._page.html`.
pub(crate) fn is_hidden(path: &Path) -> bool {
    path.file_name().is_some_and(|n| n.as_encoded_bytes().starts_with(b"."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_declares_its_policy() {
        let dir = tempfile::tempdir().expect("a folder");
        assert_eq!(declared_policy(dir.path()).expect("none"), None);
        let write = |text: &str| std::fs::write(dir.path().join("policy.toml"), text).expect("written");
        write("policy = 'full-byline'\n");
        let policy = declared_policy(dir.path()).expect("read").expect("there");
        assert_eq!(policy.name(), "full-byline");
        write("# a set\npolicy = 'best'\n");
        let error = declared_policy(dir.path()).expect_err("unknown").to_string();
        assert!(error.contains("policy.toml") && error.contains("best"), "{error}");
    }

    #[test]
    fn sites_are_registrable_domains() {
        let site = |u: &str| site_of(u);
        assert_eq!(site("http://news.bbc.co.uk/1/x.html").as_deref(), Some("bbc.co.uk"));
        assert_eq!(site("https://WWW.Example.COM:8080/?q").as_deref(), Some("example.com"));
        assert_eq!(site("example.org/a").as_deref(), Some("example.org"));
        assert_eq!(site("http://10.1.2.3/").as_deref(), Some("10.1.2.3"));
        assert_eq!(site(""), None);
    }
}

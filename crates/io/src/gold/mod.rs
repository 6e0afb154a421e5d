//! Annotated sets: pages with gold, the content that annotators marked.
//!
//! A [`Reader`] turns a folder or file into [`GoldPage`]s. Each form is one file and one line in [`REGISTRY`].
//!
//! # How to add a form of annotated sets
//!
//! 1. Write `NAME.rs` with a `static READER: Reader`.
//! 2. `detect` recognises a folder or file, and reports what is missing. `read` lists the pages with gold as text, or as
//!    an `Annotation` if the labels are in the page.
//! 3. Labels in the page must be gone before the tree is built. Extend `tests/suite/leaks.rs`.
//! 4. Add it to [`REGISTRY`], and to the test `every_form_is_read_by_every_command` in `tests/suite/cli_forms.rs`.
//! 5. Add a sample to `tests/cases/forms`, and a row to the table of `datasets/README.md`.

mod annotations;
mod boilernet;
mod cleaneval;
mod data_set;
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

pub use data_set::DataSet;
pub use form::{Match, Probe};
pub use markup::{ParagraphClass, Segment, segments};
pub use page::{Gold, GoldPage, Html, Snippets};
pub use write::{Content, SetWriter, list_line};

use crate::names;
use crate::readers::stream;
use std::io::Read;
use std::path::{Path, PathBuf};
use threshr_core::policy::Policy;
use threshr_core::registry;
pub use threshr_core::site_of;
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
    &annotations::READER,
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
    /// The policy that the labels of the set make, if it declares none.
    pub policy: Option<Policy>,
}

impl From<Vec<GoldPage>> for Listing {
    fn from(pages: Vec<GoldPage>) -> Self {
        Listing { pages, ..Listing::default() }
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

/// Finds the reader `name`.
///
/// # Errors
/// If no reader has this name. The error lists all names.
pub fn by_name(name: &str) -> Result<&'static Reader> {
    registry::find(REGISTRY, "gold format", name, |entry| entry.name)
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

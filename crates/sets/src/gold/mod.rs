//! Annotated sets: pages with gold, which is the content that annotators selected.
//!
//! A [`Reader`] reads the [`GoldPage`]s of a folder or file. Each format is one file and one entry of [`REGISTRY`].
//!
//! # How to add a format of annotated sets
//!
//! 1. Write `NAME.rs` with a `static READER: Reader`.
//! 2. `detect` recognises a folder or file, and reports what is missing. `read` lists the pages. Their gold is
//!    text, or an `Annotation` if the labels are in the page.
//! 3. Labels in the page must be removed before the tree is built. Extend `tests/suite/leaks.rs`.
//! 4. Add it to [`REGISTRY`], and to the test `every_form_is_read_by_every_command` in `tests/suite/cli_forms.rs`.
//! 5. Add a sample to `tests/cases/forms`, and the name to the table of `docs/guide/train.md`. Generate
//!    `docs/reference/formats.md` again.

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
mod wcxb;
mod webmainbench;
mod wrapper;
mod write;
mod xpath;

pub use data_set::DataSet;
pub use form::{Match, Probe};
pub use markup::{ParagraphClass, Segment, segments};
pub use page::{Gold, GoldPage, GoldPost, Html, Snippets};
pub use wrapper::CleanevalWrapper;
pub use write::{Content, SetWriter, list_line};

use std::path::{Path, PathBuf};
use threshr_core::policy::Policy;
use threshr_core::registry;
use threshr_core::{Error, Result};
use threshr_html::Selector;
use threshr_io::{names, read_bytes};

/// All readers. If no format is given, the matching reader with the highest rank reads the set.
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
    &inline::TABLE,
    &annotations::READER,
];

/// Returns the error for a set without gold.
pub fn no_gold(set: impl AsRef<Path>) -> Error {
    Error::data("no page has gold")
        .expected("a field `gold` in gold.jsonl, or a gold file beside a page")
        .at_path(set)
}

/// A format of annotated sets.
#[derive(Debug)]
pub struct Reader {
    /// The name of the format on the command line.
    pub name: &'static str,
    /// One line of text for help texts and tables.
    pub summary: &'static str,
    /// The publication or tool that defines the format.
    pub source: &'static str,
    /// Confidence of the detection. If several formats match, the one with the highest rank is used; among equal
    /// ranks, the first.
    pub rank: u8,
    /// Checks whether a file or folder has this format.
    pub detect: fn(&Probe, &ReadOptions) -> Match,
    /// Reads the list of pages of a set.
    pub read: fn(&Path, &ReadOptions) -> Result<Listing>,
}

/// The pages of a set, and remarks about its files.
#[derive(Debug, Default)]
pub struct Listing {
    /// The pages, in the order of the set.
    pub pages: Vec<GoldPage>,
    /// Remarks for the user, such as `3 texts have no page`.
    pub remarks: Vec<String>,
    /// The policy that corresponds to the content labels of the set, if the set declares no policy.
    pub policy: Option<Policy>,
    /// A sentence about gold that consists of labels of models, see [`DataSet::labels_of_models`].
    pub labels_of_models: Option<String>,
}

impl From<Vec<GoldPage>> for Listing {
    fn from(pages: Vec<GoldPage>) -> Self {
        Listing { pages, ..Listing::default() }
    }
}

/// Options for reading gold formats.
#[derive(Debug, Clone, Default)]
pub struct ReadOptions {
    /// Name of the format. If `None`, the format is detected.
    pub format: Option<String>,
    /// Opening and closing marker of the format `markers`.
    pub markers: Option<(String, String)>,
    /// CSS selector of the format `selector`.
    pub selector: Option<Selector>,
    /// Classes that count as content, for formats with numbered classes.
    pub classes: Option<Vec<u8>>,
    /// Labels that count as content, for formats with named labels.
    pub labels: Option<Vec<String>>,
    /// Field names of records.
    pub fields: GoldFields,
}

/// Field names of records with pages and gold. If `None`, the common names are used.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GoldFields {
    /// Field of the page's HTML, commonly `html`.
    pub html: Option<String>,
    /// Field of the gold text, commonly `text` or `gold`.
    pub text: Option<String>,
    /// Field of the page's id, commonly `id`.
    pub id: Option<String>,
    /// Field of the page's URL, commonly `url`.
    pub url: Option<String>,
}

/// Finds the reader `name`.
///
/// # Errors
/// If no reader has this name. The error lists all names.
pub fn by_name(name: &str) -> Result<&'static Reader> {
    registry::find(REGISTRY, "gold format", name, |entry| entry.name)
}

/// Reads a text file. The charset is detected from its byte-order mark or its bytes. Line ends become
/// `\n`, and surrounding white space is removed.
pub(crate) fn read_text(path: &Path) -> Result<String> {
    let bytes = read_bytes(path)?;
    let text = threshr_html::decode(&bytes, None).text;
    Ok(unix_lines(text.trim_start_matches('\u{feff}').trim()))
}

/// Converts line ends to `\n`.
pub(crate) fn unix_lines(text: &str) -> String {
    text.replace("\r\n", "\n").replace('\r', "\n")
}

/// Returns the HTML files of a folder, compressed or not. Numeric names come first, sorted by number. Other names
/// are sorted alphabetically.
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

/// Sorts files: numeric names first, by number, then other names alphabetically.
pub(crate) fn sort(files: &mut [PathBuf]) {
    files.sort_by_cached_key(|p| {
        let stem = names::stem(p);
        (stem.parse::<u64>().unwrap_or(u64::MAX), stem, p.clone())
    });
}

/// Returns whether a file is hidden, such as `.DS_Store` and `._page.html`.
pub(crate) fn is_hidden(path: &Path) -> bool {
    path.file_name().is_some_and(|n| n.as_encoded_bytes().starts_with(b"."))
}

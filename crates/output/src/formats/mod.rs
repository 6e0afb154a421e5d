//! Output formats: write kept blocks as text or rows. Each format is one file and one entry of [`FORMATS`].
//!
//! # How to add a format
//!
//! 1. Write `NAME.rs` with a `static FORMAT: Format`: the entry of a page (text, file or row), how entries are
//!    joined (`Layout`, `head`, `between`), and the entry of a failed page (`no_row` if there is none).
//! 2. A file extension belongs to one format. Compression, groups and resuming work for all formats. A format that
//!    needs a large dependency is defined outside this crate, as Parquet is.
//! 3. Add it to [`FORMATS`], its output to the test `formats_have_the_documented_form`, and a row to the table of
//!    `docs/guide/extract.md`.

mod blocks;
mod cleaneval;
mod comments_json;
mod folder;
mod front_matter;
mod html;
mod inline_json;
mod jsonl;
mod languages;
mod markdown;
mod posts_json;
mod roles;
mod row;
mod tei;
mod text;
mod unit_json;
mod wet;

pub use cleaneval::markup;
pub use comments_json::comments_json;
pub use html::{escape, html};
pub use markdown::markdown;
pub use posts_json::posts_json;
pub use row::Row;
pub use unit_json::{SCHEMA, units_json};

use crate::TypeAndQuality;
use crate::units::{self, Unit};
use threshr_core::Budget;
use threshr_core::Result;
use threshr_html::Document;
use threshr_html::blocks::{Blocks, ParagraphClass};
use threshr_page::Known;
use threshr_page::metadata::{self, MainFields, Metadata, Post};
use threshr_page::threads;

/// The formats of this crate. The first one is the default. `threshr-crawl` adds Parquet.
pub static FORMATS: &[&Format] = &[
    &text::FORMAT,
    &jsonl::FORMAT,
    &cleaneval::FORMAT,
    &blocks::FORMAT,
    &markdown::FORMAT,
    &html::FORMAT,
    &tei::FORMAT,
    &wet::FORMAT,
    &folder::FORMAT,
];

/// An output format.
#[derive(Debug)]
pub struct Format {
    /// The name on the command line.
    pub name: &'static str,
    /// Description in one line, for help texts.
    pub summary: &'static str,
    /// File extensions that select the format, without `.gz` or `.zst`.
    pub extensions: &'static [&'static str],
    /// Text before the first page.
    pub head: &'static str,
    /// Text between two pages.
    pub between: &'static str,
    /// Text before and after all pages of a file that may contain several pages. It is not written to a file of one
    /// page.
    pub frame: (&'static str, &'static str),
    /// How the entries are stored in files.
    pub layout: Layout,
    /// Creates the entry of a page.
    ///
    /// # Errors
    /// [`ErrorKind::Timeout`](threshr_core::ErrorKind::Timeout) if the budget of the page is exceeded.
    pub page: fn(&PageOutput<'_>) -> Result<Entry>,
    /// Creates the entry of a page that cannot be read. Returns `None` if the format has no entries for failed
    /// pages.
    pub failed: fn(&FailedPage<'_>) -> Option<Entry>,
}

/// How the entries of pages are stored in one or more files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layout {
    /// Entries are concatenated.
    Stream,
    /// Entries are compressed separately and then concatenated.
    Members,
    /// Each entry is a file in a folder.
    Folder,
    /// Entries are the rows of a Parquet file.
    Parquet,
}

/// The entry of one page.
#[derive(Debug, Clone, PartialEq)]
pub enum Entry {
    /// Text for the output file of all pages.
    Text(String),
    /// Text for a separate file.
    File {
        /// The id of the page, which determines the file name.
        id: String,
        /// The content of the file.
        text: String,
    },
    /// Column values of a row.
    Row(Box<Row>),
}

impl Entry {
    /// Approximate number of bytes in memory.
    pub fn size(&self) -> usize {
        match self {
            Entry::Text(text) | Entry::File { text, .. } => text.len(),
            Entry::Row(row) => {
                let texts = [&row.text, &row.markdown, &row.units].into_iter().flatten().map(String::len);
                texts.sum::<usize>() + 100
            }
        }
    }
}

/// A page with its labels, ready to be written.
#[derive(Debug, Clone, Copy)]
pub struct PageOutput<'a> {
    /// Id of the page, such as the file name without extension.
    pub id: &'a str,
    /// URL of the page, if known.
    pub url: Option<&'a str>,
    /// The date when the page was fetched, if known.
    pub date: Option<&'a str>,
    /// The document of the page.
    pub doc: &'a Document,
    /// The blocks of the page.
    pub blocks: &'a Blocks,
    /// Score of each block. Systems without scores use 1 for kept blocks and 0 for others.
    pub scores: &'a [f32],
    /// Whether each block is kept.
    pub kept: &'a [bool],
    /// The parts of the page that were found when its blocks were labelled. Other parts are detected when they are written.
    pub known: Known<'a>,
    /// Paragraph class of each block. If `None`, the elements of the blocks determine the classes.
    pub classes: Option<&'a [ParagraphClass]>,
    /// Type and quality of the page, if predicted.
    pub type_and_quality: Option<&'a TypeAndQuality>,
    /// The name of the model or system that labelled the page.
    pub model: &'a str,
    /// The reason why the page may be incomplete, such as a missing end of its file; `None` if the page is
    /// complete.
    pub defect: Option<&'a str>,
    /// Additional output that was requested.
    pub added: Added,
    /// Options of the markup in Markdown and HTML.
    pub options: WriteOptions,
    /// The time budget of the page.
    pub budget: Budget,
}

impl PageOutput<'_> {
    /// Returns the units of the page. If `all` is true, units that are not kept are included.
    ///
    /// # Errors
    /// [`ErrorKind::Timeout`](threshr_core::ErrorKind::Timeout) if the budget is exceeded.
    pub fn units(&self, all: bool) -> Result<Vec<Unit>> {
        self.tree(&self.posts(), all, true)
    }

    /// Returns the kept units of the page, without enclosing post units, for formats that do not write posts.
    ///
    /// # Errors
    /// [`ErrorKind::Timeout`](threshr_core::ErrorKind::Timeout) if the budget is exceeded.
    pub fn units_without_posts(&self) -> Result<Vec<Unit>> {
        self.tree(&[], false, true)
    }

    pub(crate) fn tree(&self, posts: &[Post], all: bool, has_addresses: bool) -> Result<Vec<Unit>> {
        units::tree(&self.source(posts, has_addresses), all, &self.budget)
    }

    /// Returns the page as input of a tree of units.
    fn source<'s>(&'s self, posts: &'s [Post], has_addresses: bool) -> units::Source<'s> {
        let &PageOutput { doc, blocks, kept, scores, url, known, .. } = self;
        units::Source { doc, blocks, kept, scores, url, has_addresses, posts, notes: known.notes }
    }

    /// Returns the posts of the page's thread, or the comments of the page, each with its author and date. Posts
    /// are included whether or not they are kept.
    pub fn posts(&self) -> Vec<Post> {
        threads::posts(self.doc, self.blocks, self.url, self.known.thread)
    }

    /// Returns the metadata of the page, each value with its source.
    pub fn metadata(&self) -> Metadata {
        metadata::of(self.doc, self.blocks, self.url, self.known)
    }

    /// Returns the title of the page, in less time than [`metadata`](Self::metadata).
    pub fn title(&self) -> Option<String> {
        metadata::title(self.doc, self.blocks, self.url, self.known).map(|title| title.value)
    }

    /// Returns the title, the authors and the publication date of the page, in less time than
    /// [`metadata`](Self::metadata).
    pub fn main_fields(&self) -> MainFields {
        metadata::main_fields(self.doc, self.blocks, self.url, self.known)
    }

    /// Returns the kept units as plain text, one line per unit. A unit with line breaks has several lines. Code
    /// keeps its indentation and empty lines.
    ///
    /// # Errors
    /// [`ErrorKind::Timeout`](threshr_core::ErrorKind::Timeout) if the budget is exceeded.
    pub fn text(&self) -> Result<String> {
        Ok(units::text(&self.tree(&[], false, false)?))
    }

    /// Returns the kept units as Markdown.
    ///
    /// # Errors
    /// [`ErrorKind::Timeout`](threshr_core::ErrorKind::Timeout) if the budget is exceeded.
    pub fn markdown(&self) -> Result<String> {
        let text = markdown(&self.with_title(self.units_without_posts()?, || self.title()), self.options);
        Ok(if self.added.metadata {
            front_matter::front_matter(&self.metadata(), self.url) + &text
        } else {
            text
        })
    }

    /// Returns the kept units as clean HTML.
    ///
    /// # Errors
    /// [`ErrorKind::Timeout`](threshr_core::ErrorKind::Timeout) if the budget is exceeded.
    pub fn html(&self) -> Result<String> {
        Ok(html(&self.with_title(self.units(false)?, || self.title()), self.options))
    }

    /// Puts the title before units, if the options ask for it.
    fn with_title(&self, units: Vec<Unit>, title: impl FnOnce() -> Option<String>) -> Vec<Unit> {
        match self.options.title.then(title).flatten() {
            Some(title) => units::with_title(units, &title),
            None => units,
        }
    }
}

/// Additional output that can be requested.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Added {
    /// Whether rows contain Markdown.
    pub markdown: bool,
    /// Whether rows contain the units of the page.
    pub units: bool,
    /// Whether rows contain the metadata, posts and comments of the page, and Markdown begins with the metadata.
    pub metadata: bool,
}

/// Options of the markup in Markdown and HTML. The text of the content is the same with all options.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools)] // each option is a command-line switch
pub struct WriteOptions {
    /// Whether the title of the page is written before its content, unless the content begins with it.
    pub title: bool,
    /// Whether URLs of links and notes are written.
    pub links: bool,
    /// Whether images are written.
    pub images: bool,
    /// Whether tables are written as tables. Otherwise, their cells are paragraphs.
    pub tables: bool,
    /// Whether formulas are written between delimiters, such as `$` in Markdown. If not, only their TeX is written.
    pub formulas: bool,
}

impl Default for WriteOptions {
    /// Sets all options to true.
    fn default() -> Self {
        WriteOptions { title: true, links: true, images: true, tables: true, formulas: true }
    }
}

/// A page that cannot be read.
#[derive(Debug, Clone, Copy)]
pub struct FailedPage<'a> {
    /// Id of the page.
    pub id: &'a str,
    /// URL of the page, if known.
    pub url: Option<&'a str>,
    /// The date when the page was fetched, if known.
    pub date: Option<&'a str>,
    /// The reason for the failure.
    pub error: &'a str,
    /// The name of the model or system of the run.
    pub model: &'a str,
}

/// [`Format::failed`] of formats without entries for failed pages. Failures are still reported on standard error.
fn no_row(_: &FailedPage<'_>) -> Option<Entry> {
    None
}

/// Appends a line feed to a string that is not empty.
fn with_line_end(mut text: String) -> String {
    if !text.is_empty() {
        text.push('\n');
    }
    text
}

#[cfg(test)]
pub(crate) mod tests;

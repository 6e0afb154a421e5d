//! Output formats: kept blocks → text or rows. Each format is one file and one line in [`FORMATS`].
//!
//! # How to add a format
//!
//! 1. Write `NAME.rs` with a `static FORMAT: Format`: what a page gives (text, file or row), how pages are joined
//!    (`Layout`, `head`, `between`), and what a failed page gives (`no_row` for nothing).
//! 2. A file extension belongs to one format. Compression, groups and resume are done for it. A format with a large
//!    dependency stays out of this crate, as Parquet does.
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
mod roles;
mod row;
mod tei;
#[cfg(test)]
pub(crate) mod testing;
mod text;
mod text_fragments;
mod unit_json;
mod wet;

pub use cleaneval::markup;
pub use comments_json::comments_json;
pub use html::html;
pub use markdown::markdown;
pub use row::Row;
pub use unit_json::{SCHEMA, units_json};

use crate::PageLevel;
use crate::units::{self, Unit};
use threshr_core::Budget;
use threshr_core::Result;
use threshr_html::Document;
use threshr_html::blocks::{Blocks, ParagraphClass};
use threshr_page::metadata::{self, Metadata, Post};

/// The formats of this crate; the first is the default. `threshr-crawl` adds Parquet.
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
    /// One line for help texts.
    pub summary: &'static str,
    /// File extensions that select it, before `.gz` or `.zst`.
    pub endings: &'static [&'static str],
    /// Text before the first page.
    pub head: &'static str,
    /// Text between two pages.
    pub between: &'static str,
    /// Text before and behind all pages of a file that may have several. A file of one page has none.
    pub frame: (&'static str, &'static str),
    /// How the entries are put together.
    pub layout: Layout,
    /// Creates the entry of a page.
    ///
    /// # Errors
    /// [`ErrorKind::Timeout`](threshr_core::ErrorKind::Timeout) if the budget of the page is used up.
    pub page: fn(&PageOutput<'_>) -> Result<Entry>,
    /// Creates the entry of a page that cannot be read; `None` if the format has no such entries.
    pub failed: fn(&FailedPage<'_>) -> Option<Entry>,
}

/// How entries become one file or several.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layout {
    /// Texts one after the other.
    Stream,
    /// Texts one after the other, each compressed separately.
    Members,
    /// One file per page, in a folder.
    Folder,
    /// Rows of a Parquet file.
    Parquet,
}

/// The entry of one page.
#[derive(Debug, Clone, PartialEq)]
pub enum Entry {
    /// Text for the file of all pages.
    Text(String),
    /// Text for a file of its own.
    File {
        /// The id of the page, which names the file.
        id: String,
        /// The content of the file.
        text: String,
    },
    /// Values of columns.
    Row(Box<Row>),
}

impl Entry {
    /// Approximate number of bytes in memory.
    pub fn size(&self) -> usize {
        match self {
            Entry::Text(text) | Entry::File { text, .. } => text.len(),
            Entry::Row(row) => {
                let added = [&row.markdown, &row.units].into_iter().flatten().map(String::len);
                row.text.len() + added.sum::<usize>() + 100
            }
        }
    }
}

/// A page with its labels.
#[derive(Debug, Clone, Copy)]
pub struct PageOutput<'a> {
    /// Its id, such as the file name without extension.
    pub id: &'a str,
    /// Its URL, if known.
    pub url: Option<&'a str>,
    /// When it was fetched, if known.
    pub date: Option<&'a str>,
    /// Its document.
    pub doc: &'a Document,
    /// Its blocks.
    pub blocks: &'a Blocks,
    /// Score of each block. Systems without scores give 1 or 0.
    pub scores: &'a [f32],
    /// Whether each block is kept.
    pub kept: &'a [bool],
    /// Paragraph class of each block; `None`: the elements of the blocks decide.
    pub classes: Option<&'a [ParagraphClass]>,
    /// Type and quality of the page, if they are predicted.
    pub page_level: Option<&'a PageLevel>,
    /// The model or system that labelled it.
    pub model: &'a str,
    /// What is written beside the content.
    pub added: Added,
    /// What Markdown and HTML contain beside text.
    pub options: WriteOptions,
    /// The time budget of the page.
    pub budget: Budget,
}

impl PageOutput<'_> {
    /// The units of the page: those that are kept, or all.
    ///
    /// # Errors
    /// [`ErrorKind::Timeout`](threshr_core::ErrorKind::Timeout) if the budget is used up.
    pub fn units(&self, all: bool) -> Result<Vec<Unit>> {
        self.tree(&self.posts(), all, true)
    }

    /// The kept units of the page, without the units of posts around them. Formats that do not write posts need no more.
    ///
    /// # Errors
    /// [`ErrorKind::Timeout`](threshr_core::ErrorKind::Timeout) if the budget is used up.
    pub fn units_without_posts(&self) -> Result<Vec<Unit>> {
        self.tree(&[], false, true)
    }

    pub(crate) fn tree(&self, posts: &[Post], all: bool, has_addresses: bool) -> Result<Vec<Unit>> {
        let &PageOutput { doc, blocks, kept, scores, url, .. } = self;
        units::tree(
            &units::Source { doc, blocks, kept, scores, url, has_addresses, posts },
            all,
            &self.budget,
        )
    }

    /// The comments and posts of the page, kept or not, each with who wrote it and when.
    pub fn posts(&self) -> Vec<Post> {
        metadata::posts(self.doc, self.blocks)
    }

    /// The metadata of the page, each value with its source.
    pub fn metadata(&self) -> Metadata {
        metadata::of(self.doc, self.blocks, self.url)
    }

    /// The kept units as plain text: one line per unit, or several if it contains line breaks. Code keeps its
    /// indentation and empty lines.
    ///
    /// # Errors
    /// [`ErrorKind::Timeout`](threshr_core::ErrorKind::Timeout) if the budget is used up.
    pub fn text(&self) -> Result<String> {
        Ok(units::text(&self.tree(&[], false, false)?))
    }

    /// The kept units as Markdown.
    ///
    /// # Errors
    /// [`ErrorKind::Timeout`](threshr_core::ErrorKind::Timeout) if the budget is used up.
    pub fn markdown(&self) -> Result<String> {
        let text = markdown(&self.units_without_posts()?, self.options);
        Ok(if self.added.metadata {
            front_matter::front_matter(&self.metadata(), self.url) + &text
        } else {
            text
        })
    }
}

/// What is written beside the content, if asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Added {
    /// Rows contain Markdown.
    pub markdown: bool,
    /// Rows contain the units of the page.
    pub units: bool,
    /// Rows contain the metadata and the comments of the page, and Markdown begins with the metadata.
    pub metadata: bool,
}

/// What Markdown and HTML contain beside the text. No option changes which text is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools)] // each is a switch of the command line
pub struct WriteOptions {
    /// Addresses of links, and notes.
    pub links: bool,
    /// Images.
    pub images: bool,
    /// Tables as tables; otherwise their cells are paragraphs.
    pub tables: bool,
    /// Formulas between `$`; otherwise as TeX without markup.
    pub formulas: bool,
}

impl Default for WriteOptions {
    /// Everything.
    fn default() -> Self {
        WriteOptions { links: true, images: true, tables: true, formulas: true }
    }
}

/// A page that cannot be read.
#[derive(Debug, Clone, Copy)]
pub struct FailedPage<'a> {
    /// Its id.
    pub id: &'a str,
    /// Its URL, if known.
    pub url: Option<&'a str>,
    /// When it was fetched, if known.
    pub date: Option<&'a str>,
    /// The reason.
    pub error: &'a str,
    /// The model or system of the run.
    pub model: &'a str,
}

/// For formats without entries for failures. Failures are reported on standard error.
fn no_row(_: &FailedPage<'_>) -> Option<Entry> {
    None
}

/// Adds a line end, except to an empty text.
fn with_line_end(mut text: String) -> String {
    if !text.is_empty() {
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use threshr_html::blocks as block;
    use threshr_html::{Visibility, parse_str};

    fn written(name: &str) -> String {
        let format = FORMATS.iter().find(|f| f.name == name).expect("a format");
        let doc = parse_str("<title>T</title><h1>A\tb</h1><p>One <i>two</i><br>three<ul><li>x</ul>");
        let blocks = Blocks::of(&doc, block::REGISTRY[0], Visibility::Visible);
        let page = PageOutput {
            id: "7",
            url: Some("http://a/"),
            doc: &doc,
            blocks: &blocks,
            scores: &[0.25, 0.75, 1.0],
            kept: &[true, true, false],
            classes: None,
            date: None,
            page_level: None,
            model: "m",
            added: Added::default(),
            options: WriteOptions::default(),
            budget: Budget::UNLIMITED,
        };
        let other = PageOutput { kept: &[false, false, true], url: None, ..page };
        let failed = FailedPage { id: "8", url: None, date: None, error: "why", model: "m" };
        let entries = [&page, &other]
            .map(|page| (format.page)(page).expect("no limit"))
            .into_iter()
            .chain((format.failed)(&failed));
        let texts: Vec<String> = entries
            .map(|e| match e {
                Entry::Text(text) | Entry::File { text, .. } => text,
                Entry::Row(row) => format!("{row:?}"),
            })
            .collect();
        format!("{}{}", format.head, texts.join(format.between))
    }

    #[test]
    fn predicted_classes_have_priority() {
        use ParagraphClass::{Heading, List, Paragraph};
        let doc = parse_str("<h1>A</h1><p>B<ul><li>C</ul>");
        let blocks = Blocks::of(&doc, block::REGISTRY[0], Visibility::Visible);
        let kept = [true, false, true];
        assert_eq!(markup(&doc, &blocks, &kept, None), "<h>A\n<l>C");
        assert_eq!(markup(&doc, &blocks, &kept, Some(&[List, Paragraph, Heading])), "<l>A\n<h>C");
    }

    #[test]
    fn formats_have_the_documented_form() {
        assert_eq!(written("text"), "A b\nOne two\nthree\n\nx\n");
        assert_eq!(
            written("jsonl"),
            "{\"id\":\"7\",\"url\":\"http://a/\",\"text\":\"A b\\nOne two\\nthree\",\"scores\":[0.25,0.75],\"model\":\"m\"}\n\
             {\"id\":\"7\",\"url\":null,\"text\":\"x\",\"scores\":[1.0],\"model\":\"m\"}\n\
             {\"id\":\"8\",\"url\":null,\"text\":\"\",\"scores\":[],\"model\":\"m\",\"error\":\"why\"}\n"
        );
        assert_eq!(written("cleaneval"), "URL: http://a/\n<h>A b\n<p>One two three\n\nURL: 7\n<l>x\n");
        let blocks = written("blocks");
        assert!(blocks.starts_with(
            "page\tblock\tlabel\tscore\tpath\ttext\n7\t0\tcontent\t0.2500\thtml>body>h1\tA b\n"
        ));
        assert!(
            blocks.contains("7\t2\tboilerplate\t1.0000\thtml>body>ul>li\tx\n")
                && blocks.contains("One two three")
        );
    }
}

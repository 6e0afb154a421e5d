//! The content of a page as a tree of units: headings, paragraphs, lists, code, tables, figures and notes.
//!
//! [`tree`] builds the tree from the document, the blocks and their labels. Output formats read only the tree.

mod atoms;
mod builder;
mod containers;
mod context;
mod equations;
mod figures;
mod inline;
mod inline_elements;
mod leaf;
mod lists;
mod notes;
mod provenance;
mod raw_tex;
mod ruby;
mod text;
mod title;

pub use builder::{Source, tree, trees_of_posts};
pub use inline::{Atom, AtomKind, Inlines, Link, Piece, Run, Script, Style};
pub use text::text;
pub(crate) use title::with_title;

use serde::Serialize;
use std::ops::Range;
use threshr_html::NodeId;
use threshr_html::structure::tables::Alignment;
use threshr_page::metadata::{Post, PostKind};

/// A part of a page.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Unit {
    /// The kind of the unit.
    pub kind: Kind,
    /// The text, if the unit is a leaf: a paragraph, a heading, a term, code or a formula.
    pub inlines: Inlines,
    /// The units inside this one.
    pub children: Vec<Unit>,
    /// The element of the unit. If a line shares its element with other lines, the first text node of the line.
    pub(crate) node: NodeId,
    /// Byte range in the decoded page. `None` for elements that the parser adds, and if the page was parsed without
    /// [`ParseOptions::source_map`](threshr_html::ParseOptions::source_map).
    pub source: Option<Range<usize>>,
    /// The indices of the blocks that contain the text of the unit; empty for units without text.
    pub blocks: Range<usize>,
    /// Mean score of the blocks, weighted by length; `None` for units without text.
    pub score: Option<f32>,
    /// Whether the unit is content. A container is content if it contains a unit that is content.
    pub kept: bool,
}

impl Unit {
    /// Whether the kept text of the unit or of a descendant contains `text`.
    pub(crate) fn says(&self, text: &str) -> bool {
        self.kept && (self.inlines.text.contains(text) || self.children.iter().any(|child| child.says(text)))
    }
}

/// The kind of a unit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Kind {
    /// A heading.
    Heading {
        /// Level, 1 to 6.
        level: u8,
    },
    /// A paragraph.
    Paragraph,
    /// A list. Its children are items.
    List {
        /// Whether the items are numbered.
        ordered: bool,
    },
    /// A list item.
    Item {
        /// The number, if the list is ordered. It may be negative.
        #[serde(skip_serializing_if = "Option::is_none")]
        number: Option<i32>,
        /// Whether its checkbox is checked, if it has one.
        #[serde(skip_serializing_if = "Option::is_none")]
        checked: Option<bool>,
    },
    /// A definition list: terms and their definitions.
    Definitions,
    /// A term.
    Term,
    /// A definition of the terms before it.
    Definition,
    /// A post of a thread, an answer, or a reader's comment, with the posts that reply to it.
    Post(Box<AboutPost>),
    /// A quotation.
    Quote {
        /// The URL of the source, if the page states it.
        #[serde(skip_serializing_if = "Option::is_none")]
        cite: Option<String>,
    },
    /// An admonition.
    Callout {
        /// The type, such as `note` or `warning`; empty if unknown.
        #[serde(rename = "type", skip_serializing_if = "str::is_empty")]
        callout_type: &'static str,
    },
    /// The title of an admonition.
    CalloutTitle,
    /// A collapsible section (`<details>`).
    Details,
    /// The title of a collapsible section (`<summary>`).
    Summary,
    /// A thematic break (`<hr>`).
    Rule,
    /// A code block. Its text is verbatim.
    Code {
        /// The language; empty if unknown.
        #[serde(skip_serializing_if = "String::is_empty")]
        language: String,
    },
    /// A display formula. Its text is TeX.
    Math,
    /// A data table. Its children are an optional caption, and cells in document order.
    Table {
        /// Number of header rows.
        head_rows: usize,
        /// Number of leading columns in which all cells below the header rows are header cells.
        head_columns: usize,
        /// Number of rows.
        rows: usize,
        /// Number of columns.
        columns: usize,
        /// Alignment of each column.
        alignment: Vec<Alignment>,
    },
    /// A cell of a table.
    Cell {
        /// The row, from 0.
        row: usize,
        /// The first column, from 0.
        column: usize,
        /// Number of rows that the cell spans.
        row_span: usize,
        /// Number of columns that the cell spans.
        column_span: usize,
        /// Whether the cell is a header cell.
        head: bool,
    },
    /// Images with a caption.
    Figure,
    /// The caption of a figure or a table.
    Caption,
    /// A video, an audio file or an embedded page.
    Media {
        /// The kind of media.
        #[serde(rename = "media")]
        media_kind: MediaKind,
        /// The URL of the media.
        url: String,
        /// The title; empty if it has none.
        #[serde(skip_serializing_if = "String::is_empty")]
        title: String,
    },
    /// A footnote.
    FootnoteDefinition {
        /// The label with which references refer to the note.
        label: String,
    },
}

/// Metadata of a post.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AboutPost {
    /// The kind of the post.
    #[serde(rename = "post")]
    pub post_kind: PostKind,
    /// The number of the post among the posts of the page, from 0.
    pub number: usize,
    /// The number of the parent post, if this post is a reply.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reply_to: Option<usize>,
    /// The author, if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub author: Option<String>,
    /// The URL of the author's page, if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub author_url: Option<String>,
    /// The date, if known: in ISO 8601 if the day is known, otherwise as on the page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub date: Option<String>,
    /// The URL of the post, if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// The number of votes, if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub votes: Option<i64>,
}

impl AboutPost {
    /// Creates the metadata of a post with the given number.
    pub(crate) fn new(post: &Post, number: usize) -> Self {
        AboutPost {
            post_kind: post.kind,
            number,
            reply_to: post.parent,
            author: post.author.clone(),
            author_url: post.author_url.clone(),
            date: post.date.clone(),
            url: post.url.clone(),
            votes: post.score,
        }
    }

    /// Returns the date if it is in ISO 8601.
    pub(crate) fn iso_date(&self) -> Option<&str> {
        let is_year = |date: &&str| date.len() >= ISO_DAY && date.bytes().take(4).all(|b| b.is_ascii_digit());
        self.date.as_deref().filter(is_year)
    }
}

/// Length in bytes of a day in ISO 8601.
const ISO_DAY: usize = "2024-05-03".len();

/// The kind of a [`Kind::Media`] unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum MediaKind {
    /// `<video>`, or an `<embed>` with a video type.
    Video,
    /// `<audio>`, or an `<embed>` with an audio type.
    Audio,
    /// A page or document: `<iframe>`, or an `<embed>` of another type.
    Frame,
}

impl Kind {
    /// Returns whether text inside the element belongs to the unit itself, and not to paragraphs in the unit.
    pub(crate) fn is_line(&self) -> bool {
        matches!(self, Kind::Heading { .. } | Kind::Term | Kind::Summary | Kind::CalloutTitle | Kind::Caption)
    }
}

impl Unit {
    /// Returns all cells of a table by row, including cells that are not kept. Rows without cells are
    /// omitted.
    pub fn rows(&self) -> Vec<Vec<&Unit>> {
        let row_of = |unit: &Unit| match unit.kind {
            Kind::Cell { row, .. } => Some(row),
            _ => None,
        };
        let cells: Vec<&Unit> = self.children.iter().filter(|c| row_of(c).is_some()).collect();
        cells.chunk_by(|a, b| row_of(a) == row_of(b)).map(<[&Unit]>::to_vec).collect()
    }
}

/// Calls `f` on units and all units inside them, in document order.
pub fn walk<'u>(units: &'u [Unit], f: &mut impl FnMut(&'u Unit)) {
    let mut open: Vec<_> = vec![units.iter()];
    while let Some(last) = open.last_mut() {
        match last.next() {
            Some(unit) => {
                f(unit);
                open.push(unit.children.iter());
            }
            None => drop(open.pop()),
        }
    }
}

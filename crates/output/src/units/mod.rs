//! The content of a page as a tree of units: headings, paragraphs, lists, code, tables, figures and notes.
//!
//! [`tree`] builds it from the document, the blocks and their labels. Writers of formats read the tree alone.

mod atoms;
mod builder;
mod containers;
mod context;
mod inline;
mod inline_elements;
mod leaf;
mod lists;
mod provenance;
mod raw_tex;
mod ruby;
mod text;

pub use builder::{Source, tree};
pub use inline::{Atom, AtomKind, Inlines, Link, Piece, Run, Script, Style};
pub use text::text;

use serde::Serialize;
use std::ops::Range;
use threshr_html::NodeId;
use threshr_html::structure::tables::Alignment;

/// A part of a page.
#[derive(Debug, Clone, PartialEq)]
pub struct Unit {
    /// What it is.
    pub kind: Kind,
    /// Its text, if it is a leaf: a paragraph, a heading, a term, code or a formula.
    pub inlines: Inlines,
    /// The units inside it.
    pub children: Vec<Unit>,
    /// Its element; the first text node of a line that shares its element with others.
    pub node: NodeId,
    /// Where it is in the decoded page, in bytes, from its first to its last one. `None` for elements that the parser
    /// adds, and if the page was parsed without [`ParseOptions::source_map`](threshr_html::ParseOptions::source_map).
    pub source: Option<Range<usize>>,
    /// Its text in the text of all blocks ([`Blocks::text`](threshr_html::blocks::Blocks)), markup between its parts
    /// included; empty without text.
    pub text: Range<u32>,
    /// The blocks of its text, by index; empty for units without text.
    pub blocks: Range<usize>,
    /// Mean score of its blocks, weighted by letters; `None` without text.
    pub score: Option<f32>,
    /// Whether it is content. A container is content if a unit inside it is.
    pub kept: bool,
}

impl Unit {
    /// Whether the kept text of a unit or of a unit inside it contains `text`.
    pub(crate) fn says(&self, text: &str) -> bool {
        self.kept && (self.inlines.text.contains(text) || self.children.iter().any(|child| child.says(text)))
    }
}

/// The kind of a unit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Kind {
    /// A heading.
    Heading {
        /// 1 to 6.
        level: u8,
    },
    /// A paragraph.
    Paragraph,
    /// A list. Its children are items.
    List {
        /// Whether the items have numbers.
        ordered: bool,
    },
    /// An item of a list.
    Item {
        /// Its number in an ordered list. Lists may begin with a negative number.
        #[serde(skip_serializing_if = "Option::is_none")]
        number: Option<i32>,
        /// Whether its box is checked, if it has one.
        #[serde(skip_serializing_if = "Option::is_none")]
        checked: Option<bool>,
    },
    /// A list of terms and definitions.
    Definitions,
    /// A term.
    Term,
    /// A definition of the terms before it.
    Definition,
    /// A post of a thread, an answer, or a reader's comment, with the posts that reply to it.
    Post {
        /// Who wrote it, if the page says so.
        #[serde(skip_serializing_if = "Option::is_none")]
        author: Option<String>,
        /// When: ISO 8601, if the page says so.
        #[serde(skip_serializing_if = "Option::is_none")]
        date: Option<String>,
    },
    /// A quotation.
    Quote {
        /// The address of its source.
        #[serde(skip_serializing_if = "Option::is_none")]
        cite: Option<String>,
    },
    /// A box of advice.
    Callout {
        /// Its type, such as `note` or `warning`; empty if the page does not say it.
        #[serde(rename = "type", skip_serializing_if = "str::is_empty")]
        callout_type: &'static str,
    },
    /// The title of a box of advice.
    CalloutTitle,
    /// A part that a reader opens.
    Details,
    /// The title of such a part.
    Summary,
    /// A line across the page.
    Rule,
    /// Code. Its text is verbatim.
    Code {
        /// The language; empty if unknown.
        #[serde(skip_serializing_if = "String::is_empty")]
        language: String,
    },
    /// A formula on lines of its own. Its text is TeX.
    Math,
    /// A data table. Its children are an optional caption, and cells in document order.
    Table {
        /// Number of rows of the head.
        head_rows: usize,
        /// Number of columns before the data, with headers of rows.
        head_columns: usize,
        /// Number of rows.
        rows: usize,
        /// Number of columns.
        columns: usize,
        /// The alignment of each column.
        alignment: Vec<Alignment>,
    },
    /// A cell of a table.
    Cell {
        /// Its row, from 0.
        row: usize,
        /// Its first column, from 0.
        column: usize,
        /// Number of rows.
        row_span: usize,
        /// Number of columns.
        column_span: usize,
        /// Whether it is a header cell.
        head: bool,
    },
    /// Images with their caption.
    Figure,
    /// The caption of a figure or a table.
    Caption,
    /// A video, a sound or another page inside the page.
    Media {
        /// What it is.
        #[serde(rename = "media")]
        media_kind: MediaKind,
        /// Its address.
        url: String,
        /// Its title; empty if it has none.
        #[serde(skip_serializing_if = "String::is_empty")]
        title: String,
    },
    /// A note below the text.
    FootnoteDefinition {
        /// The label of the note, as its references have it.
        label: String,
    },
}

/// The kind of a [`Kind::Media`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum MediaKind {
    /// `<video>`, or an `<embed>` of this type.
    Video,
    /// `<audio>`, or an `<embed>` of this type.
    Audio,
    /// Another page or a document: `<iframe>`, or an `<embed>` of another type.
    Frame,
}

impl Kind {
    /// Whether the text inside the unit is its own, and not that of paragraphs inside it.
    pub(crate) fn is_line(&self) -> bool {
        matches!(self, Kind::Heading { .. } | Kind::Term | Kind::Summary | Kind::CalloutTitle | Kind::Caption)
    }
}

impl Unit {
    /// The cells of a table, by row, kept or not. Rows without cells are left out.
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

//! The result of an extraction.

use crate::flow::{Labels, Page};
use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};
use threshr_core::Budget;
use threshr_html::Document;
use threshr_html::blocks::{Blocks, ParagraphClass};
use threshr_output::PageLevel;
use threshr_output::formats::{Added, PageOutput, WriteOptions, html};
use threshr_output::units::Unit;
use threshr_page::metadata::{self, Metadata, Post};
use threshr_page::{BlockStats, PageWords};

/// The content of a page: its blocks with scores and labels. Text and Markdown are written on demand.
#[derive(Debug, Clone)]
pub struct Extraction {
    page: Page,
    labels: Labels,
    page_level: Option<PageLevel>,
    counts: Option<Counts>,
    url: Option<String>,
}

/// Counts of a page that its type and quality are predicted from, kept for a later prediction.
#[derive(Debug, Clone)]
pub(crate) struct Counts {
    pub(crate) stats: Vec<BlockStats>,
    pub(crate) words: Option<PageWords>,
}

/// A block of text with its score and label.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Block<'a> {
    /// Its text.
    pub text: &'a str,
    /// Its score, `0.0..=1.0`.
    pub score: f32,
    /// Whether it is content.
    pub is_content: bool,
}

impl Extraction {
    pub(crate) fn new(page: Page, labels: Labels, page_level: Option<PageLevel>, url: Option<&str>) -> Self {
        Extraction { page, labels, page_level, counts: None, url: url.map(str::to_owned) }
    }

    pub(crate) fn with_counts(self, counts: Option<Counts>) -> Self {
        Extraction { counts, ..self }
    }

    pub(crate) fn counts(&self) -> Option<&Counts> {
        self.counts.as_ref()
    }
    pub(crate) fn page(&self) -> &Page {
        &self.page
    }
    pub(crate) fn url(&self) -> Option<&str> {
        self.url.as_deref()
    }

    /// The content as plain text: one line per block, or several if a block contains line breaks.
    pub fn text(&self) -> String {
        self.output().text().unwrap_or_else(|e| unreachable!("without a limit: {e}"))
    }

    /// The content as Markdown.
    pub fn markdown(&self) -> String {
        self.output().markdown().unwrap_or_else(|e| unreachable!("without a limit: {e}"))
    }

    /// The content as clean HTML: semantic elements, without scripts, styles and handlers.
    pub fn html(&self) -> String {
        html(&self.units(), WriteOptions::default())
    }

    /// The content as a tree of headings, paragraphs, lists, code, tables and figures.
    pub fn units(&self) -> Vec<Unit> {
        self.output().units(false).unwrap_or_else(|e| unreachable!("without a limit: {e}"))
    }

    /// The comments and posts of the page, content or not, each with who wrote it, when, and its blocks.
    pub fn posts(&self) -> Vec<Post> {
        self.output().posts()
    }

    /// Every block of the page, content or not, in document order.
    pub fn blocks(&self) -> impl Iterator<Item = Block<'_>> {
        let Labels { scores, kept, .. } = &self.labels;
        scores.iter().zip(kept).enumerate().map(|(index, (&score, &is_content))| Block {
            text: self.page.blocks.text(index),
            score,
            is_content,
        })
    }

    /// Whether any block is content.
    pub fn has_content(&self) -> bool {
        self.labels.kept.contains(&true)
    }

    /// The text of the page's `<title>`; empty without one.
    pub fn title(&self) -> String {
        self.page.doc.title()
    }

    /// The type of the page and the quality of its text. `None` unless this is asked for, and if the model
    /// predicts neither.
    pub fn page_level(&self) -> Option<&PageLevel> {
        self.page_level.as_ref()
    }

    /// Title, authors, dates and other metadata of the page, each with its source. They are read at each call.
    pub fn metadata(&self) -> Metadata {
        metadata::of(&self.page.doc, &self.page.blocks, self.url.as_deref())
    }

    /// The page's document.
    #[doc(hidden)]
    pub fn document(&self) -> &Document {
        &self.page.doc
    }
    /// The page's blocks.
    #[doc(hidden)]
    pub fn page_blocks(&self) -> &Blocks {
        &self.page.blocks
    }
    /// Scores, labels and classes of the blocks.
    #[doc(hidden)]
    pub fn labels(&self) -> &Labels {
        &self.labels
    }
    /// The paragraph class of each block, if the model predicts classes.
    #[doc(hidden)]
    pub fn classes(&self) -> Option<&[ParagraphClass]> {
        self.labels.classes.as_deref()
    }

    /// The page as input of an output format, without an id.
    #[doc(hidden)]
    pub fn output(&self) -> PageOutput<'_> {
        PageOutput {
            id: "",
            url: self.url.as_deref(),
            date: None,
            doc: &self.page.doc,
            blocks: &self.page.blocks,
            scores: &self.labels.scores,
            kept: &self.labels.kept,
            classes: self.labels.classes.as_deref(),
            model: "",
            page_level: self.page_level.as_ref(),
            added: Added::default(),
            options: WriteOptions::default(),
            budget: Budget::UNLIMITED,
        }
    }
}

impl Serialize for Extraction {
    /// An object with `text`, `markdown` and `blocks`.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = serializer.serialize_struct("Extraction", 3)?;
        object.serialize_field("text", &self.text())?;
        object.serialize_field("markdown", &self.markdown())?;
        object.serialize_field("blocks", &self.blocks().collect::<Vec<_>>())?;
        object.end()
    }
}

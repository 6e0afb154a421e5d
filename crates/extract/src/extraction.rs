//! The result of an extraction.

use crate::flow::{Labels, Page};
use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};
use threshr_core::{Budget, Error};
use threshr_html::Document;
use threshr_html::blocks::Blocks;
use threshr_html::structure::notes::Notes;
use threshr_output::TypeAndQuality;
use threshr_output::formats::{Added, PageOutput, WriteOptions};
use threshr_output::units::Unit;
use threshr_page::metadata::{Metadata, Post};
use threshr_page::threads::Finding;
use threshr_page::{ArticleMetadata, BlockStats, Known, PageWords};

/// The content of a page: its blocks with scores and labels. Text, Markdown and HTML are written on demand.
#[derive(Debug, Clone)]
pub struct Extraction {
    page: Page,
    labels: Labels,
    type_and_quality: Option<TypeAndQuality>,
    counts: Option<Counts>,
    thread: Option<Finding>,
    article: Option<ArticleMetadata>,
    notes: Option<Notes>,
    url: Option<String>,
    write: WriteOptions,
}

/// Counts over the blocks of a page, kept to predict the type and the quality of the page later.
#[derive(Debug, Clone)]
pub(crate) struct Counts {
    pub(crate) stats: Vec<BlockStats>,
    pub(crate) words: Option<PageWords>,
}

/// A block of text with its score and label.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Block<'a> {
    /// The text.
    pub text: &'a str,
    /// The score, `0.0..=1.0`.
    pub score: f32,
    /// Whether the block is content.
    pub is_content: bool,
}

impl Extraction {
    pub(crate) fn new(
        page: Page,
        labels: Labels,
        type_and_quality: Option<TypeAndQuality>,
        url: Option<&str>,
    ) -> Self {
        let (url, write) = (url.map(str::to_owned), WriteOptions::default());
        Extraction {
            page,
            labels,
            type_and_quality,
            counts: None,
            thread: None,
            article: None,
            notes: None,
            url,
            write,
        }
    }

    /// Sets which parts of the page Markdown and HTML contain in addition to the text.
    #[must_use]
    pub fn with_write_options(self, write: WriteOptions) -> Self {
        Extraction { write, ..self }
    }

    pub(crate) fn with_counts(self, counts: Option<Counts>) -> Self {
        Extraction { counts, ..self }
    }

    /// Adds what the labelling has found on the page, for the output.
    pub(crate) fn with_known(
        self,
        thread: Option<Finding>,
        article: Option<ArticleMetadata>,
        notes: Option<Notes>,
    ) -> Self {
        Extraction { thread, article, notes, ..self }
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

    /// Returns the content as plain text: one line per block, or several if a block contains line breaks.
    pub fn text(&self) -> String {
        self.output().text().unwrap_or_else(|e| unreachable!("without a limit: {e}"))
    }

    /// Returns the content as Markdown.
    pub fn markdown(&self) -> String {
        self.output().markdown().unwrap_or_else(|e| unreachable!("without a limit: {e}"))
    }

    /// Returns the content as clean HTML: semantic elements, without scripts, styles and event handlers.
    pub fn html(&self) -> String {
        self.output().html().unwrap_or_else(|e| unreachable!("without a limit: {e}"))
    }

    /// Returns the content as a tree of headings, paragraphs, lists, code, tables and figures.
    pub fn units(&self) -> Vec<Unit> {
        self.output().units(false).unwrap_or_else(|e| unreachable!("without a limit: {e}"))
    }

    /// Returns the comments and posts of the page, whether content or not, each with author, date and blocks.
    pub fn posts(&self) -> Vec<Post> {
        self.output().posts()
    }

    /// Returns every block of the page, whether content or not, in document order.
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

    /// Returns the text of the page's `<title>`; empty if there is none.
    pub fn title(&self) -> String {
        self.page.doc.title()
    }

    /// Returns why the content may be incomplete although `page`, the input of the extraction, could be read: it is
    /// empty, or its scripts write the text.
    pub fn defect(&self, page: &[u8]) -> Option<Error> {
        if page.trim_ascii().is_empty() {
            return Some(Error::data("the input is empty").expected(
                "the HTML of a page, such as from `curl -sSfL ADDRESS`, which follows redirects and shows errors",
            ));
        }
        self.page.doc.needs_rendering().then(|| {
            Error::data("the page is empty: it needs rendering, because its scripts write the text")
                .expected("the page as `threshr-render` saves it")
        })
    }

    /// Returns title, authors, dates and other metadata of the page, each with its source. Each call repeats
    /// the extraction of the metadata.
    pub fn metadata(&self) -> Metadata {
        self.output().metadata()
    }
}

/// Access to the document, blocks and labels of an extraction.
///
/// The command line and the Python package use it. It is unstable: any version may change it.
pub trait RawExtraction {
    /// The page's document.
    fn document(&self) -> &Document;
    /// The page's blocks.
    fn page_blocks(&self) -> &Blocks;
    /// Scores, labels and paragraph classes of the blocks.
    fn labels(&self) -> &Labels;
    /// The type of the page and the quality of its text. `None` if neither
    /// [`Options::page_type`](crate::Options::page_type) nor [`Options::quality`](crate::Options::quality) is set, or
    /// the model predicts neither.
    fn type_and_quality(&self) -> Option<&TypeAndQuality>;
    /// The page as input for the output formats, without an id.
    fn output(&self) -> PageOutput<'_>;
}

impl RawExtraction for Extraction {
    fn document(&self) -> &Document {
        &self.page.doc
    }
    fn page_blocks(&self) -> &Blocks {
        &self.page.blocks
    }
    fn labels(&self) -> &Labels {
        &self.labels
    }
    fn type_and_quality(&self) -> Option<&TypeAndQuality> {
        self.type_and_quality.as_ref()
    }
    fn output(&self) -> PageOutput<'_> {
        PageOutput {
            id: "",
            url: self.url.as_deref(),
            date: None,
            doc: &self.page.doc,
            blocks: &self.page.blocks,
            scores: &self.labels.scores,
            kept: &self.labels.kept,
            known: Known {
                thread: self.thread.as_ref(),
                article: self.article.as_ref(),
                notes: self.notes.as_ref(),
            },
            classes: self.labels.classes.as_deref(),
            model: "",
            defect: None,
            type_and_quality: self.type_and_quality.as_ref(),
            added: Added::default(),
            options: self.write,
            budget: Budget::UNLIMITED,
        }
    }
}

impl Serialize for Extraction {
    /// Writes an object with `text`, `markdown` and `blocks`.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = serializer.serialize_struct("Extraction", 3)?;
        object.serialize_field("text", &self.text())?;
        object.serialize_field("markdown", &self.markdown())?;
        object.serialize_field("blocks", &self.blocks().collect::<Vec<_>>())?;
        object.end()
    }
}

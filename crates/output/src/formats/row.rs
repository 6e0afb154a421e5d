//! A page as a row of columns.

use crate::PageLevel;
use crate::formats::{FailedPage, PageOutput, comments_json, markdown, units_json};
use crate::units;
use threshr_core::Result;
use threshr_page::language::language;

/// The text and metadata of a page.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Row {
    /// Its id.
    pub id: String,
    /// Its URL, if known.
    pub url: Option<String>,
    /// When it was fetched, if known.
    pub date: Option<String>,
    /// The kept blocks, one per line; empty for a page that cannot be read.
    pub text: String,
    /// The kept blocks as Markdown, if requested.
    pub markdown: Option<String>,
    /// All units of the page as a JSON array, if requested.
    pub units: Option<String>,
    /// The metadata of the page as JSON, if requested.
    pub metadata: Option<serde_json::Value>,
    /// The comments of the page as JSON, if requested.
    pub comments: Option<serde_json::Value>,
    /// Number of kept blocks.
    pub num_kept: u32,
    /// Mean score of the kept blocks; `None` without kept blocks.
    pub mean_score: Option<f32>,
    /// Language of the text: its ISO 639-1 code, else its ISO 639-3 code; `None` if it cannot be detected.
    pub language: Option<String>,
    /// Type and quality of the page, if they are predicted.
    pub page_level: Option<PageLevel>,
    /// The model or system that labelled the page.
    pub model: String,
    /// The reason if the page cannot be read.
    pub error: Option<String>,
}

impl Row {
    /// The row of a page.
    ///
    /// # Errors
    /// [`ErrorKind::Timeout`](threshr_core::ErrorKind::Timeout) if the budget of the page is used up.
    pub fn of(page: &PageOutput<'_>) -> Result<Row> {
        let scores = || page.scores.iter().zip(page.kept).filter(|s| *s.1).map(|s| *s.0);
        let num_kept = scores().count() as u32;
        let sum: f64 = scores().map(f64::from).sum();
        let posts = if page.added.units || page.added.metadata { page.posts() } else { Vec::new() };
        let units = page.added.units.then(|| page.tree(&posts, true, true)).transpose()?;
        let units = units.map(|units| units_json(page, &posts, &units));
        page.budget.check()?;
        let tree = page.tree(&[], false, page.added.markdown)?;
        let text = units::text(&tree);
        let markdown = page.added.markdown.then(|| markdown(&tree, page.options));
        page.budget.check()?;
        let metadata = page.added.metadata.then(|| serde_json::json!(page.metadata()));
        let comments = page.added.metadata.then(|| comments_json(page, &posts));
        page.budget.check()?;
        Ok(Row {
            id: page.id.to_owned(),
            url: page.url.map(str::to_owned),
            date: page.date.map(str::to_owned),
            markdown,
            metadata,
            comments,
            units,
            num_kept,
            mean_score: (num_kept > 0).then(|| (sum / f64::from(num_kept)) as f32),
            language: language(&text, page.doc.language()).map(String::from),
            page_level: page.page_level.cloned(),
            text,
            model: page.model.to_owned(),
            error: None,
        })
    }

    /// The row of a page that cannot be read.
    pub fn failed(page: &FailedPage<'_>) -> Row {
        Row {
            id: page.id.to_owned(),
            url: page.url.map(str::to_owned),
            date: page.date.map(str::to_owned),
            model: page.model.to_owned(),
            error: Some(page.error.to_owned()),
            ..Row::default()
        }
    }
}

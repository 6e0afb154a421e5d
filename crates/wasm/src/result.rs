//! The result of an extraction as JSON: fields of JSON lines, and HTML and blocks.

use crate::options::{PageOptions, Part};
use serde::Serialize;
use serde_json::value::RawValue;
use threshr::raw::{PageOutput, RawExtraction};
use threshr::{Block, Error, Extraction, Extractor, Result};
use threshr_output::TypeAndQuality;
use threshr_output::formats::{Added, Row};

#[derive(Serialize)]
struct Found<'e> {
    text: &'e str,
    #[serde(skip_serializing_if = "Option::is_none")]
    markdown: Option<&'e str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    html: Option<String>,
    scores: &'e [f32],
    #[serde(skip_serializing_if = "Option::is_none")]
    metadata: Option<&'e serde_json::Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    posts: Option<&'e serde_json::Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    comments: Option<&'e serde_json::Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    schema: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    units: Option<&'e RawValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    blocks: Option<Vec<Block<'e>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    language: Option<&'e str>,
    #[serde(flatten)]
    type_and_quality: Option<&'e TypeAndQuality>,
    /// Whether the page shows nothing until its scripts have run.
    needs_rendering: bool,
}

/// Returns the parts of a page that the options name.
///
/// # Errors
/// If a part cannot be written as JSON.
pub(crate) fn json(extractor: &Extractor, extraction: &Extraction, options: &PageOptions) -> Result<String> {
    let wants = |part| options.wants(part);
    let quality = wants(Part::Quality).then(|| extractor.type_and_quality(extraction)).flatten();
    let page = PageOutput {
        added: Added {
            markdown: wants(Part::Markdown),
            units: wants(Part::Units),
            metadata: wants(Part::Metadata),
        },
        type_and_quality: quality.as_ref(),
        ..extraction.output()
    };
    let row = Row::new(&page)?;
    let invalid = |e: serde_json::Error| Error::data("the page cannot be written as JSON").because(e);
    let found = Found {
        text: row.text.as_deref().unwrap_or_default(),
        markdown: row.markdown.as_deref(),
        html: wants(Part::Html).then(|| extraction.html()),
        scores: &row.scores,
        metadata: row.metadata.as_ref(),
        posts: row.posts.as_ref(),
        comments: row.comments.as_ref(),
        schema: row.schema,
        units: row.units.as_deref().map(serde_json::from_str).transpose().map_err(invalid)?,
        blocks: wants(Part::Blocks).then(|| extraction.blocks().collect()),
        language: row.language.as_deref(),
        type_and_quality: row.type_and_quality.as_ref(),
        needs_rendering: extraction.document().needs_rendering(),
    };
    serde_json::to_string(&found).map_err(invalid)
}

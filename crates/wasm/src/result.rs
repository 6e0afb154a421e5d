//! The result of an extraction as JSON: the fields of JSON lines, and HTML and blocks.

use crate::options::{PageOptions, Part};
use serde::Serialize;
use threshr::raw::{PageOutput, RawExtraction};
use threshr::{Block, Error, Extraction, Extractor, Result};
use threshr_output::formats::{Added, Row};

#[derive(Serialize)]
struct Found<'e> {
    #[serde(flatten)]
    row: Row,
    #[serde(skip_serializing_if = "Option::is_none")]
    html: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    blocks: Option<Vec<Block<'e>>>,
    /// Whether the page shows nothing until its scripts have run.
    needs_rendering: bool,
}

/// Returns the parts of a page that the options name.
///
/// # Errors
/// If a number cannot be written as JSON.
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
    let found = Found {
        row: Row::new(&page)?,
        html: wants(Part::Html).then(|| extraction.html()),
        blocks: wants(Part::Blocks).then(|| extraction.blocks().collect()),
        needs_rendering: extraction.document().needs_rendering(),
    };
    serde_json::to_string(&found).map_err(|e| Error::data("the page cannot be written as JSON").because(e))
}

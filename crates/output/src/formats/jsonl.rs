//! One JSON object per page.

use crate::PageLevel;
use crate::formats::{Entry, Format, Layout, Row, SCHEMA};
use serde::Serialize;
use serde_json::value::RawValue;
use std::collections::BTreeMap;

/// The fields `id`, `url`, `text` (blocks joined by line ends), `scores` (of the kept blocks, in order),
/// `model`. Optional: `date`, `markdown`, `metadata` and `comments`, `schema` and `units`, `language`, `page_type`, `page_types` (the probability of each type),
/// `quality` (expected token F1), `quality_low`, `quality_high` (the ends of an 80 % interval), `error`.
pub(super) static FORMAT: Format = Format {
    name: "jsonl",
    summary: "a JSON object per line: id, url, date, text, scores of the kept blocks, language, \
              page type, quality, model, error if any",
    endings: &["jsonl", "ndjson"],
    head: "",
    between: "",
    frame: ("", ""),
    layout: Layout::Stream,
    page: |page| {
        let scores = (0..page.blocks.len()).filter(|&i| page.kept[i]).map(|i| page.scores[i]).collect();
        Ok(line(&Row::of(page)?, scores))
    },
    failed: |page| Some(line(&Row::failed(page), Vec::new())),
};

#[derive(Serialize)]
struct Line<'a> {
    id: &'a str,
    url: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    date: Option<&'a str>,
    text: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    markdown: Option<&'a str>,
    scores: Vec<f32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    metadata: Option<&'a serde_json::Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    comments: Option<&'a serde_json::Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    schema: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    units: Option<&'a RawValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    language: Option<&'a str>,
    #[serde(flatten)]
    page: PageFields<'a>,
    model: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'a str>,
}

/// Type and quality of a page. Fields that are not predicted are left out.
#[derive(Serialize, Default)]
struct PageFields<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    page_type: Option<&'a str>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    page_types: BTreeMap<&'a str, f32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    quality: Option<f32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    quality_low: Option<f32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    quality_high: Option<f32>,
}

impl<'a> PageFields<'a> {
    fn of(page: &'a PageLevel) -> Self {
        PageFields {
            page_type: page.page_type(),
            page_types: page.page_types.iter().map(|t| (t.0.as_str(), t.1)).collect(),
            quality: page.quality.map(|q| q.expected),
            quality_low: page.quality.map(|q| q.low),
            quality_high: page.quality.map(|q| q.high),
        }
    }
}

fn line(row: &Row, scores: Vec<f32>) -> Entry {
    let line = Line {
        id: &row.id,
        url: row.url.as_deref(),
        date: row.date.as_deref(),
        text: &row.text,
        markdown: row.markdown.as_deref(),
        scores,
        metadata: row.metadata.as_ref(),
        comments: row.comments.as_ref(),
        schema: row.units.as_ref().map(|_| SCHEMA),
        // a row holds JSON, so it can always be read
        units: row.units.as_deref().and_then(|units| serde_json::from_str(units).ok()),
        language: row.language.as_deref(),
        page: row.page_level.as_ref().map(PageFields::of).unwrap_or_default(),
        model: &row.model,
        error: row.error.as_deref(),
    };
    // Text and finite numbers can always be written as JSON.
    Entry::Text(serde_json::to_string(&line).unwrap_or_default() + "\n")
}

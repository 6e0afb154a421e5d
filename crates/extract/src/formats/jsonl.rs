//! One JSON object per page.

use crate::formats::{Entry, Format, Layout, Row, SCHEMA};
use serde::Serialize;

/// The fields `id`, `url`, `text` (blocks joined by line ends), `scores` (of the kept blocks, in order),
/// `model`. Optional: `date`, `markdown`, `schema` and `units`, `language`, `error`.
pub(super) static FORMAT: Format = Format {
    name: "jsonl",
    summary: "a JSON object per line: id, url, date, text, scores of the kept blocks, language, model, \
              error if any",
    endings: &["jsonl", "ndjson"],
    head: "",
    between: "",
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
    schema: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    units: Option<&'a serde_json::Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    language: Option<&'a str>,
    model: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'a str>,
}

fn line(row: &Row, scores: Vec<f32>) -> Entry {
    let line = Line {
        id: &row.id,
        url: row.url.as_deref(),
        date: row.date.as_deref(),
        text: &row.text,
        markdown: row.markdown.as_deref(),
        scores,
        schema: row.units.as_ref().map(|_| SCHEMA),
        units: row.units.as_ref(),
        language: row.language.as_deref(),
        model: &row.model,
        error: row.error.as_deref(),
    };
    // Text and finite numbers can always be written as JSON.
    Entry::Text(serde_json::to_string(&line).unwrap_or_default() + "\n")
}

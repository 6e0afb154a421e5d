//! One JSON object a page.

use super::{Format, no_head};
use serde::Serialize;
use std::io::{self, Write};

/// `id`, `url`, `text` (blocks joined by line ends), `scores` (of the kept blocks, in order), `error` if any.
pub static FORMAT: Format = Format {
    name: "jsonl",
    summary: "a JSON object a line: id, url, text, scores of the kept blocks, error if any",
    begin: no_head,
    page: |out, page, _| {
        let scores = (0..page.blocks.len()).filter(|&i| page.kept[i]).map(|i| page.scores[i]).collect();
        line(
            out,
            &Row {
                id: page.id,
                url: page.url,
                text: page.blocks.join(|i| page.kept[i]),
                scores,
                error: None,
            },
        )
    },
    failed: |out, id, error| {
        line(out, &Row { id, url: None, text: String::new(), scores: Vec::new(), error: Some(error) })
    },
};

#[derive(Serialize)]
struct Row<'a> {
    id: &'a str,
    url: Option<&'a str>,
    text: String,
    scores: Vec<f32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'a str>,
}

fn line(out: &mut dyn Write, row: &Row<'_>) -> io::Result<()> {
    serde_json::to_writer(&mut *out, row)?;
    out.write_all(b"\n")
}

//! One JSON object per page.

use crate::formats::{Entry, Format, Layout, Row};

/// The fields of a [`Row`]. Every row has the same fields: a field without a value is `null` or an empty list. Only fields of options are omitted.
pub(super) static FORMAT: Format = Format {
    name: "jsonl",
    summary: "one JSON object per line: id, url, date, text, title, authors, date_published, scores of the kept blocks, language, \
              page type, quality, model, defect and error (null or [] if there is none)",
    extensions: &["jsonl", "ndjson"],
    head: "",
    between: "",
    frame: ("", ""),
    layout: Layout::Stream,
    page: |page| Ok(line(&Row::new(page)?)),
    failed: |page| Some(line(&Row::failed(page))),
};

fn line(row: &Row) -> Entry {
    // text and finite numbers can always be written as JSON
    Entry::Text(serde_json::to_string(row).unwrap_or_default() + "\n")
}

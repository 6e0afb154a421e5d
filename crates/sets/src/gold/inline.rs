//! A file of records with the HTML and the text of each page.

use crate::gold::record_set::{self, Field};
use crate::gold::{GoldPage, Html, Listing, Match, Probe, ReadOptions, Reader, Snippets, cleaneval};
use std::path::Path;
use threshr_core::Result;
use threshr_io::records::Record;

/// Common names of the gold-text field.
const TEXTS: [&str; 2] = ["text", "gold"];
const IDS: [&str; 1] = ["id"];

/// Records with `html` and `text`.
pub(super) static READER: Reader = Reader {
    name: "inline",
    summary: "one JSON object per page, in lines or in an array, with html and text; optional: id, url, \
              lang, page_type, with, without; the names of the fields can be chosen",
    source: "threshr",
    rank: 5,
    detect,
    read,
};

fn detect(probe: &Probe, options: &ReadOptions) -> Match {
    let (html, text) = (Field::html(&options.fields), Field::text(&options.fields, &TEXTS));
    if probe.records.is_empty() {
        return Match::No;
    }
    match (probe.has_field(&html.names), probe.has_field(&text.names)) {
        (true, true) => Match::Yes,
        (true, false) => near(6, "text", &text, probe),
        (false, true) => near(5, "HTML", &html, probe),
        (false, false) => near(2, "HTML and no text", &html, probe),
    }
}

fn near(score: u8, what: &str, field: &Field<'_>, probe: &Probe) -> Match {
    let name = field.names.first().copied().unwrap_or_default();
    Match::Near(score, format!("no {what} (no field `{name}`), the fields are {}", probe.fields()))
}

fn read(path: &Path, options: &ReadOptions) -> Result<Listing> {
    let fields = &options.fields;
    let html = Field::html(fields);
    let text = || Field::text(fields, &TEXTS);
    record_set::read(path, fields, &[Field::html(fields), text()], |record| {
        let Some(bytes) = html.of(record) else { return Ok(None) };
        let base = record_set::page(record, path, fields, &IDS);
        let (gold, stated) = text().of(record).map(|text| cleaneval::gold_of(&text)).unzip();
        let base = base.with_url(stated.flatten());
        Ok(Some(GoldPage {
            html: Html::record(&bytes)?,
            // JSON strings are Unicode, whatever charset the page declares
            charset: Some("utf-8".to_owned()),
            gold,
            snippets: Snippets {
                with: list(record, "with"),
                without: list(record, "without"),
                comments: list(record, "comments"),
            },
            ..base
        }))
    })
}

/// Returns the strings of a list field.
pub(super) fn list(record: &Record, name: &str) -> Vec<String> {
    let items = record.fields.get(name).and_then(|v| v.as_array());
    items.into_iter().flatten().filter_map(|v| v.as_str().map(str::to_owned)).collect()
}

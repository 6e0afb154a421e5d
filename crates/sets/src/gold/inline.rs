//! A file of records with the HTML, or in tables the file, of each page, and its text.

use crate::gold::places::{below, nearest};
use crate::gold::record_set::{self, Field, names as chosen};
use crate::gold::{
    GoldFields, GoldPage, Html, Listing, Match, Probe, ReadOptions, Reader, Snippets, cleaneval, unix_lines,
};
use std::path::Path;
use threshr_core::Result;
use threshr_io::names;
use threshr_io::records::Record;

/// Common names of the column with the path of a page.
const PATHS: [&str; 6] = ["path", "file", "filename", "file_path", "html_file", "html_path"];
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
    detect: |probe, options| {
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
    },
    read: |path, options| read(path, options, false),
};

fn near(score: u8, what: &str, field: &Field<'_>, probe: &Probe) -> Match {
    let name = field.names.first().copied().unwrap_or_default();
    Match::Near(score, format!("no {what} (no field `{name}`), the fields are {}", probe.fields()))
}

/// A table with paths or HTML, and texts.
pub(super) static TABLE: Reader = Reader {
    name: "csv",
    summary: "CSV or TSV with a header line: path (relative to the table) or html, and text; optional: id, url, \
              lang, page_type",
    source: "threshr",
    rank: 6,
    detect: |probe, options| {
        if probe.is_folder || !is_table(&probe.path) {
            return Match::No;
        }
        let (page, text) = (page_field(&options.fields, true), Field::text(&options.fields, &TEXTS));
        let (score, missing) = match (probe.has_field(&page.names), probe.has_field(&text.names)) {
            (true, true) => return Match::Yes,
            (false, false) => (4, "no `path` and no `text`".to_owned()),
            (true, false) => (8, format!("no `{}`", text.names[0])),
            (false, true) => (8, "no `path`".to_owned()),
        };
        Match::Near(score, format!("the columns are {}; {missing}", probe.fields()))
    },
    read: |path, options| read(path, options, true),
};

fn is_table(path: &Path) -> bool {
    ["csv", "tsv", "tab"].contains(&names::extension(path).as_str())
}

/// Returns the fields that may contain the page: the HTML field given by the options or `html`. In tables, the path
/// columns follow, and the HTML column may also contain paths.
fn page_field(fields: &GoldFields, is_table: bool) -> Field<'_> {
    if !is_table {
        return Field::html(fields);
    }
    let mut all = chosen(&fields.html, &["html"]);
    all.extend(PATHS);
    Field { what: "the file or the HTML of a page", names: all, is_gold: false }
}

fn read(path: &Path, options: &ReadOptions, is_table: bool) -> Result<Listing> {
    let fields = &options.fields;
    let dir = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let needed = [page_field(fields, is_table), Field::text(fields, &TEXTS)];
    record_set::read(path, fields, &needed, |record| {
        let [page, text] = &needed;
        // an empty cell has no value
        let value = if is_table { record.text(&page.names) } else { page.of(record) };
        let Some(value) = value else { return Ok(None) };
        let gold = match text.of(record) {
            Some(gold) if is_table => Some(unix_lines(&gold)).filter(|gold| !gold.is_empty()),
            gold => gold,
        };
        let (gold, stated) = gold.map(|text| cleaneval::gold_of(&text)).unzip();
        let snippets = Snippets {
            with: list(record, "with"),
            without: list(record, "without"),
            comments: list(record, "comments"),
        };
        let base = record_set::page(record, path, fields, &IDS).with_url(stated.flatten());
        let base = GoldPage { gold, snippets, ..base };
        if is_table && !value.contains('<') {
            // a missing file gives an error only when the page is used
            let found = nearest(dir, &value).unwrap_or_else(|_| below(dir, &value));
            let has_id = record.text(&chosen(&fields.id, &IDS)).is_some();
            let id = if has_id { base.id } else { id_of(&value) };
            return Ok(Some(GoldPage { id, path: found, ..base }));
        }
        // records are Unicode, whatever charset the page declares
        Ok(Some(GoldPage { html: Html::record(&value)?, charset: Some("utf-8".to_owned()), ..base }))
    })
}

/// Returns the strings of a list field.
pub(super) fn list(record: &Record, name: &str) -> Vec<String> {
    let items = record.fields.get(name).and_then(|v| v.as_array());
    items.into_iter().flatten().filter_map(|v| v.as_str().map(str::to_owned)).collect()
}

/// Returns the path without extension, with `/` between folders.
fn id_of(file: &str) -> String {
    let file = file.trim().replace('\\', "/");
    let file = file.trim_start_matches("./");
    let (folder, name) = file.rsplit_once('/').map_or(("", file), |(folder, name)| (folder, name));
    let stem = names::stem(Path::new(name));
    if folder.is_empty() { stem } else { format!("{folder}/{stem}") }
}

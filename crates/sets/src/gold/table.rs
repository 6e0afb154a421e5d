//! A CSV or TSV table with the file or the HTML of each page, and its text.

use crate::gold::places::{below, nearest};
use crate::gold::record_set::{self, Field, names as chosen};
use crate::gold::{
    GoldFields, GoldPage, Html, Listing, Match, Probe, ReadOptions, Reader, cleaneval, unix_lines,
};
use std::path::Path;
use threshr_core::Result;
use threshr_io::names;

/// Common names of the column with the path of a page.
const PATHS: [&str; 6] = ["path", "file", "filename", "file_path", "html_file", "html_path"];
/// Common names of the gold-text column.
const TEXTS: [&str; 2] = ["text", "gold"];
const IDS: [&str; 1] = ["id"];

/// A table with paths or HTML, and texts.
pub(super) static READER: Reader = Reader {
    name: "csv",
    summary: "CSV or TSV with a header line: path (relative to the table) or html, and text; optional: id, url, \
              lang, page_type",
    source: "threshr",
    rank: 6,
    detect,
    read,
};

fn is_table(path: &Path) -> bool {
    ["csv", "tsv", "tab"].contains(&names::extension(path).as_str())
}

/// Returns the columns that may contain the page: the HTML column given by the options or `html`, then the path
/// columns.
fn page_field(fields: &GoldFields) -> Field<'_> {
    let mut all = chosen(&fields.html, &["html"]);
    all.extend(PATHS);
    Field { what: "the file or the HTML of a page", names: all, is_gold: false }
}

fn detect(probe: &Probe, options: &ReadOptions) -> Match {
    if probe.is_folder || !is_table(&probe.path) {
        return Match::No;
    }
    let text = Field::text(&options.fields, &TEXTS);
    match (probe.has_field(&page_field(&options.fields).names), probe.has_field(&text.names)) {
        (true, true) => Match::Yes,
        (false, false) => {
            Match::Near(4, format!("the columns are {}; no `path` and no `text`", probe.fields()))
        }
        (true, false) => {
            Match::Near(8, format!("the columns are {}; no `{}`", probe.fields(), text.names[0]))
        }
        (false, true) => Match::Near(8, format!("the columns are {}; no `path`", probe.fields())),
    }
}

fn read(path: &Path, options: &ReadOptions) -> Result<Listing> {
    let fields = &options.fields;
    let dir = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let text = || Field::text(fields, &TEXTS);
    record_set::read(path, fields, &[page_field(fields), text()], |record| {
        let html = record.text(&chosen(&fields.html, &["html"]));
        // the HTML column given by the options may also contain paths
        let (html, file) = match html {
            Some(html) if html.contains('<') => (Some(html), None),
            other => (None, other.or_else(|| record.text(&PATHS))),
        };
        let base = record_set::page(record, path, fields, &IDS);
        let has_id = record.text(&chosen(&fields.id, &IDS)).is_some();
        let gold = text().of(record).filter(|text| !text.is_empty());
        let (gold, stated) = gold.map(|text| cleaneval::gold_of(&unix_lines(&text))).unzip();
        let base = base.with_url(stated.flatten());
        Ok(match (html, file) {
            (Some(html), _) => {
                Some(GoldPage { html: Html::record(&html)?, charset: Some("utf-8".to_owned()), gold, ..base })
            }
            (None, Some(file)) => {
                // a missing file gives an error only when the page is used
                let found = nearest(dir, &file).unwrap_or_else(|_| below(dir, &file));
                let id = if has_id { base.id.clone() } else { id_of(&file) };
                Some(GoldPage { id, path: found, gold, ..base })
            }
            (None, None) => None,
        })
    })
}

/// Returns the path without extension, with `/` between folders.
fn id_of(file: &str) -> String {
    let file = file.trim().replace('\\', "/");
    let file = file.trim_start_matches("./");
    let (folder, name) = file.rsplit_once('/').map_or(("", file), |(folder, name)| (folder, name));
    let stem = names::stem(Path::new(name));
    if folder.is_empty() { stem } else { format!("{folder}/{stem}") }
}

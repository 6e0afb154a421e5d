//! WebMainBench: JSON Lines with pages in which annotators labelled elements.

use crate::gold::record_set::{self, Field};
use crate::gold::{Gold, GoldPage, Html, Listing, Match, Probe, ReadOptions, Reader};
use crate::labelling::Annotation;
use std::path::Path;
use threshr_core::Result;
use threshr_html::Visibility;
use threshr_html::blocks::{self, Blocks};
use threshr_io::json::lines_of;
use threshr_io::records::Record;

/// The attribute of elements that annotators selected.
const MARK: &str = "cc-select";
const IDS: [&str; 2] = ["track_id", "id"];
/// Fields that other formats do not have.
const OWN: [&str; 4] = ["main_html", "groundtruth_content", "convert_main_content", "track_id"];
/// Gold-text fields, the best first.
const TEXTS: [&str; 2] = ["groundtruth_content", "convert_main_content"];

/// Elements with `cc-select="true"`.
pub(super) static READER: Reader = Reader {
    name: "webmainbench",
    summary: "JSON lines with track_id and html; elements with cc-select=\"true\" are content; without this attribute, the text of main_html, or else groundtruth_content",
    source: "WebMainBench (arXiv 2511.23119)",
    rank: 7,
    detect,
    read,
};

fn detect(probe: &Probe, options: &ReadOptions) -> Match {
    let html = Field::html(&options.fields);
    let is_marked = |r: &Record| html.of(r).is_some_and(|html| html.contains(MARK));
    match (probe.has_field(&html.names), probe.has_field(&OWN)) {
        (true, true) => Match::Yes,
        (true, false) if probe.records.iter().any(is_marked) => Match::Yes,
        (false, true) => Match::Near(7, format!("no page, the fields are {}", probe.fields())),
        _ => Match::No,
    }
}

fn read(path: &Path, options: &ReadOptions) -> Result<Listing> {
    let fields = &options.fields;
    let html = Field::html(fields);
    record_set::read(path, fields, &[Field::html(fields)], |record| {
        let Some(page) = html.of(record) else { return Ok(None) };
        let of_meta = |name: &str| {
            let meta = record.fields.get("meta")?;
            threshr_io::json::text_of(meta.get(name)?)
        };
        let base = record_set::page(record, path, fields, &IDS);
        Ok(Some(GoldPage {
            html: Html::record(&page)?,
            charset: Some("utf-8".to_owned()),
            lang: base.lang.clone().or_else(|| of_meta("language")),
            page_type: base.page_type.clone().or_else(|| of_meta("style")),
            gold: gold(record, &page, options),
            ..base
        }))
    })
}

/// Returns the labels in the page. If the page has no labels, returns the gold text of the record.
fn gold(record: &Record, page: &str, options: &ReadOptions) -> Option<Gold> {
    if let Some(name) = &options.fields.text {
        return record.fields.get(name).and_then(lines_of).map(Gold::text);
    }
    if page.contains(MARK) {
        return Some(Gold::InPage(Annotation::webmainbench()));
    }
    let main = record.text(&["main_html"]).map(|html| text_of(&html)).filter(|text| !text.is_empty());
    let text = || TEXTS.iter().find_map(|name| lines_of(record.fields.get(*name)?));
    main.or_else(text).map(Gold::text)
}

/// Returns the text of HTML, one block per line.
fn text_of(html: &str) -> String {
    let doc = threshr_html::parse_str(html);
    Blocks::new(&doc, blocks::REGISTRY[0], Visibility::WithHidden).join(|_| true)
}

//! The JSON export of Label Studio: pages with labelled spans.

use crate::gold::record_set::{self, Field};
use crate::gold::{Gold, GoldPage, Html, Listing, Match, Probe, ReadOptions, Reader, unix_lines, xpath};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::path::Path;
use threshr_core::Setting;
use threshr_core::site_of;
use threshr_core::{Error, Result};
use threshr_html::Document;
use threshr_io::json::text_of;
use threshr_io::records::{Record, Records};

/// Labels that count as content if the options select no labels. Case is ignored.
const CONTENT: [&str; 8] =
    ["content", "main", "main content", "main_content", "maincontent", "main-content", "article", "text"];
/// Field names for the annotations of a task, in new and old exports.
const ANNOTATIONS: [&str; 2] = ["annotations", "completions"];

/// Pages with labelled spans.
pub(super) static READER: Reader = Reader {
    name: "label-studio",
    summary: "the JSON or JSON-MIN export of a project with HyperText labels; the label `content`, or the only \
              label, is content (--gold-labels chooses others)",
    source: "Label Studio (HumanSignal)",
    rank: 8,
    detect: |probe: &Probe, options| {
        if probe.records.iter().any(|r| is_task(r) && html(&r.fields, options).is_some()) {
            return Match::Yes;
        }
        match probe.records.iter().any(is_task) {
            true => Match::Near(7, "no field of the tasks has HTML".to_owned()),
            false => Match::No,
        }
    },
    read,
};

/// Returns whether a record is a task of a JSON export or of a JSON-MIN export.
fn is_task(record: &Record) -> bool {
    let has_list = ANNOTATIONS.iter().any(|name| record.fields.get(*name).is_some_and(Value::is_array));
    (record.fields.get("data").is_some_and(Value::is_object) && has_list)
        || record.fields.values().any(|v| regions(v).any(|region| labels(region).next().is_some()))
}

/// A labelled span.
struct Stretch {
    labels: Vec<String>,
    value: Map<String, Value>,
}

fn read(path: &Path, options: &ReadOptions) -> Result<Listing> {
    let content = content_labels(path, options)?;
    let mut lost: Vec<u64> = Vec::new();
    let needed = Field { what: "the HTML of a page", names: vec!["data", "html"], is_gold: false };
    let mut listing = record_set::read(path, &[needed], |record| {
        let data = record.fields.get("data").and_then(Value::as_object).unwrap_or(&record.fields);
        let Some(html) = html(&record.fields, options) else { return Ok(None) };
        let base = record_set::page(record, path, &options.fields, &["id"]);
        let of_data = |name: &str| data.get(name).and_then(text_of);
        let url = of_data(options.fields.url.as_deref().unwrap_or("url")).or(base.url.clone());
        let gold = stretches(record).map(|all| {
            let kept = all.into_iter().filter(|s| s.labels.iter().any(|l| content.contains(l)));
            let (text, num_lost) = gold_text(&kept.collect::<Vec<_>>(), &html);
            lost.extend((0..num_lost).map(|_| record.line));
            Gold::text(text)
        });
        let chosen_id = options.fields.id.as_deref().and_then(of_data);
        Ok(Some(GoldPage {
            id: chosen_id.unwrap_or_else(|| base.id.clone()),
            html: Html::record(&html)?,
            charset: Some("utf-8".to_owned()),
            site: url.as_deref().and_then(site_of).or(base.site.clone()),
            url,
            lang: of_data("lang").or_else(|| of_data("language")),
            gold,
            ..base
        }))
    })?;
    if let Some(first) = lost.first() {
        let num = lost.len();
        let text = format!("{num} labelled spans have no text and are not found, the first in line {first}");
        listing.remarks.push(text);
    }
    Ok(listing)
}

/// Returns the HTML of a task: the field given by the options, `html`, or the first field that contains a tag.
fn html(task: &Map<String, Value>, options: &ReadOptions) -> Option<String> {
    let data = task.get("data").and_then(Value::as_object).unwrap_or(task);
    let text = |name: &str| data.get(name).and_then(Value::as_str).map(str::to_owned);
    if let Some(name) = &options.fields.html {
        return text(name);
    }
    text("html").or_else(|| {
        let is_html = |text: &&str| text.contains('<') && text.contains("</");
        data.values().filter_map(Value::as_str).find(is_html).map(str::to_owned)
    })
}

/// Returns the regions in a value: the results of an annotation, or a list of a JSON-MIN export.
fn regions(value: &Value) -> impl Iterator<Item = &Map<String, Value>> {
    value.as_array().into_iter().flatten().filter_map(Value::as_object)
}

/// Returns the labels of a region: the items of `hypertextlabels` and of other lists whose names end in `labels`.
fn labels(value: &Map<String, Value>) -> impl Iterator<Item = String> {
    let lists = value.iter().filter(|(name, _)| name.ends_with("labels")).filter_map(|(_, v)| v.as_array());
    lists.flatten().filter_map(|v| v.as_str().map(str::to_owned))
}

/// Returns the labelled spans of a task; `None` if it has no annotation. If there are several annotations, the
/// ground truth is used; if none is marked as ground truth, the last annotation is used.
fn stretches(record: &Record) -> Option<Vec<Stretch>> {
    let list = ANNOTATIONS.iter().find_map(|name| record.fields.get(*name).filter(|v| v.is_array()));
    let Some(list) = list else {
        let all: Vec<Stretch> = record.fields.values().flat_map(regions).filter_map(stretch).collect();
        return (!all.is_empty()).then_some(all);
    };
    let is = |a: &Map<String, Value>, name: &str| a.get(name).and_then(Value::as_bool).unwrap_or(false);
    let done: Vec<_> = regions(list)
        .filter(|a| !is(a, "was_cancelled") && !is(a, "skipped") && a.contains_key("result"))
        .collect();
    let annotation = done.iter().find(|a| is(a, "ground_truth")).or_else(|| done.last())?;
    let results = annotation.get("result").into_iter().flat_map(regions);
    Some(results.filter_map(|r| stretch(r.get("value")?.as_object()?)).collect())
}

fn stretch(value: &Map<String, Value>) -> Option<Stretch> {
    let labels: Vec<String> = labels(value).collect();
    (!labels.is_empty()).then(|| Stretch { labels, value: value.clone() })
}

/// Returns the labels that count as content: the labels given by the options, common names of content labels, or
/// the only label in the file.
fn content_labels(path: &Path, options: &ReadOptions) -> Result<Vec<String>> {
    let mut found: BTreeMap<String, u64> = BTreeMap::new();
    for record in Records::open(path)? {
        let all = stretches(&record?).unwrap_or_default();
        all.into_iter().flat_map(|s| s.labels).for_each(|l| *found.entry(l).or_default() += 1);
    }
    let names = || found.keys().cloned().collect::<Vec<_>>();
    let error = |what: String| {
        Err(Error::data(what)
            .expected(format!("labels of content; the file has {}", names().join(", ")))
            .with_setting(Setting::GoldLabels)
            .at_path(path))
    };
    if let Some(chosen) = &options.labels {
        return match chosen.iter().find(|label| !found.contains_key(*label)) {
            Some(label) => error(format!("no span has the label `{label}`")),
            None => Ok(chosen.clone()),
        };
    }
    let usual: Vec<String> =
        names().into_iter().filter(|n| CONTENT.contains(&n.to_lowercase().as_str())).collect();
    match (usual.is_empty(), found.len()) {
        (false, _) => Ok(usual),
        (true, 0 | 1) => Ok(names()),
        (true, n) => error(format!("it is unknown which of {n} labels are content")),
    }
}

/// Returns the text of the spans in page order, one span per line, and the number of spans that are not found.
fn gold_text(stretches: &[Stretch], html: &str) -> (String, usize) {
    let doc = threshr_html::parse_str(html);
    let mut lines: Vec<(usize, usize, String)> = stretches
        .iter()
        .enumerate()
        .filter_map(|(i, stretch)| {
            let (place, text) = located(&stretch.value, &doc);
            Some((place.unwrap_or(usize::MAX), i, text?))
        })
        .collect();
    lines.sort_by_key(|line| (line.0, line.1));
    let num_lost = stretches.len() - lines.len();
    (lines.into_iter().map(|line| line.2).collect::<Vec<_>>().join("\n"), num_lost)
}

/// Returns the start position and the text of a span. The exported text is used; if there is none, it is taken from
/// the page.
fn located(value: &Map<String, Value>, doc: &Document) -> (Option<usize>, Option<String>) {
    let offset = |name: &str| value.get(name).and_then(Value::as_u64).map(|n| n as usize);
    let path = |name: &str| value.get(name).and_then(Value::as_str);
    let range = (|| {
        let start = (path("start")?, offset("startOffset")?);
        let end = (path("end")?, offset("endOffset")?);
        xpath::range(doc, start, end)
    })();
    let text = path("text").map(unix_lines).filter(|text| !text.is_empty());
    let found = || range.clone().map(|r| doc.source_text()[r].to_owned());
    (range.clone().map(|r| r.start), text.or_else(found))
}

//! The JSON export of Label Studio: pages with labelled spans.

use crate::gold::record_set::{self, Field};
use crate::gold::{Gold, GoldPage, Html, Listing, Match, Probe, ReadOptions, Reader, unix_lines, xpath};
use serde_json::{Map, Value};
use std::collections::{BTreeMap, HashSet};
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
              label, is content (--gold-labels selects others)",
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

/// The spans of a task.
#[derive(Default)]
struct Stretches {
    labelled: Vec<Stretch>,
    /// Number of spans of text that have no label.
    num_unlabelled: usize,
}

/// A labelled span.
struct Stretch {
    labels: Vec<String>,
    value: Map<String, Value>,
}

fn read(path: &Path, options: &ReadOptions) -> Result<Listing> {
    let content = content_labels(path, options)?;
    let (mut lost, mut unlabelled): (Vec<u64>, Vec<u64>) = Default::default();
    let needed = Field { what: "the HTML of a page", names: vec!["data", "html"], is_gold: false };
    let mut listing = record_set::read(path, &options.fields, &[needed], |record| {
        let data = record.fields.get("data").and_then(Value::as_object).unwrap_or(&record.fields);
        let Some(html) = html(&record.fields, options) else { return Ok(None) };
        let base = record_set::page(record, path, &options.fields, &["id"]);
        let of_data = |name: &str| data.get(name).and_then(text_of);
        let url = of_data(options.fields.url.as_deref().unwrap_or("url")).or(base.url.clone());
        let gold = stretches(record).map(|Stretches { labelled, num_unlabelled }| {
            unlabelled.extend((0..num_unlabelled).map(|_| record.line));
            let kept = labelled.into_iter().filter(|s| s.labels.iter().any(|l| content.contains(l)));
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
        let text = format!(
            "{num} labelled spans have no text or are not found in the page, the first in line {first}"
        );
        listing.remarks.push(text);
    }
    if let Some(first) = unlabelled.first() {
        let (num, are) = (unlabelled.len(), if unlabelled.len() == 1 { "span has" } else { "spans have" });
        let text =
            format!("{num} {are} no label, so the text counts as boilerplate, the first in line {first}");
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

/// Returns the spans of a task; `None` if it has no annotation. If there are several annotations, the
/// ground truth is used; if none is marked as ground truth, the last annotation is used.
fn stretches(record: &Record) -> Option<Stretches> {
    let list = ANNOTATIONS.iter().find_map(|name| record.fields.get(*name).filter(|v| v.is_array()));
    let Some(list) = list else {
        let all = Stretches::of(record.fields.values().flat_map(regions).map(|value| (None, value)));
        return (!all.labelled.is_empty()).then_some(all);
    };
    let is = |a: &Map<String, Value>, name: &str| a.get(name).and_then(Value::as_bool).unwrap_or(false);
    let done: Vec<_> = regions(list)
        .filter(|a| !is(a, "was_cancelled") && !is(a, "skipped") && a.contains_key("result"))
        .collect();
    let annotation = done.iter().find(|a| is(a, "ground_truth")).or_else(|| done.last())?;
    let results = annotation.get("result").into_iter().flat_map(regions);
    let value = |r: &'_ Map<String, Value>| r.get("value")?.as_object().cloned();
    let values: Vec<_> =
        results.filter_map(|r| Some((r.get("id").and_then(Value::as_str), value(r)?))).collect();
    Some(Stretches::of(values.iter().map(|(id, value)| (*id, value))))
}

impl Stretches {
    /// Sorts the values of regions, with their ids, into labelled spans and others. If a region has several
    /// results, such as labels and a comment, there are several values with the same id.
    fn of<'a>(values: impl Iterator<Item = (Option<&'a str>, &'a Map<String, Value>)>) -> Stretches {
        let (mut labelled, mut labelled_ids, mut others) = (Vec::new(), HashSet::new(), Vec::new());
        for (id, value) in values {
            let labels: Vec<String> = labels(value).collect();
            if !labels.is_empty() {
                labelled.push(Stretch { labels, value: value.clone() });
                labelled_ids.extend(id);
            } else if ["start", "end"].iter().all(|name| value.contains_key(*name)) {
                others.push(id);
            }
        }
        // A region that has only a choice or a comment also counts as a span without a label.
        let mut seen = labelled_ids;
        let num_unlabelled = others.into_iter().filter(|id| id.is_none_or(|id| seen.insert(id))).count();
        Stretches { labelled, num_unlabelled }
    }
}

/// Returns the labels that count as content: the labels given by the options, common names of content labels, or
/// the only label in the file.
fn content_labels(path: &Path, options: &ReadOptions) -> Result<Vec<String>> {
    let mut found: BTreeMap<String, u64> = BTreeMap::new();
    for record in Records::open(path)? {
        let all = stretches(&record?).unwrap_or_default();
        all.labelled.into_iter().flat_map(|s| s.labels).for_each(|l| *found.entry(l).or_default() += 1);
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

/// Returns the start position and the text of a span. The text is the exported text, or else the text of the
/// span in the page.
fn located(value: &Map<String, Value>, doc: &Document) -> (Option<usize>, Option<String>) {
    let offset = |name: &str| value.get(name).and_then(Value::as_u64).map(|n| n as usize);
    let path = |name: &str| value.get(name).and_then(Value::as_str);
    let range = (|| {
        let start = (path("start")?, offset("startOffset")?);
        let end = (path("end")?, offset("endOffset")?);
        xpath::range(doc, start, end)
    })();
    let text = path("text").map(unix_lines).filter(|text| !text.is_empty());
    // a span without a length has no text
    let found =
        || range.clone().map(|r| doc.source_text()[r].to_owned()).filter(|text| !text.trim().is_empty());
    (range.clone().map(|r| r.start), text.or_else(found))
}

//! The folder layout of WCXB: `html/N.html.gz` and `ground-truth/N.json`.

use crate::gold::{Gold, GoldPage, Listing, Match, Probe, ReadOptions, Reader, Snippets, form, html_files};
use serde_json::{Map, Value};
use std::path::Path;
use threshr_core::site_of;
use threshr_core::{Error, Result};
use threshr_io::read_bytes;
use threshr_io::{json, names};

/// Possible names of the folder with the gold.
const GOLD: [&str; 2] = ["ground-truth", "ground_truth"];

/// Compressed pages, each with a JSON file.
pub(super) static READER: Reader = Reader {
    name: "wcxb",
    summary: "html/N.html.gz or N.html, and ground-truth/N.json with ground_truth.main_content; url, page type, with and without are also read",
    source: "Foley, WCXB 2026",
    rank: 8,
    detect: |probe: &Probe, _| {
        let gold = GOLD.iter().find_map(|name| probe.folder(name));
        match (probe.folder("html"), gold) {
            (Some(_), Some(_)) => Match::Yes,
            (Some(html), None) if html.ends_with("html") => {
                Match::Near(3, "html/ exists, but the folder ground-truth/ is missing".to_owned())
            }
            (None, Some(_)) => {
                Match::Near(5, "ground-truth/ exists, but the folder html/ is missing".to_owned())
            }
            _ => split(probe),
        }
    },
    read,
};

/// Returns [`Match::Near`] for a folder with splits, such as `dev` and `test`, because only a split itself can be
/// read.
fn split(probe: &Probe) -> Match {
    let has_both = |dir: &std::path::PathBuf| {
        form::folder(dir, "html").is_some() && form::folder(dir, GOLD[0]).is_some()
    };
    match ["dev", "train", "test"].iter().find(|name| probe.folder(name).is_some_and(|dir| has_both(&dir))) {
        Some(name) => Match::Near(8, format!("its subfolder {name}/ has this format")),
        None => Match::No,
    }
}

fn read(dir: &Path, _: &ReadOptions) -> Result<Listing> {
    let html = form::folder(dir, "html").unwrap_or_else(|| dir.join("html"));
    let gold_dir = GOLD.iter().find_map(|name| form::folder(dir, name)).unwrap_or_else(|| dir.join(GOLD[0]));
    let mut pages = Vec::new();
    for path in html_files(&html)? {
        let id = names::stem(&path);
        let files = ["", ".gz", ".zst"].map(|compressed| gold_dir.join(format!("{id}.json{compressed}")));
        let page = GoldPage::in_file(id, path);
        pages.push(match files.iter().find(|path| path.is_file()) {
            Some(file) => with_gold(page, file)?,
            None => page,
        });
    }
    match pages.iter().any(|p| p.gold.is_some()) {
        true => Ok(pages.into()),
        false => Err(Error::data("no page has gold")
            .expected("ground-truth/N.json with ground_truth.main_content for html/N.html.gz")
            .at_path(dir)),
    }
}

/// Adds the gold and the metadata of a JSON file to a page.
fn with_gold(page: GoldPage, path: &Path) -> Result<GoldPage> {
    let bytes = read_bytes(path)?;
    let object = json::object(&bytes).map_err(|e| {
        Error::data(format!("invalid JSON: {e}"))
            .expected("a JSON object with ground_truth.main_content")
            .at_path(path)
            .at_line(e.line() as u64)
    })?;
    let empty = Map::new();
    let truth = object.get("ground_truth").and_then(Value::as_object).unwrap_or(&empty);
    let text = |object: &Map<String, Value>, name: &str| object.get(name).and_then(json::text_of);
    let url = text(&object, "url");
    let content = match truth.get("main_content") {
        None if !truth.is_empty() => {
            let have: Vec<&str> = truth.keys().map(String::as_str).collect();
            return Err(Error::data("`ground_truth` has no `main_content`")
                .expected(format!("the gold text; it has {}", have.join(", ")))
                .at_path(path));
        }
        content => content.and_then(Value::as_str),
    };
    Ok(GoldPage {
        site: url.as_deref().and_then(site_of).or_else(|| text(&object, "domain")),
        url,
        lang: text(&object, "language").or_else(|| text(&object, "lang")),
        page_type: page_type(&object),
        gold: content.map(Gold::text),
        snippets: Snippets {
            with: list(truth, "with"),
            without: list(truth, "without"),
            comments: list(truth, "comments"),
        },
        ..page
    })
}

/// Returns `_internal.page_type.primary`, or `page_type`, which may be a string or an object.
fn page_type(object: &Map<String, Value>) -> Option<String> {
    let internal = object.get("_internal").and_then(|v| v.get("page_type"));
    let stated = internal.or_else(|| object.get("page_type"))?;
    json::text_of(stated.get("primary").unwrap_or(stated))
}

fn list(object: &Map<String, Value>, name: &str) -> Vec<String> {
    let items = object.get(name).and_then(Value::as_array);
    items.into_iter().flatten().filter_map(|v| v.as_str().map(str::to_owned)).collect()
}

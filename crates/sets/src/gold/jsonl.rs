//! A folder with `gold.jsonl`: one JSON object per page.

use crate::annotations;
use crate::gold::places::inside;
use crate::gold::{Gold, GoldPage, GoldPost, Html, Listing, Match, Probe, ReadOptions, Reader, Snippets};
use serde::Deserialize;
use serde_json::Value;
use std::path::{Path, PathBuf};
use threshr_core::site_of;
use threshr_core::{Error, Result};
use threshr_io::records::{Record, Records};

/// The name of the file that lists the pages of a set.
pub(super) const LIST: &str = "gold.jsonl";

/// `gold.jsonl` in the folder of the pages.
pub(super) static READER: Reader = Reader {
    name: "jsonl",
    summary: "gold.jsonl: one JSON object per page with id, file, gold; optional: gold_markup, with, \
              without, comments (snippets), unsure (texts without a label), posts (text, author, date, \
              link), url, lang, encoding, site, page_type",
    source: "threshr",
    rank: 9,
    detect: |probe: &Probe, _| match list(&probe.path) {
        Some(_) if probe.is_folder => Match::Yes,
        _ if probe.folder("pages").is_some() => {
            Match::Near(3, "pages/ exists, but the file gold.jsonl is missing".to_owned())
        }
        _ => Match::No,
    },
    read,
};

#[derive(Deserialize)]
struct Line {
    id: Value,
    file: Option<String>,
    html: Option<String>,
    url: Option<String>,
    lang: Option<String>,
    encoding: Option<String>,
    #[serde(default, deserialize_with = "text_or_lines")]
    gold: Option<String>,
    gold_markup: Option<String>,
    domain: Option<String>,
    site: Option<String>,
    page_type: Option<String>,
    with: Option<Vec<String>>,
    without: Option<Vec<String>>,
    comments: Option<Vec<String>>,
    unsure: Option<Vec<String>>,
    posts: Option<Vec<GoldPost>>,
}

/// Reads a string, or a list of strings, which are joined as lines.
fn text_or_lines<'de, D: serde::Deserializer<'de>>(from: D) -> std::result::Result<Option<String>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged, expecting = "`gold` is neither a string nor a list of strings")]
    enum Gold {
        Text(String),
        Lines(Vec<String>),
    }
    Ok(Option::<Gold>::deserialize(from)?.map(|gold| match gold {
        Gold::Text(text) => text,
        Gold::Lines(lines) => lines.join("\n"),
    }))
}

/// Returns the path of the folder's `gold.jsonl`, compressed or not; `None` if there is no such file.
fn list(dir: &Path) -> Option<PathBuf> {
    let names = ["", ".gz", ".zst"].map(|compressed| dir.join(format!("{LIST}{compressed}")));
    names.into_iter().find(|path| path.is_file())
}

fn read(dir: &Path, _: &ReadOptions) -> Result<Listing> {
    let list = list(dir).unwrap_or_else(|| dir.join(LIST));
    let mut pages = Vec::new();
    for record in Records::open(&list)? {
        let Record { line, fields, .. } = record?;
        let parsed = serde_json::from_value::<Line>(Value::Object(fields)).map_err(|e| {
            Error::data(format!("invalid line: {e}")).expected("a JSON object with `id` and `gold`")
        });
        let page = parsed.and_then(|parsed| page(dir, &list, parsed));
        let page = page.map_err(|e| e.at_path(&list).at_line(line))?;
        pages.push(GoldPage { line: Some(line), ..page });
    }
    let mut remarks = Vec::new();
    if dir.join(annotations::FILE).is_file() {
        remarks.push(format!(
            "{} is ignored, because {LIST} exists; --gold-format annotations reads it instead",
            annotations::FILE
        ));
    }
    Ok(Listing { remarks, ..pages.into() })
}

fn page(dir: &Path, list: &Path, line: Line) -> Result<GoldPage> {
    let id = match &line.id {
        Value::String(s) => s.clone(),
        Value::Number(n) => n.to_string(),
        other => return Err(Error::data(format!("`id` is {other}")).expected("text").at_column("id")),
    };
    let (path, html) = match (line.file, line.html) {
        (None, Some(html)) => (list.to_path_buf(), Html::record(&html)?),
        (file, _) => {
            let file = file.unwrap_or_else(|| format!("pages/{id}.html"));
            (inside(dir, &file).map_err(|e| e.at_page(&id).at_column("file"))?, Html::File)
        }
    };
    let site = line
        .url
        .as_deref()
        .and_then(site_of)
        .or_else(|| line.domain.or(line.site).map(|s| site_of(&s).unwrap_or(s)));
    Ok(GoldPage {
        site,
        path,
        line: None,
        charset: if matches!(html, Html::File) { line.encoding } else { Some("utf-8".to_owned()) },
        html,
        url: line.url,
        lang: line.lang,
        page_type: line.page_type,
        gold: line.gold.map(|text| Gold::Text { text, markup: line.gold_markup }),
        unsure: line.unsure.unwrap_or_default(),
        posts: line.posts.unwrap_or_default(),
        snippets: Snippets {
            with: line.with.unwrap_or_default(),
            without: line.without.unwrap_or_default(),
            comments: line.comments.unwrap_or_default(),
        },
        id,
    })
}

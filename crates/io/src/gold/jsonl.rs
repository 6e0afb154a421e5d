//! A folder with `gold.jsonl`: one JSON object per page.

use crate::gold::{Gold, GoldPage, ReadOptions, Reader, Snippets, read_bytes, site_of};
use serde::Deserialize;
use std::path::Path;
use threshr_core::{Error, Result};

/// `gold.jsonl` beside the pages.
pub(super) static READER: Reader = Reader {
    name: "jsonl",
    summary: "gold.jsonl: a JSON object per page with id, file, gold; optional: gold_markup, with, without \
              (snippets), url, lang, encoding, site, page_type",
    source: "threshr",
    detect: |dir| dir.join("gold.jsonl").is_file(),
    read,
};

#[derive(Deserialize)]
struct Line {
    id: serde_json::Value,
    file: Option<String>,
    url: Option<String>,
    lang: Option<String>,
    encoding: Option<String>,
    gold: Option<String>,
    gold_markup: Option<String>,
    domain: Option<String>,
    site: Option<String>,
    page_type: Option<String>,
    with: Option<Vec<String>>,
    without: Option<Vec<String>>,
}

fn read(dir: &Path, _: &ReadOptions) -> Result<Vec<GoldPage>> {
    let list = dir.join("gold.jsonl");
    let bytes = read_bytes(&list)?;
    let mut pages = Vec::new();
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes);
    for (line, number) in bytes.split(|&b| b == b'\n').zip(1u64..) {
        if line.trim_ascii().is_empty() {
            continue;
        }
        let parsed: Line = serde_json::from_slice(line).map_err(|e| {
            Error::data(format!("invalid line: {e}"))
                .expected("a JSON object with `id` and `gold`")
                .at_path(&list)
                .at_line(number)
        })?;
        pages.push(page(dir, parsed).map_err(|e| e.at_path(&list).at_line(number))?);
    }
    Ok(pages)
}

fn page(dir: &Path, line: Line) -> Result<GoldPage> {
    let id = match &line.id {
        serde_json::Value::String(s) => s.clone(),
        serde_json::Value::Number(n) => n.to_string(),
        other => return Err(Error::data(format!("`id` is {other}")).expected("text").at_column("id")),
    };
    let file = line.file.unwrap_or_else(|| format!("pages/{id}.html"));
    let path = dir.join(&file);
    if Path::new(&file).is_absolute() || file.split(['/', '\\']).any(|part| part == "..") {
        return Err(Error::data(format!("`{file}` is outside the folder of the set"))
            .at_page(id)
            .at_column("file"));
    }
    let site = line
        .url
        .as_deref()
        .and_then(site_of)
        .or_else(|| line.domain.or(line.site).map(|s| site_of(&s).unwrap_or(s)));
    Ok(GoldPage {
        site,
        path,
        url: line.url,
        lang: line.lang,
        charset: line.encoding,
        page_type: line.page_type,
        gold: line.gold.map(|text| Gold::Text { text, markup: line.gold_markup }),
        snippets: Snippets { with: line.with.unwrap_or_default(), without: line.without.unwrap_or_default() },
        id,
    })
}

//! Recognises what kind of output an existing file is.

use std::io::Read;
use std::path::Path;
use threshr_core::{Error, Result};
use threshr_io::names;

/// Number of bytes that are read of a file.
const START: u64 = 1 << 16;

/// A kind of file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A file without content.
    Empty,
    /// A trained model or system.
    Model,
    /// A cache of features.
    Cache,
    /// A report of `evaluate`.
    Report,
    /// A report of `diff`.
    Difference,
    /// A table of `bench`.
    Bench,
    /// Scores or predictions of every page, as CSV.
    PageTable,
    /// Features of blocks.
    Features,
    /// A list of features.
    FeatureList,
    /// Predictions as JSON Lines.
    Predictions,
    /// Content as HTML.
    Article,
    /// Content as TEI.
    Tei,
    /// Blocks with labels.
    Blocks,
    /// WARC, such as WET.
    Warc,
    /// Parquet.
    Parquet,
    /// Text of no other kind.
    Text,
    /// Settings in TOML.
    Settings,
    /// A web page.
    Page,
    /// Gold, or pages in records.
    Records,
    /// JSON of another kind.
    Json,
    /// A table of another kind.
    Table,
    /// Bytes that are no text.
    Binary,
}

impl Kind {
    /// All kinds: for files in a folder that is checked as a whole.
    pub(crate) const ALL: &[Kind] = &[
        Kind::Model,
        Kind::Cache,
        Kind::Report,
        Kind::Bench,
        Kind::PageTable,
        Kind::Features,
        Kind::FeatureList,
        Kind::Predictions,
        Kind::Article,
        Kind::Text,
        Kind::Page,
        Kind::Json,
        Kind::Table,
    ];

    /// What it is called in errors.
    pub(super) fn name(&self) -> &'static str {
        match self {
            Kind::Empty => "an empty file",
            Kind::Model => "a model",
            Kind::Cache => "a cache",
            Kind::Report => "a report",
            Kind::Difference => "a report of differences",
            Kind::Bench => "a table of times",
            Kind::PageTable => "a table of pages",
            Kind::Features => "a table of features",
            Kind::FeatureList => "a list of features",
            Kind::Predictions => "predictions",
            Kind::Article => "extracted HTML",
            Kind::Tei => "TEI",
            Kind::Blocks => "a table of blocks",
            Kind::Warc => "WARC",
            Kind::Parquet => "Parquet",
            Kind::Text => "text",
            Kind::Settings => "settings",
            Kind::Page => "a web page",
            Kind::Records => "records of pages",
            Kind::Json => "other JSON",
            Kind::Table => "another table",
            Kind::Binary => "a file of another kind",
        }
    }

    /// The kind of an existing file. Packed files have the kind of their content.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub(crate) fn of(path: &Path) -> Result<Kind> {
        let mut start = Vec::new();
        let file = std::fs::File::open(path).map_err(|e| Error::io(path, e))?;
        file.take(START).read_to_end(&mut start).map_err(|e| Error::io(path, e))?;
        if start.starts_with(b"PAR1") {
            return Ok(Kind::Parquet);
        }
        if start.starts_with(b"\x1f\x8b") || start.starts_with(b"\x28\xb5\x2f\xfd") {
            // a damaged file is of another kind
            start = threshr_io::records::start(path, START).unwrap_or_else(|_| vec![0]);
        }
        if start.starts_with(b"{") && is_model(path)? {
            return Ok(Kind::Model);
        }
        Ok(of_start(&start, &names::ending(path)))
    }
}

/// Whether a JSON file has the mark of models. A model is one line, and its keys are sorted, so that the mark may be anywhere in
/// the first line. In a string, such as the text of a page, its quotation marks would be escaped.
///
/// # Errors
/// If the file cannot be read.
fn is_model(path: &Path) -> Result<bool> {
    let read = || {
        let mut file = std::fs::File::open(path)?;
        let (mut bytes, mut kept) = (vec![0; START as usize], 0);
        loop {
            let num_read = file.read(&mut bytes[kept..])?;
            let all = &bytes[..kept + num_read];
            let line = all.iter().position(|&b| b == b'\n').map_or(all, |end| &all[..end]);
            if line.windows(MODEL.len()).any(|window| window == MODEL) {
                return Ok(true);
            }
            if num_read == 0 || line.len() < all.len() {
                return Ok(false);
            }
            // the mark may lie across two reads
            let rest = all.len().saturating_sub(MODEL.len() - 1);
            kept = all.len() - rest;
            bytes.copy_within(rest..rest + kept, 0);
        }
    };
    read().map_err(|e| Error::io(path, e))
}

const MODEL: &[u8] = b"\"format\":\"threshr-model\"";

/// Starts of files, and their kinds.
const STARTS: [(&str, Kind); 21] = [
    ("<!DOCTYPE html>\n<html lang=\"en\" data-report=\"threshr diff\">", Kind::Difference),
    ("threshr cache", Kind::Cache),
    ("set,sha256,split,row", Kind::Report),
    ("set,row,page", Kind::PageTable),
    ("set,id,site", Kind::PageTable),
    ("set,site,num_pages", Kind::PageTable),
    ("page,block,share", Kind::Features),
    ("{\"page\":", Kind::Features),
    ("page\tblock\t", Kind::Blocks),
    ("name,unit,neighbours", Kind::FeatureList),
    ("{\"name\":", Kind::FeatureList),
    ("| name |", Kind::FeatureList),
    ("stage,ms_per_page", Kind::Bench),
    ("| stage |", Kind::Bench),
    ("{\n  \"pages\":", Kind::Bench),
    ("<article", Kind::Article),
    ("<TEI", Kind::Tei),
    ("<teiCorpus", Kind::Tei),
    ("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<TEI", Kind::Tei),
    ("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<teiCorpus", Kind::Tei),
    ("WARC/", Kind::Warc),
];

/// The kind of a file by its first bytes and its ending.
fn of_start(bytes: &[u8], ending: &str) -> Kind {
    match of_bytes(bytes, ending) {
        // a text may begin like anything
        Kind::Json | Kind::Page | Kind::Settings if ["txt", "text", "md"].contains(&ending) => Kind::Text,
        kind => kind,
    }
}

fn of_bytes(bytes: &[u8], ending: &str) -> Kind {
    let text = String::from_utf8_lossy(bytes);
    let text = text.trim_start_matches('\u{feff}').trim_start();
    if text.is_empty() {
        return Kind::Empty;
    }
    if let Some((_, kind)) = STARTS.iter().find(|(start, _)| text.starts_with(start)) {
        return *kind;
    }
    let first = text.lines().next().unwrap_or_default();
    let lower = text.get(..2_000.min(text.len())).unwrap_or(text).to_ascii_lowercase();
    match text.as_bytes()[0] {
        b'{' => of_object(first),
        b'[' if text.contains("\"sha256\"") && text.contains("\"set\"") => Kind::Report,
        b'[' if is_settings(text, ending) => Kind::Settings,
        b'[' => Kind::Json,
        b'<' if lower.contains("<html") || lower.contains("<!doctype") || lower.contains("<body") => {
            Kind::Page
        }
        _ if bytes.contains(&0) => Kind::Binary,
        _ if first.contains(" pages with gold, sha256 ") => Kind::Report,
        _ if first.contains(" blocks; CPU time of one thread") => Kind::Bench,
        _ if first.starts_with("name ") && first.contains("neighbours") => Kind::FeatureList,
        _ if ["html", "htm"].contains(&ending) => Kind::Page,
        _ if ["csv", "tsv"].contains(&ending) => Kind::Table,
        _ if is_settings(text, ending) => Kind::Settings,
        _ => Kind::Text,
    }
}

/// The kind of a file whose first line is an object.
fn of_object(line: &str) -> Kind {
    let has = |name: &str| line.contains(&format!("\"{name}\":"));
    let is_prediction = has("id") && (has("text") || has("error"));
    match has("gold") || has("html") {
        _ if is_prediction && has("model") => Kind::Predictions,
        true => Kind::Records,
        false if is_prediction => Kind::Predictions,
        false => Kind::Json,
    }
}

/// Whether a text is TOML with a setting.
fn is_settings(text: &str, ending: &str) -> bool {
    ending == "toml" || toml_setting(text)
}

/// Whether the first line that is no comment is a table or `name = value`.
fn toml_setting(text: &str) -> bool {
    let lines = text.lines().map(str::trim);
    let Some(line) = lines.into_iter().find(|line| !line.is_empty() && !line.starts_with('#')) else {
        return false;
    };
    let is_name = |name: &str| {
        let is_part = |c: char| c.is_ascii_alphanumeric() || "_-.".contains(c);
        !name.is_empty() && name.chars().all(is_part)
    };
    let table = line.strip_prefix('[').and_then(|l| l.strip_suffix(']'));
    let setting = line.split_once('=').map(|(name, _)| name.trim());
    table.or(setting).is_some_and(is_name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outputs_are_told_from_other_files() {
        for (text, ending, kind) in [
            ("", "txt", Kind::Empty),
            ("{\"id\":\"1\",\"url\":null,\"text\":\"x\"}\n", "jsonl", Kind::Predictions),
            ("{\"id\": \"1\", \"gold\": \"x\"}\n", "jsonl", Kind::Records),
            ("{\"html\": \"<p>\", \"id\": 1, \"text\": \"x\"}\n", "jsonl", Kind::Records),
            ("{\"a\": 1}", "json", Kind::Json),
            ("path,url,text\n", "csv", Kind::Table),
            ("set,row,page,fold\n", "csv", Kind::PageTable),
            ("# a recipe\nseed = 7\n", "", Kind::Settings),
            ("x = 7\n", "txt", Kind::Text),
            ("[features]\nset = 'all'\n", "toml", Kind::Settings),
            ("# Title\n\nSome words.\n", "md", Kind::Text),
            ("<!DOCTYPE html><p>x", "", Kind::Page),
            ("<!DOCTYPE html>\n<html lang=\"en\" data-report=\"threshr diff\">\n", "html", Kind::Difference),
            ("<article lang=\"en\">\n<p>x", "html", Kind::Article),
            ("<p>Some text\n", "txt", Kind::Text),
            ("a\0b", "bin", Kind::Binary),
        ] {
            assert_eq!(of_start(text.as_bytes(), ending), kind, "{text}");
        }
    }

    #[test]
    fn a_model_is_known_wherever_its_mark_is() {
        let dir = tempfile::tempdir().expect("a folder");
        let path = dir.path().join("my.json");
        let mark = std::str::from_utf8(MODEL).expect("ASCII");
        let some = |num: u64| "x".repeat(num as usize);
        for before in [0, 10, START - 30, START - 10, 3 * START] {
            let text = format!("{{\"a\":\"{}\",{mark},\"z\":\"{}\"}}\n", some(before), some(2 * START));
            std::fs::write(&path, text).expect("written");
            assert_eq!(Kind::of(&path).expect("read"), Kind::Model, "{before}");
        }
        // not in a string, and not in a later record
        for other in
            [format!("{{\"text\":\"{}\"}}", mark.replace('"', "\\\"")), format!("{{\"a\":1}}\n{{{mark}}}\n")]
        {
            std::fs::write(&path, &other).expect("written");
            assert_ne!(Kind::of(&path).expect("read"), Kind::Model, "{other}");
        }
        for shipped in ["cleaneval", "tiny"] {
            let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../models/{shipped}.json"));
            assert_eq!(Kind::of(&path).expect("read"), Kind::Model, "{shipped}");
        }
    }
}

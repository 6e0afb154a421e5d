//! Reads predictions from files.

use crate::Predictions;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use threshr_core::{Error, Result};
use threshr_io::json::lines_of;
use threshr_io::records::{ENOUGH, Record, Records};
use threshr_io::{Fields, Item, names};

/// Common names of the text field. The first name that occurs in a file is used.
const TEXTS: [&str; 16] = [
    "text",
    "prediction",
    "predicted",
    "extracted_text",
    "extracted",
    "content",
    "main_content",
    "articleBody",
    "article_body",
    "article",
    "body",
    "raw_text",
    "plain_text",
    "text_content",
    "output",
    "markdown",
];
/// Common names of the id field. The first name that occurs in a file is used.
const IDS: [&str; 12] = [
    "id", "track_id", "page_id", "file_id", "doc_id", "page", "key", "file", "filename", "path", "name",
    "url",
];
/// File extensions of predictions in a folder.
const TEXT_EXTENSIONS: [&str; 3] = ["txt", "text", "md"];

pub(super) fn read(path: &Path, id: Option<&str>, text: Option<&str>) -> Result<Predictions> {
    if threshr_io::readers::is_read_once(path) {
        return Err(Error::data("a file of predictions is read more than once")
            .expected("a file or a folder")
            .at_path(path));
    }
    let mut found = Predictions { path: path.to_path_buf(), ..Predictions::default() };
    if path.is_dir() {
        folder(path, &mut found)?;
    } else if names::extension(path) == "parquet" {
        parquet(path, id.unwrap_or(IDS[0]), text.unwrap_or(TEXTS[0]), &mut found)?;
    } else {
        file(path, id, text, &mut found)?;
    }
    Ok(found)
}

/// Reads a folder with one text file per page. The file stem is the page id.
fn folder(dir: &Path, found: &mut Predictions) -> Result<()> {
    let mut paths: Vec<PathBuf> = Vec::new();
    for entry in std::fs::read_dir(dir).map_err(|e| Error::io(dir, e))? {
        let path = entry.map_err(|e| Error::io(dir, e))?.path();
        if TEXT_EXTENSIONS.contains(&names::extension(&path).as_str()) && path.is_file() {
            paths.push(path);
        }
    }
    paths.sort();
    if paths.is_empty() {
        return Err(Error::data("the folder has no texts")
            .expected("a file ID.txt for each page")
            .at_path(dir));
    }
    for path in paths {
        let bytes = threshr_io::read_bytes(&path)?;
        let text = threshr_html::decode(&bytes, None).text.trim_start_matches('\u{feff}').to_owned();
        found.add(names::stem(&path), Some(text), None).map_err(|e| e.at_path(&path))?;
    }
    Ok(())
}

/// Reads a Parquet table.
fn parquet(path: &Path, id: &str, text: &str, found: &mut Predictions) -> Result<()> {
    // the page reader can read any column as the HTML, so it reads the text column as HTML
    let fields = Fields { html: text.to_owned(), id: id.to_owned(), ..Fields::default() };
    // the error column, if it exists, is read as the date, because predictions need no date
    let with_errors = Fields { date: ERROR.to_owned(), ..fields.clone() };
    let sources = threshr_io::sources(&[path.to_path_buf()], None)?;
    if let Some(error) = sources.failures.into_iter().next() {
        return Err(error);
    }
    for source in &sources.sources {
        if source.reader.name != "parquet" {
            return Err(Error::invalid_option("this program is built without Parquet").at_path(path));
        }
        let (mut pages, has_errors) = match source.open(&with_errors, &Arc::default()) {
            Ok(pages) => (pages, true),
            Err(_) => (source.open(&fields, &Arc::default())?, false),
        };
        // The model is read as the date. All rows of an output have the same model.
        let with_model = Fields { date: MODEL.to_owned(), ..fields.clone() };
        if let Ok(mut pages) = source.open(&with_model, &Arc::default()) {
            let model = match pages.next()? {
                Some(Item::Page(page)) => page.date,
                Some(Item::Failed(page)) => page.date,
                _ => None,
            };
            model.iter().for_each(|model| found.saw_model(model));
        }
        let mut row = 0;
        while let Some(item) = pages.next()? {
            row += 1;
            let (id, text, url) = match item {
                Item::Page(page) if has_errors && page.date.is_some() => (page.id, None, page.url),
                Item::Page(page) => {
                    let (id, url) = (page.id.clone(), page.url.clone());
                    (id, Some(String::from_utf8_lossy(&page.load(None)?.bytes).into_owned()), url)
                }
                // a null text: the page could not be extracted
                Item::Failed(page) => (page.id, None, page.url),
                Item::Skipped(_) => continue,
            };
            found.add(id, text, url).map_err(|e| e.at_path(path).at_line(row))?;
        }
    }
    Ok(())
}

/// Reads a file of records.
fn file(path: &Path, id: Option<&str>, text: Option<&str>, found: &mut Predictions) -> Result<()> {
    let Some(first) = first_records(path, found)? else { return Ok(()) };
    let Some(text) = text.map(str::to_owned).or_else(|| usual(&first, &TEXTS)) else {
        return Err(missing(path, &first, "text", "--prediction-text"));
    };
    let has_key = first.first().is_some_and(|r| r.key.is_some());
    let Some(id) = id.map(str::to_owned).or_else(|| usual(&first, &IDS)).or(has_key.then(String::new)) else {
        return Err(missing(path, &first, "id", "--prediction-id"));
    };
    for (name, what) in [(&text, "text"), (&id, "id")] {
        let is_there =
            first.is_empty() || first.iter().any(|r| r.fields.contains_key(name)) || name.is_empty();
        if !is_there {
            return Err(missing(path, &first, name, ""));
        }
        if !name.is_empty() && name != what {
            found.remarks.push(format!("the field `{name}` is read as the {what}"));
        }
    }
    let (mut num_twice, mut without_id, mut malformed) = (0, Vec::new(), Malformed::default());
    let records = Records::open(path)?;
    records.check_columns([text.as_str(), id.as_str(), "url", ERROR])?;
    for record in records {
        let Some(record) = malformed.valid(record) else { continue };
        let Some(value) = record.text(&[&id]).or_else(|| record.key.clone()) else {
            without_id.push(record.line);
            continue;
        };
        let is_path = ["path", "file", "filename"].contains(&id.as_str());
        let value = if is_path { file_id(&value) } else { value };
        let text = text_of(&record, &text);
        if let Some(Value::String(model)) = record.fields.get(MODEL) {
            found.saw_model(model);
        }
        let is_new = found.add(value, text, record.text(&["url"]));
        num_twice += usize::from(!is_new.map_err(|e| e.at_path(path).at_line(record.line))?);
    }
    found.remarks.extend(malformed.remark());
    if let Some(line) = without_id.first() {
        let num = without_id.len();
        found.remarks.push(format!("{num} records have no `{id}` and are skipped, the first in line {line}"));
    }
    if num_twice > 0 {
        found.remarks.push(format!("{num_twice} records repeat an id with the same text"));
    }
    Ok(())
}

/// Field with the name of the model, in the output of `threshr predict`.
const MODEL: &str = "model";
/// Field with the reason why a tool failed on a page.
const ERROR: &str = "error";

/// Returns the text of a record. Returns `None` if the tool failed on the page: the text is null or missing, or the
/// record states an error.
fn text_of(record: &Record, field: &str) -> Option<String> {
    let states_error = record.fields.get(ERROR).is_some_and(|error| match error {
        Value::String(text) => !text.is_empty(),
        Value::Object(fields) => !fields.is_empty(),
        Value::Array(items) => !items.is_empty(),
        Value::Bool(is_error) => *is_error,
        Value::Null | Value::Number(_) => false,
    });
    match record.fields.get(field)? {
        _ if states_error && field != ERROR => None,
        // `lines_of` returns nothing for an empty string.
        Value::String(text) => Some(text.clone()),
        value => lines_of(value),
    }
}

/// Number of malformed records, and the first error.
#[derive(Default)]
struct Malformed {
    num: usize,
    first: Option<Error>,
}

impl Malformed {
    /// Returns a valid record. Counts a malformed one and returns `None`.
    fn valid(&mut self, record: Result<Record>) -> Option<Record> {
        record
            .map_err(|error| {
                self.num += 1;
                self.first.get_or_insert(error);
            })
            .ok()
    }

    fn remark(&self) -> Option<String> {
        let first = self.first.as_ref()?;
        Some(format!("{} malformed records are skipped, the first: {}", self.num, first.with_causes()))
    }
}

/// Reads the first records of a file. Returns `None` if the file has no records.
///
/// # Errors
/// If the file has only malformed records.
fn first_records(path: &Path, found: &mut Predictions) -> Result<Option<Vec<Record>>> {
    let mut malformed = Malformed::default();
    let records = Records::open(path).map_err(|e| e.expected("records with `id` and `text`"))?;
    let first: Vec<Record> = records.filter_map(|record| malformed.valid(record)).take(ENOUGH).collect();
    match (first.is_empty(), malformed.first) {
        (true, Some(error)) => Err(error.expected("records with `id` and `text`")),
        (true, None) => {
            found.remarks.push("the file has no records, so every page counts as failed".to_owned());
            Ok(None)
        }
        (false, _) => Ok(Some(first)),
    }
}

/// Returns the first name in `names` that is a field of at least one record.
fn usual(records: &[Record], names: &[&str]) -> Option<String> {
    let is_there = |name: &&&str| records.iter().any(|r| r.fields.contains_key(**name));
    names.iter().find(is_there).map(|name| (*name).to_owned())
}

/// Returns a path's file name without folders and extension.
fn file_id(path: &str) -> String {
    names::stem(Path::new(path.rsplit(['/', '\\']).next().unwrap_or(path)))
}

fn missing(path: &Path, records: &[Record], name: &str, option: &str) -> Error {
    let fields = records.first().map(Record::names).unwrap_or_default();
    let option = if option.is_empty() { String::new() } else { format!(", or {option} NAME") };
    let num = records.len();
    Error::data(format!("none of the first {num} records has a field `{name}`"))
        .expected(format!("records with `id` and `text`{option}; the fields are {fields}"))
        .at_path(path)
        .at_line(records.first().map_or(1, |r| r.line))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    fn texts(name: &str, bytes: &[u8]) -> Result<Vec<String>> {
        let dir = tempfile::tempdir().expect("a folder");
        let path = dir.path().join(name);
        std::fs::write(&path, bytes).expect("written");
        let found = Predictions::read(&path, None, None)?;
        let text =
            |(id, text): (&String, &Option<String>)| format!("{id}={}", text.as_deref().unwrap_or("failed"));
        let mut texts: Vec<String> = found.texts.iter().map(text).collect();
        texts.sort();
        Ok(texts.into_iter().chain(found.remarks).collect())
    }

    #[test]
    fn predictions_of_many_tools_are_read() {
        let lines =
            "\u{feff}{\"id\": 1, \"text\": \"a\", \"score\": NaN}\r\n{\"id\": \"2\", \"text\": \"\"}\r\n";
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        gzip.write_all(lines.as_bytes()).expect("written");
        for (name, bytes) in [
            ("x.jsonl", lines.as_bytes().to_vec()),
            ("x.jsonl.gz", gzip.finish().expect("compressed")),
            ("x.jsonl.zst", zstd::encode_all(lines.as_bytes(), 1).expect("compressed")),
            ("x.json", b"[{\"id\": 1, \"text\": \"a\"}, {\"id\": 2, \"text\": \"\"}]".to_vec()),
            ("x.csv", b"id,text\r\n1,a\r\n2,\r\n".to_vec()),
        ] {
            assert_eq!(texts(name, &bytes).expect(name), ["1=a", "2="], "{name}");
        }
        let object = b"{\"1\": {\"articleBody\": \"a\"}, \"2\": {\"articleBody\": \"b\"}}";
        assert_eq!(texts("x.json", object).expect("read")[..2], ["1=a", "2=b"]);
        let paths = b"{\"file\": \"html\\\\1.html\", \"content\": \"a\"}\n";
        let expected =
            ["1=a", "the field `content` is read as the text", "the field `file` is read as the id"];
        assert_eq!(texts("x.jsonl", paths).expect("read"), expected);
    }

    #[test]
    fn pages_without_a_text_or_with_an_error_failed() {
        for (record, expected) in [
            (r#"{"id": 1, "text": null}"#, "1=failed"),
            (r#"{"id": 1}"#, "1=failed"),
            (r#"{"id": 1, "error": "timeout"}"#, "1=failed"),
            (r#"{"id": 1, "text": "", "error": {"code": 5}}"#, "1=failed"),
            (r#"{"id": 1, "text": "half", "error": true}"#, "1=failed"),
            (r#"{"id": 1, "text": "", "error": null}"#, "1="),
            (r#"{"id": 1, "text": "a", "error": ""}"#, "1=a"),
            (r#"{"id": 1, "text": "a", "error": false}"#, "1=a"),
            (r#"{"id": 1, "text": ["a", "b"]}"#, "1=a\nb"),
            (r#"{"id": 1, "text": []}"#, "1="),
        ] {
            // another record has the text field
            let lines = format!("{record}\n{{\"id\": 2, \"text\": \"b\"}}\n");
            assert_eq!(texts("x.jsonl", lines.as_bytes()).expect(record), [expected, "2=b"], "{record}");
        }
        let csv = b"id,text,error\n1,,timeout\n2,,\n3,a,\n";
        assert_eq!(texts("x.csv", csv).expect("read"), ["1=failed", "2=", "3=a"]);
        for (head, column) in [("id,text,text", "text"), ("id,id,text", "id")] {
            let error = texts("x.csv", format!("{head}\n1,2,3\n").as_bytes()).expect_err(head);
            assert_eq!(error.place.column.as_deref(), Some(column), "{error}");
        }
    }

    #[test]
    fn malformed_records_are_skipped_and_counted() {
        let lines = "{\"id\": 1, \"text\": \"a\"}\n{\"id\": 2, \"te\n{\"text\": \"b\"}\n{\"id\": 3, \"text\": null}\n";
        let seen = texts("x.jsonl", lines.as_bytes()).expect("read");
        assert_eq!(seen[..2], ["1=a", "3=failed"]);
        assert!(seen[2].contains("1 malformed records") && seen[2].contains("x.jsonl:2"), "{seen:?}");
        assert!(seen[3].contains("1 records have no `id`") && seen[3].contains("line 3"), "{seen:?}");
        // malformed first line
        let lines = "{\"id\": 1, \"te\n{\"id\": 2, \"text\": \"b\"}\n";
        let seen = texts("x.jsonl", lines.as_bytes()).expect("read");
        assert!(seen[0] == "2=b" && seen[1].contains("1 malformed records"), "{seen:?}");
        let line = |i: u32| format!("{{\"id\": {i}, \"text\": \"{}\"}}\n", "x".repeat((i * 7 % 91) as usize));
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::none());
        gzip.write_all((0..5_000).map(line).collect::<String>().as_bytes()).expect("written");
        let compressed = gzip.finish().expect("compressed");
        let seen = texts("x.jsonl.gz", &compressed[..compressed.len() / 2]).expect("read");
        assert!(seen.len() > 1_000 && seen.last().is_some_and(|s| s.contains("malformed")), "{seen:?}");
        assert!(texts("x.jsonl", b"").expect("read")[0].contains("no records"));
        let array = b"[{\"id\": 1, \"text\": \"a\"}, {\"id\": 2, \"te";
        let seen = texts("x.json", array).expect("read");
        assert!(seen[0] == "1=a" && seen[1].contains("malformed"), "{seen:?}");
    }

    #[test]
    fn errors_name_line_and_fields() {
        for (text, expected) in [
            ("{\"id\": 1, \"t\": \"a\"}\n", "the fields are id, t"),
            ("{\"number\": 1, \"text\": \"a\"}\n", "the fields are number, text"),
            ("{\"id\": 1, \"text\": \"a\"}\n{\"id\": 1, \"text\": \"b\"}\n", ":2: page 1"),
            ("no JSON", "x.jsonl:1: "),
        ] {
            let error = texts("x.jsonl", text.as_bytes()).expect_err(text).to_string();
            assert!(error.contains(expected), "{text}: {error}");
        }
        let twice = "{\"id\": 1, \"text\": \"a\"}\n{\"id\": 1, \"text\": \"a\"}\n";
        assert_eq!(
            texts("x.jsonl", twice.as_bytes()).expect("read")[1],
            "1 records repeat an id with the same text"
        );
    }
}

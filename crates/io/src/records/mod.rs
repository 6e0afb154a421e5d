//! Record files: JSON Lines, JSON arrays and objects, CSV. They may be compressed by gzip or zstd.

mod csv;
mod json;

use crate::names;
use csv::CsvRecords;
use json::JsonRecords;
use serde_json::{Map, Value};
use std::path::{Path, PathBuf};
use threshr_core::{Error, Result};

/// Number of records. If none of the first records has a field, the field is reported as missing.
pub const ENOUGH: usize = 1_000;

/// A record of a file.
#[derive(Debug, Clone, PartialEq)]
pub struct Record {
    /// Line where the record starts, from 1.
    pub line: u64,
    /// Key of the record, if the file is an object of objects: `{"KEY": {…}, …}`.
    pub key: Option<String>,
    /// Fields of the record.
    pub fields: Map<String, Value>,
}

impl Record {
    /// Returns the first of the fields `names` that is a non-empty string or a number, as text.
    pub fn text(&self, names: &[&str]) -> Option<String> {
        names.iter().find_map(|name| crate::json::text_of(self.fields.get(*name)?))
    }

    /// Returns the names of up to 20 fields, for error messages.
    pub fn names(&self) -> String {
        let names: Vec<&str> = self.fields.keys().take(20).map(String::as_str).collect();
        names.join(", ")
    }
}

/// Iterator over the records of a file.
///
/// An invalid record, or a record in a corrupt part of the file, gives an error; iteration can continue
/// after it. If the rest of the file cannot be read, the iterator returns one error and ends. Errors
/// contain the path, and the line if it is known.
pub struct Records {
    path: PathBuf,
    form: Form,
    is_at_end: bool,
}

enum Form {
    Json(Box<JsonRecords>),
    Csv(Box<CsvRecords>),
}

impl Records {
    /// Opens a file. Files with the extension `csv`, `tsv` or `tab` are CSV. Other files are JSON Lines, an
    /// array or an object, which is detected from the first bytes.
    ///
    /// # Errors
    /// If the file cannot be opened or has no records.
    pub fn open(path: &Path) -> Result<Records> {
        let form = match names::extension(path).as_str() {
            "csv" | "tsv" | "tab" => Form::Csv(Box::new(CsvRecords::open(path)?)),
            _ => Form::Json(Box::new(JsonRecords::open(path)?)),
        };
        Ok(Records { path: path.to_path_buf(), form, is_at_end: false })
    }

    /// Checks that none of these columns occurs twice in the first line of a CSV file, because the intended
    /// column would be unknown.
    ///
    /// # Errors
    /// If a column occurs twice. The error contains its name.
    pub fn check_columns<'a>(&self, names: impl IntoIterator<Item = &'a str>) -> Result<()> {
        let Form::Csv(records) = &self.form else { return Ok(()) };
        match names.into_iter().find(|name| records.names().iter().filter(|n| n == name).count() > 1) {
            Some(name) => Err(Error::data("the column occurs twice in the first line")
                .expected("each column only once")
                .at_path(&self.path)
                .at_line(1)
                .at_column(name)),
            None => Ok(()),
        }
    }
}

impl Iterator for Records {
    type Item = Result<Record>;

    fn next(&mut self) -> Option<Result<Record>> {
        if self.is_at_end {
            return None;
        }
        let next = match &mut self.form {
            Form::Json(records) => records.next(),
            Form::Csv(records) => records.next(),
        };
        let next = next.unwrap_or_else(|e| {
            self.is_at_end = true;
            Some(Err(e))
        });
        next.map(|record| record.map_err(|e| e.at_path(&self.path)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(name: &str, bytes: &[u8]) -> Result<Vec<Record>> {
        let dir = tempfile::tempdir().expect("a folder");
        let path = dir.path().join(name);
        std::fs::write(&path, bytes).expect("written");
        Records::open(&path)?.collect()
    }

    fn seen(name: &str, text: &str) -> String {
        let seen = |r: &Record| format!("{}:{}", r.line, r.text(&["a", "A"]).unwrap_or_default());
        let records = read(name, text.as_bytes()).unwrap_or_else(|e| panic!("{name}: {e}"));
        records.iter().map(seen).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn every_form_gives_records_with_lines() {
        assert_eq!(seen("x.jsonl", "\u{feff}{\"a\": 1}\r\n\r\n\u{feff}{\"a\": \"x\"}\r\n"), "1:1 3:x");
        assert_eq!(seen("x.json", "\u{feff}[\n {\"a\": 1},\n\n {\n\"a\": 2}\n]\n"), "2:1 4:2");
        assert_eq!(seen("x.json", "[{\"a\": 1},{\"a\": 2}]"), "1:1 1:2");
        assert_eq!(seen("x.json", "{\n \"k\": {\"a\": 1},\n \"l\": {\"a\": 2}\n}"), "2:1 3:2");
        assert_eq!(seen("x.json", "{\n \"a\": \"x\"\n}"), "1:x");
        assert_eq!(seen("x.csv", "\u{feff}a,b\r\n\"x\r\ny\",2\r\nz,3\r\n"), "2:x\r\ny 4:z");
        assert_eq!(seen("x.csv", "a;b\nx,1;2\n"), "2:x,1");
        assert_eq!(seen("x.tsv", "a\tb\nx,1;\t2\n"), "2:x,1;");
        assert_eq!(seen("x.jsonl", ""), "");
        let compressed = zstd::encode_all(&b"{\"a\": 5}"[..], 1).expect("compressed");
        assert_eq!(read("x.jsonl.zst", &compressed).expect("read")[0].text(&["a"]).as_deref(), Some("5"));
    }

    #[test]
    fn columns_that_are_read_stand_once() {
        let dir = tempfile::tempdir().expect("a folder");
        let check = |name: &str, text: &str, columns: &[&str]| {
            let path = dir.path().join(name);
            std::fs::write(&path, text).expect("written");
            Records::open(&path).expect("opened").check_columns(columns.iter().copied())
        };
        for (name, text) in
            [("x.csv", "a,b,a\n1,2,3\n"), ("x.tsv", "\u{feff}a\tb\t a\r\n"), ("x.csv", "b;\"a\";b;a")]
        {
            let error = check(name, text, &["id", "a"]).expect_err(text);
            assert_eq!((error.place.column.as_deref(), error.place.line), (Some("a"), Some(1)), "{error}");
            assert!(check(name, text, &["id", "c"]).is_ok(), "{text}");
        }
        assert!(check("x.jsonl", "{\"a\": 1}", &["a"]).is_ok());
    }

    #[test]
    fn errors_have_lines() {
        for (name, text, line) in [
            ("x.jsonl", "{\"a\": 1}\n{\"a\": \n", 2),
            ("x.jsonl", "{\"a\": 1}\n[1]\n", 2),
            ("x.json", "[\n {\"a\": 1},\n {\"a\" 2}\n]", 3),
            ("x.json", "[\n {\"a\": 1},\n 5]", 3),
            ("x.json", "[\n {\"a\": 1}\n", 3),
            ("x.jsonl", "{\"a\": 1, \"b\" 2}\n", 1),
            ("x.json", "{\n \"k\": {\"a\": 1},\n \"l\" 5}\n", 3),
            ("x.jsonl", "<html>", 1),
            ("x.csv", "a,b\n1,2,3\n", 2),
            ("x.csv", "a,b\r\n1,2\r\n1,2,3\r\n", 3),
        ] {
            let error = read(name, text.as_bytes()).expect_err(text);
            assert_eq!(error.place.line, Some(line), "{text}: {error}");
        }
    }
}

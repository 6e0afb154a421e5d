//! Files of records: JSON Lines, JSON arrays and objects, CSV; plain, gz or zst.

mod csv;
mod json;

use crate::names;
use crate::readers::stream;
use serde_json::{Map, Value};
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use threshr_core::{Error, Result};

/// Maximum length of a line, in bytes.
const MAX_LINE: u64 = 1 << 28;
/// Maximum size of a file that is read as a whole, in bytes after decompression.
const MAX_FILE: u64 = 1 << 30;
/// Number of empty or damaged lines at the begin after which a file counts as empty.
const MAX_EMPTY: u64 = 1_000_000;
/// Number of records after which a field that no record has is missing.
pub const ENOUGH: usize = 1_000;

/// A record of a file.
#[derive(Debug, Clone, PartialEq)]
pub struct Record {
    /// The line where it begins, from 1.
    pub line: u64,
    /// Its key, if the file is an object of records: `{"KEY": {…}, …}`.
    pub key: Option<String>,
    /// Its fields.
    pub fields: Map<String, Value>,
}

impl Record {
    /// The first of the fields `names` that has a text or a number.
    pub fn text(&self, names: &[&str]) -> Option<String> {
        names.iter().find_map(|name| crate::json::text_of(self.fields.get(*name)?))
    }

    /// The names of its fields, for errors.
    pub fn names(&self) -> String {
        let names: Vec<&str> = self.fields.keys().take(20).map(String::as_str).collect();
        names.join(", ")
    }
}

/// Whether to go on with the next record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Next {
    /// Go on.
    Record,
    /// Stop here.
    Stop,
}

/// Reads the records of a file, one after the other. The first bytes decide between JSON Lines, an array and an
/// object; files with the extension `csv` or `tsv` are CSV.
///
/// # Errors
/// If the file cannot be read, a record is invalid, or `take` fails. The error has the path and the line.
pub fn each(path: &Path, take: &mut dyn FnMut(Record) -> Result<Next>) -> Result<()> {
    each_whole(path, take, &mut Err)
}

/// Reads the records of a file as [`each`]. `damaged` takes the errors of records that are invalid or lie in a damaged
/// part of the file, and says whether reading goes on with the next record.
///
/// # Errors
/// If the file cannot be opened, or `take` or `damaged` fails.
pub fn each_whole(
    path: &Path,
    take: &mut dyn FnMut(Record) -> Result<Next>,
    damaged: &mut dyn FnMut(Error) -> Result<()>,
) -> Result<()> {
    let mut from = BufReader::new(stream::decoded(path, &Default::default())?);
    if ["csv", "tsv", "tab"].contains(&names::ending(path).as_str()) {
        return csv::each(path, from, take, damaged);
    }
    let mut line = Vec::new();
    let mut number = 0;
    // the first line that is not empty decides
    while line.trim_ascii().is_empty() {
        line.clear();
        number += 1;
        match read_line(&mut from, &mut line) {
            Ok(0) => return Ok(()),
            Ok(_) => {}
            Err(e) => {
                line.clear();
                damaged(Error::io(path, e).at_line(number))?;
            }
        }
        if number == 1 && crate::sniff::is_wide(&line) {
            return Err(crate::readers::wide_json().at_path(path));
        }
        if number > MAX_EMPTY && line.is_empty() {
            return Ok(());
        }
        line.drain(..line.len() - crate::json::without_mark(&line).len());
    }
    let is_object = line.trim_ascii().starts_with(b"{");
    let (is_only_line, next, damage) = match from.fill_buf() {
        Ok(rest) => (rest.is_empty(), rest.trim_ascii_start().first().copied(), None),
        Err(e) => (false, None, Some(e)),
    };
    let is_damaged = damage.is_some();
    // the error comes only once
    damage.map_or(Ok(()), |e| damaged(Error::io(path, e).at_line(number + 1)))?;
    if is_object && (is_damaged || (!is_only_line && !goes_on(&line, next))) {
        return json::lines(path, from, (line, number), take, damaged);
    }
    if !is_object && !line.trim_ascii().starts_with(b"[") {
        return Err(Error::data("this is no file of records")
            .expected("JSON lines, a JSON array, or CSV with the extension .csv")
            .at_path(path)
            .at_line(number));
    }
    let before = line.len();
    if let Err(e) = from.take(MAX_FILE).read_to_end(&mut line) {
        damaged(Error::io(path, e))?;
    }
    if (line.len() - before) as u64 == MAX_FILE {
        return Err(Error::data("the file is too large for JSON that is read as a whole")
            .expected("at most 1 GB, or JSON lines")
            .at_path(path));
    }
    json::whole(path, &line, number, take, damaged)
}

/// Whether a first line `{…` is the start of an object over several lines.
fn goes_on(line: &[u8], next: Option<u8>) -> bool {
    crate::json::object(line).is_err_and(|e| e.is_eof()) && crate::json::goes_on(line, next)
}

/// All bytes of a file, unpacked, and the error that ends it if it is damaged.
///
/// # Errors
/// If it cannot be opened, or has more than 1 GB.
pub fn read_whole(path: &Path) -> Result<(Vec<u8>, Option<Error>)> {
    let mut bytes = Vec::new();
    let from = stream::decoded(path, &Default::default())?;
    let damage = from.take(MAX_FILE).read_to_end(&mut bytes).err();
    if bytes.len() as u64 == MAX_FILE {
        return Err(Error::data("the file is too large").expected("at most 1 GB").at_path(path));
    }
    Ok((bytes, damage.map(|e| Error::io(path, e))))
}

/// The first `limit` records of a file.
///
/// # Errors
/// As [`each`].
pub fn first(path: &Path, limit: usize) -> Result<Vec<Record>> {
    let mut found = Vec::new();
    each(path, &mut |record| {
        found.push(record);
        Ok(if found.len() < limit { Next::Record } else { Next::Stop })
    })?;
    Ok(found)
}

/// The first bytes of a file, unpacked.
///
/// # Errors
/// If they cannot be read.
pub fn start(path: &Path, limit: u64) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let from = stream::decoded(path, &Default::default())?;
    from.take(limit).read_to_end(&mut bytes).map_err(|e| Error::io(path, e))?;
    Ok(bytes)
}

/// Reads a line; 0 at the end.
fn read_line(from: &mut impl BufRead, line: &mut Vec<u8>) -> std::io::Result<u64> {
    let read = from.take(MAX_LINE).read_until(b'\n', line)? as u64;
    match read == MAX_LINE && !line.ends_with(b"\n") {
        true => Err(std::io::Error::new(std::io::ErrorKind::InvalidData, "the line is longer than 256 MB")),
        false => Ok(read),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(name: &str, bytes: &[u8]) -> Result<Vec<Record>> {
        let dir = tempfile::tempdir().expect("a folder");
        let path = dir.path().join(name);
        std::fs::write(&path, bytes).expect("written");
        first(&path, usize::MAX)
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
        let packed = zstd::encode_all(&b"{\"a\": 5}"[..], 1).expect("packed");
        assert_eq!(read("x.jsonl.zst", &packed).expect("read")[0].text(&["a"]).as_deref(), Some("5"));
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

//! Records in JSON: lines, an array, or an object.

use crate::json;
use crate::records::{Next, Record, read_line};
use serde_json::{Map, Value};
use std::io::BufRead;
use std::path::Path;
use threshr_core::{Error, Result};

/// An object a line. The first line is read already.
pub(super) fn lines(
    path: &Path,
    mut from: impl BufRead,
    (mut line, mut number): (Vec<u8>, u64),
    take: &mut dyn FnMut(Record) -> Result<Next>,
    damaged: &mut dyn FnMut(Error) -> Result<()>,
) -> Result<()> {
    let mut num_damages = 0;
    loop {
        if !json::without_mark(&line).trim_ascii().is_empty() {
            match json::object(&line) {
                Ok(fields) => {
                    let record = Record { line: number, key: None, fields };
                    if take(record).map_err(|e| placed(e, path, number))? == Next::Stop {
                        return Ok(());
                    }
                }
                Err(e) => {
                    let error = Error::data(format!("invalid line: {e}")).expected("a JSON object a line");
                    damaged(placed(error, path, number))?;
                }
            }
        }
        line.clear();
        number += 1;
        match read_line(&mut from, &mut line) {
            Ok(0) => return Ok(()),
            Ok(_) => num_damages = 0,
            Err(e) => {
                // what is read of the line is in the damaged part
                line.clear();
                num_damages += 1;
                damaged(Error::io(path, e).at_line(number))?;
                if num_damages > json::MAX_DAMAGES {
                    return Ok(());
                }
            }
        }
    }
}

/// An array of objects, or an object of objects. `first` is the number of the line where it begins.
pub(super) fn whole(
    path: &Path,
    bytes: &[u8],
    first: u64,
    take: &mut dyn FnMut(Record) -> Result<Next>,
    damaged: &mut dyn FnMut(Error) -> Result<()>,
) -> Result<()> {
    let mut failure = None;
    let mut taken = |record: Record| {
        let line = record.line;
        take(record).map_err(|e| {
            failure = Some(placed(e, path, line));
            Error::data("stopped")
        })
    };
    let read = values(path, bytes, first, &mut taken);
    match (failure, read) {
        (Some(failure), _) => Err(failure),
        (None, Err(damage)) => damaged(damage),
        (None, Ok(())) => Ok(()),
    }
}

fn values(path: &Path, bytes: &[u8], first: u64, take: &mut dyn FnMut(Record) -> Result<Next>) -> Result<()> {
    let mended = json::mended(bytes);
    let mut at = At { bytes: &mended, offset: 0, counted: 0, line: first };
    let close = if at.skip(b"[") { b"]" } else { b"}" };
    if close == b"}" {
        let fields: Map<String, Value> = serde_json::from_slice(&mended).map_err(|e| at.failed(path, &e))?;
        if fields.is_empty() || !fields.values().all(Value::is_object) {
            return take(Record { line: first, key: None, fields }).map(drop);
        }
        at.skip(b"{");
    }
    while !at.skip(close) {
        let mut key = None;
        if close == b"}" {
            let name: String = at.value(path)?;
            key = Some(name);
            at.skip(b":");
        }
        at.space();
        let line = at.line();
        let fields = match at.value(path)? {
            Value::Object(fields) => fields,
            other => {
                let found = Error::data(format!("the record is {}", kind(&other)));
                return Err(found.expected("a JSON object").at_path(path).at_line(line));
            }
        };
        if take(Record { line, key, fields })? == Next::Stop {
            return Ok(());
        }
        if !at.skip(b",") && !at.is_before(close) {
            let line = at.line();
            return Err(Error::data("the list of records ends here")
                .expected("`,` or the end of the list")
                .at_path(path)
                .at_line(line));
        }
    }
    Ok(())
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

fn placed(error: Error, path: &Path, line: u64) -> Error {
    error.at_path(path).at_line(line)
}

/// A position in JSON.
struct At<'a> {
    bytes: &'a [u8],
    offset: usize,
    /// The bytes before this offset are counted in `line`.
    counted: usize,
    line: u64,
}

impl At<'_> {
    fn rest(&self) -> &[u8] {
        &self.bytes[self.offset..]
    }

    fn space(&mut self) {
        self.offset += self.rest().len() - self.rest().trim_ascii_start().len();
    }

    /// Goes behind `mark`, if it is next.
    fn skip(&mut self, mark: &[u8]) -> bool {
        let is_next = self.is_before(mark);
        self.offset += if is_next { mark.len() } else { 0 };
        is_next
    }

    fn is_before(&mut self, mark: &[u8]) -> bool {
        self.space();
        self.rest().starts_with(mark)
    }

    /// The line of the position.
    fn line(&mut self) -> u64 {
        let new = &self.bytes[self.counted.min(self.offset)..self.offset];
        self.line += memchr::memchr_iter(b'\n', new).count() as u64;
        self.counted = self.offset;
        self.line
    }

    fn value<T: serde::de::DeserializeOwned>(&mut self, path: &Path) -> Result<T> {
        self.space();
        let mut values = serde_json::Deserializer::from_slice(self.rest()).into_iter::<T>();
        match values.next() {
            Some(Ok(value)) => {
                self.offset += values.byte_offset();
                Ok(value)
            }
            Some(Err(e)) => Err(self.failed(path, &e)),
            None => {
                let line = self.line();
                Err(Error::data("the JSON ends in the middle")
                    .expected("the end of the list")
                    .at_path(path)
                    .at_line(line))
            }
        }
    }

    fn failed(&mut self, path: &Path, e: &serde_json::Error) -> Error {
        let line = self.line() + (e.line() as u64).saturating_sub(1);
        let text = e.to_string();
        let what = text.split(" at line ").next().unwrap_or(&text);
        Error::data(format!("invalid JSON: {what}, column {}", e.column()))
            .expected("JSON objects")
            .at_path(path)
            .at_line(line)
    }
}

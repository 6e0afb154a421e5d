//! Records in CSV: a line of names, then a line a record. Fields in quotes may have line breaks.

use crate::json::without_mark;
use crate::records::{Next, Record};
use serde_json::Value;
use std::io::BufRead;
use std::path::Path;
use threshr_core::{Error, Result};

/// The characters between fields. The one that occurs most in the line of names is used.
const SEPARATORS: [u8; 4] = [b',', b'\t', b';', b'|'];

pub(super) fn each(
    path: &Path,
    mut from: impl BufRead,
    take: &mut dyn FnMut(Record) -> Result<Next>,
    damaged: &mut dyn FnMut(Error) -> Result<()>,
) -> Result<()> {
    // only the start: the line of names may be long, but not that long
    let start = from.fill_buf().map_err(|e| Error::io(path, e))?;
    let marked = start.len() - without_mark(start).len();
    let line = start[marked..].split(|&b| b == b'\n').next().unwrap_or_default();
    // the parser takes the `\n` of `\r\n` for a part of the next record
    let late = u64::from(line.ends_with(b"\r"));
    let count = |separator: u8| line.iter().filter(|&&b| b == separator).count();
    // of equal counts, the first separator
    let separator = SEPARATORS.into_iter().rev().max_by_key(|&s| count(s)).unwrap_or(b',');
    from.consume(marked);
    let mut rows = csv::ReaderBuilder::new().delimiter(separator).from_reader(from);
    let names: Vec<String> = match rows.byte_headers() {
        Ok(names) => names.iter().map(|n| String::from_utf8_lossy(n).trim().to_owned()).collect(),
        Err(e) => return Err(failed(path, &e, 0)),
    };
    for row in rows.byte_records() {
        let row = match row {
            Ok(row) => row,
            Err(e) => {
                damaged(failed(path, &e, late))?;
                // after an error of reading, there may be no end
                match e.is_io_error() {
                    true => break,
                    false => continue,
                }
            }
        };
        let line = row.position().map_or(0, csv::Position::line) + late;
        let value = |field: &[u8]| Value::String(threshr_html::decode(field, None).text.into_owned());
        let fields = names.iter().cloned().zip(row.iter().map(value)).collect();
        let record = Record { line, key: None, fields };
        if take(record).map_err(|e| e.at_path(path).at_line(line))? == Next::Stop {
            break;
        }
    }
    Ok(())
}

fn failed(path: &Path, e: &csv::Error, late: u64) -> Error {
    if let csv::ErrorKind::UnequalLengths { pos, expected_len, len } = e.kind() {
        let error = Error::data(format!("the record has {len} fields"));
        let line = pos.as_ref().map_or(0, csv::Position::line) + late;
        return error
            .expected(format!("{expected_len} fields, as the first line"))
            .at_path(path)
            .at_line(line);
    }
    let error = Error::data(format!("invalid CSV: {e}")).at_path(path);
    match e.position() {
        Some(position) => error.at_line(position.line() + late),
        None => error,
    }
}

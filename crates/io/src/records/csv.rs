//! CSV records: a header line, then one record per line. Quoted fields may contain line breaks.

use crate::json::without_mark;
use crate::readers::stream;
use crate::records::Record;
use csv::{ByteRecord, ByteRecordsIntoIter};
use serde_json::Value;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use threshr_core::{Error, Result};

/// Possible separators. The one that occurs most often in the header line is used.
const SEPARATORS: [u8; 4] = [b',', b'\t', b';', b'|'];

pub(super) struct CsvRecords {
    names: Vec<String>,
    rows: ByteRecordsIntoIter<BufReader<Box<dyn Read + Send>>>,
    /// Correction of line numbers, 0 or 1. With `\r\n` line ends, the parser counts the `\n` as part of the
    /// next record, so its line numbers are too low by one.
    late: u64,
}

impl CsvRecords {
    pub(super) fn open(path: &Path) -> Result<Self> {
        let mut from = BufReader::new(stream::decoded(path, &Default::default())?);
        // Looks only at the buffered start of the file, which contains the header line of any realistic
        // file.
        let start = from.fill_buf().map_err(|e| Error::io(path, e))?;
        let marked = start.len() - without_mark(start).len();
        let line = start[marked..].split(|&b| b == b'\n').next().unwrap_or_default();
        let late = u64::from(line.ends_with(b"\r"));
        let count = |separator: u8| line.iter().filter(|&&b| b == separator).count();
        // If counts are equal, the first separator is used.
        let separator = SEPARATORS.into_iter().rev().max_by_key(|&s| count(s)).unwrap_or(b',');
        from.consume(marked);
        let mut rows = csv::ReaderBuilder::new().delimiter(separator).from_reader(from);
        let names = rows.byte_headers().map_err(|e| failed(&e, 0).at_path(path))?;
        let names = names.iter().map(|n| String::from_utf8_lossy(n).trim().to_owned()).collect();
        Ok(CsvRecords { names, rows: rows.into_byte_records(), late })
    }

    /// Returns the names of the columns.
    pub(super) fn names(&self) -> &[String] {
        &self.names
    }

    /// Reads the next record. If the record is invalid, returns `Some(Err(_))`. Returns `None` at the end.
    ///
    /// # Errors
    /// If the rest of the file cannot be read.
    pub(super) fn next(&mut self) -> Result<Option<Result<Record>>> {
        match self.rows.next() {
            None => Ok(None),
            Some(Ok(row)) => Ok(Some(Ok(self.record(&row)))),
            // An I/O error might occur again on every read, so it ends the iteration.
            Some(Err(e)) if e.is_io_error() => Err(failed(&e, self.late)),
            Some(Err(e)) => Ok(Some(Err(failed(&e, self.late)))),
        }
    }

    fn record(&self, row: &ByteRecord) -> Record {
        let line = row.position().map_or(0, csv::Position::line) + self.late;
        let value = |field: &[u8]| Value::String(threshr_html::decode(field, None).text.into_owned());
        let fields = self.names.iter().cloned().zip(row.iter().map(value)).collect();
        Record { line, key: None, fields }
    }
}

fn failed(e: &csv::Error, late: u64) -> Error {
    if let csv::ErrorKind::UnequalLengths { pos, expected_len, len } = e.kind() {
        let line = pos.as_ref().map_or(0, csv::Position::line) + late;
        let error = Error::data(format!("the record has {len} fields"));
        return error.expected(format!("{expected_len} fields, as the first line")).at_line(line);
    }
    let error = Error::data(format!("invalid CSV: {e}"));
    match e.position() {
        Some(position) => error.at_line(position.line() + late),
        None => error,
    }
}

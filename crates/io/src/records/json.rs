//! JSON records: JSON Lines, an array, or an object of objects.

use crate::json::{self, End, Found, Splitter, Values, no_object, without_mark};
use crate::readers::decoded;
use crate::records::Record;
use serde_json::Value;
use std::collections::VecDeque;
use std::path::Path;
use threshr_core::{Error, Result};

pub(super) struct JsonRecords {
    values: Values,
    is_first: bool,
    /// Remaining records of an object of objects.
    keyed: VecDeque<Record>,
}

impl JsonRecords {
    pub(super) fn open(path: &Path) -> Result<Self> {
        let mut values = Values::new(path, decoded(path, &Default::default())?)?;
        let start = without_mark(values.peek());
        let rest = start.trim_ascii_start();
        if !matches!(rest.first(), None | Some(b'{' | b'[')) {
            let space = &start[..start.len() - rest.len()];
            return Err(Error::data("this is not a file of records")
                .expected("JSON lines, a JSON array, or CSV with the extension .csv")
                .at_path(path)
                .at_line(1 + memchr::memchr_iter(b'\n', space).count() as u64));
        }
        Ok(JsonRecords { values, is_first: true, keyed: VecDeque::new() })
    }

    /// Reads the next record. If the record is invalid, returns `Some(Err(_))`. Returns `None` at the end.
    ///
    /// # Errors
    /// If the rest of the file cannot be read.
    pub(super) fn next(&mut self) -> Result<Option<Result<Record>>> {
        if let Some(record) = self.keyed.pop_front() {
            return Ok(Some(Ok(record)));
        }
        let Some(Found { line, bytes, .. }) = self.values.next()? else { return Ok(None) };
        let is_first = std::mem::take(&mut self.is_first);
        let record = bytes.and_then(|bytes| {
            let fields = json::object(&bytes).map_err(|e| no_object(&e, line))?;
            let is_keyed = is_first && !fields.is_empty() && fields.values().all(Value::is_object);
            if is_keyed && self.values.is_at_end() {
                self.keyed = keyed(&json::mended(&bytes), line);
                if let Some(record) = self.keyed.pop_front() {
                    return Ok(record);
                }
            }
            Ok(Record { line, key: None, fields })
        });
        Ok(Some(record))
    }
}

/// Returns the records of an object of objects, `{"KEY": {…}, …}`, that starts at `line`.
fn keyed(object: &[u8], line: u64) -> VecDeque<Record> {
    let (mut inside, mut splitter) =
        (object.trim_ascii_start().get(1..).unwrap_or_default(), Splitter::at(line));
    let mut next = || {
        let mut bytes = Vec::new();
        let (line, end) = splitter.next(&mut inside, &mut bytes, usize::MAX).ok()??;
        (end == End::Whole).then_some((line, bytes))
    };
    let mut records = VecDeque::new();
    while let (Some((_, key)), Some((line, value))) = (next(), next()) {
        let (Ok(key), Ok(fields)) = (serde_json::from_slice(&key), serde_json::from_slice(&value)) else {
            break;
        };
        records.push_back(Record { line, key: Some(key), fields });
    }
    records
}

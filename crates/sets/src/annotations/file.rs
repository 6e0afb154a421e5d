//! Reads `annotations.jsonl`.

use crate::annotations::Record;
use std::collections::HashMap;
use std::fs::File;
use std::io::{BufRead, BufReader, ErrorKind, Read};
use std::ops::Range;
use std::path::{Path, PathBuf};
use threshr_core::{Error, Result};

/// Maximum number of bytes in a line.
const MAX_LINE: u64 = 1 << 28;

/// An incomplete last line of a file. It remains if a program was stopped while it wrote the line. The labels
/// in the line cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CutLine {
    /// The file.
    pub path: PathBuf,
    /// The line number, starting at 1.
    pub line: u64,
    /// Length of the line in bytes.
    pub num_bytes: u64,
}

impl std::fmt::Display for CutLine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (path, line) = (self.path.display(), self.line);
        write!(f, "{path}:{line}: the last line is truncated after {} bytes and is ignored", self.num_bytes)
    }
}

/// The contents of an annotation file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Contents {
    /// The latest record of each page and annotator, in file order.
    pub records: Vec<Record>,
    /// Number of lines that are superseded by a later line.
    pub num_superseded: usize,
    /// The last line, if it is incomplete.
    pub cut: Option<CutLine>,
}

/// Reads an annotation file.
///
/// # Errors
/// If the file cannot be read, or a line is invalid. The error contains the path and the line number. An incomplete
/// last line is not an error.
pub fn read(path: &Path) -> Result<Contents> {
    let mut placed = Vec::new();
    let read = each(path, &mut |record, place| placed.push((record, place)))?;
    let latest = latest(placed);
    Ok(Contents {
        num_superseded: latest.num_superseded,
        records: latest.records.into_iter().map(|(record, _)| record).collect(),
        cut: read.cut,
    })
}

/// The latest record of each page and annotator, in file order.
pub(super) struct Latest {
    pub records: Vec<(Record, Range<u64>)>,
    pub num_superseded: usize,
}

pub(super) fn latest(placed: Vec<(Record, Range<u64>)>) -> Latest {
    let num_lines = placed.len();
    let mut last: HashMap<(String, String), usize> = HashMap::with_capacity(num_lines);
    for (at, (record, _)) in placed.iter().enumerate() {
        last.insert((record.id.clone(), record.annotator.clone()), at);
    }
    let is_last: Vec<bool> = {
        let mut is_last = vec![false; num_lines];
        last.values().for_each(|&at| is_last[at] = true);
        is_last
    };
    let kept = placed.into_iter().zip(is_last).filter(|(_, is_last)| *is_last);
    let records: Vec<_> = kept.map(|(placed, _)| placed).collect();
    Latest { num_superseded: num_lines - records.len(), records }
}

/// The end of the valid lines of a file.
#[derive(Debug, Default)]
pub(super) struct Ends {
    /// Number of bytes of all lines, without an incomplete last line.
    pub length: u64,
    /// Whether the last complete line ends with a line feed; true if there are no lines.
    pub is_ended: bool,
    /// The last line, if it is incomplete.
    pub cut: Option<CutLine>,
}

/// Reads the lines of a file in order. `take` is called with each record and the byte range of its line, without
/// the line end.
pub(super) fn each(path: &Path, take: &mut dyn FnMut(Record, Range<u64>)) -> Result<Ends> {
    let file = File::open(path).map_err(|e| Error::io(path, e))?;
    let mut from = BufReader::new(file);
    let mut ends = Ends { is_ended: true, ..Ends::default() };
    let mut line = Vec::new();
    for number in 1.. {
        line.clear();
        let read = from.by_ref().take(MAX_LINE + 1).read_until(b'\n', &mut line);
        let length = read.map_err(|e| Error::io(path, e).at_line(number))? as u64;
        if length > MAX_LINE {
            let error = std::io::Error::new(ErrorKind::InvalidData, "a line of more than 256 MB");
            return Err(Error::io(path, error).at_line(number));
        }
        if length == 0 {
            break;
        }
        let is_ended = line.ends_with(b"\n");
        let text = line.trim_ascii_end();
        if !is_ended && !text.is_empty() && is_cut(text) {
            ends.cut = Some(CutLine { path: path.to_path_buf(), line: number, num_bytes: length });
            break;
        }
        if !text.trim_ascii().is_empty() {
            let record = Record::from_line(text).map_err(|e| e.at_path(path).at_line(number))?;
            take(record, ends.length..ends.length + text.len() as u64);
        }
        ends.length += length;
        ends.is_ended = is_ended;
    }
    Ok(ends)
}

/// Returns whether a last line without line end is incomplete, because it is not valid JSON.
fn is_cut(line: &[u8]) -> bool {
    let line = threshr_io::json::without_mark(line);
    serde_json::from_slice::<serde::de::IgnoredAny>(line).is_err()
}

//! The JSON values of a file: its lines, the elements of an array, or objects over several lines.

use super::splitter::{End, Splitter};
use super::{goes_on, is_cut, without_mark};
use crate::readers::packed::BrokenPart;
use crate::readers::stream;
use crate::sniff;
use std::io::{self, BufRead, BufReader, Cursor, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use threshr_core::{Error, Result};

/// Maximum length of a line or of an element of an array, in bytes.
const MAX_VALUE: usize = 1 << 28;
/// Maximum number of damaged parts without a complete value in between. After more the rest of a file is not read.
const MAX_DAMAGES: u32 = 1_000;

/// Reads the values of a file one by one. The first bytes decide between lines and an array.
pub(crate) struct Values {
    from: BufReader<Box<dyn Read + Send>>,
    path: PathBuf,
    line: u64,
    /// Finds the values that are not lines.
    splitter: Option<Splitter>,
    /// Number of values that are read so.
    num_split: u64,
    /// Whether no line is read yet that is not empty.
    is_first: bool,
    damages_in_row: u32,
    /// An error that was met while bytes ahead were looked at. It comes only once.
    met: Option<io::Error>,
}

/// A value of a file.
pub(crate) struct Found {
    /// The line where it begins, from 1.
    pub line: u64,
    /// The number of the line, or of the element of an array, from 1.
    pub number: u64,
    /// Its bytes, or why they cannot be read; reading can go on. They may not be JSON.
    pub bytes: Result<Vec<u8>>,
}

impl Values {
    /// Opens a file, plain or compressed; the counter counts the bytes that are read from it.
    pub(crate) fn open(path: &Path, bytes_read: &Arc<AtomicU64>) -> Result<Values> {
        let mut values = Values {
            from: BufReader::new(stream::decoded(path, bytes_read)?),
            path: path.to_path_buf(),
            line: 0,
            splitter: None,
            num_split: 0,
            is_first: true,
            damages_in_row: 0,
            met: None,
        };
        let start = values.peek();
        if sniff::is_wide(start) {
            return Err(Error::data("the JSON is in UTF-16 or UTF-32")
                .expected("UTF-8; convert it with: iconv -f UTF-16 -t UTF-8 IN > OUT")
                .at_path(path));
        }
        if sniff::is_json_array(start) {
            values.splitter = Some(Splitter::at(1));
        }
        Ok(values)
    }

    /// Some of the next bytes; none at the end, and before damage.
    pub(crate) fn peek(&mut self) -> &[u8] {
        if self.met.is_none() {
            self.met = self.from.fill_buf().err();
        }
        if self.met.is_some() { &[] } else { self.from.buffer() }
    }

    /// Whether only white space follows.
    pub(crate) fn is_at_end(&mut self) -> bool {
        self.peek().trim_ascii().is_empty() && self.met.is_none()
    }

    /// The next value; `None` at the end.
    ///
    /// # Errors
    /// If the rest of the file cannot be read.
    pub(crate) fn next(&mut self) -> Result<Option<Found>> {
        loop {
            let mut bytes = Vec::new();
            let (line, end) = match self.read(&mut bytes) {
                Ok(None) => return Ok(None),
                Ok(Some(read)) => read,
                Err(e) => return self.damaged(e).map(Some),
            };
            self.damages_in_row = 0;
            self.line = line;
            self.num_split += u64::from(self.splitter.is_some());
            if let Some(error) = unread(end) {
                return Ok(Some(self.found(Err(error))));
            }
            // files that were joined have marks in other lines than the first
            bytes.drain(..bytes.len() - without_mark(&bytes).len());
            if bytes.trim_ascii().is_empty() {
                continue;
            }
            if std::mem::take(&mut self.is_first) && self.splitter.is_none() && self.is_first_line(&bytes) {
                self.split_from(bytes);
                continue;
            }
            bytes.truncate(bytes.trim_ascii_end().len());
            return Ok(Some(self.found(Ok(bytes))));
        }
    }

    /// Reads the next value into `out`, and tells its line and how it ends.
    fn read(&mut self, out: &mut Vec<u8>) -> io::Result<Option<(u64, End)>> {
        self.line += u64::from(self.splitter.is_none());
        if let Some(e) = self.met.take() {
            return Err(e);
        }
        let Some(splitter) = &mut self.splitter else { return read_line(&mut self.from, out, self.line) };
        let read = splitter.next(&mut self.from, out, MAX_VALUE);
        self.line = splitter.line;
        read
    }

    fn found(&self, bytes: Result<Vec<u8>>) -> Found {
        let number = if self.splitter.is_some() { self.num_split } else { self.line };
        let bytes = bytes.map_err(|e| e.at_path(&self.path).at_line(self.line));
        Found { line: self.line, number, bytes }
    }

    /// A value in a damaged part of the file.
    fn damaged(&mut self, e: io::Error) -> Result<Found> {
        if BrokenPart::of(&e).is_none() {
            return Err(Error::io(&self.path, e).at_line(self.line));
        }
        if self.damages_in_row > MAX_DAMAGES {
            return Err(Error::data("too many damaged parts in a row; the rest of the file is not read")
                .because(e)
                .at_path(&self.path)
                .at_line(self.line));
        }
        self.damages_in_row += 1;
        self.splitter.iter_mut().for_each(|splitter| splitter.is_lost = true);
        Ok(self.found(Err(Error::data("the line is in a damaged part of the file").because(e))))
    }

    /// Whether a line is the first one of an object over several lines.
    fn is_first_line(&mut self, line: &[u8]) -> bool {
        let next = self.peek().trim_ascii_start().first().copied();
        self.met.is_none() && is_cut(line) && goes_on(line, next)
    }

    /// Splits into values from a line on that is read already.
    fn split_from(&mut self, line: Vec<u8>) {
        let empty: Box<dyn Read + Send> = Box::new(io::empty());
        let rest = std::mem::replace(&mut self.from, BufReader::new(empty));
        self.from = BufReader::new(Box::new(Cursor::new(line).chain(rest)));
        self.splitter = Some(Splitter::at(self.line));
    }
}

/// Why a value with this end cannot be read.
fn unread(end: End) -> Option<Error> {
    let (what, expected) = match end {
        End::Whole => return None,
        End::TooLong => ("the line is too long", "at most 256 MB per line"),
        End::Broken => ("not JSON: a text has a line break", "`\\n` in texts"),
        End::Cut => ("not JSON: the file ends in the middle of a value", "the end of the value"),
    };
    Some(Error::data(what).expected(expected))
}

/// Reads a line of at most [`MAX_VALUE`] bytes, and skips the rest of a longer one.
fn read_line(from: &mut impl BufRead, line: &mut Vec<u8>, number: u64) -> io::Result<Option<(u64, End)>> {
    let read = from.by_ref().take(MAX_VALUE as u64).read_until(b'\n', line)?;
    if read == 0 {
        return Ok(None);
    }
    if read == MAX_VALUE && !line.ends_with(b"\n") {
        from.skip_until(b'\n')?;
        return Ok(Some((number, End::TooLong)));
    }
    Ok(Some((number, End::Whole)))
}

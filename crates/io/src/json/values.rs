//! Reader of the JSON values of a file: JSON Lines, the elements of an array, or objects that span several
//! lines.

use super::splitter::{End, Splitter};
use super::{goes_on, is_cut, without_mark};
use crate::readers::compressed::BrokenPart;
use crate::sniff;
use std::io::{self, BufRead, BufReader, Cursor, Read};
use std::path::{Path, PathBuf};
use threshr_core::{Error, ErrorKind, Result};

/// Maximum length of a line or array element, in bytes.
const MAX_VALUE: usize = 1 << 28;
/// Maximum number of consecutive corrupt parts without a complete value between them. After more, the rest
/// of the file is not read.
const MAX_DAMAGES: u32 = 1_000;

/// Reads the values of a file one by one. Whether the file is JSON Lines or an array is detected from its
/// first bytes.
pub(crate) struct Values {
    from: BufReader<Box<dyn Read + Send>>,
    path: PathBuf,
    line: u64,
    /// Splits arrays and objects that span several lines. `None` for JSON Lines.
    splitter: Option<Splitter>,
    /// Number of values that the splitter returned.
    num_split: u64,
    /// Whether no non-empty line was read yet.
    is_first: bool,
    damages_in_row: u32,
    /// An error that occurred while looking ahead. The next read returns it once.
    met: Option<io::Error>,
}

/// A value of a file.
pub(crate) struct Found {
    /// Line where the value starts, from 1.
    pub line: u64,
    /// Line number for JSON Lines. Index of the value, from 1, otherwise.
    pub number: u64,
    /// Bytes of the value, which may be invalid JSON; or the error if they cannot be read. Reading can
    /// continue after such an error.
    pub bytes: Result<Vec<u8>>,
}

impl Values {
    /// Reads the decompressed bytes of the file `path`.
    pub(crate) fn new(path: &Path, from: Box<dyn Read + Send>) -> Result<Values> {
        let mut values = Values {
            from: BufReader::new(from),
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

    /// Returns some of the next bytes without consuming them. Returns no bytes at the end of the file and
    /// before an error.
    pub(crate) fn peek(&mut self) -> &[u8] {
        if self.met.is_none() {
            self.met = self.from.fill_buf().err();
        }
        if self.met.is_some() { &[] } else { self.from.buffer() }
    }

    /// Returns whether only white space follows.
    pub(crate) fn is_at_end(&mut self) -> bool {
        self.peek().trim_ascii().is_empty() && self.met.is_none()
    }

    /// Reads the next value. Returns `None` at the end.
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
            // Concatenated files have byte-order marks at the start of later lines.
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

    /// Reads the next value into `out`. Returns the line where it starts and how it ends.
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

    /// Converts a read error inside a corrupt part of the file to a failed value.
    fn damaged(&mut self, e: io::Error) -> Result<Found> {
        let Some(part) = BrokenPart::in_error(&e) else {
            return Err(Error::io(&self.path, e).at_line(self.line));
        };
        let what = match part.is_after_last() {
            true => "the file ends with bytes that are not compressed",
            false => "the line is in a corrupt part of the file",
        };
        if self.damages_in_row > MAX_DAMAGES {
            return Err(Error::data("too many corrupt parts in a row; the rest of the file is not read")
                .because(e)
                .at_path(&self.path)
                .at_line(self.line));
        }
        self.damages_in_row += 1;
        self.splitter.iter_mut().for_each(|splitter| splitter.is_lost = true);
        let kind = if part.is_cut() { ErrorKind::Truncated } else { ErrorKind::Data };
        Ok(self.found(Err(Error::new(kind, what).because(e))))
    }

    /// Returns whether a line is the first one of an object that spans several lines.
    fn is_first_line(&mut self, line: &[u8]) -> bool {
        let next = self.peek().trim_ascii_start().first().copied();
        self.met.is_none() && is_cut(line) && goes_on(line, next)
    }

    /// Starts splitting into values at a line that was already read.
    fn split_from(&mut self, line: Vec<u8>) {
        let empty: Box<dyn Read + Send> = Box::new(io::empty());
        let rest = std::mem::replace(&mut self.from, BufReader::new(empty));
        self.from = BufReader::new(Box::new(Cursor::new(line).chain(rest)));
        self.splitter = Some(Splitter::at(self.line));
    }
}

/// Returns the error for a value that ended in the given way: it is too long, contains a line break, or is truncated.
/// Returns `None` if the value is complete.
fn unread(end: End) -> Option<Error> {
    let kind = if matches!(end, End::Cut) { ErrorKind::Truncated } else { ErrorKind::Data };
    let (what, expected) = match end {
        End::Whole => return None,
        End::TooLong => ("the line is too long", "at most 256 MB per line"),
        End::Broken => ("not JSON: a string contains a line break", "`\\n` in texts"),
        End::Cut => ("not JSON: the file ends in the middle of a value", "the end of the value"),
    };
    Some(Error::new(kind, what).expected(expected))
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

//! MIME headers, boundaries and transfer encodings: RFC 2045 and 2046.

use crate::http;
use crate::readers::mhtml::too_long;
use base64::Engine;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use threshr_core::{Error, Result};

/// Maximum length of a MIME part, in bytes.
pub(super) const MAX_PART: usize = 1 << 26;
/// Maximum number of bytes that are read as one line. A longer line is read in several steps.
const MAX_LINE: u64 = 1 << 16;
/// Maximum length of the headers of a part, in bytes.
const MAX_HEAD: usize = 1 << 18;

const BASE64: GeneralPurpose = GeneralPurpose::new(
    &base64::alphabet::STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true),
);

/// Headers of a file or part.
#[derive(Debug, Clone, Default)]
pub(super) struct Head {
    pub media_type: Option<String>,
    pub charset: Option<String>,
    pub boundary: Option<String>,
    /// Content id of the root part.
    pub start: Option<String>,
    pub id: Option<String>,
    pub location: Option<String>,
    pub snapshot_location: Option<String>,
    pub date: Option<String>,
    transfer_encoding: String,
}

/// Result of a search for a boundary.
pub(super) enum Line {
    /// A boundary between parts at this nesting depth.
    Boundary {
        depth: usize,
        is_last: bool,
    },
    End,
}

/// Reads the lines of a file.
pub(super) struct Lines {
    from: BufReader<Box<dyn Read + Send>>,
    number: u64,
    /// The boundary at which a body ended. It was read ahead, and `next` returns it as the next line.
    ahead: Option<Vec<u8>>,
}

impl Lines {
    pub(super) fn new(from: BufReader<Box<dyn Read + Send>>) -> Self {
        Lines { from, number: 0, ahead: None }
    }

    /// Returns the number of lines that were read.
    pub(super) fn number(&self) -> u64 {
        self.number
    }

    /// Returns the next line with its line end, or up to `MAX_LINE` bytes of a longer line. Returns `None`
    /// at the end of the file.
    fn next(&mut self, path: &Path) -> Result<Option<Vec<u8>>> {
        if let Some(line) = self.ahead.take() {
            return Ok(Some(line));
        }
        let mut line = Vec::new();
        let read = (&mut self.from).take(MAX_LINE).read_until(b'\n', &mut line);
        self.number += 1;
        let read = read.map_err(|e| Error::io(path, e).at_line(self.number))?;
        if self.number == 1 {
            line.drain(..line.len() - crate::json::without_mark(&line).len());
        }
        Ok((read > 0).then_some(line))
    }

    /// Reads headers up to the empty line after them.
    pub(super) fn head(&mut self, path: &Path) -> Result<Head> {
        let mut fields: Vec<String> = Vec::new();
        let mut length = 0;
        while let Some(line) = self.next(path)? {
            length += line.len();
            if length > MAX_HEAD {
                break;
            }
            let text = String::from_utf8_lossy(line.trim_ascii_end()).into_owned();
            if text.is_empty() {
                // Skips empty lines before the first header.
                if fields.is_empty() && length < 8 {
                    continue;
                }
                break;
            }
            match fields.last_mut() {
                // A folded line continues the previous header.
                Some(last) if text.starts_with([' ', '\t']) => *last += &text,
                _ => fields.push(text),
            }
        }
        Ok(Head::new(&fields))
    }

    /// Reads up to the next boundary.
    pub(super) fn next_boundary(&mut self, boundaries: &[String], path: &Path) -> Result<Line> {
        while let Some(line) = self.next(path)? {
            if let Some(found) = boundary(&line, boundaries) {
                return Ok(found);
            }
        }
        Ok(Line::End)
    }

    /// Reads a body up to the next boundary, without consuming the boundary. Returns the body, and whether
    /// the boundary is missing.
    pub(super) fn body(&mut self, boundaries: &[String], path: &Path) -> Result<(Vec<u8>, bool)> {
        let mut body: Vec<u8> = Vec::new();
        while let Some(line) = self.next(path)? {
            if boundary(&line, boundaries).is_some() {
                self.ahead = Some(line);
                // The line end before a boundary is part of the boundary.
                let length =
                    body.strip_suffix(b"\r\n").or(body.strip_suffix(b"\n")).map_or(body.len(), <[u8]>::len);
                body.truncate(length);
                return Ok((body, false));
            }
            body.extend_from_slice(&line);
            if body.len() > MAX_PART {
                return Err(too_long(self.number, path));
            }
        }
        Ok((body, true))
    }
}

/// Returns the boundary that this line contains, if any.
fn boundary(line: &[u8], boundaries: &[String]) -> Option<Line> {
    let line = line.strip_prefix(b"--")?.trim_ascii_end();
    let depth = |name: &[u8]| boundaries.iter().rposition(|b| b.as_bytes() == name);
    if let Some(depth) = depth(line) {
        return Some(Line::Boundary { depth, is_last: false });
    }
    depth(line.strip_suffix(b"--")?).map(|depth| Line::Boundary { depth, is_last: true })
}

impl Head {
    fn new(fields: &[String]) -> Head {
        let mut head = Head::default();
        for field in fields {
            let Some((name, value)) = field.split_once(':') else { continue };
            let value = value.trim();
            let bare = || Some(value.trim_start_matches('<').trim_end_matches('>').to_owned());
            match name.trim().to_ascii_lowercase().as_str() {
                "content-type" => {
                    (head.media_type, head.charset) = http::media_type(value);
                    head.boundary = parameter(value, "boundary").filter(|b| !b.is_empty());
                    head.start = parameter(value, "start")
                        .map(|id| id.trim_start_matches('<').trim_end_matches('>').to_owned());
                }
                "content-transfer-encoding" => head.transfer_encoding = value.to_ascii_lowercase(),
                "content-location" => head.location = Some(value.to_owned()),
                "snapshot-content-location" => head.snapshot_location = Some(value.to_owned()),
                "content-id" => head.id = bare(),
                "date" => head.date = Some(value.to_owned()),
                _ => {}
            }
        }
        head
    }

    pub(super) fn is_multipart(&self) -> bool {
        self.media_type.as_deref().is_some_and(|t| t.starts_with("multipart/"))
    }

    /// Decodes the transfer encoding of a body. Invalid base64 characters are removed; invalid
    /// quoted-printable bytes stay unchanged.
    pub(super) fn decode(&self, body: &[u8]) -> Vec<u8> {
        match self.transfer_encoding.as_str() {
            "quoted-printable" => quoted_printable(body),
            "base64" => {
                let is_digit = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/');
                let mut digits: Vec<u8> = body.iter().copied().filter(is_digit).collect();
                // A single base64 character at the end encodes no complete byte.
                if digits.len() % 4 == 1 {
                    digits.pop();
                }
                BASE64.decode(&digits).unwrap_or_default()
            }
            _ => body.to_vec(),
        }
    }
}

/// Returns a parameter of a header value, with or without quotes.
fn parameter(value: &str, name: &str) -> Option<String> {
    let mut rest = value.split_once(';')?.1;
    loop {
        let (key, after) = rest.split_once('=')?;
        let after = after.trim_start();
        let (found, next) = match after.strip_prefix('"') {
            Some(quoted) => quoted.split_once('"').unwrap_or((quoted, "")),
            None => after.split_once(';').map_or((after, ""), |(found, next)| (found.trim(), next)),
        };
        if key.trim_matches([';', ' ', '\t']).eq_ignore_ascii_case(name) {
            return Some(found.to_owned());
        }
        rest = next;
    }
}

/// Decodes quoted-printable text. An `=` that does not start a valid escape stays unchanged.
fn quoted_printable(body: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(body.len());
    for line in body.split_inclusive(|&b| b == b'\n') {
        let text = line.trim_ascii_end();
        let (mut rest, is_soft) = match text.strip_suffix(b"=") {
            Some(text) => (text, true),
            None => (text, false),
        };
        while let Some(at) = memchr::memchr(b'=', rest) {
            out.extend_from_slice(&rest[..at]);
            let digit = |i: usize| rest.get(at + i).and_then(|&b| char::from(b).to_digit(16));
            match (digit(1), digit(2)) {
                (Some(high), Some(low)) => {
                    out.push((high << 4 | low) as u8);
                    rest = &rest[at + 3..];
                }
                _ => {
                    out.push(b'=');
                    rest = &rest[at + 1..];
                }
            }
        }
        out.extend_from_slice(rest);
        if !is_soft {
            let ends = line.iter().rev().take_while(|b| b"\r\n".contains(b)).count();
            out.extend_from_slice(&line[line.len() - ends..]);
        }
    }
    out
}

/// Converts an RFC 2822 date to ISO 8601. Returns `None` if the date is invalid.
pub(super) fn iso_date(date: &str) -> Option<String> {
    let date = chrono::DateTime::parse_from_rfc2822(date).ok()?;
    Some(date.to_utc().format("%Y-%m-%dT%H:%M:%SZ").to_string())
}

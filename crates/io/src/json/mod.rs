//! Lenient JSON parsing: accepts byte-order marks, `NaN`, lone surrogates and integers of any size, which some
//! programs write.

mod splitter;
mod values;

pub(crate) use splitter::{End, Splitter};
pub(crate) use values::{Found, Values};

use serde::de::IgnoredAny;
use serde_json::{Map, Value};
use std::borrow::Cow;
use threshr_core::Error;

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";
/// Maximum number of digits of an integer. Longer integers are read as strings, because a 64-bit float may
/// lose digits.
const MAX_DIGITS: usize = 15;
/// Number literals of Python and JavaScript that are not part of JSON. They are read as `null`.
const NO_NUMBERS: [&[u8]; 3] = [b"NaN", b"Infinity", b"-Infinity"];

/// Parses a JSON object.
///
/// Skips a byte-order mark. Replaces `NaN` and `Infinity` by `null`, and a lone surrogate by U+FFFD. Keeps
/// an integer of more than 15 digits as a string.
///
/// # Errors
/// If the bytes are not exactly one JSON object.
pub fn object(bytes: &[u8]) -> serde_json::Result<Map<String, Value>> {
    serde_json::from_slice(&mended(without_mark(bytes)))
}

/// Removes a byte-order mark from the start of the bytes.
pub fn without_mark(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(bytes)
}

/// Returns whether the bytes are an incomplete JSON value.
fn is_cut(bytes: &[u8]) -> bool {
    serde_json::from_slice::<IgnoredAny>(&mended(bytes)).is_err_and(|e| e.is_eof())
}

/// Returns the error for a value that is not an object. `line` is the line where the value starts.
pub(crate) fn no_object(e: &serde_json::Error, line: u64) -> Error {
    let text = e.to_string();
    let what = text.split(" at line ").next().unwrap_or(&text);
    Error::data(format!("not a JSON object: {what}, column {}", e.column()))
        .expected("one JSON object per line")
        .at_line(line + (e.line() as u64).saturating_sub(1))
}

/// Returns whether an incomplete line is the start of an object that spans several lines. `next` is the
/// next byte after the line that is not white space.
fn goes_on(line: &[u8], next: Option<u8>) -> bool {
    match without_mark(line).trim_ascii().last() {
        Some(b'{' | b',') => matches!(next, Some(b'"' | b'}')),
        Some(b'[' | b':') => next.is_some(),
        Some(_) => matches!(next, Some(b',' | b'}' | b']' | b':')),
        None => false,
    }
}

/// Returns the content of a string, or the text of a number. Returns `None` for other values and for empty
/// strings.
pub fn text_of(value: &Value) -> Option<String> {
    match value {
        Value::String(text) if !text.is_empty() => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

/// Returns the text of a string, a number, or a list of strings, which are joined as lines. Returns `None`
/// for other values and for an empty string.
pub fn lines_of(value: &Value) -> Option<String> {
    let Value::Array(items) = value else { return text_of(value) };
    let lines: Option<Vec<&str>> = items.iter().map(Value::as_str).collect();
    lines.map(|lines| lines.join("\n"))
}

/// Replaces invalid literals, lone surrogates and long integers (see [`object`]). Valid JSON stays
/// unchanged except long integers.
pub(crate) fn mended(bytes: &[u8]) -> Cow<'_, [u8]> {
    let mut out = Vec::new();
    let (mut copied, mut at) = (0, 0);
    while let Some(&byte) = bytes.get(at) {
        let rest = &bytes[at..];
        let (length, instead): (usize, Option<Vec<u8>>) = match byte {
            b'"' => string(rest),
            b'-' | b'0'..=b'9' => number(rest),
            b'N' | b'I' => no_number(rest),
            _ => (1, None),
        };
        if let Some(instead) = instead {
            out.extend_from_slice(&bytes[copied..at]);
            out.extend_from_slice(&instead);
            copied = at + length;
        }
        at += length.max(1);
    }
    if copied == 0 {
        return Cow::Borrowed(bytes);
    }
    out.extend_from_slice(&bytes[copied..]);
    Cow::Owned(out)
}

/// Returns the length of the string at the start of the bytes. If it has lone surrogates, also returns the
/// string with U+FFFD in their place.
fn string(bytes: &[u8]) -> (usize, Option<Vec<u8>>) {
    let mut mended: Option<Vec<u8>> = None;
    let mut at = 1;
    while let Some(next) = bytes.get(at..).and_then(|rest| memchr::memchr2(b'"', b'\\', rest)) {
        at += next;
        if bytes[at] == b'"' {
            return (at + 1, mended.map(|text| text[..=at].to_vec()));
        }
        let escape = at;
        let unit = escaped_unit(bytes, escape);
        at += if unit.is_some() { 6 } else { 2 };
        match unit {
            Some(0xd800..0xdc00) if matches!(escaped_unit(bytes, at), Some(0xdc00..0xe000)) => at += 6,
            Some(0xd800..0xe000) => {
                let text = mended.get_or_insert_with(|| bytes.to_vec());
                text[escape + 2..escape + 6].copy_from_slice(b"fffd");
            }
            _ => {}
        }
    }
    (bytes.len(), None)
}

/// Returns the length of the number at the start of the bytes. If the number must be replaced, also returns
/// the replacement.
fn number(bytes: &[u8]) -> (usize, Option<Vec<u8>>) {
    if let (length, Some(null)) = no_number(bytes) {
        return (length, Some(null));
    }
    let is_part = |b: &u8| b.is_ascii_digit() || matches!(b, b'+' | b'-' | b'.' | b'e' | b'E');
    let length = bytes.iter().position(|b| !is_part(b)).unwrap_or(bytes.len()).max(1);
    let digits = bytes[..length].strip_prefix(b"-").unwrap_or(&bytes[..length]);
    let is_long = digits.len() > MAX_DIGITS && digits.iter().all(u8::is_ascii_digit);
    (length, is_long.then(|| [b"\"", &bytes[..length], b"\""].concat()))
}

fn no_number(bytes: &[u8]) -> (usize, Option<Vec<u8>>) {
    match NO_NUMBERS.iter().find(|word| bytes.starts_with(word)) {
        Some(word) => (word.len(), Some(b"null".to_vec())),
        None => (1, None),
    }
}

/// Returns the value of the escape sequence `\uXXXX` at a position.
fn escaped_unit(bytes: &[u8], at: usize) -> Option<u16> {
    let digits = bytes.get(at..at + 6)?.strip_prefix(b"\\u")?;
    let digits = std::str::from_utf8(digits).ok().filter(|d| d.bytes().all(|b| b.is_ascii_hexdigit()))?;
    u16::from_str_radix(digits, 16).ok()
}

#[cfg(test)]
mod tests;

//! JSON as programs write it: with a byte-order mark, `NaN`, lone surrogates, and integers of any size.

mod splitter;
mod values;

pub(crate) use splitter::{End, Splitter};
pub(crate) use values::{Found, Values};

use serde::de::IgnoredAny;
use serde_json::{Map, Value};
use std::borrow::Cow;
use threshr_core::Error;

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";
/// Numbers with more digits lose some as a number of 64 bits. They are read as text.
const MAX_DIGITS: usize = 15;
/// Words that Python and JavaScript write for numbers that JSON does not have. They are read as `null`.
const NO_NUMBERS: [&[u8]; 3] = [b"NaN", b"Infinity", b"-Infinity"];

/// Reads a JSON object.
///
/// A byte-order mark is skipped. `NaN` and `Infinity` are `null`, a lone surrogate is U+FFFD, and an integer of
/// more than 15 digits is text as written.
pub(crate) fn object(bytes: &[u8]) -> serde_json::Result<Map<String, Value>> {
    serde_json::from_slice(&mended(without_mark(bytes)))
}

/// The bytes without a byte-order mark.
pub(crate) fn without_mark(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(bytes)
}

/// Whether the bytes are the begin of a value.
fn is_cut(bytes: &[u8]) -> bool {
    serde_json::from_slice::<IgnoredAny>(&mended(bytes)).is_err_and(|e| e.is_eof())
}

/// The error for a value that begins in a line and is not an object.
pub(crate) fn no_object(e: &serde_json::Error, line: u64) -> Error {
    let text = e.to_string();
    let what = text.split(" at line ").next().unwrap_or(&text);
    Error::data(format!("not a JSON object: {what}, column {}", e.column()))
        .expected("one JSON object per line")
        .at_line(line + (e.line() as u64).saturating_sub(1))
}

/// Whether a line that is cut is the begin of an object over several lines, by the next byte that is no space.
fn goes_on(line: &[u8], next: Option<u8>) -> bool {
    match without_mark(line).trim_ascii().last() {
        Some(b'{' | b',') => matches!(next, Some(b'"' | b'}')),
        Some(b'[' | b':') => next.is_some(),
        Some(_) => matches!(next, Some(b',' | b'}' | b']' | b':')),
        None => false,
    }
}

/// The text of a string or number; `None` for other values and empty strings.
pub(crate) fn text_of(value: &Value) -> Option<String> {
    match value {
        Value::String(text) if !text.is_empty() => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

/// JSON in place of what other programs write. No byte changes that JSON allows.
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

/// The length of the string at the start, and the string without lone surrogates if it has any.
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

/// The length of the number at the start, and its text if it is an integer of many digits.
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

/// The value of the escape `\uXXXX` at a position.
fn escaped_unit(bytes: &[u8], at: usize) -> Option<u16> {
    let digits = bytes.get(at..at + 6)?.strip_prefix(b"\\u")?;
    let digits = std::str::from_utf8(digits).ok().filter(|d| d.bytes().all(|b| b.is_ascii_hexdigit()))?;
    u16::from_str_radix(digits, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8]) -> serde_json::Result<Value> {
        serde_json::from_slice(&mended(without_mark(bytes)))
    }

    #[test]
    fn json_of_other_programs_is_read() {
        for (text, expected) in [
            ("\u{feff}{\"a\": 1}", r#"{"a":1}"#),
            (r#"{"a": NaN, "b": -Infinity, "c": [Infinity]}"#, r#"{"a":null,"b":null,"c":[null]}"#),
            (r#"{"a": "NaN \" 12345678901234567890"}"#, r#"{"a":"NaN \" 12345678901234567890"}"#),
            (r#"{"a": 12345678901234567890, "b": -1.5e3}"#, r#"{"a":"12345678901234567890","b":-1500.0}"#),
            (r#"{"a": "\ud83d\ude00 \ud83d"}"#, "{\"a\":\"\u{1f600} \u{fffd}\"}"),
            (r#"{"a": "x"}"#, r#"{"a":"x"}"#),
        ] {
            assert_eq!(read(text.as_bytes()).expect(text).to_string(), expected, "{text}");
        }
    }

    #[test]
    fn broken_json_is_an_error() {
        for text in ["", "{", "\"a", "\"\\", "\"\\u12", "-", "Nan", "{\"a\": NaN", "12345678901234567890x"] {
            assert!(read(text.as_bytes()).is_err(), "{text}");
        }
    }
}

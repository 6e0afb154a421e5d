//! Record headers of WARC and ARC files.

use crate::json::without_mark;
use memchr::{memchr, memchr_iter};

/// Maximum length of the header of a record, in bytes.
pub(super) const MAX_HEAD: usize = 1 << 16;

/// The format of an archive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::readers) enum Form {
    /// WARC 0.17 to 1.1. Source: ISO 28500:2017.
    Warc,
    /// ARC 1 and 2. Source: "Arc File Format", Internet Archive, 1996.
    Arc,
}

/// Header fields of a record.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Fields {
    /// Record type in lower case, such as `response`.
    pub kind: String,
    pub id: Option<String>,
    pub url: Option<String>,
    pub date: Option<String>,
    /// Declared length of the block. `None` if it is missing or invalid.
    pub length: Option<u64>,
    /// Content type of the block.
    pub content_type: Option<String>,
    /// Content type that the crawler detected from the payload, in lower case.
    pub payload_type: Option<String>,
    pub is_truncated: bool,
}

/// Result of a search for a record in bytes that may be incomplete.
pub(super) enum Found {
    /// A record starts at this position.
    At(usize),
    /// No record starts before this position.
    NotBefore(usize),
}

/// Maximum length of the first line of a WARC record, with its line end, in bytes.
const WARC_LINE: usize = 16;
/// Maximum length of the first line of an ARC record, in bytes.
const ARC_LINE: usize = 1 << 14;

impl Form {
    /// Returns the archive format of a file that starts with these bytes. Returns `None` if they are
    /// neither WARC nor ARC.
    pub(super) fn detect(start: &[u8]) -> Option<Form> {
        let start = without_mark(start).trim_ascii_start();
        if is_warc(start) {
            return Some(Form::Warc);
        }
        let line = &start[..memchr(b'\n', start).unwrap_or(start.len())];
        (start.starts_with(b"filedesc:") || is_arc_line(line)).then_some(Form::Arc)
    }

    pub(super) fn expected(self) -> &'static str {
        match self {
            Form::Warc => "the first line of a record, WARC/0.17 to WARC/1.1",
            Form::Arc => "the first line of a record: URL, IP address, date, type, length",
        }
    }

    /// Returns the number of bytes that are needed to detect the start of a record.
    pub(super) fn line_length(self) -> usize {
        match self {
            Form::Warc => WARC_LINE,
            Form::Arc => ARC_LINE,
        }
    }

    /// Returns the name of the length field, for error messages.
    pub(super) fn length_name(self) -> &'static str {
        match self {
            Form::Warc => "Content-Length",
            Form::Arc => "length",
        }
    }

    /// Returns the required content of a record header, for error messages.
    pub(super) fn expected_head(self) -> &'static str {
        match self {
            Form::Warc => "header fields with the type and the length",
            Form::Arc => "a first line with URL, IP address, date, type and length",
        }
    }

    /// Returns whether a record starts at the first byte. Does not check the version of a WARC record.
    pub(super) fn starts(self, bytes: &[u8]) -> bool {
        match self {
            Form::Warc => is_warc(bytes),
            Form::Arc => memchr(b'\n', &bytes[..bytes.len().min(ARC_LINE)])
                .is_some_and(|end| is_arc_line(&bytes[..end])),
        }
    }

    /// Finds the next record. A WARC record may start in the middle of a line, because a truncated record
    /// may have no line end.
    pub(super) fn find(self, bytes: &[u8]) -> Found {
        match self {
            Form::Warc => memchr_iter(b'/', bytes)
                .filter_map(|slash| slash.checked_sub(NAME.len() - 1))
                .find(|&at| is_record(bytes, at))
                .map_or_else(|| Found::NotBefore((bytes.len() + 1).saturating_sub(WARC_LINE)), Found::At),
            Form::Arc => {
                let mut last = None;
                for line_end in memchr_iter(b'\n', bytes) {
                    let start = line_end + 1;
                    if self.starts(&bytes[start..]) {
                        return Found::At(start);
                    }
                    last = Some(line_end);
                }
                // The last line may be incomplete.
                let last = last.unwrap_or(0);
                Found::NotBefore(if bytes.len() - last > ARC_LINE { bytes.len() } else { last })
            }
        }
    }

    /// Returns the length of the header at the start of the bytes, including the empty line after it.
    /// Returns `None` if more bytes are needed, and `Some(None)` if the header has no end.
    pub(super) fn head_length(self, bytes: &[u8]) -> Option<Option<usize>> {
        if self == Form::Arc {
            return Some(memchr(b'\n', bytes).map(|end| end + 1));
        }
        let bytes = &bytes[..bytes.len().min(MAX_HEAD)];
        let end = memchr_iter(b'\n', bytes).find_map(|at| match &bytes[at + 1..] {
            [b'\r', b'\n', ..] => Some(at + 3),
            [b'\n', ..] => Some(at + 2),
            _ => None,
        });
        // A truncated header is followed directly by the next record.
        match (end, self.find(&bytes[NAME.len()..end.unwrap_or(bytes.len()).max(NAME.len())])) {
            (_, Found::At(_)) => Some(None),
            (None, _) => (bytes.len() == MAX_HEAD).then_some(None),
            (end, _) => Some(end),
        }
    }

    /// Parses the header of a record.
    pub(super) fn parse(self, head: &[u8]) -> Fields {
        match self {
            Form::Warc => parse_warc(head),
            Form::Arc => parse_arc(head.trim_ascii_end()).unwrap_or_default(),
        }
    }
}

/// First bytes of a WARC record. Some writers use lower case.
const NAME: &[u8] = b"WARC/";

fn is_warc(bytes: &[u8]) -> bool {
    bytes.get(..NAME.len()).is_some_and(|name| name.eq_ignore_ascii_case(NAME))
}

/// Returns whether a WARC record starts at a position. A record with lower-case `warc/` must start a line.
fn is_record(bytes: &[u8], at: usize) -> bool {
    let is_line = at == 0 || bytes[at - 1] == b'\n';
    let is_name = bytes[at..].starts_with(NAME) || (is_line && is_warc(&bytes[at..]));
    is_name && is_version(&bytes[at + NAME.len()..])
}

/// Returns whether the bytes after `WARC/` are a version and a line end.
fn is_version(bytes: &[u8]) -> bool {
    let line = &bytes[..bytes.len().min(WARC_LINE - 5)];
    let Some(end) = memchr(b'\n', line) else { return false };
    match line[..end].trim_ascii_end() {
        [major, b'.', minor @ ..] => {
            major.is_ascii_digit() && matches!(minor.len(), 1 | 2) && minor.iter().all(u8::is_ascii_digit)
        }
        _ => false,
    }
}

fn parse_warc(head: &[u8]) -> Fields {
    let mut fields = Fields::default();
    for line in head.split(|&b| b == b'\n').skip(1) {
        let line = String::from_utf8_lossy(line);
        let Some((name, value)) = line.split_once(':') else { continue };
        let value = value.trim();
        let bare = || value.trim_start_matches('<').trim_end_matches('>');
        match name.trim().to_ascii_lowercase().as_str() {
            "warc-type" => fields.kind = value.to_ascii_lowercase(),
            "warc-record-id" => {
                let id = bare();
                fields.id = Some(id.strip_prefix("urn:uuid:").unwrap_or(id).to_owned());
            }
            "warc-target-uri" => fields.url = Some(bare().to_owned()),
            "warc-date" => fields.date = Some(value.to_owned()),
            "content-length" => fields.length = value.parse().ok(),
            "content-type" => fields.content_type = Some(value.to_owned()),
            "warc-identified-payload-type" => fields.payload_type = Some(value.to_ascii_lowercase()),
            "warc-truncated" => fields.is_truncated = true,
            _ => {}
        }
    }
    fields.id = fields.id.filter(|id| !id.is_empty());
    fields
}

/// Returns whether a line is the header of an ARC record.
fn is_arc_line(line: &[u8]) -> bool {
    line.first().is_some_and(u8::is_ascii_alphabetic)
        && line.trim_ascii_end().last().is_some_and(u8::is_ascii_digit)
        && line.len() <= ARC_LINE
        && parse_arc(line.trim_ascii_end()).is_some()
}

/// Parses the header of an ARC record. Version 1: `URL IP date type length`. Version 2: `URL IP date type
/// status checksum location offset file length`. The URL and the type may contain spaces.
fn parse_arc(line: &[u8]) -> Option<Fields> {
    let line = String::from_utf8_lossy(line);
    let parts: Vec<&str> = line.split(' ').collect();
    let is_ip = |text: &str| {
        text.contains(['.', ':']) && text.bytes().all(|b| b.is_ascii_hexdigit() || b == b'.' || b == b':')
    };
    let is_date = |text: &str| (8..=17).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_digit());
    let ip = (1..parts.len().saturating_sub(3)).find(|&i| is_ip(parts[i]) && is_date(parts[i + 1]))?;
    let url = parts[..ip].join(" ");
    // A URL starts with a scheme and a colon.
    let scheme = url.split(':').next().filter(|s| s.len() < url.len())?;
    if !scheme.bytes().all(|b| b.is_ascii_alphanumeric() || b"+-.".contains(&b)) {
        return None;
    }
    let length = parts.last()?.parse().ok()?;
    // Version 2 has five more fields between the type and the length.
    let from_type = &parts[ip + 2..parts.len() - 1];
    let num_type = if from_type.len() >= 6 { from_type.len() - 5 } else { from_type.len() };
    let content_type = from_type[..num_type].join(" ");
    let kind = if url.starts_with("filedesc:") { "filedesc" } else { "response" };
    Some(Fields {
        kind: kind.to_owned(),
        url: Some(url),
        date: Some(iso_date(parts[ip + 1])),
        length: Some(length),
        content_type: Some(content_type),
        ..Fields::default()
    })
}

/// Converts `20080131120000` to `2008-01-31T12:00:00Z`.
fn iso_date(digits: &str) -> String {
    let part = |from: usize| digits.get(from..from + 2);
    let (Some(year), Some(month), Some(day)) = (digits.get(..4), part(4), part(6)) else {
        return digits.to_owned();
    };
    match (part(8), part(10), part(12)) {
        (Some(hour), Some(minute), second) => {
            format!("{year}-{month}-{day}T{hour}:{minute}:{}Z", second.unwrap_or("00"))
        }
        _ => format!("{year}-{month}-{day}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_arc_files_are_parsed() {
        let line = |text: &str| {
            let fields = parse_arc(text.as_bytes())?;
            Some((fields.url?, fields.date?, fields.content_type?, fields.length?))
        };
        let expected = |url: &str, date: &str, kind: &str, length| {
            Some((url.to_owned(), date.to_owned(), kind.to_owned(), length))
        };
        let date = "2008-01-31T12:30:59Z";
        assert_eq!(
            line("http://a/ 1.2.3.4 20080131123059 text/html 14"),
            expected("http://a/", date, "text/html", 14)
        );
        assert_eq!(
            line("http://a/ 1.2.3.4 20080131123059 text/html 200 fac069 - 1209 x.arc 14"),
            expected("http://a/", date, "text/html", 14)
        );
        assert_eq!(
            line("http://a/b c 2001:db8::1 20080131123059 text/html; charset=utf-8 14"),
            expected("http://a/b c", date, "text/html; charset=utf-8", 14)
        );
        assert_eq!(
            line("http://a/ 1.2.3.4 20080131 no-type 0"),
            expected("http://a/", "2008-01-31", "no-type", 0)
        );
        for other in
            ["", "a b c d e", "http://a/ 1.2.3.4 20080131123059 text/html x", "a 1.2.3.4 20080131 t 1"]
        {
            assert_eq!(line(other), None, "{other}");
        }
    }

    #[test]
    fn forms_are_recognised() {
        assert_eq!(Form::detect(b"\r\nWARC/1.0\r\n"), Some(Form::Warc));
        assert_eq!(Form::detect(b"\xef\xbb\xbfwarc/1.0\r\n"), Some(Form::Warc));
        assert_eq!(Form::detect(b"filedesc://x"), Some(Form::Arc));
        assert_eq!(Form::detect(b"http://a/ 1.2.3.4 20080131123059 text/html 14\nx"), Some(Form::Arc));
        assert_eq!(Form::detect(b"<html>"), None);
        for (version, is) in [
            (&b"1.0\r\n"[..], true),
            (b"0.18\n", true),
            (b"0.17 \r\n", true),
            (b"1.0", false),
            (b"1.x\n", false),
            (b"\n", false),
        ] {
            assert_eq!(is_version(version), is, "{version:?}");
        }
    }
}

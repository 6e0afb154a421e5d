//! WET: the plain text of pages as WARC records.

use crate::formats::{Entry, Format, Layout, PageOutput, no_row};
use chrono::{DateTime, NaiveDate, NaiveDateTime, NaiveTime, SecondsFormat};
use sha2::{Digest, Sha256};
use std::fmt::Write;
use threshr_core::Result;
use threshr_page::language::language;

/// Date for pages whose date is unknown. WARC requires a date. The time of writing is not used, because then
/// the output of every run would differ.
const NO_DATE: &str = "1970-01-01T00:00:00Z";

/// One `conversion` record per page, as in Common Crawl. In compressed files, each record is a separate gzip
/// member. Record ids are hashes of the content, so equal pages give equal bytes. Source: ISO 28500:2017, WARC 1.1.
pub(super) static FORMAT: Format = Format {
    name: "wet",
    summary: "WET: one WARC conversion record of plain text per page",
    extensions: &["wet"],
    head: "WARC/1.1\r\nWARC-Type: warcinfo\r\nWARC-Date: 1970-01-01T00:00:00Z\r\n\
        WARC-Record-ID: <urn:uuid:6e4f9f4e-6f0d-8a4b-9c3f-0a5a7468726f>\r\n\
        Content-Type: application/warc-fields\r\nContent-Length: 33\r\n\r\nsoftware: threshr\r\nformat: WARC\r\n\r\n\r\n",
    between: "",
    frame: ("", ""),
    layout: Layout::Members,
    page: |page| Ok(Entry::Text(record(page)?)),
    failed: no_row,
};

fn record(page: &PageOutput<'_>) -> Result<String> {
    let text = page.text()?;
    let mut out = String::with_capacity(text.len() + 512);
    let mut field = |name: &str, value: &str| {
        // a line feed would begin another field; writing to a string cannot fail
        let _ = write!(out, "{name}: {}\r\n", value.replace(['\r', '\n'], " "));
    };
    field("WARC-Type", "conversion");
    if let Some(url) = page.url {
        field("WARC-Target-URI", url);
    }
    match page.date.filter(|given| !given.trim().is_empty()).map(|given| date(given).ok_or(given)) {
        Some(Ok(known)) => field("WARC-Date", &known),
        Some(Err(given)) => {
            field("WARC-Date", NO_DATE);
            // WARC allows additional fields
            field("Threshr-Given-Date", given);
        }
        None => field("WARC-Date", NO_DATE),
    }
    field("WARC-Record-ID", &format!("<urn:uuid:{}>", uuid(&[page.id, page.url.unwrap_or_default(), &text])));
    if is_uuid(page.id) {
        field("WARC-Refers-To", &format!("<urn:uuid:{}>", page.id));
    }
    if let Some(language) = language(&text, page.doc.language()) {
        field("WARC-Identified-Content-Language", &language);
    }
    field("Content-Type", "text/plain");
    field("Content-Length", &text.len().to_string());
    Ok(format!("WARC/1.1\r\n{out}\r\n{text}\r\n\r\n"))
}

/// Converts a date to the format of WARC: the W3C profile of ISO 8601, in UTC.
///
/// Accepts this profile, a space instead of `T`, other time zones, a missing time zone (read as UTC), 14 digits,
/// and the preferred format of HTTP dates (RFC 9110). Returns `None` for other formats.
fn date(text: &str) -> Option<String> {
    const WITHOUT_ZONE: [&str; 4] =
        ["%Y-%m-%dT%H:%M:%S%.f", "%Y-%m-%d %H:%M:%S%.f", "%Y-%m-%dT%H:%MZ", "%Y-%m-%dT%H:%M"];
    let text = text.trim();
    let with_zone = || {
        DateTime::parse_from_rfc3339(text)
            .or_else(|_| DateTime::parse_from_rfc2822(text))
            .or_else(|_| DateTime::parse_from_str(text, "%Y-%m-%d %H:%M:%S%.f %:z"))
    };
    let is_digits = text.len() == 14 && text.bytes().all(|b| b.is_ascii_digit());
    let without = || {
        let digits = is_digits.then_some("%Y%m%d%H%M%S").into_iter();
        WITHOUT_ZONE.into_iter().chain(digits).find_map(|form| NaiveDateTime::parse_from_str(text, form).ok())
    };
    let day = || {
        let rest = match text.len() {
            4 => "-01-01",
            7 => "-01",
            _ => "",
        };
        let day = NaiveDate::parse_from_str(&format!("{text}{rest}"), "%Y-%m-%d");
        day.ok().map(|day| day.and_time(NaiveTime::MIN))
    };
    let date = match with_zone() {
        Ok(date) => date.to_utc(),
        Err(_) => without().or_else(day)?.and_utc(),
    };
    Some(date.to_rfc3339_opts(SecondsFormat::AutoSi, true))
}

/// Returns a UUID of version 8 (RFC 9562) from the hash of strings.
fn uuid(parts: &[&str]) -> String {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part);
    }
    let mut bytes: Vec<u8> = hash.finalize().to_vec();
    bytes.truncate(16);
    bytes[6] = bytes[6] & 0x0f | 0x80;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    let hex = threshr_core::hex(&bytes);
    [&hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..]].join("-")
}

fn is_uuid(text: &str) -> bool {
    let is_digit =
        |(at, c): (usize, char)| if [8, 13, 18, 23].contains(&at) { c == '-' } else { c.is_ascii_hexdigit() };
    text.len() == 36 && text.char_indices().all(is_digit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_written_in_the_form_of_warc() {
        for (given, written) in [
            ("2026-01-31T12:00:59Z", Some("2026-01-31T12:00:59Z")),
            ("2026-01-31T12:00:59.25Z", Some("2026-01-31T12:00:59.250Z")),
            ("2026-01-31 12:00:59", Some("2026-01-31T12:00:59Z")),
            ("20260131120059", Some("2026-01-31T12:00:59Z")),
            (" 2026-01-31", Some("2026-01-31T00:00:00Z")),
            ("2026-01-31T12:00Z", Some("2026-01-31T12:00:00Z")),
            ("2026-01-31 12:00:59.000000 +00:00", Some("2026-01-31T12:00:59Z")),
            ("2026-01", Some("2026-01-01T00:00:00Z")),
            ("2026", Some("2026-01-01T00:00:00Z")),
            ("1610111213141", None),
            ("2026-13-31", None),
            ("2026-01-31T12:00:59+02:00", Some("2026-01-31T10:00:59Z")),
            ("Sat, 31 Jan 2026 12:00:59 GMT", Some("2026-01-31T12:00:59Z")),
            ("31.1.2026", None),
            ("", None),
        ] {
            assert_eq!(date(given).as_deref(), written, "{given}");
        }
    }

    #[test]
    fn the_head_is_a_record() {
        let (head, block) = FORMAT.head.split_once("\r\n\r\n").expect("a head");
        let block = block.strip_suffix("\r\n\r\n").expect("an end");
        assert!(head.ends_with(&format!("Content-Length: {}", block.len())), "{}", block.len());
        assert!(is_uuid("6e4f9f4e-6f0d-8a4b-9c3f-0a5a7468726f") && !is_uuid("é"));
        assert!(is_uuid(&uuid(&["a"])) && uuid(&["a", "b"]) != uuid(&["ab", ""]));
    }
}

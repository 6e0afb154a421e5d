//! HTTP responses in WARC files: status line, headers, transfer encodings and content encodings.

mod body;

pub(crate) use body::{Decoded, decode, too_large};

use threshr_core::{Error, Result};

/// Maximum number of headers that the HTTP parser accepts. Heads with more headers are parsed line by line.
const MAX_HEADERS: usize = 256;
/// Maximum length of a head that is parsed line by line, in bytes.
const MAX_HEAD: usize = 1 << 16;

/// An encoding of the body of an HTTP message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encoding {
    /// `Transfer-Encoding: chunked`.
    Chunked,
    /// `gzip`, `x-gzip`.
    Gzip,
    /// `deflate`: zlib data. Some servers send raw deflate instead, which is also accepted.
    Deflate,
    /// `br`.
    Brotli,
    /// `zstd`.
    Zstd,
}

/// Status line and headers of a response.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Head {
    /// Number of bytes before the body.
    pub length: usize,
    pub status: u16,
    /// Media type in lower case, such as `text/html`. `None` if the response has no media type.
    pub media_type: Option<String>,
    /// Charset in the `Content-Type` header.
    pub charset: Option<String>,
    /// Encodings of the body, in decoding order.
    pub encodings: Vec<Encoding>,
    /// Name of an encoding that is not supported.
    pub unsupported: Option<String>,
}

/// Relevant header values, before the encodings are sorted into decoding order.
#[derive(Default)]
struct Headers {
    media_type: Option<String>,
    charset: Option<String>,
    content_encodings: Vec<String>,
    transfer_encodings: Vec<String>,
}

impl Head {
    /// Parses the status line and headers of a response.
    ///
    /// # Errors
    /// If the bytes do not start with a status line, or the end of the headers is missing.
    pub(crate) fn parse(bytes: &[u8]) -> Result<Head> {
        let mut headers = [httparse::EMPTY_HEADER; MAX_HEADERS];
        let mut response = httparse::Response::new(&mut headers);
        let mut config = httparse::ParserConfig::default();
        config
            .allow_spaces_after_header_name_in_responses(true)
            .allow_obsolete_multiline_headers_in_responses(true)
            .ignore_invalid_headers_in_responses(true)
            .allow_multiple_spaces_in_response_status_delimiters(true);
        let why = match config.parse_response(&mut response, bytes) {
            Ok(httparse::Status::Complete(length)) => {
                let mut found = Headers::default();
                response
                    .headers
                    .iter()
                    .for_each(|h| found.add(h.name, || String::from_utf8_lossy(h.value).into()));
                return Ok(found.into_head(length, response.code.unwrap_or(0)));
            }
            Ok(httparse::Status::Partial) => "the HTTP header is incomplete".to_owned(),
            Err(e) => e.to_string(),
        };
        lenient(bytes).ok_or_else(|| {
            Error::data(format!("not an HTTP response: {why}"))
                .expected("a status line, headers and an empty line")
        })
    }

    /// Returns whether the media type is an HTML type.
    pub(crate) fn is_html(&self) -> bool {
        self.media_type.as_deref().is_some_and(is_html_type)
    }
}

/// Returns whether a lower-case media type is an HTML type.
pub(crate) fn is_html_type(media_type: &str) -> bool {
    matches!(media_type, "text/html" | "application/xhtml+xml" | "application/vnd.wap.xhtml+xml")
}

/// Parses a head that is not valid HTTP/1. Accepts other protocol versions, a lower-case protocol name, a
/// status without a space after it, and a page that starts without an empty line before it.
fn lenient(bytes: &[u8]) -> Option<Head> {
    let bytes = &bytes[..bytes.len().min(MAX_HEAD)];
    if !starts_with_http(bytes) {
        return None;
    }
    let mut at = memchr::memchr(b'\n', bytes)? + 1;
    let line = &bytes[..at];
    let status = line[memchr::memchr(b' ', line)?..].trim_ascii_start();
    let status = status.get(..3).and_then(|s| std::str::from_utf8(s).ok()).and_then(|s| s.parse().ok())?;
    let mut found = Headers::default();
    loop {
        let end = memchr::memchr(b'\n', &bytes[at..]).map(|end| at + end + 1);
        let line = bytes[at..end.unwrap_or(bytes.len())].trim_ascii_end();
        if line.starts_with(b"<") {
            return Some(found.into_head(at, status));
        }
        at = end?;
        if line.is_empty() {
            return Some(found.into_head(at, status));
        }
        if let Some(colon) = memchr::memchr(b':', line) {
            let name = String::from_utf8_lossy(line[..colon].trim_ascii());
            found.add(&name, || String::from_utf8_lossy(line[colon + 1..].trim_ascii()).into());
        }
    }
}

/// Returns whether the bytes start with `HTTP/`, in any case.
pub(crate) fn starts_with_http(bytes: &[u8]) -> bool {
    bytes.get(..5).is_some_and(|start| start.eq_ignore_ascii_case(b"HTTP/"))
}

impl Headers {
    fn add(&mut self, name: &str, value: impl Fn() -> String) {
        let encodings = |to: &mut Vec<String>| {
            to.extend(value().split(',').map(|v| v.trim().to_ascii_lowercase()));
        };
        if name.eq_ignore_ascii_case("content-type") {
            (self.media_type, self.charset) = media_type(&value());
        } else if name.eq_ignore_ascii_case("content-encoding") {
            encodings(&mut self.content_encodings);
        } else if name.eq_ignore_ascii_case("transfer-encoding") {
            encodings(&mut self.transfer_encodings);
        }
    }

    /// Converts the headers to a `Head`, with encodings in decoding order. A header may occur in several
    /// lines.
    fn into_head(self, length: usize, status: u16) -> Head {
        let (mut encodings, mut unsupported) = (Vec::new(), None);
        let names = self.transfer_encodings.into_iter().rev().chain(self.content_encodings.into_iter().rev());
        for name in names {
            match encoding(&name) {
                Ok(encoding) => encodings.extend(encoding),
                Err(()) => unsupported = Some(name),
            }
        }
        Head { length, status, media_type: self.media_type, charset: self.charset, encodings, unsupported }
    }
}

/// Parses the value of `Content-Type`. Returns the media type and the charset. Accepts common errors:
/// `text/html charset=utf-8`, `text/html, text/html`.
pub(crate) fn media_type(value: &str) -> (Option<String>, Option<String>) {
    let value = value.replace(" =", "=").replace("= ", "=");
    let ends = |c: char| matches!(c, ';' | ',') || c.is_ascii_whitespace();
    let mut parts = value.split(ends).map(str::trim).filter(|p| !p.is_empty());
    let media_type = parts.next().filter(|p| !p.contains('=')).map(str::to_ascii_lowercase);
    let charset = parts.find_map(|p| {
        let (key, value) = p.split_once('=')?;
        key.trim().eq_ignore_ascii_case("charset").then(|| value.trim_matches([' ', '"', '\'']))
    });
    (media_type, charset.filter(|c| !c.is_empty()).map(str::to_owned))
}

/// Returns the encoding with a name. Returns an error if the encoding exists but is not supported. Returns
/// `None` for other values, because some servers send a charset in this header, for example.
fn encoding(name: &str) -> Result<Option<Encoding>, ()> {
    Ok(Some(match name {
        "chunked" => Encoding::Chunked,
        "gzip" | "x-gzip" => Encoding::Gzip,
        "deflate" => Encoding::Deflate,
        "br" => Encoding::Brotli,
        "zstd" => Encoding::Zstd,
        "compress" | "x-compress" | "sdch" | "dcb" | "dcz" => return Err(()),
        _ => return Ok(None),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_are_read() {
        let bytes = b"HTTP/1.1 200 OK\r\nContent-Type: Text/HTML; charset=\"KOI8-R\"\r\n\
            Content-Encoding: deflate, gzip\r\nTransfer-Encoding: chunked\r\nBad Header\r\n\r\n<p>";
        let head = Head::parse(bytes).expect("a head");
        assert_eq!(&bytes[head.length..], b"<p>");
        assert!(head.is_html() && head.status == 200 && head.charset.as_deref() == Some("KOI8-R"));
        assert_eq!(head.encodings, [Encoding::Chunked, Encoding::Gzip, Encoding::Deflate]);
        let second = b"HTTP/2 404\r\ncontent-type: application/pdf\r\n\r\nx";
        let head = Head::parse(second).expect("a head");
        assert!(head.status == 404 && !head.is_html() && &second[head.length..] == b"x");
        assert!(Head::parse(b"HTTP/1.1 200 OK\r\nA: b").is_err() && Head::parse(b"<html>").is_err());
        assert!(
            Head::parse(b"").is_err() && Head::parse(b"HTTP/").is_err() && Head::parse(b"HTTP/1.1 ").is_err()
        );
        let head = Head::parse(b"HTTP/1.1 200 OK\ncontent-encoding: compress\n\n").expect("a head");
        assert_eq!(head.unsupported.as_deref(), Some("compress"));
        assert!(Head::parse(b"HTTP/1.1 200 OK\n\n").is_ok_and(|h| h.media_type.is_none()));
        for kind in [
            "text/html charset=koi8-r",
            "text/html, text/html; charset = koi8-r",
            "text/html;charset='koi8-r'",
        ] {
            let head =
                Head::parse(format!("HTTP/1.1 200 OK\nContent-Type: {kind}\n\n").as_bytes()).expect("a head");
            assert!(head.is_html() && head.charset.as_deref() == Some("koi8-r"), "{kind}");
        }
        let lines = b"HTTP/1.1 200 OK\nContent-Encoding: gzip\nTransfer-Encoding: deflate, chunked\nContent-Encoding: br\n\n";
        let encodings = Head::parse(lines).expect("a head").encodings;
        assert_eq!(encodings, [Encoding::Chunked, Encoding::Deflate, Encoding::Brotli, Encoding::Gzip]);
    }

    #[test]
    fn heads_with_errors_are_read() {
        for (bytes, length) in [
            (&b"http/1.1 200 OK\r\ncontent-type: text/html\r\n\r\n<p>"[..], 44),
            (b"HTTP/1.1 200OK\nContent-Type: text/html\n\n", 40),
            (b"HTTP/3  200\nContent-Type : text/html\n\n", 38),
            (b"HTTP/1.0 200 OK\r\nContent-Type: text/html\r\n<html>", 42),
        ] {
            let head = Head::parse(bytes).expect("a head");
            assert!(head.is_html() && head.status == 200 && head.length == length, "{head:?}");
        }
        let many = format!("HTTP/1.1 200 OK\r\n{}Content-Type: text/html\r\n\r\n", "A: b\r\n".repeat(400));
        assert!(Head::parse(many.as_bytes()).is_ok_and(|h| h.is_html() && h.length == many.len()));
        assert!(Head::parse(b"HTTP/1.1 OK\n\n").is_err() && Head::parse(&[0; 100]).is_err());
    }
}

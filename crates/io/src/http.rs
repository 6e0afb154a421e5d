//! HTTP responses in WARC files: head, transfer encodings and content encodings.

use std::io::Read;
use threshr_core::{Error, Result};

/// Maximum number of headers of a response.
const MAX_HEADERS: usize = 256;

/// An encoding of the body of an HTTP message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encoding {
    /// `Transfer-Encoding: chunked`.
    Chunked,
    /// `gzip`, `x-gzip`.
    Gzip,
    /// `deflate`: zlib, or raw deflate, which some servers send.
    Deflate,
    /// `br`.
    Brotli,
    /// `zstd`.
    Zstd,
}

/// The head of a response.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Head {
    /// Number of bytes before the body.
    pub length: usize,
    pub status: u16,
    /// Such as `text/html`, in lower case; `None` if the response has no type.
    pub media_type: Option<String>,
    /// Charset of `Content-Type`.
    pub charset: Option<String>,
    /// Encodings of the body, in decoding order.
    pub encodings: Vec<Encoding>,
}

impl Head {
    /// Parses the head of a response.
    pub(crate) fn parse(bytes: &[u8]) -> Result<Head> {
        let mut headers = [httparse::EMPTY_HEADER; MAX_HEADERS];
        let mut response = httparse::Response::new(&mut headers);
        let mut config = httparse::ParserConfig::default();
        config
            .allow_spaces_after_header_name_in_responses(true)
            .allow_obsolete_multiline_headers_in_responses(true)
            .ignore_invalid_headers_in_responses(true)
            .allow_multiple_spaces_in_response_status_delimiters(true);
        let wrong = |why: String| Error::data(format!("not an HTTP response: {why}"));
        let length = match config.parse_response(&mut response, bytes) {
            Ok(httparse::Status::Complete(length)) => length,
            Ok(httparse::Status::Partial) => return Err(wrong("the head is incomplete".into())),
            // There is no standard text form of HTTP/2.
            Err(httparse::Error::Version) => return Head::parse_other_version(bytes),
            Err(e) => return Err(wrong(e.to_string())),
        };
        let mut head = Head {
            length,
            status: response.code.unwrap_or(0),
            media_type: None,
            charset: None,
            encodings: Vec::new(),
        };
        // In the order of encoding, over all lines of a header.
        let (mut content_encodings, mut transfer_encodings) = (Vec::new(), Vec::new());
        for header in response.headers.iter() {
            let value = String::from_utf8_lossy(header.value);
            let listed = || value.split(',').map(|v| v.trim().to_ascii_lowercase());
            if header.name.eq_ignore_ascii_case("content-type") {
                head.read_type(&value);
            } else if header.name.eq_ignore_ascii_case("content-encoding") {
                content_encodings.extend(listed());
            } else if header.name.eq_ignore_ascii_case("transfer-encoding") {
                transfer_encodings.extend(listed());
            }
        }
        for name in transfer_encodings.iter().rev() {
            match name.as_str() {
                "chunked" => head.encodings.push(Encoding::Chunked),
                _ => head.encodings.extend(encoding(name)?),
            }
        }
        for name in content_encodings.iter().rev() {
            head.encodings.extend(encoding(name)?);
        }
        Ok(head)
    }

    /// Parses a response of `HTTP/2`, `HTTP/2.0` or `HTTP/3` like one of HTTP/1.1.
    fn parse_other_version(bytes: &[u8]) -> Result<Head> {
        let line = memchr::memchr(b'\n', bytes).unwrap_or(bytes.len());
        let version = bytes[..line].iter().position(|&b| b == b' ').filter(|_| bytes.starts_with(b"HTTP/"));
        match version {
            Some(at) if &bytes[..at] != b"HTTP/1.1" => {
                let mut head = Head::parse(&[b"HTTP/1.1", &bytes[at..]].concat())?;
                head.length = head.length + at - b"HTTP/1.1".len();
                Ok(head)
            }
            _ => Err(Error::data("not an HTTP response: the first line is invalid")),
        }
    }

    /// Parses a `Content-Type`. Accepts common errors: `text/html charset=utf-8`, `text/html, text/html`.
    fn read_type(&mut self, value: &str) {
        let value = value.replace(" =", "=").replace("= ", "=");
        let ends = |c: char| matches!(c, ';' | ',') || c.is_ascii_whitespace();
        let mut parts = value.split(ends).map(str::trim).filter(|p| !p.is_empty());
        let media_type = parts.next().filter(|p| !p.contains('=')).map(str::to_ascii_lowercase);
        let charset = parts.find_map(|p| {
            let (key, value) = p.split_once('=')?;
            key.trim().eq_ignore_ascii_case("charset").then(|| value.trim_matches([' ', '"', '\'']))
        });
        self.media_type = media_type;
        self.charset = charset.filter(|c| !c.is_empty()).map(str::to_owned);
    }

    /// Whether the media type is that of HTML. A body without a type may be HTML.
    pub(crate) fn is_html(&self) -> bool {
        self.media_type.as_deref().is_none_or(|t| matches!(t, "text/html" | "application/xhtml+xml"))
    }
}

fn encoding(name: &str) -> Result<Option<Encoding>> {
    Ok(Some(match name {
        "" | "identity" | "none" => return Ok(None),
        "gzip" | "x-gzip" => Encoding::Gzip,
        "deflate" => Encoding::Deflate,
        "br" => Encoding::Brotli,
        "zstd" => Encoding::Zstd,
        // These encodings exist but are not supported. Other values, such as a charset, are errors of
        // servers.
        "compress" | "x-compress" | "sdch" | "dcb" | "dcz" => {
            return Err(Error::data(format!("the encoding of the body is `{name}`"))
                .expected("gzip, deflate, br or zstd"));
        }
        _ => return Ok(None),
    }))
}

/// Decodes a body.
///
/// Archives often decode a body but keep its header. A body that does not start like its encoding stays as it
/// is. `truncated`: the decodable part of an incomplete body is accepted.
///
/// # Errors
/// If the body is damaged, or larger than `limit` bytes.
pub(crate) fn decode(bytes: Vec<u8>, encodings: &[Encoding], truncated: bool, limit: u64) -> Result<Vec<u8>> {
    let mut bytes = bytes;
    for &encoding in encodings {
        let next = match encoding {
            Encoding::Chunked => match first_chunk(&bytes) {
                None => continue,
                Some(_) => dechunk(&bytes, truncated)?,
            },
            Encoding::Gzip if !bytes.starts_with(b"\x1f\x8b") => continue,
            Encoding::Gzip => gunzip(&bytes, truncated, limit)?,
            Encoding::Deflate if is_zlib(&bytes) => {
                inflate(flate2::bufread::ZlibDecoder::new(&bytes[..]), "deflate", truncated, limit)?
            }
            Encoding::Deflate if looks_like_markup(&bytes) => continue,
            Encoding::Deflate => {
                inflate(flate2::bufread::DeflateDecoder::new(&bytes[..]), "deflate", truncated, limit)?
            }
            Encoding::Brotli if looks_like_markup(&bytes) => continue,
            Encoding::Brotli => inflate(brotli::Decompressor::new(&bytes[..], 4096), "br", truncated, limit)?,
            Encoding::Zstd if !bytes.starts_with(b"\x28\xb5\x2f\xfd") => continue,
            Encoding::Zstd => {
                let decoder = zstd::stream::read::Decoder::with_buffer(&bytes[..])
                    .map_err(|e| Error::data("the zstd encoding of the body is damaged").because(e))?;
                inflate(decoder, "zstd", truncated, limit)?
            }
        };
        bytes = next;
    }
    Ok(bytes)
}

/// Whether the bytes start with a zlib header: method 8 and a checksum of two bytes.
fn is_zlib(bytes: &[u8]) -> bool {
    matches!(bytes, [a, b, ..] if a & 15 == 8 && (u16::from(*a) << 8 | u16::from(*b)).is_multiple_of(31))
}

/// Whether the bytes start like a page. Raw deflate and brotli have no signature, but never start so.
fn looks_like_markup(bytes: &[u8]) -> bool {
    bytes
        .trim_ascii_start()
        .strip_prefix(b"\xef\xbb\xbf")
        .unwrap_or(bytes)
        .trim_ascii_start()
        .starts_with(b"<")
}

/// Decodes all gzip members. Bytes after the last member, such as zeros, are not part of the body.
fn gunzip(bytes: &[u8], truncated: bool, limit: u64) -> Result<Vec<u8>> {
    let (mut rest, mut out) = (bytes, Vec::new());
    while rest.starts_with(b"\x1f\x8b") {
        let mut member = flate2::bufread::GzDecoder::new(rest);
        out.extend(inflate(&mut member, "gzip", truncated, limit - out.len() as u64)?);
        let after = member.into_inner();
        // Without progress the loop would not end.
        if after.len() == rest.len() {
            break;
        }
        rest = after;
    }
    Ok(out)
}

fn inflate(from: impl Read, name: &str, truncated: bool, limit: u64) -> Result<Vec<u8>> {
    let mut out = Vec::new();
    let done = from.take(limit.saturating_add(1)).read_to_end(&mut out);
    if out.len() as u64 > limit {
        return Err(too_large(limit));
    }
    match done {
        Err(e) if !truncated => {
            Err(Error::data(format!("the {name} encoding of the body is damaged")).because(e))
        }
        _ => Ok(out),
    }
}

/// Size of the first chunk of a body, and length of its size line.
fn first_chunk(bytes: &[u8]) -> Option<(usize, usize)> {
    let end = memchr::memchr(b'\n', &bytes[..bytes.len().min(1024)])?;
    let line = std::str::from_utf8(&bytes[..end]).ok()?;
    let digits = line.split(';').next()?.trim();
    Some((usize::from_str_radix(digits, 16).ok()?, end + 1))
}

fn dechunk(bytes: &[u8], truncated: bool) -> Result<Vec<u8>> {
    let mut out = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    let damaged = || Error::data("the chunked body is damaged").expected("a chunk size and that many bytes");
    loop {
        let Some((size, line)) = first_chunk(rest) else {
            // Some servers close the connection instead of sending the empty last chunk.
            return if truncated || rest.is_empty() { Ok(out) } else { Err(damaged()) };
        };
        if size == 0 {
            return Ok(out);
        }
        rest = &rest[line..];
        let Some(chunk) = rest.get(..size) else {
            out.extend_from_slice(rest);
            return if truncated { Ok(out) } else { Err(damaged()) };
        };
        out.extend_from_slice(chunk);
        rest = &rest[size..];
        rest = rest.strip_prefix(b"\r\n").or_else(|| rest.strip_prefix(b"\n")).unwrap_or(rest);
    }
}

/// The error for a page above the size limit.
pub(crate) fn too_large(limit: u64) -> Error {
    // Rounds, because the limit in megabytes was converted to whole bytes.
    let megabytes = limit as f64 / (1 << 20) as f64;
    let limit = if megabytes < 0.001 { megabytes } else { (megabytes * 1e4).round() / 1e4 };
    Error::new(threshr_core::ErrorKind::TooLarge, "the page is too large")
        .expected(format!("at most {limit} MB"))
        .with_setting("most_bytes")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(bytes).expect("written");
        encoder.finish().expect("finished")
    }

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
        assert!(Head::parse(b"HTTP/1.1 200 OK\ncontent-encoding: compress\n\n").is_err());
        assert!(Head::parse(b"HTTP/1.1 200 OK\n\n").is_ok_and(|h| h.is_html()));
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
    fn encodings_are_decoded_in_order() {
        let page = b"<p>some page, some page, some page</p>";
        let zipped = gzip(page);
        let mut chunked = Vec::new();
        for chunk in zipped.chunks(7) {
            chunked.extend(format!("{:x};x=y\r\n", chunk.len()).bytes().chain(chunk.iter().copied()));
            chunked.extend(b"\r\n");
        }
        chunked.extend(b"0\r\n\r\n");
        let both = [Encoding::Chunked, Encoding::Gzip];
        let decoded = |bytes: &[u8], encodings: &[Encoding], truncated| {
            decode(bytes.to_vec(), encodings, truncated, 1 << 20)
        };
        assert_eq!(decoded(&chunked, &both, false).expect("whole"), page);
        // several members, and other bytes after them
        let several = [&zipped[..], &gzip(b"!"), b"\0\0\r\n"].concat();
        assert_eq!(decoded(&several, &[Encoding::Gzip], false).expect("whole"), [&page[..], b"!"].concat());
        assert!(decoded(&several[..zipped.len() - 3], &[Encoding::Gzip], false).is_err());
        // the empty last chunk is optional
        assert_eq!(decoded(&chunked[..chunked.len() - 5], &both, false).expect("whole"), page);
        // the body is already decoded
        assert_eq!(decoded(page, &both, false).expect("as it is"), page);
        assert!(decoded(&chunked[..chunked.len() - 9], &both, false).is_err());
        assert!(page.starts_with(&decoded(&chunked[..chunked.len() - 9], &both, true).expect("a part")));
        assert!(decoded(&zipped[..zipped.len() - 9], &[Encoding::Gzip], false).is_err());
        assert!(decode(zipped, &[Encoding::Gzip], false, 10).is_err_and(|e| e.message.contains("too large")));
        let (mut zlib, mut raw) = (
            flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::best()),
            flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::best()),
        );
        zlib.write_all(page).and_then(|()| raw.write_all(page)).expect("written");
        for bytes in [zlib.finish().expect("zlib"), raw.finish().expect("raw"), page.to_vec()] {
            assert_eq!(decoded(&bytes, &[Encoding::Deflate], false).expect("whole"), page);
        }
        let mut brotli = brotli::CompressorWriter::new(Vec::new(), 4096, 5, 20);
        brotli.write_all(page).expect("written");
        assert_eq!(decoded(&brotli.into_inner(), &[Encoding::Brotli], false).expect("whole"), page);
        let zstd = zstd::encode_all(&page[..], 1).expect("zstd");
        assert_eq!(decoded(&zstd, &[Encoding::Zstd], false).expect("whole"), page);
        assert!(decoded(b"ffffffffffffffff\r\nx", &[Encoding::Chunked], false).is_err());
    }
}

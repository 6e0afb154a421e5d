//! Decoding of HTTP response bodies and compressed files.

use crate::http::Encoding;
use crate::readers::compressed::{after_last, is_padding};
use crate::readers::stream::is_zstd;
use crate::sniff;
use std::io::Read;
use threshr_core::Setting;
use threshr_core::{Error, ErrorKind, Result};

/// Maximum number of nested compression layers that are removed without being declared in a header.
const MAX_PACKINGS: usize = 3;
/// Maximum decoded size of a page, in bytes, if its encoding has no signature and is found by trying each
/// decoder.
const MAX_TRIAL: u64 = 1 << 28;
const GZIP: &[u8] = b"\x1f\x8b\x08";
const ZSTD: &[u8] = b"\x28\xb5\x2f\xfd";

/// A decoded body.
#[derive(Debug)]
pub(crate) struct Decoded {
    pub bytes: Vec<u8>,
    /// The error, if the end of the body is missing or invalid; otherwise `None`.
    pub defect: Option<Error>,
}

/// Decodes a body.
///
/// Archives often store a decoded body with the header of its encoding, or a compressed body without such a
/// header. Therefore, a body that does not start like the declared encoding is not decoded, and a body that
/// starts like compressed data is decompressed. If `truncated` is true, an incomplete body is expected: its
/// decodable part is returned without a defect.
///
/// # Errors
/// If the body is corrupt or larger than `limit` bytes. A truncated body is not an error but a defect.
pub(crate) fn decode(bytes: Vec<u8>, encodings: &[Encoding], truncated: bool, limit: u64) -> Result<Decoded> {
    let mut body = Decoded { bytes, defect: None };
    for &encoding in encodings {
        let decoded = body.decode(encoding, truncated, limit);
        match decoded {
            // The actual encoding may differ from the declared one.
            Err(e) if e.kind != ErrorKind::TooLarge => {
                let other = by_trial(&body.bytes, limit).ok_or(e)?;
                body.set(other);
            }
            decoded => decoded?,
        }
    }
    body.decompress(truncated, limit)?;
    body.defect = body.defect.filter(|_| !truncated);
    Ok(body)
}

impl Decoded {
    fn set(&mut self, (bytes, defect): (Vec<u8>, Option<Error>)) {
        self.bytes = bytes;
        self.defect = self.defect.take().or(defect);
    }

    fn decode(&mut self, encoding: Encoding, truncated: bool, limit: u64) -> Result<()> {
        let bytes = &self.bytes[..];
        let next = match encoding {
            Encoding::Chunked if first_chunk(bytes).is_none() => return Ok(()),
            Encoding::Chunked => dechunk(bytes)?,
            // The body may use another compression than the declared one.
            _ if bytes.starts_with(GZIP) => gunzip(bytes, truncated, limit)?,
            _ if bytes.starts_with(ZSTD) => unzstd(bytes, truncated, limit)?,
            Encoding::Gzip | Encoding::Zstd => return Ok(()),
            Encoding::Deflate if is_zlib(bytes) => {
                inflate(flate2::bufread::ZlibDecoder::new(bytes), "deflate", truncated, limit)?
            }
            Encoding::Deflate | Encoding::Brotli if looks_like_markup(bytes) => return Ok(()),
            Encoding::Deflate => {
                inflate(flate2::bufread::DeflateDecoder::new(bytes), "deflate", truncated, limit)?
            }
            Encoding::Brotli => inflate(brotli::Decompressor::new(bytes, 4096), "br", truncated, limit)?,
        };
        self.set(next);
        Ok(())
    }

    /// Decompresses a body whose compression is not declared in a header.
    fn decompress(&mut self, truncated: bool, limit: u64) -> Result<()> {
        for _ in 0..MAX_PACKINGS {
            let next = match &self.bytes[..] {
                bytes if bytes.starts_with(GZIP) => gunzip(bytes, truncated, limit)?,
                bytes if bytes.starts_with(ZSTD) => unzstd(bytes, truncated, limit)?,
                bytes if looks_like_markup(bytes) => return Ok(()),
                bytes => match by_trial(bytes, limit) {
                    Some(next) => next,
                    None => return Ok(()),
                },
            };
            self.set(next);
        }
        Ok(())
    }
}

/// Tries the encodings that have no signature. Returns the first result that is an HTML page.
fn by_trial(bytes: &[u8], limit: u64) -> Option<(Vec<u8>, Option<Error>)> {
    let is_page = |found: &(Vec<u8>, Option<Error>)| sniff::is_html(&found.0);
    if first_chunk(bytes).is_some_and(|c| c.0 > 0) {
        return dechunk(bytes).ok().filter(|found| found.1.is_none() && looks_like_markup(&found.0));
    }
    if !sniff::may_be_packed(bytes) {
        return None;
    }
    let limit = limit.min(MAX_TRIAL);
    let zlib = || {
        let decoder = is_zlib(bytes).then(|| flate2::bufread::ZlibDecoder::new(bytes))?;
        inflate(decoder, "deflate", false, limit).ok().filter(is_page)
    };
    let brotli = || inflate(brotli::Decompressor::new(bytes, 4096), "br", false, limit).ok().filter(is_page);
    let deflate = || {
        let decoder = flate2::bufread::DeflateDecoder::new(bytes);
        inflate(decoder, "deflate", false, limit).ok().filter(is_page)
    };
    zlib().or_else(brotli).or_else(deflate)
}

/// Returns whether the bytes start with a zlib header: compression method 8, and a 16-bit value that is a
/// multiple of 31.
fn is_zlib(bytes: &[u8]) -> bool {
    matches!(bytes, [a, b, ..] if a & 15 == 8 && (u16::from(*a) << 8 | u16::from(*b)).is_multiple_of(31))
}

/// Returns whether the bytes start like markup. Raw deflate and brotli have no signature, but their data
/// never starts like markup.
fn looks_like_markup(bytes: &[u8]) -> bool {
    bytes
        .trim_ascii_start()
        .strip_prefix(b"\xef\xbb\xbf")
        .unwrap_or(bytes)
        .trim_ascii_start()
        .starts_with(b"<")
}

/// Decodes all gzip members. Other bytes after the last member are a defect, unless they are padding.
fn gunzip(bytes: &[u8], truncated: bool, limit: u64) -> Result<(Vec<u8>, Option<Error>)> {
    let (mut rest, mut out) = (bytes, Vec::new());
    while rest.starts_with(b"\x1f\x8b") {
        let mut member = flate2::bufread::GzDecoder::new(rest);
        let (bytes, defect) = inflate(&mut member, "gzip", truncated, limit - out.len() as u64)?;
        out.extend(bytes);
        let after = member.into_inner();
        // Prevents an endless loop if the decoder consumed no bytes.
        if defect.is_some() || after.len() == rest.len() {
            return Ok((out, defect));
        }
        rest = after;
    }
    Ok((out, after_last_part(bytes, rest, "gzip member")))
}

/// Decodes all zstd frames. Other bytes after the last frame are a defect, unless they are padding.
fn unzstd(bytes: &[u8], truncated: bool, limit: u64) -> Result<(Vec<u8>, Option<Error>)> {
    let (mut rest, mut out) = (bytes, Vec::new());
    while is_zstd(rest) {
        let decoder = zstd::stream::read::Decoder::with_buffer(rest)
            .map_err(|e| Error::data("the zstd encoding of the body is corrupt").because(e))?;
        let mut frame = decoder.single_frame();
        let (bytes, defect) = inflate(&mut frame, "zstd", truncated, limit - out.len() as u64)?;
        out.extend(bytes);
        let after = frame.finish();
        // Prevents an endless loop if the decoder consumed no bytes.
        if defect.is_some() || after.len() == rest.len() {
            return Ok((out, defect));
        }
        rest = after;
    }
    Ok((out, after_last_part(bytes, rest, "zstd frame")))
}

/// Returns the defect of a body with other bytes than padding after its last part.
fn after_last_part(bytes: &[u8], rest: &[u8], kind: &str) -> Option<Error> {
    let end = (bytes.len() - rest.len()) as u64;
    (!is_padding(rest)).then(|| Error::data(after_last(rest.len() as u64, kind, end)))
}

/// Decodes the whole stream. If it ends too early and some bytes were decoded, returns these bytes together
/// with the error.
fn inflate(from: impl Read, name: &str, truncated: bool, limit: u64) -> Result<(Vec<u8>, Option<Error>)> {
    let mut out = Vec::new();
    let done = from.take(limit.saturating_add(1)).read_to_end(&mut out);
    if out.len() as u64 > limit {
        return Err(too_large(limit));
    }
    let Err(e) = done else { return Ok((out, None)) };
    let is_cut = e.kind() == std::io::ErrorKind::UnexpectedEof;
    let what = if is_cut { "truncated" } else { "corrupt" };
    let error = Error::data(format!("the {name} encoding of the body is {what} after {} bytes", out.len()));
    if truncated || is_cut && !out.is_empty() { Ok((out, Some(error))) } else { Err(error.because(e)) }
}

/// Returns the size of the first chunk of a body and the length of its size line.
fn first_chunk(bytes: &[u8]) -> Option<(usize, usize)> {
    let end = memchr::memchr(b'\n', &bytes[..bytes.len().min(1024)])?;
    let line = std::str::from_utf8(&bytes[..end]).ok()?;
    let digits = line.split(';').next()?.trim();
    Some((usize::from_str_radix(digits, 16).ok()?, end + 1))
}

/// Joins the chunks of a body. If a chunk is truncated or has no size line, returns the bytes before the
/// defect together with an error.
fn dechunk(bytes: &[u8]) -> Result<(Vec<u8>, Option<Error>)> {
    let mut out = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    loop {
        let (size, line) = match first_chunk(rest) {
            Some((0, _)) => return Ok((out, None)),
            // Some servers close the connection instead of sending the empty last chunk.
            None if rest.is_empty() => return Ok((out, None)),
            chunk => chunk.unwrap_or((usize::MAX, 0)),
        };
        rest = &rest[line..];
        let Some(chunk) = rest.get(..size) else {
            let at = bytes.len() - rest.len();
            // Bytes without a valid chunk size are not part of the page.
            out.extend_from_slice(if line > 0 { rest } else { &[] });
            let error = Error::data(format!("the chunked body is truncated or corrupt at byte {at}"))
                .expected("a chunk size and that many bytes");
            return if out.is_empty() { Err(error) } else { Ok((out, Some(error))) };
        };
        out.extend_from_slice(chunk);
        rest = &rest[size..];
        rest = rest.strip_prefix(b"\r\n").or_else(|| rest.strip_prefix(b"\n")).unwrap_or(rest);
    }
}

/// Returns the error for a page above the size limit.
pub(crate) fn too_large(limit: u64) -> Error {
    // Rounds the value, because the limit in megabytes was converted to whole bytes.
    let megabytes = limit as f64 / (1 << 20) as f64;
    let limit = if megabytes < 0.001 { megabytes } else { (megabytes * 1e4).round() / 1e4 };
    Error::new(ErrorKind::TooLarge, "the page is too large")
        .expected(format!("at most {limit} MB"))
        .with_setting(Setting::MaxBytes)
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
            decode(bytes.to_vec(), encodings, truncated, 1 << 20).map(|d| d.bytes)
        };
        assert_eq!(decoded(&chunked, &both, false).expect("whole"), page);
        // several gzip members, followed by other bytes
        let several = [&zipped[..], &gzip(b"!"), b"\0\0\r\n"].concat();
        assert_eq!(decoded(&several, &[Encoding::Gzip], false).expect("whole"), [&page[..], b"!"].concat());
        for (part, kind) in
            [(&zipped, "gzip member"), (&zstd::encode_all(&page[..], 1).expect("zstd"), "zstd frame")]
        {
            for encodings in [&[Encoding::Gzip][..], &[]] {
                let body = [&part[..], &part[..], b"<p>more"].concat();
                let found = decode(body, encodings, false, 1 << 20).expect("a page");
                assert_eq!(found.bytes, [&page[..], page].concat());
                let told = format!("7 bytes after the last {kind}, which ends at byte {}", 2 * part.len());
                assert!(found.defect.is_some_and(|e| e.message.starts_with(&told)), "{told}");
            }
        }
        // the decodable part of a truncated body
        let cut =
            decode(several[..zipped.len() - 3].to_vec(), &[Encoding::Gzip], false, 1 << 20).expect("a part");
        assert!(
            cut.bytes == page && cut.defect.is_some_and(|e| e.message.contains("truncated after 38 bytes"))
        );
        // the empty last chunk is optional
        assert_eq!(decoded(&chunked[..chunked.len() - 5], &both, false).expect("whole"), page);
        // the body is already decoded
        assert_eq!(decoded(page, &both, false).expect("as it is"), page);
        let cut = decode(chunked[..chunked.len() - 9].to_vec(), &both, false, 1 << 20).expect("a part");
        assert!(page.starts_with(&cut.bytes) && cut.defect.is_some_and(|e| e.message.contains("chunked")));
        assert!(page.starts_with(&decoded(&chunked[..chunked.len() - 9], &both, true).expect("a part")));
        let mut damaged = zipped.clone();
        damaged[20] ^= 0x55;
        assert!(decoded(&damaged, &[Encoding::Gzip], false).is_err());
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
        assert!(decoded(b"ffffffffffffffff\r\n", &[Encoding::Chunked], false).is_err());
    }

    #[test]
    fn packings_without_a_header_are_found() {
        let page = format!("<!DOCTYPE html><title>x</title>{}", "<p>some text of a page</p>".repeat(9));
        let page = page.as_bytes();
        let (mut zlib, mut raw) = (
            flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::best()),
            flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::best()),
        );
        zlib.write_all(page).and_then(|()| raw.write_all(page)).expect("written");
        let mut brotli = brotli::CompressorWriter::new(Vec::new(), 4096, 5, 20);
        brotli.write_all(page).expect("written");
        let compressed = [
            gzip(page),
            gzip(&gzip(page)),
            zstd::encode_all(page, 1).expect("zstd"),
            zlib.finish().expect("zlib"),
            raw.finish().expect("raw"),
            brotli.into_inner(),
            [format!("{:x}\r\n", page.len()).as_bytes(), page, b"\r\n0\r\n\r\n"].concat(),
        ];
        for (i, bytes) in compressed.iter().enumerate() {
            // no header, or a header with another compression
            let headers: [&[Encoding]; 3] = [&[], &[Encoding::Gzip], &[Encoding::Zstd]];
            for encodings in headers {
                let found = decode(bytes.clone(), encodings, false, 1 << 20).expect("a page");
                assert!(found.bytes == page && found.defect.is_none(), "{i} {encodings:?}");
            }
        }
        for encodings in [[Encoding::Brotli], [Encoding::Deflate]] {
            for bytes in &compressed {
                assert_eq!(decode(bytes.clone(), &encodings, false, 1 << 20).expect("a page").bytes, page);
            }
        }
        // a decompression bomb, and bytes that are not a page
        assert!(decode(gzip(&[b' '; 1 << 20]), &[], false, 1 << 10).is_err());
        for other in [&b"12\r\nfourteen pages"[..], b"\0\x01\x02\x03", b"\x78\x9c\x01\x02", b""] {
            assert_eq!(decode(other.to_vec(), &[], false, 1 << 20).expect("as it is").bytes, other);
        }
    }
}

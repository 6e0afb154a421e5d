//! Items that readers return: pages as stored, failures, and records that are not pages.

use crate::readers::stream;
use crate::{http, names};
use std::io::Read;
use std::path::{Path, PathBuf};
use threshr_core::{Error, Result};

/// An item of an input.
#[derive(Debug)]
pub enum Item {
    /// A page.
    Page(RawPage),
    /// A page that cannot be read. The reader continues with the next item.
    Failed(Unread),
    /// A record that is not a page, with the reason, such as `status other than 2xx`.
    Skipped(&'static str),
}

/// A page that cannot be read.
#[derive(Debug)]
pub struct Unread {
    /// Id of the page. If the id cannot be read, the file name and the position in the file.
    pub id: String,
    /// URL of the page, if known.
    pub url: Option<String>,
    /// Date of the fetch, if known.
    pub date: Option<String>,
    /// The reason for the failure.
    pub error: Error,
}

/// A page as it is stored.
#[derive(Debug)]
pub struct RawPage {
    /// Id of the page: the file name without extension, the record id, or the value of a field.
    pub id: String,
    /// URL of the page, if known.
    pub url: Option<String>,
    /// Date of the fetch, in the format of the source (WARC: `2026-01-31T12:00:00Z`).
    pub date: Option<String>,
    /// Charset that is declared outside the page, in an HTTP header or a field.
    pub charset: Option<String>,
    /// Bytes of the page, or their location.
    pub body: Body,
    /// Defect of a page that is nevertheless readable, such as a missing end.
    pub defect: Option<Error>,
}

/// The bytes of a page, or their location.
#[derive(Debug)]
pub enum Body {
    /// In a file or pipe.
    File(PathBuf),
    /// On standard input.
    Stdin,
    /// In a stream.
    Stream(Stream),
    /// In memory.
    Bytes(Vec<u8>),
    /// In memory, with the encodings of an HTTP message still applied.
    Encoded {
        /// The body as sent.
        bytes: Vec<u8>,
        /// The encodings, in decoding order.
        encodings: Vec<http::Encoding>,
        /// Whether the record is declared as truncated. If so, an incomplete body is accepted.
        truncated: bool,
    },
}

/// The bytes of a page that are not read yet.
pub struct Stream(pub Box<dyn Read + Send>);

impl std::fmt::Debug for Stream {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Stream")
    }
}

/// Decoded content of a page.
#[derive(Debug)]
pub struct Loaded {
    /// The HTML, in the original charset of the page.
    pub bytes: Vec<u8>,
    /// Defect of a page that is nevertheless readable, such as a missing end.
    pub defect: Option<Error>,
}

impl RawPage {
    /// Creates a page from a file, or from standard input if the path is `-`. The id is the file name
    /// without extension: `a` for `a.html` and `a.html.gz`.
    pub fn at(path: &Path) -> RawPage {
        let is_stdin = path.as_os_str() == "-";
        let body = if is_stdin { Body::Stdin } else { Body::File(path.to_path_buf()) };
        let id = if is_stdin { "-".to_owned() } else { names::stem(path) };
        RawPage { id, url: None, date: None, charset: None, body, defect: None }
    }

    /// Returns the file of the page, if the file contains only this page.
    pub fn path(&self) -> Option<&Path> {
        match &self.body {
            Body::File(path) => Some(path),
            _ => None,
        }
    }

    /// Returns the number of bytes that the page occupies in memory.
    pub fn size(&self) -> usize {
        match &self.body {
            Body::File(_) | Body::Stdin | Body::Stream(_) => 0,
            Body::Bytes(bytes) | Body::Encoded { bytes, .. } => bytes.len(),
        }
    }

    /// Reads and decodes the bytes. Decompresses gzip, zstd, brotli and deflate.
    ///
    /// # Errors
    /// If the bytes cannot be read or decoded. [`ErrorKind::TooLarge`](threshr_core::ErrorKind::TooLarge)
    /// if there are more than `limit` bytes; reading stops at the limit. If `limit` is `None`, the limit is
    /// 1 GB.
    pub fn load(self, limit: Option<u64>) -> Result<Loaded> {
        const MOST: u64 = 1 << 30;
        let limit = limit.unwrap_or(MOST);
        let (bytes, encodings, truncated) = match self.body {
            Body::File(path) => {
                let length = std::fs::metadata(&path).map_or(0, |m| m.len());
                let read = stream::open(&path).and_then(|file| read_all(file, length, limit));
                let bytes = read.map_err(|e| Error::io(&path, e))?;
                // Brotli has no signature, so only the extension identifies it.
                let is_brotli = path.extension().is_some_and(|e| e.eq_ignore_ascii_case("br"));
                let encodings = if is_brotli { vec![http::Encoding::Brotli] } else { Vec::new() };
                (bytes, encodings, false)
            }
            Body::Stdin => {
                let read = stream::open(Path::new("-")).and_then(|stdin| read_all(stdin, 0, limit));
                (read.map_err(|e| Error::io("-", e))?, Vec::new(), false)
            }
            Body::Stream(Stream(stream)) => {
                let read = read_all(stream, 0, limit);
                (read.map_err(|e| Error::io(&self.id, e))?, Vec::new(), false)
            }
            Body::Bytes(bytes) => (bytes, Vec::new(), false),
            Body::Encoded { bytes, encodings, truncated } => (bytes, encodings, truncated),
        };
        // Fails early: a compressed page above the limit would be even larger after decompression.
        if encodings.is_empty() && bytes.len() as u64 > limit {
            return Err(http::too_large(limit));
        }
        let http::Decoded { bytes, defect } = http::decode(bytes, &encodings, truncated, limit)?;
        if bytes.len() as u64 > limit {
            return Err(http::too_large(limit));
        }
        Ok(Loaded { bytes, defect: self.defect.or(defect) })
    }
}

/// Reads at most `limit` + 1 bytes, so that the caller can detect more than `limit` bytes. `length` is the
/// expected number of bytes, or 0 if it is unknown.
fn read_all(from: impl Read, length: u64, limit: u64) -> std::io::Result<Vec<u8>> {
    // The reported length may be wrong.
    let mut bytes = Vec::with_capacity(length.min(limit).min(1 << 24) as usize + 1);
    from.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn a_cut_brotli_file_is_named() {
        let dir = tempfile::tempdir().expect("a folder");
        let path = dir.path().join("a.html.br");
        let page: String = (0..2_000).map(|i| format!("<p>{}", i * i % 7_919)).collect();
        let mut brotli = brotli::CompressorWriter::new(Vec::new(), 4096, 5, 20);
        brotli.write_all(page.as_bytes()).expect("written");
        let bytes = brotli.into_inner();
        std::fs::write(&path, &bytes).expect("written");
        assert_eq!(RawPage::at(&path).load(None).expect("a page").bytes, page.as_bytes());
        std::fs::write(&path, &bytes[..bytes.len() / 2]).expect("written");
        let error = match RawPage::at(&path).load(None) {
            Ok(loaded) => loaded.defect,
            Err(error) => Some(error),
        };
        assert!(error.is_some_and(|e| e.to_string().contains("the br encoding of the body is")));
    }
}

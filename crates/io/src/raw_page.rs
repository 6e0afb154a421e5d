//! Items of readers: pages as they are stored, failures, and records that are not pages.

use crate::http;
use std::io::Read;
use std::path::{Path, PathBuf};
use threshr_core::{Error, Result};

/// An item of an input.
#[derive(Debug)]
pub enum Item {
    /// A page.
    Page(RawPage),
    /// A page that cannot be read. The reader goes on with the next item.
    Failed(Unread),
    /// A record that is not a page, with the reason, such as `not HTML`.
    Skipped(&'static str),
}

/// A page that cannot be read.
#[derive(Debug)]
pub struct Unread {
    /// Its id. If the id cannot be read, the name of the file and the position in it.
    pub id: String,
    /// Its URL, if known.
    pub url: Option<String>,
    /// When it was fetched, if known.
    pub date: Option<String>,
    /// The reason.
    pub error: Error,
}

/// A page as it is stored.
#[derive(Debug)]
pub struct RawPage {
    /// Its id: the file name without extension, the record id, or the value of a field.
    pub id: String,
    /// Its URL, if known.
    pub url: Option<String>,
    /// When it was fetched, in the form of the source (WARC: `2026-01-31T12:00:00Z`).
    pub date: Option<String>,
    /// Charset from outside the page: HTTP header or field.
    pub charset: Option<String>,
    /// Its bytes, or where they are.
    pub body: Body,
    /// What is wrong with it although it can be read, such as a missing end.
    pub defect: Option<Error>,
}

/// The bytes of a page, or where they are.
#[derive(Debug)]
pub enum Body {
    /// In a file.
    File(PathBuf),
    /// On standard input.
    Stdin,
    /// In memory.
    Bytes(Vec<u8>),
    /// In memory, with the encodings of an HTTP message.
    Encoded {
        /// The body as sent.
        bytes: Vec<u8>,
        /// The encodings, in decoding order.
        encodings: Vec<http::Encoding>,
        /// Whether the record is marked as truncated. Then an incomplete body is accepted.
        truncated: bool,
    },
}

/// The decoded bytes of a page.
#[derive(Debug)]
pub struct Loaded {
    /// The HTML, in the charset of the page.
    pub bytes: Vec<u8>,
    /// What is wrong with it although it can be read, such as a missing end.
    pub defect: Option<Error>,
}

impl RawPage {
    /// The page in a file, or on standard input if the path is `-`. Its id is the file name without
    /// extension: `a` for `a.html` and `a.html.gz`.
    pub fn at(path: &Path) -> RawPage {
        let (id, body) = if path.as_os_str() == "-" {
            ("-".to_owned(), Body::Stdin)
        } else {
            let id = unpacked_name(path).file_stem().map(|s| s.to_string_lossy().into_owned());
            (id.unwrap_or_default(), Body::File(path.to_path_buf()))
        };
        RawPage { id, url: None, date: None, charset: None, body, defect: None }
    }

    /// Its file, if it has one of its own.
    pub fn path(&self) -> Option<&Path> {
        match &self.body {
            Body::File(path) => Some(path),
            _ => None,
        }
    }

    /// Bytes that it occupies in memory.
    pub fn size(&self) -> usize {
        match &self.body {
            Body::File(_) | Body::Stdin => 0,
            Body::Bytes(bytes) | Body::Encoded { bytes, .. } => bytes.len(),
        }
    }

    /// Reads and decodes the bytes. Packed pages are unpacked: gzip, zstd, brotli, deflate.
    ///
    /// # Errors
    /// If they cannot be read or decoded. [`ErrorKind::TooLarge`](threshr_core::ErrorKind::TooLarge) if there
    /// are more than `limit` bytes; reading stops there. Without a limit, 1 GB is the limit.
    pub fn load(self, limit: Option<u64>) -> Result<Loaded> {
        const MOST: u64 = 1 << 30;
        let limit = limit.unwrap_or(MOST);
        let (bytes, encodings, truncated) = match self.body {
            Body::File(path) => {
                let file = std::fs::File::open(&path).map_err(|e| Error::io(&path, e))?;
                let length = file.metadata().map_or(0, |m| m.len());
                let bytes = read_all(file, length, limit).map_err(|e| Error::io(&path, e))?;
                // Brotli has no signature.
                let is_brotli = path.extension().is_some_and(|e| e.eq_ignore_ascii_case("br"));
                let encodings = if is_brotli { vec![http::Encoding::Brotli] } else { Vec::new() };
                (bytes, encodings, false)
            }
            Body::Stdin => {
                let bytes = read_all(std::io::stdin().lock(), 0, limit).map_err(|e| Error::io("-", e))?;
                (bytes, Vec::new(), false)
            }
            Body::Bytes(bytes) => (bytes, Vec::new(), false),
            Body::Encoded { bytes, encodings, truncated } => (bytes, encodings, truncated),
        };
        // A packed page above the limit is only more above it when it is unpacked.
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

/// Extensions of packed files.
pub(crate) const PACKINGS: [&str; 5] = ["gz", "zst", "br", "zstd", "gzip"];

/// A path without the extension of a packing: `a.html` for `a.html.gz`.
pub(crate) fn unpacked_name(path: &Path) -> PathBuf {
    let is_packed = path.extension().is_some_and(|e| PACKINGS.iter().any(|p| e.eq_ignore_ascii_case(p)));
    if is_packed { path.with_extension("") } else { path.to_path_buf() }
}

/// Reads at most `limit` + 1 bytes: one more than `limit` shows that there are more. `length` is the expected
/// number of bytes, or 0.
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

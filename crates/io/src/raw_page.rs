//! What readers give: pages as they were stored, and what is left out.

use crate::http;
use std::io::Read;
use std::path::{Path, PathBuf};
use threshr_core::{Error, Result};

/// What a reader finds next.
#[derive(Debug)]
pub enum Item {
    /// A page.
    Page(RawPage),
    /// A page that is damaged; the ones after it are not.
    Failed(Unread),
    /// Something that is no page, with what it is: `not HTML`, say.
    Skipped(&'static str),
}

/// A page that could not be read.
#[derive(Debug)]
pub struct Unread {
    /// Its id; where that is lost too, the name of its file and its place in it.
    pub id: String,
    /// Its address, where known.
    pub url: Option<String>,
    /// When it was fetched, where known.
    pub date: Option<String>,
    /// Why.
    pub error: Error,
}

/// A page as it was stored.
#[derive(Debug)]
pub struct RawPage {
    /// Its id: name of its file without the ending, record id, or what a field says.
    pub id: String,
    /// Its address, where known.
    pub url: Option<String>,
    /// When it was fetched, as the source says it (WARC: `2026-01-31T12:00:00Z`).
    pub date: Option<String>,
    /// Charset from outside of the page: HTTP header or field.
    pub charset: Option<String>,
    /// Where its bytes are.
    pub body: Body,
}

/// Where a page's bytes are.
#[derive(Debug)]
pub enum Body {
    /// In a file.
    File(PathBuf),
    /// On standard input.
    Stdin,
    /// Here.
    Bytes(Vec<u8>),
    /// Here, in an HTTP message's encodings.
    Encoded {
        /// The body as it was sent.
        bytes: Vec<u8>,
        /// What was done to it, in order.
        encodings: Vec<http::Encoding>,
        /// Whether the record says that its end is missing, so that what is there must do.
        truncated: bool,
    },
}

/// The bytes of a page.
#[derive(Debug)]
pub struct Loaded {
    /// The HTML, in the page's charset.
    pub bytes: Vec<u8>,
}

impl RawPage {
    /// The page in a file (its id is the name without the ending), or on standard input where the path is `-`.
    pub fn at(path: &Path) -> RawPage {
        let (id, body) = if path.as_os_str() == "-" {
            ("-".to_owned(), Body::Stdin)
        } else {
            let id = path.file_stem().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default();
            (id, Body::File(path.to_path_buf()))
        };
        RawPage { id, url: None, date: None, charset: None, body }
    }

    /// Its file, where it has one of its own.
    pub fn path(&self) -> Option<&Path> {
        match &self.body {
            Body::File(path) => Some(path),
            _ => None,
        }
    }

    /// Bytes that it takes in memory now.
    pub fn size(&self) -> usize {
        match &self.body {
            Body::File(_) | Body::Stdin => 0,
            Body::Bytes(bytes) | Body::Encoded { bytes, .. } => bytes.len(),
        }
    }

    /// Reads and decodes the bytes.
    ///
    /// # Errors
    /// Where they cannot be read, are damaged, or more than `limit`, which stops the reading there.
    pub fn load(self, limit: Option<u64>) -> Result<Loaded> {
        let limit = limit.unwrap_or(u64::MAX - 1);
        let bytes = match self.body {
            Body::File(path) => {
                let file = std::fs::File::open(&path).map_err(|e| Error::io(&path, e))?;
                let length = file.metadata().map_or(0, |m| m.len());
                read_all(file, length, limit).map_err(|e| Error::io(&path, e))?
            }
            Body::Stdin => read_all(std::io::stdin().lock(), 0, limit).map_err(|e| Error::io("-", e))?,
            Body::Bytes(bytes) => bytes,
            Body::Encoded { bytes, encodings, truncated } => {
                http::decode(bytes, &encodings, truncated, limit)?
            }
        };
        if bytes.len() as u64 > limit {
            return Err(too_large(limit));
        }
        Ok(Loaded { bytes })
    }
}

/// `length`: how many bytes there should be, or 0. A byte more than `limit` tells that there is more.
fn read_all(from: impl Read, length: u64, limit: u64) -> std::io::Result<Vec<u8>> {
    // a file system may say what it likes
    let mut bytes = Vec::with_capacity(length.min(limit).min(1 << 24) as usize + 1);
    from.take(limit + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The error of a page beyond the limit.
pub(crate) fn too_large(limit: u64) -> Error {
    // what was asked for was cut to whole bytes
    let megabytes = limit as f64 / (1 << 20) as f64;
    let limit = if megabytes < 0.001 { megabytes } else { (megabytes * 1e4).round() / 1e4 };
    Error::new(threshr_core::ErrorKind::TooLarge, "the page is too large")
        .expected(format!("at most {limit} MB, or another --page-mb"))
}

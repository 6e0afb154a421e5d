//! A page of an annotated set: the location of its HTML, and its gold.

use crate::gold::CleanevalWrapper;
use crate::labelling::Annotation;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use threshr_core::{Error, Result, site_of};
use threshr_html::{Labelling, ParseOptions};
use threshr_io::{read_bytes, read_geometry};

/// Compression level of pages that are kept in memory.
const LEVEL: i32 = 1;

/// The gold of a page.
#[derive(Debug, Clone)]
pub enum Gold {
    /// The content as a string.
    Text {
        /// The content text, one block per line.
        text: String,
        /// The text with `<p>`, `<h>`, `<l>` before each segment, if the set has this markup.
        markup: Option<String>,
    },
    /// Labels in the page itself.
    InPage(Annotation),
}

impl Gold {
    /// Creates gold text without markup.
    pub fn text(text: impl Into<String>) -> Gold {
        Gold::Text { text: text.into(), markup: None }
    }
}

/// The location of a page's HTML.
#[derive(Debug, Clone, Default)]
pub enum Html {
    /// The HTML is in its own file at [`GoldPage::path`], which may be compressed.
    #[default]
    File,
    /// The HTML is in a record of a file, at [`GoldPage::path`] and [`GoldPage::line`]. The value is the compressed
    /// HTML in memory.
    Record(Arc<[u8]>),
}

impl Html {
    /// Stores HTML from a record.
    ///
    /// # Errors
    /// If the HTML cannot be compressed.
    pub fn record(html: &str) -> Result<Html> {
        Html::bytes(html.as_bytes())
    }

    /// Stores the bytes of a page, in any charset, in memory like the HTML of a record.
    ///
    /// # Errors
    /// If the bytes cannot be compressed.
    pub fn bytes(html: &[u8]) -> Result<Html> {
        let compressed = zstd::encode_all(html, LEVEL);
        compressed
            .map(|p| Html::Record(p.into()))
            .map_err(|e| Error::data("the page cannot be compressed").because(e))
    }
}

/// A page of an annotated set.
#[derive(Debug, Clone, Default)]
pub struct GoldPage {
    /// Id of the page, unique within the set.
    pub id: String,
    /// Path of the HTML file, or of the file that contains the record.
    pub path: PathBuf,
    /// Line number of the record, if the page is in a record.
    pub line: Option<u64>,
    /// The HTML, or its location.
    pub html: Html,
    /// URL of the page, if known.
    pub url: Option<String>,
    /// Language according to the set.
    pub lang: Option<String>,
    /// Charset according to the set.
    pub charset: Option<String>,
    /// Site of the page: the registrable domain of the URL, or the site given by the set. If `None`, the URL
    /// in the page itself determines the site. A page without any URL counts as a separate site.
    pub site: Option<String>,
    /// Page type according to the set.
    pub page_type: Option<String>,
    /// The gold, if any.
    pub gold: Option<Gold>,
    /// Texts of blocks that the annotators labelled as unsure. Training excludes these blocks.
    pub unsure: Vec<String>,
    /// Snippets that the content must and must not contain.
    pub snippets: Snippets,
    /// The posts of the page's thread; may be empty.
    pub posts: Vec<GoldPost>,
}

/// A post of a thread according to the set.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct GoldPost {
    /// Text of the post.
    pub text: String,
    /// Author: a name, or the URL of the author's page as written in the page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub author: Option<String>,
    /// Date as shown on the page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub date: Option<String>,
    /// URL of the post.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub link: Option<String>,
}

/// Text snippets for evaluating extractions.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Snippets {
    /// Snippets that must be in the content.
    pub with: Vec<String>,
    /// Snippets that must not be in the content.
    pub without: Vec<String>,
    /// Snippets of readers' comments, used in training. The policy determines whether they are content.
    pub comments: Vec<String>,
}

impl Snippets {
    /// Returns whether there are no snippets to evaluate. Snippets of comments are ignored.
    pub fn is_empty(&self) -> bool {
        self.with.is_empty() && self.without.is_empty()
    }
}

impl GoldPage {
    /// Creates a page without gold whose HTML is in its own file.
    pub fn in_file(id: impl Into<String>, path: impl Into<PathBuf>) -> GoldPage {
        GoldPage { id: id.into(), path: path.into(), ..GoldPage::default() }
    }

    /// Sets the URL in the gold as the URL of the page, if the page has no URL.
    pub(crate) fn with_url(self, stated: Option<String>) -> GoldPage {
        match (&self.url, stated) {
            (None, Some(url)) => {
                GoldPage { site: self.site.clone().or_else(|| site_of(&url)), url: Some(url), ..self }
            }
            _ => self,
        }
    }

    /// Adds the charset, the labels and the wrapper of this page to parse options.
    pub fn parse_options(&self, options: ParseOptions) -> ParseOptions {
        let labelling = match &self.gold {
            Some(Gold::InPage(annotation)) => Some(Arc::new(annotation.clone()) as Arc<dyn Labelling>),
            _ => None,
        };
        ParseOptions { charset: self.charset.clone(), labelling, unwrap: Some(&CleanevalWrapper), ..options }
    }

    /// Returns the decompressed bytes of the page.
    ///
    /// # Errors
    /// If the bytes cannot be read. The error contains the path and the line number.
    pub fn load(&self) -> Result<Vec<u8>> {
        match &self.html {
            Html::File => read_bytes(&self.path),
            Html::Record(compressed) => zstd::decode_all(&compressed[..])
                .map_err(|e| self.placed(Error::data("the page cannot be decompressed").because(e))),
        }
    }

    /// Returns the path and the content of the geometry file, if there is one. Only pages in their own files have
    /// geometry.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn geometry(&self) -> Result<Option<(PathBuf, Vec<u8>)>> {
        match self.own_file() {
            Some(path) => read_geometry(path),
            None => Ok(None),
        }
    }

    /// Returns the path of the page's HTML file; `None` if the page is in a record.
    pub fn own_file(&self) -> Option<&Path> {
        matches!(self.html, Html::File).then_some(self.path.as_path())
    }

    /// Adds the path and the line number of the page to an error.
    pub fn placed(&self, error: Error) -> Error {
        let line = self.line.filter(|_| self.own_file().is_none() && error.place.path.is_none());
        let error = error.at_path(&self.path);
        match line {
            Some(line) => error.at_line(line),
            None => error,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_read_from_files_and_records() {
        let dir = tempfile::tempdir().expect("a folder");
        let path = dir.path().join("1.html.zst");
        std::fs::write(&path, zstd::encode_all(&b"<p>x"[..], 1).expect("compressed")).expect("written");
        let page = GoldPage::in_file("1", &path);
        assert_eq!(page.load().expect("read"), b"<p>x");
        assert_eq!(page.own_file(), Some(&*path));
        let page = GoldPage { html: Html::record("<p>é").expect("compressed"), line: Some(7), ..page };
        assert_eq!(page.load().expect("read"), "<p>é".as_bytes());
        assert!(page.own_file().is_none() && page.geometry().expect("none").is_none());
        let error = page.placed(Error::data("x"));
        assert_eq!((error.place.line, error.place.path.as_deref()), (Some(7), Some(&*path)));
    }
}

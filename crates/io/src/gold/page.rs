//! A page of an annotated set: where its HTML is, and its gold.

use crate::gold::read_bytes;
use crate::read_geometry;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use threshr_core::{Error, Result};
use threshr_html::Annotation;

/// Compression of pages that are kept in memory.
const LEVEL: i32 = 1;

/// The gold of a page.
#[derive(Debug, Clone)]
pub enum Gold {
    /// The content as text.
    Text {
        /// One block per line.
        text: String,
        /// The same with `<p>`, `<h>`, `<l>` before each segment, if the set has this markup.
        markup: Option<String>,
    },
    /// Labels in the page itself.
    InPage(Annotation),
}

impl Gold {
    /// Gold text without markup.
    pub fn text(text: impl Into<String>) -> Gold {
        Gold::Text { text: text.into(), markup: None }
    }
}

/// Where the HTML of a page is.
#[derive(Debug, Clone, Default)]
pub enum Html {
    /// In a file of its own: [`GoldPage::path`]; it may be packed.
    #[default]
    File,
    /// In a record of a file: [`GoldPage::path`] and [`GoldPage::line`]. It is kept in memory, packed.
    Record(Arc<[u8]>),
}

impl Html {
    /// HTML in a record.
    ///
    /// # Errors
    /// If it cannot be packed.
    pub fn record(html: &str) -> Result<Html> {
        Html::bytes(html.as_bytes())
    }

    /// Bytes of a page, of any charset, that are kept in memory like a record.
    ///
    /// # Errors
    /// If they cannot be packed.
    pub fn bytes(html: &[u8]) -> Result<Html> {
        let packed = zstd::encode_all(html, LEVEL);
        packed
            .map(|p| Html::Record(p.into()))
            .map_err(|e| Error::data("the page cannot be packed").because(e))
    }
}

/// A page of an annotated set.
#[derive(Debug, Clone, Default)]
pub struct GoldPage {
    /// Its id, unique within the set.
    pub id: String,
    /// The file of the page, or the file that has its record.
    pub path: PathBuf,
    /// The line of its record, if it has one.
    pub line: Option<u64>,
    /// Where its HTML is.
    pub html: Html,
    /// Its URL.
    pub url: Option<String>,
    /// Its language according to the set.
    pub lang: Option<String>,
    /// Its charset according to the set.
    pub charset: Option<String>,
    /// Its site: the registrable domain of the URL, or the site according to the set. If `None`, the URL that
    /// the page itself states decides; without one, the page is a site of its own.
    pub site: Option<String>,
    /// Its page type according to the set.
    pub page_type: Option<String>,
    /// Its gold, if any.
    pub gold: Option<Gold>,
    /// Texts of blocks of which the annotators could not say what they are. Training leaves these blocks out.
    pub unsure: Vec<String>,
    /// Snippets that its content must and must not contain; may be empty.
    pub snippets: Snippets,
}

/// Text snippets for the evaluation of extractions.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Snippets {
    /// Snippets of the content.
    pub with: Vec<String>,
    /// Snippets of boilerplate.
    pub without: Vec<String>,
    /// Snippets of readers' comments. Training reads them; whether they are content is for the policy to say.
    pub comments: Vec<String>,
}

impl Snippets {
    /// Whether there are no snippets.
    pub fn is_empty(&self) -> bool {
        self.with.is_empty() && self.without.is_empty()
    }
}

impl GoldPage {
    /// A page in a file of its own, without gold.
    pub fn in_file(id: impl Into<String>, path: impl Into<PathBuf>) -> GoldPage {
        GoldPage { id: id.into(), path: path.into(), ..GoldPage::default() }
    }

    /// The annotation to read while the page is parsed, if the labels are inside the page.
    pub fn annotation(&self) -> Option<Annotation> {
        match &self.gold {
            Some(Gold::InPage(annotation)) => Some(annotation.clone()),
            _ => None,
        }
    }

    /// The bytes of the page, unpacked.
    ///
    /// # Errors
    /// If they cannot be read; the error has the path and the line.
    pub fn load(&self) -> Result<Vec<u8>> {
        match &self.html {
            Html::File => read_bytes(&self.path),
            Html::Record(packed) => zstd::decode_all(&packed[..])
                .map_err(|e| self.placed(Error::data("the page cannot be unpacked").because(e))),
        }
    }

    /// The path and the bytes of its geometry file, if there is one. Only a page in a file of its own has one.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn geometry(&self) -> Result<Option<(PathBuf, Vec<u8>)>> {
        match self.own_file() {
            Some(path) => read_geometry(path),
            None => Ok(None),
        }
    }

    /// Its file, if it has one of its own.
    pub fn own_file(&self) -> Option<&Path> {
        matches!(self.html, Html::File).then_some(self.path.as_path())
    }

    /// The error with the place of the page.
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
        std::fs::write(&path, zstd::encode_all(&b"<p>x"[..], 1).expect("packed")).expect("written");
        let page = GoldPage::in_file("1", &path);
        assert_eq!(page.load().expect("read"), b"<p>x");
        assert_eq!(page.own_file(), Some(&*path));
        let page = GoldPage { html: Html::record("<p>é").expect("packed"), line: Some(7), ..page };
        assert_eq!(page.load().expect("read"), "<p>é".as_bytes());
        assert!(page.own_file().is_none() && page.geometry().expect("none").is_none());
        let error = page.placed(Error::data("x"));
        assert_eq!((error.place.line, error.place.path.as_deref()), (Some(7), Some(&*path)));
    }
}

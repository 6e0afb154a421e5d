//! Texts that another tool made of a set's pages.

use crate::Outcome;
use rustc_hash::FxHashMap;
use std::path::{Path, PathBuf};
use threshr_core::{Error, Result};
use threshr_io::gold::read_bytes;
use threshr_train::Corpus;

/// Texts by page, read from JSON lines with `id` and `text`.
#[derive(Debug)]
pub struct Predictions {
    path: PathBuf,
    texts: FxHashMap<String, String>,
}

impl Predictions {
    /// Reads a file of JSON lines.
    ///
    /// # Errors
    /// Where a line has no id, or one that an earlier line has, or no text; `null` is a text where nothing was found.
    pub fn read(path: &Path) -> Result<Self> {
        #[derive(serde::Deserialize)]
        struct Line {
            id: serde_json::Value,
            #[serde(deserialize_with = "serde::Deserialize::deserialize")]
            text: Option<String>,
        }
        let bytes = read_bytes(path)?;
        let mut texts = FxHashMap::default();
        for (line, number) in
            bytes.split(|&b| b == b'\n').zip(1u64..).filter(|l| !l.0.trim_ascii().is_empty())
        {
            let line: Line = serde_json::from_slice(line).map_err(|e| {
                Error::data(format!("the line cannot be read: {e}"))
                    .expected("{\"id\": …, \"text\": …}")
                    .at_path(path)
                    .at_line(number)
            })?;
            let id = line.id.as_str().map_or_else(|| line.id.to_string(), str::to_owned);
            if texts.insert(id.clone(), line.text.unwrap_or_default()).is_some() {
                return Err(Error::data("a second line has this id")
                    .at_path(path)
                    .at_line(number)
                    .at_page(id));
            }
        }
        Ok(Self { path: path.to_path_buf(), texts })
    }

    fn text(&self, id: &str) -> Option<&String> {
        self.texts.get(id).or_else(|| self.texts.get(&format!("{id}.html")))
    }

    /// How many of `pages` the file does not hold.
    pub fn num_missing(&self, corpus: &Corpus, pages: &[usize]) -> usize {
        pages.iter().filter(|&&p| self.text(&corpus.pages[p].id).is_none()).count()
    }

    /// One outcome a page; a page that is not there counts as empty.
    ///
    /// # Errors
    /// Where none of the pages is there.
    pub fn outcomes(&self, corpus: &Corpus, pages: &[usize]) -> Result<Vec<Outcome>> {
        if self.num_missing(corpus, pages) == pages.len() {
            return Err(Error::data("none of the set's pages is there")
                .expected("the ids of the set")
                .at_path(&self.path));
        }
        let text = |&p: &usize| self.text(&corpus.pages[p].id).cloned().unwrap_or_default();
        Ok(pages.iter().map(text).map(Outcome::Text).collect())
    }
}

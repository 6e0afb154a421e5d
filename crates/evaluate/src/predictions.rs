//! Texts that another tool extracted from the pages of a set.

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
    /// If a line has no `id` or no `text`, or two lines have the same `id`. The text `null` counts as empty.
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
                return Err(Error::data("the id occurs twice").at_path(path).at_line(number).at_page(id));
            }
        }
        Ok(Self { path: path.to_path_buf(), texts })
    }

    fn text(&self, id: &str) -> Option<&String> {
        self.texts.get(id).or_else(|| self.texts.get(&format!("{id}.html")))
    }

    /// Number of `pages` that are not in the file.
    pub fn num_missing(&self, corpus: &Corpus, pages: &[usize]) -> usize {
        pages.iter().filter(|&&p| self.text(&corpus.pages[p].id).is_none()).count()
    }

    /// One outcome for each page. A page that is not in the file has an empty text.
    ///
    /// # Errors
    /// If none of the pages is in the file.
    pub fn outcomes(&self, corpus: &Corpus, pages: &[usize]) -> Result<Vec<Outcome>> {
        if self.num_missing(corpus, pages) == pages.len() {
            return Err(Error::data("none of the set's pages is in the file")
                .expected("the ids of the set")
                .at_path(&self.path));
        }
        let text = |&p: &usize| self.text(&corpus.pages[p].id).cloned().unwrap_or_default();
        Ok(pages.iter().map(text).map(Outcome::Text).collect())
    }
}

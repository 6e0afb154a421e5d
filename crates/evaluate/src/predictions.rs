//! Texts that another tool, or `threshr predict`, extracted from the pages of a set.

mod files;

use crate::Outcome;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use threshr_core::{Error, Result};
use threshr_io::names;
use threshr_train::{Corpus, CorpusPage};

/// Extracted texts by page id.
#[derive(Debug, Default)]
pub struct Predictions {
    path: PathBuf,
    /// Text of each id; `None` for a page on which the tool failed.
    texts: FxHashMap<String, Option<String>>,
    /// Page id for each URL, for files whose ids differ from those of the set.
    ids_by_url: FxHashMap<String, String>,
    remarks: Vec<String>,
    /// Values of the field `model` in the output of `threshr predict`.
    models: BTreeSet<String>,
}

impl Predictions {
    /// Reads a file of records with an id and a text (JSON Lines, JSON, CSV or Parquet; it may be compressed with
    /// gz or zst), or a folder with a text file for each page.
    ///
    /// `id` and `text` are field names. If one is `None`, the first common field name that occurs in the file is
    /// used.
    ///
    /// # Errors
    /// If the file cannot be read, no record has an id or a text field, or two records with the same id have
    /// different texts. A record without a text, or with an error, is a page on which the tool failed. Malformed records are skipped and counted in
    /// [`Predictions::remarks`].
    pub fn read(path: &Path, id: Option<&str>, text: Option<&str>) -> Result<Self> {
        files::read(path, id, text)
    }

    /// Remarks about the file, such as skipped records and field names other than `id` and `text`.
    pub fn remarks(&self) -> &[String] {
        &self.remarks
    }

    /// Returns the names of the models and systems that made the texts, if the file is an output of `threshr predict`.
    pub fn models(&self) -> impl Iterator<Item = &str> {
        self.models.iter().map(String::as_str)
    }

    /// Returns the file or folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the text of a page, found by its id, its id as a file name, or its URL; `None` if the page is not in
    /// the file, or the tool failed on it.
    pub fn text_of(&self, id: &str, url: Option<&str>) -> Option<&str> {
        self.texts.get(self.key_of(id, url)?)?.as_deref()
    }

    /// Number of pages in the file.
    pub fn len(&self) -> usize {
        self.texts.len()
    }

    /// Returns whether the file contains no pages.
    pub fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }

    fn key(&self, page: &CorpusPage) -> Option<&str> {
        self.key_of(&page.id, page.url.as_deref())
    }

    /// Finds the key of a page in `texts`: its id, its id as the name of a file with or without `.html`, or the id
    /// stored for its URL.
    fn key_of(&self, id: &str, url: Option<&str>) -> Option<&str> {
        let key = |id: &str| self.texts.get_key_value(id).map(|(id, _)| id.as_str());
        let without = names::is_html(Path::new(id)).then(|| id.rsplit_once('.')).flatten().map(|(id, _)| id);
        let last = |id: &str| key(id.rsplit('/').next()?);
        key(id)
            .or_else(|| key(&format!("{id}.html")))
            .or_else(|| key(without?))
            .or_else(|| key(&names::file_name(id)))
            .or_else(|| last(id))
            .or_else(|| last(without?))
            .or_else(|| key(self.ids_by_url.get(url?)?))
    }

    fn text(&self, page: &CorpusPage) -> Option<&Option<String>> {
        self.texts.get(self.key(page)?)
    }

    /// Ids of the `pages` that are not in the file.
    pub fn missing<'c>(&self, corpus: &'c Corpus, pages: &[usize]) -> Vec<&'c str> {
        let pages = pages.iter().map(|&p| &corpus.pages[p]);
        pages.filter(|page| self.text(page).is_none()).map(|page| page.id.as_str()).collect()
    }

    /// Ids of the `pages` on which the tool failed.
    pub fn failed<'c>(&self, corpus: &'c Corpus, pages: &[usize]) -> Vec<&'c str> {
        let pages = pages.iter().map(|&p| &corpus.pages[p]);
        pages.filter(|page| self.text(page) == Some(&None)).map(|page| page.id.as_str()).collect()
    }

    /// Sorted ids in the file that do not match a page of the corpus.
    pub fn extra(&self, corpus: &Corpus) -> Vec<&str> {
        let used: FxHashSet<&str> = corpus.pages.iter().filter_map(|page| self.key(page)).collect();
        let mut extra: Vec<&str> =
            self.texts.keys().map(String::as_str).filter(|id| !used.contains(id)).collect();
        extra.sort_unstable();
        extra
    }

    /// Returns one outcome for each page. A page that is not in the file, and a page on which the tool failed, is
    /// [`Outcome::Failed`].
    ///
    /// # Errors
    /// If none of the pages is in the file.
    pub fn outcomes(&self, corpus: &Corpus, pages: &[usize]) -> Result<Vec<Outcome>> {
        // an empty file is valid: the tool failed on every page
        if !self.texts.is_empty() && self.missing(corpus, pages).len() == pages.len() {
            let mut ids: Vec<&str> = self.texts.keys().map(String::as_str).collect();
            ids.sort_unstable();
            let of_file = ids.first().copied().unwrap_or("none");
            let of_set = pages.first().map_or("none", |&p| corpus.pages[p].id.as_str());
            return Err(Error::data("none of the set's pages is in the file")
                .expected(format!("the ids of the set, such as {of_set}; the file has ids such as {of_file}"))
                .at_path(&self.path));
        }
        let outcome = |&p: &usize| match self.text(&corpus.pages[p]) {
            Some(Some(text)) => Outcome::Text(text.clone()),
            Some(None) | None => Outcome::Failed,
        };
        Ok(pages.iter().map(outcome).collect())
    }

    /// Records a value of the field `model`, if it has the form of `threshr predict`: a name, `@` and a checksum or
    /// version.
    fn saw_model(&mut self, model: &str) {
        const MOST: usize = 20;
        if model.contains('@') && !self.models.contains(model) && self.models.len() < MOST {
            self.models.insert(model.to_owned());
        }
    }

    /// Adds a text, or `None` for a failed page. Returns false if `id` already has an equal text; a different text is an error.
    fn add(&mut self, id: String, text: Option<String>, url: Option<String>) -> Result<bool> {
        if let Some(known) = self.texts.get(&id) {
            return match *known == text {
                true => Ok(false),
                false => Err(Error::data("the id occurs twice, with different texts")
                    .expected("one text for each id")
                    .at_page(id)),
            };
        }
        if let Some(url) = url {
            self.ids_by_url.insert(url, id.clone());
        }
        self.texts.insert(id, text);
        Ok(true)
    }
}

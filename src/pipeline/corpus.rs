//! Annotated pages, read, cut, aligned and measured once, for training and evaluation.

use super::cache::Cache;
use super::decision::without_told;
use super::reading::{Read, Reading};
use super::variants::Grown;
use super::{Recipe, guard};
use crate::block::{Blocks, ParagraphClass};
use crate::error::{Error, Result};
use crate::features::{FeatureMatrix, FeatureSet, SiteCounts, Terms, Told, told_apart};
use crate::filter::FilterChoice;
use crate::gold::{Alignment, DataSet, GoldPage, Snippets, split};
use crate::page::{self, Document};
use crate::policy::{LeftOut, Policy};
use crate::progress::Progress;
use crate::rescore::Structure;
use ndarray::{Array2, ArrayView2, Axis, Slice};
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

/// The pages of one or more annotated sets, with the features of a recipe.
#[derive(Debug)]
pub struct Corpus {
    /// The sets.
    pub sets: Vec<SetInfo>,
    /// The pages that could be read, set after set.
    pub pages: Vec<CorpusPage>,
    /// The pages that could not.
    pub failures: Vec<Error>,
    /// Pages whose rows came from a cache; `None` without one.
    pub num_cached: Option<usize>,
    pub(super) columns: Arc<[String]>,
    pub(super) features: Option<FeatureSet>,
    /// Columns kept free for the second pass.
    pub(super) num_extra: usize,
    /// Shape (n_blocks, columns and those kept free).
    pub(super) x: Array2<f32>,
    pub(super) offsets: Vec<usize>,
    /// Rows of pages' grown forms, after those of all pages: the page, and its rows.
    pub(super) grown_rows: Vec<(usize, Range<usize>)>,
    num_left_out: usize,
}

/// A set of a corpus.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SetInfo {
    /// Its name.
    pub name: String,
    /// Hash over ids, bytes and gold of its pages.
    pub sha256: String,
    /// Number of its pages.
    pub pages: usize,
    /// The policy that it declares.
    #[serde(skip)]
    pub policy: Option<Policy>,
}

/// What is kept of every page beside what models and metrics look at.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Needs {
    /// The elements' attributes.
    pub attributes: bool,
    /// The page's HTML.
    pub html: bool,
}

/// A page of a corpus.
#[derive(Debug)]
pub struct CorpusPage {
    /// Its id in its set.
    pub id: String,
    /// Index of its set.
    pub set: usize,
    /// Its site.
    pub site: String,
    /// Its address, where known.
    pub url: Option<String>,
    /// Its language, where known.
    pub lang: Option<String>,
    /// Its type, where known.
    pub page_type: Option<String>,
    /// Its document; without attributes unless [`Needs::attributes`] were asked for.
    pub doc: Document,
    /// Its HTML without labels, where [`Needs::html`] was asked for.
    pub html: Option<String>,
    /// Its blocks.
    pub blocks: Blocks,
    /// Gold text, one block a line; `None` without gold.
    pub gold: Option<String>,
    /// Gold with markup, where the set has it.
    pub gold_markup: Option<String>,
    /// Strings that must and must not be extracted, where the set has them.
    pub snippets: Snippets,
    /// How blocks and gold go together; all 0 without gold.
    pub alignment: Alignment,
    /// Labels by the recipe's threshold; all false without gold.
    pub labels: Vec<bool>,
    /// Blocks that are not trained on; see [`LabelRecipe::mask_repeats`](super::LabelRecipe::mask_repeats).
    pub masked: Vec<bool>,
    /// What its set's annotators counted as content.
    pub policy: Policy,
    /// What filters are to know of it.
    pub left_out: LeftOut,
    /// Blocks that the page itself says the kind of.
    pub(super) told: Told,
    /// Its features without attributes, where it is to be learned from so.
    pub(super) bare: Option<FeatureMatrix>,
    /// The page with things added, where it is to be learned from so.
    pub(super) grown: Option<Box<Grown>>,
    /// What learned families see of it, by their names.
    pub(super) terms: BTreeMap<&'static str, Terms>,
    /// What its blocks say, by [`block_keys`]; empty where no column asks for other pages of the site.
    pub(super) keys: Vec<u64>,
    /// Which blocks belong together; empty without a second pass.
    pub structure: Structure,
    /// Size of the page in bytes.
    pub num_bytes: usize,
    /// Hash of the page's bytes.
    pub hash: [u8; 32],
    pub(super) gold_hash: [u8; 32],
}

/// What training looks at of a page, or of another form of it, beside its rows.
#[derive(Debug, Clone, Copy)]
pub(super) struct Form<'a> {
    pub labels: &'a [bool],
    pub masked: &'a [bool],
    pub num_tokens: &'a [u32],
    pub class: &'a [Option<ParagraphClass>],
    /// How much it counts; 1 for a page as it stands.
    pub weight: f64,
}

/// Pages that are read before their values are joined to the others'.
const STRETCH: usize = 128;

impl Corpus {
    /// Reads all pages of `sets`, with the columns of `features` (none: no features). Pages that cannot be read are listed in [`Corpus::failures`], not lost silently.
    ///
    /// # Errors
    /// Where the recipe cannot be used, or no page at all can be read.
    pub fn read(
        sets: &[DataSet],
        recipe: &Recipe,
        features: Option<&FeatureSet>,
        progress: &dyn Progress,
    ) -> Result<Self> {
        Self::read_with(sets, recipe, features, Needs::default(), None, |_| (), progress)
    }

    /// The same, keeping of every page what else is asked for. Feature rows and alignments are taken from the file `cache`
    /// where they are there, and kept in it.
    ///
    /// # Errors
    /// As [`Corpus::read`], and where the cache cannot be written, or is another file.
    pub fn read_keeping(
        sets: &[DataSet],
        recipe: &Recipe,
        features: Option<&FeatureSet>,
        needs: Needs,
        cache: Option<&Path>,
        progress: &dyn Progress,
    ) -> Result<Self> {
        Self::read_with(sets, recipe, features, needs, cache, |_| (), progress)
    }

    /// The same with the recipe's columns and of every page just what [`Pipeline::train`](super::Pipeline::train)
    /// needs, which saves more than half of the memory.
    ///
    /// # Errors
    /// As [`Corpus::read_keeping`].
    pub fn read_to_train(
        sets: &[DataSet],
        recipe: &Recipe,
        cache: Option<&Path>,
        progress: &dyn Progress,
    ) -> Result<Self> {
        let filter = recipe.parts()?.filter;
        let forget = |page: &mut CorpusPage| page.forget_all_but(filter);
        Self::read_with(sets, recipe, Some(&recipe.feature_set()?), Needs::default(), cache, forget, progress)
    }

    fn read_with(
        sets: &[DataSet],
        recipe: &Recipe,
        features: Option<&FeatureSet>,
        needs: Needs,
        cache: Option<&Path>,
        forget: impl Fn(&mut CorpusPage) + Sync,
        progress: &dyn Progress,
    ) -> Result<Self> {
        let parts = recipe.parts()?;
        let mut cache = cache.zip(features).map(|(path, f)| Cache::open(path, f)).transpose()?;
        let jobs: Vec<(usize, &GoldPage)> =
            sets.iter().enumerate().flat_map(|(i, set)| set.pages.iter().map(move |p| (i, p))).collect();
        progress.start("reading pages", jobs.len() as u64);
        let columns: Arc<[String]> = features.map_or_else(|| Arc::from([]), |f| f.names().clone());
        let num_extra = if features.is_some() { parts.score_columns().len() } else { 0 };
        let (num_columns, width) = (columns.len(), columns.len() + num_extra);
        let mut corpus = Corpus {
            sets: Vec::new(),
            pages: Vec::new(),
            failures: Vec::new(),
            num_cached: cache.as_ref().map(|_| 0),
            columns,
            features: features.cloned(),
            num_extra,
            x: Array2::zeros((0, 0)),
            offsets: vec![0],
            grown_rows: Vec::new(),
            num_left_out: 0,
        };
        let mut values = Vec::new();
        // a stretch at a time, so that no value is held twice
        for stretch in jobs.chunks(STRETCH) {
            let read = |&(set, page): &(usize, &GoldPage)| -> Result<Read> {
                let policy = recipe.policy.of_set(&sets[set].name, sets[set].policy);
                let reading = Reading { recipe, parts: &parts, features, needs, cache: cache.as_ref() };
                let done = guard(&page.id, || reading.page(set, page, policy));
                progress.step();
                let mut done = done.map_err(|e| e.at_path(&page.path))?;
                forget(&mut done.page);
                Ok(done)
            };
            let done: Vec<Result<Read>> = stretch.par_iter().map(read).collect();
            for result in done {
                match result {
                    Ok(Read { page, extracted, key, is_cached }) => {
                        match (&mut cache, is_cached) {
                            (Some(cache), false) => cache.add(key, &extracted)?,
                            (Some(_), true) => *corpus.num_cached.get_or_insert(0) += 1,
                            (None, _) => {}
                        }
                        for row in extracted.values.chunks_exact(num_columns.max(1)) {
                            values.extend_from_slice(row);
                            values.resize(values.len() + num_extra, 0.0);
                        }
                        corpus.offsets.push(corpus.offsets.last().copied().unwrap_or(0) + page.labels.len());
                        corpus.pages.push(page);
                    }
                    Err(e) => corpus.failures.push(e),
                }
            }
        }
        progress.finish();
        cache.map_or(Ok(()), Cache::finish)?;
        corpus.place_grown();
        for (page, _) in &corpus.grown_rows {
            let rows =
                corpus.pages[*page].grown.as_mut().map(|g| std::mem::take(&mut g.values)).unwrap_or_default();
            for row in rows.chunks_exact(num_columns.max(1)) {
                values.extend_from_slice(row);
                values.resize(values.len() + num_extra, 0.0);
            }
        }
        let num_rows = corpus.num_rows();
        corpus.x = Array2::from_shape_vec((num_rows, width), values)
            .map_err(|e| Error::features("the matrix has the wrong shape").because(e))?;
        corpus.fill_sites();
        corpus.sets = sets.iter().enumerate().map(|(i, set)| corpus.describe(i, set)).collect();
        if corpus.pages.is_empty() {
            let first = corpus.failures.into_iter().next();
            return Err(first.unwrap_or_else(|| Error::data("there are no pages")));
        }
        Ok(corpus)
    }

    /// Fills the columns that rest on the other pages of a site, of the same set. No label is looked at.
    fn fill_sites(&mut self) {
        let Some(features) = self.features.as_ref().filter(|f| f.needs_crawl()) else { return };
        // pages, and pages that have each text
        type Counts = (u32, FxHashMap<u64, u32>);
        let mut sites: FxHashMap<(usize, &str), Counts> = FxHashMap::default();
        let distinct = |page: &CorpusPage| page.keys.iter().copied().collect::<FxHashSet<u64>>();
        for page in &self.pages {
            let (num_pages, counts) = sites.entry((page.set, page.site.as_str())).or_default();
            *num_pages += 1;
            distinct(page).into_iter().for_each(|key| *counts.entry(key).or_default() += 1);
        }
        let width = self.x.ncols();
        let Some(values) = self.x.as_slice_mut() else { return };
        let rows_of_grown: FxHashMap<usize, &Range<usize>> =
            self.grown_rows.iter().map(|(p, rows)| (*p, rows)).collect();
        for (index, (page, rows)) in self.pages.iter().zip(self.offsets.windows(2)).enumerate() {
            let Some((num_pages, counts)) = sites.get(&(page.set, page.site.as_str())) else { continue };
            // its own part is taken off
            let own = distinct(page);
            let other = |key: &u64| counts.get(key).map_or(0, |n| n - u32::from(own.contains(key)));
            let of = |keys: &[u64]| SiteCounts {
                num_pages: num_pages - 1,
                num_with: keys.iter().map(other).collect(),
            };
            features.refill_site(&of(&page.keys), width, &mut values[rows[0] * width..rows[1] * width]);
            if let (Some(grown), Some(rows)) = (&page.grown, rows_of_grown.get(&index)) {
                features.refill_site(
                    &of(&grown.keys),
                    width,
                    &mut values[rows.start * width..rows.end * width],
                );
            }
        }
    }

    fn describe(&self, index: usize, set: &DataSet) -> SetInfo {
        let mut hash = Sha256::new();
        let pages = self.pages.iter().filter(|p| p.set == index);
        for page in pages.clone() {
            hash.update((page.id.len() as u64).to_le_bytes());
            hash.update(&page.id);
            hash.update(page.hash);
            hash.update(page.gold_hash);
        }
        SetInfo {
            name: set.name.clone(),
            sha256: crate::hex(&hash.finalize()),
            pages: pages.count(),
            policy: set.policy,
        }
    }

    /// Indices of the pages that have gold.
    pub fn with_gold(&self) -> Vec<usize> {
        (0..self.pages.len()).filter(|&i| self.pages[i].gold.is_some()).collect()
    }

    /// Indices of the pages to train on: with gold, blocks, and enough of the gold found in them.
    pub fn trainable(&self, recipe: &Recipe) -> Vec<usize> {
        let enough = |p: &CorpusPage| {
            p.alignment.aligned_share() >= recipe.labels.least_aligned && !p.labels.is_empty()
        };
        self.with_gold().into_iter().filter(|&i| enough(&self.pages[i])).collect()
    }

    /// Keeps just the pages to train on, and of them just what training needs: no documents, no texts.
    ///
    /// # Errors
    /// Where no page is left.
    pub fn into_training(mut self, recipe: &Recipe) -> Result<Self> {
        let keep = self.trainable(recipe);
        if keep.is_empty() {
            return Err(Error::data("no page to train on").expected("pages with gold that is found in them"));
        }
        self.num_left_out = self.with_gold().len() - keep.len();
        let num_columns = self.x.ncols();
        let (mut values, _) = std::mem::take(&mut self.x).into_raw_vec_and_offset();
        let mut offsets = vec![0];
        let mut end = 0;
        // rows move towards the begin alone, so none is overwritten before it has moved
        let mut take = |rows: Range<usize>| {
            values.copy_within(rows.start * num_columns..rows.end * num_columns, end * num_columns);
            end += rows.len();
            end
        };
        for &page in &keep {
            offsets.push(take(self.rows_of(page)));
        }
        for (page, rows) in &self.grown_rows {
            if keep.binary_search(page).is_ok() {
                take(rows.clone());
            }
        }
        values.truncate(end * num_columns);
        self.x = Array2::from_shape_vec((end, num_columns), values)
            .map_err(|e| Error::features("the matrix has the wrong shape").because(e))?;
        self.offsets = offsets;
        let filter = FilterChoice::parse(&recipe.decision.filter)?;
        let mut index = 0;
        self.pages.retain_mut(|page| {
            page.forget_all_but(filter);
            index += 1;
            keep.binary_search(&(index - 1)).is_ok()
        });
        self.place_grown();
        Ok(self)
    }

    /// Pages with gold that [`Corpus::into_training`] left out.
    pub fn num_left_out(&self) -> usize {
        self.num_left_out
    }

    /// The fold of each page of `pages`, grouped by site.
    pub fn folds(&self, pages: &[usize], num_folds: usize, seed: u64) -> Vec<usize> {
        let sites: Vec<&str> = pages.iter().map(|&p| self.pages[p].site.as_str()).collect();
        split::folds(&sites, num_folds, seed)
    }

    /// Labels of the blocks of `pages`, page after page.
    pub fn labels_of(&self, pages: &[usize]) -> Vec<bool> {
        pages.iter().flat_map(|&p| self.pages[p].labels.iter().copied()).collect()
    }

    /// Column names.
    pub fn columns(&self) -> &[String] {
        &self.columns
    }
    /// Rows of a page in the matrix.
    pub fn rows_of(&self, page: usize) -> Range<usize> {
        self.offsets[page]..self.offsets[page + 1]
    }
    /// Features of a page's blocks, shape (n_blocks, n_features); learned columns as they were filled last.
    pub fn values_of(&self, page: usize) -> ArrayView2<'_, f32> {
        self.x.slice_axis(Axis(0), Slice::from(self.rows_of(page))).first_columns(self.columns.len())
    }
    /// Says where the rows of grown forms stand: after all pages, in their order.
    fn place_grown(&mut self) {
        let mut at = self.offsets.last().copied().unwrap_or(0);
        let grown =
            self.pages.iter().enumerate().filter_map(|(i, p)| Some((i, p.grown.as_ref()?.labels.len())));
        self.grown_rows = grown
            .map(|(page, len)| {
                at += len;
                (page, at - len..at)
            })
            .collect();
    }
    /// Rows of the matrix.
    pub(super) fn num_rows(&self) -> usize {
        self.grown_rows.last().map_or_else(|| self.offsets.last().copied().unwrap_or(0), |g| g.1.end)
    }
    /// The first `width` columns of the rows of a page.
    pub(super) fn wide_values_of(&self, page: usize, width: usize) -> ArrayView2<'_, f32> {
        self.x.slice_axis(Axis(0), Slice::from(self.rows_of(page))).first_columns(width)
    }
}

/// The first columns of a matrix.
pub(super) trait Columns<'a> {
    fn first_columns(self, width: usize) -> ArrayView2<'a, f32>;
}

impl<'a> Columns<'a> for ArrayView2<'a, f32> {
    fn first_columns(mut self, width: usize) -> ArrayView2<'a, f32> {
        self.slice_axis_inplace(Axis(1), Slice::from(..width));
        self
    }
}

/// The site of a page that says nothing of where it is from: no other page of its corpus has it.
pub(super) fn site_of_its_own(set: usize, id: &str) -> String {
    format!("{set}/{id}")
}

impl CorpusPage {
    /// Whether its site is one that other corpora may know, too.
    pub(super) fn has_known_site(&self) -> bool {
        self.site != site_of_its_own(self.set, &self.id)
    }

    /// The page as it stands.
    pub(super) fn form(&self) -> Form<'_> {
        Form {
            labels: &self.labels,
            masked: &self.masked,
            num_tokens: &self.alignment.num_tokens,
            class: &self.alignment.class,
            weight: 1.0,
        }
    }

    /// Tokens of its blocks as decision rules look at them by a model with `columns`: see [`without_told`].
    pub(crate) fn tokens_but_told(&self, scores: &[f32], columns: &[String]) -> Cow<'_, [u32]> {
        without_told(&self.alignment.num_tokens, told_apart(|| &self.told, columns).into_iter(), scores)
    }

    /// Forgets what no filter looks at when the decision rules learn, and what only evaluation needs.
    fn forget_all_but(&mut self, filter: FilterChoice) {
        if !filter.looks_at_tree(self.left_out) {
            self.doc = page::parse_str("");
            self.blocks.forget_tree();
        }
        if filter.is_none() {
            self.blocks = Blocks::default();
        }
        if let Some(gold) = &mut self.gold {
            *gold = String::new();
        }
        (self.gold_markup, self.html) = (None, None);
    }
}

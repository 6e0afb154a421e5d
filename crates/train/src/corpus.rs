//! Annotated pages, read, cut, aligned and measured once, for training and evaluation. Once read, a corpus never changes.

use crate::augmentation::Generated;
use crate::cache::Cache;
use crate::example::Example;
use crate::page_reader::{PageReader, Read};
use crate::policy_columns::PolicyColumns;
use crate::{Alignment, folds};
use ndarray::{Array2, ArrayView2, Axis, Slice};
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};
use sha2::{Digest, Sha256};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use threshr_core::policy::{LeftOut, Policy, Property};
use threshr_core::progress::Progress;
use threshr_core::{Error, Result, guard};
use threshr_extract::Recipe;
use threshr_extract::decision::without_metadata;
use threshr_extract::filters::FilterChoice;
use threshr_extract::flow::PageFacts;
use threshr_extract::model::SetInfo;
use threshr_features::{ArticleMetadata, FeatureSet, SiteCounts, Terms, metadata_blocks};
use threshr_html::Document;
use threshr_html::blocks::{Blocks, ParagraphClass};
use threshr_io::gold::{DataSet, GoldPage, Snippets};

/// The pages of one or more annotated sets, with the features of a recipe.
#[derive(Debug)]
pub struct Corpus {
    /// The sets.
    pub sets: Vec<SetInfo>,
    /// The pages that could be read, set after set.
    pub pages: Arc<Vec<CorpusPage>>,
    /// The pages that could not.
    pub failures: Vec<Error>,
    /// Pages whose rows came from a cache; `None` without one.
    pub num_cached: Option<usize>,
    columns: Arc<[String]>,
    pub(crate) features: Option<FeatureSet>,
    /// Shape (n_rows, n_columns): rows of all pages, of the examples that were generated from some, and of some without
    /// attributes. Learned columns are 0: every fit has its own.
    x: Array2<f32>,
    offsets: Arc<[usize]>,
    /// Pages that a further example was generated from, and its rows.
    pub(crate) generated: Arc<[(usize, Range<usize>)]>,
    /// Pages that are learned from without attributes, and their rows as if they had none.
    pub(crate) without_attributes: Arc<[(usize, Range<usize>)]>,
    num_left_out: usize,
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
    /// Blocks that are not trained on; see [`LabelRecipe::mask_repeats`](threshr_extract::recipe::LabelRecipe::mask_repeats).
    pub masked: Vec<bool>,
    /// What its set's annotators counted as content.
    pub policy: Policy,
    /// What filters are to know of it.
    pub left_out: LeftOut,
    /// Blocks that the page itself says the kind of.
    pub(crate) metadata: ArticleMetadata,
    /// Whether it is learned from without attributes.
    pub(crate) is_without_attributes: bool,
    /// A further example that was generated from it.
    pub(crate) generated: Option<Box<Generated>>,
    /// What learned families see of it, by their names.
    pub(crate) terms: BTreeMap<&'static str, Terms>,
    /// What its blocks say, by [`block_keys`]; empty where no column asks for other pages of the site.
    pub(crate) keys: Vec<u64>,
    /// Size of the page in bytes.
    pub num_bytes: usize,
    /// Hash of the page's bytes.
    pub hash: [u8; 32],
    pub(crate) gold_hash: [u8; 32],
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

    /// The same with the recipe's columns and of every page just what [`threshr_train::train`](threshr_extract::Model::train)
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
        let mut read_pages = ReadPages { num_cached: cache.as_ref().map(|_| 0), ..ReadPages::default() };
        // a stretch at a time, so that no value is held twice
        for stretch in jobs.chunks(STRETCH) {
            let read = |&(set, page): &(usize, &GoldPage)| -> Result<Read> {
                let policy = recipe.policy.of_set(&sets[set].name, sets[set].policy);
                let reader = PageReader { recipe, parts: &parts, features, needs, cache: cache.as_ref() };
                let done = guard(&page.id, || reader.page(set, page, policy));
                progress.step();
                let mut done = done.map_err(|e| e.at_path(&page.path))?;
                forget(&mut done.page);
                Ok(done)
            };
            let done: Vec<Result<Read>> = stretch.par_iter().map(read).collect();
            done.into_iter().try_for_each(|result| read_pages.add(result, &mut cache))?;
        }
        progress.finish();
        cache.map_or(Ok(()), Cache::finish)?;
        read_pages.into_corpus(sets, features)
    }

    fn describe(pages: &[CorpusPage], index: usize, set: &DataSet) -> SetInfo {
        let mut hash = Sha256::new();
        let pages = pages.iter().filter(|p| p.set == index);
        for page in pages.clone() {
            hash.update((page.id.len() as u64).to_le_bytes());
            hash.update(&page.id);
            hash.update(page.hash);
            hash.update(page.gold_hash);
        }
        SetInfo {
            name: set.name.clone(),
            sha256: threshr_core::hex(&hash.finalize()),
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
        let enough =
            |p: &CorpusPage| p.alignment.aligned_share() >= recipe.labels.min_aligned && !p.labels.is_empty();
        self.with_gold().into_iter().filter(|&i| enough(&self.pages[i])).collect()
    }

    /// The corpus of just the pages to train on, and of them just what training needs: no documents, no texts.
    ///
    /// # Errors
    /// Where no page is left.
    pub fn into_training(self, recipe: &Recipe) -> Result<Self> {
        let keep = self.trainable(recipe);
        if keep.is_empty() {
            return Err(Error::data("no page to train on").expected("pages with gold that is found in them"));
        }
        let num_left_out = self.with_gold().len() - keep.len();
        let width = self.x.ncols();
        let offsets = self.offsets.clone();
        let (mut values, _) = self.x.into_raw_vec_and_offset();
        let mut end = 0;
        // rows move towards the start alone, so none is overwritten before it has moved
        let mut take = |rows: Range<usize>| {
            values.copy_within(rows.start * width..rows.end * width, end * width);
            end += rows.len();
            end - rows.len()..end
        };
        let mut kept_offsets = vec![0];
        kept_offsets.extend(keep.iter().map(|&page| take(offsets[page]..offsets[page + 1]).end));
        let mut of_kept = |all: &[(usize, Range<usize>)]| -> Arc<[(usize, Range<usize>)]> {
            let kept = all.iter().filter_map(|(page, rows)| Some((keep.binary_search(page).ok()?, rows)));
            kept.map(|(page, rows)| (page, take(rows.clone()))).collect()
        };
        let (generated, without_attributes) = (of_kept(&self.generated), of_kept(&self.without_attributes));
        values.truncate(end * width);
        let x = Array2::from_shape_vec((end, width), values)
            .map_err(|e| Error::features("the matrix has the wrong shape").because(e))?;
        let filter = FilterChoice::parse(&recipe.decision.filter)?;
        let pages = match Arc::try_unwrap(self.pages) {
            Ok(pages) => pages,
            Err(_) => return Err(Error::data("the pages of the corpus are in use elsewhere")),
        };
        let pages = pages.into_iter().enumerate().filter(|(i, _)| keep.binary_search(i).is_ok());
        let pages = pages.map(|(_, mut page)| {
            page.forget_all_but(filter);
            page
        });
        Ok(Corpus {
            pages: Arc::new(pages.collect()),
            x,
            offsets: kept_offsets.into(),
            generated,
            without_attributes,
            num_left_out,
            ..self
        })
    }

    /// The same pages with just these of the corpus's columns; the pages are shared, the rows are copied.
    ///
    /// # Errors
    /// Where the corpus has no column of one of the names.
    pub fn with_columns(&self, names: &Arc<[String]>) -> Result<Self> {
        let place: FxHashMap<&str, usize> = self.columns.iter().map(String::as_str).zip(0..).collect();
        let missing = |name: &String| Error::features("the pages were read without it").at_column(name);
        let find = |name: &String| place.get(name.as_str()).copied().ok_or_else(|| missing(name));
        let chosen = names.iter().map(find).collect::<Result<Vec<_>>>()?;
        let mut values = Vec::with_capacity(self.x.nrows() * chosen.len());
        for row in self.x.rows() {
            values.extend(chosen.iter().map(|&column| row[column]));
        }
        let x = Array2::from_shape_vec((self.x.nrows(), chosen.len()), values)
            .map_err(|e| Error::features("the matrix has the wrong shape").because(e))?;
        Ok(Corpus {
            sets: self.sets.clone(),
            pages: self.pages.clone(),
            failures: Vec::new(),
            num_cached: self.num_cached,
            columns: names.clone(),
            features: Some(FeatureSet::from_names(names)?),
            x,
            offsets: self.offsets.clone(),
            generated: self.generated.clone(),
            without_attributes: self.without_attributes.clone(),
            num_left_out: self.num_left_out,
        })
    }

    /// Pages with gold that [`Corpus::into_training`] left out.
    pub fn num_left_out(&self) -> usize {
        self.num_left_out
    }

    /// The fold of each page of `pages`, grouped by site.
    pub fn folds(&self, pages: &[usize], num_folds: usize, seed: u64) -> Vec<usize> {
        let sites: Vec<&str> = pages.iter().map(|&p| self.pages[p].site.as_str()).collect();
        folds::folds(&sites, num_folds, seed)
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
    /// Stored feature rows of a page's blocks, shape (n_blocks, n_features); learned columns are 0.
    pub(crate) fn values_of(&self, page: usize) -> ArrayView2<'_, f32> {
        self.x.slice_axis(Axis(0), Slice::from(self.rows_of(page)))
    }
    /// A stored feature row.
    pub(crate) fn row(&self, row: usize) -> &[f32] {
        let width = self.columns.len();
        self.x.as_slice().map_or(&[], |values| &values[row * width..(row + 1) * width])
    }

    /// Shows switches of the policy to the blocks of their own property alone.
    pub(crate) fn confine(
        &self,
        values: &mut Array2<f32>,
        page: &CorpusPage,
        confined: &[&'static Property],
    ) {
        for property in confined {
            let columns = PolicyColumns::of(&self.columns, property);
            let counts = page.policy.has(property);
            let own = |block: usize| {
                page.metadata.iter().any(|t| t.0 as usize == block && t.1.name == property.name)
            };
            for (block, mut row) in values.rows_mut().into_iter().enumerate() {
                if let Some(mut row) = row.as_slice_mut() {
                    columns.set_of_page(&mut row, counts == own(block));
                }
            }
        }
    }

    /// What a decision reads of a page beside its feature rows.
    pub fn page_facts(&self, page: usize) -> PageFacts<'_> {
        let page = &self.pages[page];
        PageFacts {
            doc: &page.doc,
            blocks: &page.blocks,
            num_tokens: Cow::Borrowed(&page.alignment.num_tokens),
            metadata: Cow::Owned(metadata_blocks(|| &page.metadata, &self.columns)),
            left_out: page.left_out,
        }
    }
}

/// Pages that were read, and their rows.
#[derive(Default)]
struct ReadPages {
    pages: Vec<CorpusPage>,
    failures: Vec<Error>,
    num_cached: Option<usize>,
    values: Vec<f32>,
    /// Rows of pages as if they had no attributes.
    without_attributes: Vec<(usize, Vec<f32>)>,
}

impl ReadPages {
    fn add(&mut self, result: Result<Read>, cache: &mut Option<Cache>) -> Result<()> {
        let Read { page, extracted, key, is_cached, without_attributes } = match result {
            Ok(read) => read,
            Err(e) => {
                self.failures.push(e);
                return Ok(());
            }
        };
        match (cache, is_cached) {
            (Some(cache), false) => cache.add(key, &extracted)?,
            (Some(_), true) => *self.num_cached.get_or_insert(0) += 1,
            (None, _) => {}
        }
        self.values.extend_from_slice(&extracted.values);
        self.without_attributes.extend(without_attributes.map(|values| (self.pages.len(), values)));
        self.pages.push(page);
        Ok(())
    }

    fn into_corpus(mut self, sets: &[DataSet], features: Option<&FeatureSet>) -> Result<Corpus> {
        if self.pages.is_empty() {
            let first = self.failures.into_iter().next();
            return Err(first.unwrap_or_else(|| Error::data("there are no pages")));
        }
        let columns: Arc<[String]> = features.map_or_else(|| Arc::from([]), |f| f.names().clone());
        let mut offsets = vec![0];
        let mut end = 0;
        let mut place = |num_rows: usize| {
            end += num_rows;
            end - num_rows..end
        };
        offsets.extend(self.pages.iter().map(|page| place(page.labels.len()).end));
        let (mut generated, mut without_attributes) = (Vec::new(), Vec::new());
        for (index, page) in self.pages.iter_mut().enumerate() {
            if let Some(example) = &mut page.generated {
                generated.push((index, place(example.labels.len())));
                self.values.append(&mut std::mem::take(&mut example.values));
            }
        }
        for (index, mut values) in std::mem::take(&mut self.without_attributes) {
            without_attributes.push((index, place(self.pages[index].labels.len())));
            self.values.append(&mut values);
        }
        if let Some(features) = features.filter(|f| f.needs_crawl()) {
            let all =
                generated.iter().map(|g| (g, true)).chain(without_attributes.iter().map(|w| (w, false)));
            let more = all.map(|((page, rows), is_generated)| (*page, rows.clone(), is_generated));
            fill_sites(&self.pages, &offsets, &more.collect::<Vec<_>>(), features, &mut self.values);
        }
        let x = Array2::from_shape_vec((end, columns.len()), self.values)
            .map_err(|e| Error::features("the matrix has the wrong shape").because(e))?;
        Ok(Corpus {
            sets: sets.iter().enumerate().map(|(i, set)| Corpus::describe(&self.pages, i, set)).collect(),
            pages: Arc::new(self.pages),
            failures: self.failures,
            num_cached: self.num_cached,
            columns,
            features: features.cloned(),
            x,
            offsets: offsets.into(),
            generated: generated.into(),
            without_attributes: without_attributes.into(),
            num_left_out: 0,
        })
    }
}

/// Fills the columns that rest on the other pages of a site, of the same set. No label is read. `more` has the rows of
/// further examples: page, rows, and whether the example was generated.
fn fill_sites(
    pages: &[CorpusPage],
    offsets: &[usize],
    more: &[(usize, Range<usize>, bool)],
    features: &FeatureSet,
    values: &mut [f32],
) {
    // pages, and pages that have each text
    type Counts = (u32, FxHashMap<u64, u32>);
    let mut sites: FxHashMap<(usize, &str), Counts> = FxHashMap::default();
    let distinct = |page: &CorpusPage| page.keys.iter().copied().collect::<FxHashSet<u64>>();
    for page in pages {
        let (num_pages, counts) = sites.entry((page.set, page.site.as_str())).or_default();
        *num_pages += 1;
        distinct(page).into_iter().for_each(|key| *counts.entry(key).or_default() += 1);
    }
    let width = features.names().len();
    let own_rows = offsets.windows(2).enumerate().map(|(page, rows)| (page, rows[0]..rows[1], false));
    for (index, rows, is_generated) in own_rows.chain(more.iter().cloned()) {
        let page = &pages[index];
        let Some((num_pages, counts)) = sites.get(&(page.set, page.site.as_str())) else { continue };
        // its own part is taken off
        let own = distinct(page);
        let other = |key: &u64| counts.get(key).map_or(0, |n| n - u32::from(own.contains(key)));
        let keys = match &page.generated {
            Some(example) if is_generated => &example.keys,
            _ => &page.keys,
        };
        let counts = SiteCounts { num_pages: num_pages - 1, num_with: keys.iter().map(other).collect() };
        features.refill_site(&counts, width, &mut values[rows.start * width..rows.end * width]);
    }
}

/// The site of a page that says nothing of where it is from: no other page of its corpus has it.
pub(crate) fn site_of_its_own(set: usize, id: &str) -> String {
    format!("{set}/{id}")
}

impl CorpusPage {
    /// Whether its site is one that other corpora may know, too.
    pub(crate) fn has_known_site(&self) -> bool {
        self.site != site_of_its_own(self.set, &self.id)
    }

    /// The page as it stands.
    pub(crate) fn example(&self) -> Example<'_> {
        Example {
            labels: &self.labels,
            masked: &self.masked,
            num_tokens: &self.alignment.num_tokens,
            class: &self.alignment.class,
            weight: 1.0,
        }
    }

    /// Tokens of its blocks as decision rules look at them by a model with `columns`: see [`without_metadata`].
    pub(crate) fn tokens_without_metadata(&self, scores: &[f32], columns: &[String]) -> Cow<'_, [u32]> {
        without_metadata(
            &self.alignment.num_tokens,
            metadata_blocks(|| &self.metadata, columns).into_iter(),
            scores,
        )
    }

    /// Forgets what no filter looks at when the decision rules learn, and what only evaluation needs.
    fn forget_all_but(&mut self, filter: FilterChoice) {
        if !filter.looks_at_tree(self.left_out) {
            self.doc = threshr_html::parse_str("");
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

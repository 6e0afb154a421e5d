//! Reads the pages of annotated sets into a corpus.

use crate::corpus::page::CorpusPage;
use crate::corpus::page_reader::{PageReader, ReadPage};
use crate::corpus::{Corpus, Needs, PageRows};
use crate::labels::teacher;
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};
use sha2::{Digest, Sha256};
use std::ops::Range;
use std::sync::Arc;
use threshr_core::progress::Progress;
use threshr_core::{Error, Result, guard, stop};
use threshr_extract::Recipe;
use threshr_extract::model::{Model, SetInfo};
use threshr_features::{FeatureSet, SiteCounts};
use threshr_fit::StoredRows;
use threshr_sets::gold::{DataSet, GoldPage};

/// Number of pages that are read in parallel before their rows join the corpus.
const BATCH: usize = 32;

impl Corpus {
    /// Reads all pages of `sets`, with the columns of `features` and the page data in `needs`. If `features` is
    /// `None`, no columns are computed.
    ///
    /// [`Corpus::failures`] lists the pages that cannot be read.
    ///
    /// # Errors
    /// If the recipe is invalid, or no page can be read.
    pub fn read(
        sets: &[DataSet],
        recipe: &Recipe,
        features: Option<&FeatureSet>,
        needs: Needs,
        progress: &dyn Progress,
    ) -> Result<Self> {
        Self::read_with(sets, recipe, features, needs, |_| (), None, progress)
    }

    /// Reads all pages of `sets`, with the columns of `features`, which must be those of the recipe. Keeps only
    /// the page data that [`train`](crate::train()) reads, which saves more than half of the memory. `teacher` is the
    /// teacher that the recipe names.
    ///
    /// # Errors
    /// Like [`Corpus::read`]. Also if the recipe names a teacher and `teacher` is `None`, or the other way round, or
    /// if the teacher splits pages into other blocks.
    pub fn read_to_train(
        sets: &[DataSet],
        recipe: &Recipe,
        features: &FeatureSet,
        teacher: Option<&Model>,
        progress: &dyn Progress,
    ) -> Result<Self> {
        teacher::check(recipe, teacher)?;
        let filter = recipe.parts()?.filter;
        let shrink = |page: &mut CorpusPage| page.drop_evaluation_data(filter);
        Self::read_with(sets, recipe, Some(features), Needs::default(), shrink, teacher, progress)
    }

    fn read_with(
        sets: &[DataSet],
        recipe: &Recipe,
        features: Option<&FeatureSet>,
        needs: Needs,
        shrink: impl Fn(&mut CorpusPage) + Sync,
        teacher: Option<&Model>,
        progress: &dyn Progress,
    ) -> Result<Self> {
        let parts = recipe.parts()?;
        let jobs: Vec<(usize, &GoldPage)> =
            sets.iter().enumerate().flat_map(|(i, set)| set.pages.iter().map(move |p| (i, p))).collect();
        progress.start("reading pages", jobs.len() as u64);
        let mut read_pages = ReadPages {
            x: StoredRows::new(&features.map(FeatureSet::sources).unwrap_or_default()),
            ..ReadPages::default()
        };
        // processed in batches, so that the rows of only a few pages are in memory twice
        for batch in jobs.chunks(BATCH) {
            let read = |&(set, page): &(usize, &GoldPage)| -> Result<ReadPage> {
                stop::check()?;
                let policy = recipe.policy.of_set(&sets[set].name, sets[set].policy);
                let reader = PageReader { recipe, parts: &parts, features, teacher, needs };
                let read = guard(&page.id, || reader.page(set, page, policy));
                progress.step();
                let mut read = read.map_err(|e| page.placed(e))?;
                shrink(&mut read.page);
                Ok(read)
            };
            let batch: Vec<Result<ReadPage>> = batch.par_iter().map(read).collect();
            stop::check()?;
            batch.into_iter().for_each(|result| read_pages.add(result));
        }
        progress.finish();
        read_pages.into_corpus(sets, features, needs)
    }
}

/// Pages that have been read, and their rows.
#[derive(Default)]
struct ReadPages {
    pages: Vec<CorpusPage>,
    failures: Vec<Error>,
    /// Feature rows of all examples.
    x: StoredRows,
    rows: Vec<PageRows>,
}

impl ReadPages {
    fn add(&mut self, result: Result<ReadPage>) {
        let ReadPage { mut page, values, without_attributes } = match result {
            Ok(read) => read,
            Err(e) => return self.failures.push(e),
        };
        let generated = page.generated.as_mut().map(|e| (e.labels.len(), std::mem::take(&mut e.values)));
        let rows = PageRows {
            page: self.x.push(page.labels.len(), &values),
            generated: generated.map(|(num_rows, values)| self.x.push(num_rows, &values)),
            without_attributes: without_attributes.map(|values| self.x.push(page.labels.len(), &values)),
        };
        self.rows.push(rows);
        self.pages.push(page);
    }

    fn into_corpus(
        mut self,
        sets: &[DataSet],
        features: Option<&FeatureSet>,
        needs: Needs,
    ) -> Result<Corpus> {
        if self.pages.is_empty() {
            let first = self.failures.into_iter().next();
            return Err(first.unwrap_or_else(|| Error::data("the sets have no pages")));
        }
        let columns: Arc<[String]> = features.map_or_else(|| Arc::from([]), |f| f.names().clone());
        if let Some(features) = features.filter(|f| f.needs_crawl()) {
            self.x = with_site_columns(&self.pages, &self.rows, features, &self.x);
        }
        Ok(Corpus {
            sets: sets.iter().enumerate().map(|(i, set)| describe(&self.pages, i, set)).collect(),
            pages: Arc::new(self.pages),
            failures: self.failures,
            x: self.x,
            columns,
            features: features.cloned(),
            rows: self.rows.into(),
            num_left_out: 0,
            needs,
        })
    }
}

/// Returns name, size, hash and policy of a set.
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
        labels_of_models: set.labels_of_models.clone(),
    }
}

/// Fills in the columns that compare a page with the other pages of its site and set. Labels are not used.
fn with_site_columns(
    pages: &[CorpusPage],
    rows: &[PageRows],
    features: &FeatureSet,
    x: &StoredRows,
) -> StoredRows {
    // number of pages of a site, and for each text the number of pages that contain it
    type Counts = (u32, FxHashMap<u64, u32>);
    let mut sites: FxHashMap<(usize, &str), Counts> = FxHashMap::default();
    let distinct = |page: &CorpusPage| page.keys.iter().copied().collect::<FxHashSet<u64>>();
    for page in pages {
        let (num_pages, counts) = sites.entry((page.set, page.site.as_str())).or_default();
        *num_pages += 1;
        distinct(page).into_iter().for_each(|key| *counts.entry(key).or_default() += 1);
    }
    let width = features.names().len();
    let mut filled = StoredRows::new(&features.sources());
    // rows are processed in the order in which they were added, so that the row ranges stay valid
    for (page, rows) in pages.iter().zip(rows) {
        let site = sites.get(&(page.set, page.site.as_str()));
        // the page itself is not counted
        let own = distinct(page);
        let mut fill = |rows: &Range<usize>, keys: &[u64]| {
            let mut values = x.values_of(rows.clone());
            if let Some((num_pages, counts)) = site {
                let other = |key: &u64| counts.get(key).map_or(0, |n| n - u32::from(own.contains(key)));
                let num_with = keys.iter().map(other).collect();
                features.refill_site(&SiteCounts { num_pages: num_pages - 1, num_with }, width, &mut values);
            }
            filled.push(rows.len(), &values);
        };
        fill(&rows.page, &page.keys);
        if let (Some(rows), Some(example)) = (&rows.generated, &page.generated) {
            fill(rows, &example.keys);
        }
        rows.without_attributes.iter().for_each(|rows| fill(rows, &page.keys));
    }
    filled
}

//! The annotated pages of one or more sets with their blocks, labels and feature rows.

pub(crate) mod page;
pub(crate) mod page_posts;
pub(crate) mod page_reader;
pub(crate) mod policy_columns;
mod read;

use crate::corpus::page::CorpusPage;
use crate::corpus::policy_columns::PolicyColumns;
use crate::folds;
use ndarray::Array2;
use rustc_hash::FxHashMap;
use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;
use threshr_core::policy::Property;
use threshr_core::{Error, Result};
use threshr_extract::Recipe;
use threshr_extract::filters::FilterChoice;
use threshr_extract::flow::DecisionFacts;
use threshr_extract::model::SetInfo;
use threshr_features::{Families, FeatureSet};
use threshr_fit::StoredRows;
use threshr_page::article::article_metadata::metadata_blocks;

/// Annotated pages of one or more sets. A corpus is immutable after it is read.
#[derive(Debug)]
pub struct Corpus {
    /// Name, size, hash and policy of each set.
    pub sets: Vec<SetInfo>,
    /// Pages that could be read, set by set.
    pub pages: Arc<Vec<CorpusPage>>,
    /// Errors of pages that could not be read.
    pub failures: Vec<Error>,
    pub(crate) columns: Arc<[String]>,
    pub(crate) features: Option<FeatureSet>,
    /// Feature rows of all examples. Learned columns are 0, because each fit learns its own vocabularies.
    pub(crate) x: StoredRows,
    /// Row ranges of each page.
    pub(crate) rows: Arc<[PageRows]>,
    pub(crate) num_left_out: usize,
    /// Page data that was kept for purposes other than training.
    pub(crate) needs: Needs,
}

/// Row ranges of a page within the stored rows.
#[derive(Debug, Clone)]
pub(crate) struct PageRows {
    /// Rows of the page's blocks.
    pub page: Range<usize>,
    /// Rows of the example that is generated from the page.
    pub generated: Option<Range<usize>>,
    /// Rows of the page without attributes, if this variant is used in training.
    pub without_attributes: Option<Range<usize>>,
}

/// Page data that only some users of a corpus need.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Needs {
    /// Element attributes.
    pub attributes: bool,
    /// HTML source of the page.
    pub html: bool,
}

impl Corpus {
    /// Returns the indices of the pages that have gold.
    pub fn with_gold(&self) -> Vec<usize> {
        (0..self.pages.len()).filter(|&i| self.pages[i].gold.is_some()).collect()
    }

    /// Whether the pages have the scores of a teacher.
    pub fn has_teacher(&self) -> bool {
        self.pages.iter().any(|page| page.targets.is_some())
    }

    /// Returns the indices of the pages to train on. A page is used if its blocks contain enough of its gold text, see
    /// [`LabelRecipe::min_aligned`](threshr_extract::recipe::LabelRecipe::min_aligned). A page without gold is used if
    /// snippets label some of its blocks, or a teacher labels them.
    pub fn trainable(&self, recipe: &Recipe) -> Vec<usize> {
        let enough =
            |p: &CorpusPage| p.alignment.aligned_share() >= recipe.labels.min_aligned && !p.labels.is_empty();
        let is_trainable = |p: &CorpusPage| match p.gold {
            Some(_) => enough(p),
            None => p.has_snippet_labels || p.targets.is_some(),
        };
        (0..self.pages.len()).filter(|&i| is_trainable(&self.pages[i])).collect()
    }

    /// Returns the indices of the [`trainable`](Self::trainable) pages that have gold.
    pub fn trainable_with_gold(&self, recipe: &Recipe) -> Vec<usize> {
        self.trainable(recipe).into_iter().filter(|&i| self.pages[i].gold.is_some()).collect()
    }

    /// Keeps only the pages to train on, and drops documents and texts that training does not read.
    ///
    /// # Errors
    /// If no page is left.
    pub fn into_training(self, recipe: &Recipe) -> Result<Self> {
        let keep = self.trainable(recipe);
        if keep.is_empty() {
            return Err(Error::data("no page to train on")
                .expected("annotated pages that contain the text of their gold"));
        }
        let num_left_out = self.with_gold().iter().filter(|i| keep.binary_search(i).is_err()).count();
        let mut x = self.x;
        let of_page = |&page: &usize| {
            let PageRows { page, generated, without_attributes } = self.rows[page].clone();
            [Some(page), generated, without_attributes]
        };
        let kept: Vec<[Option<Range<usize>>; 3]> = keep.iter().map(of_page).collect();
        let mut moved = x.keep(&kept.iter().flatten().flatten().cloned().collect::<Vec<_>>()).into_iter();
        let rows: Vec<PageRows> = kept
            .into_iter()
            .map(|[_, generated, without_attributes]| PageRows {
                page: moved.next().unwrap_or_default(),
                generated: generated.and_then(|_| moved.next()),
                without_attributes: without_attributes.and_then(|_| moved.next()),
            })
            .collect();
        let filter = FilterChoice::parse(&recipe.decision.filter)?;
        let pages = match Arc::try_unwrap(self.pages) {
            Ok(pages) => pages,
            Err(_) => return Err(Error::data("the pages of the corpus are in use elsewhere")),
        };
        let pages = pages.into_iter().enumerate().filter(|(i, _)| keep.binary_search(i).is_ok());
        let pages = pages.map(|(_, mut page)| {
            page.drop_evaluation_data(filter);
            page
        });
        Ok(Corpus { pages: Arc::new(pages.collect()), x, rows: rows.into(), num_left_out, ..self })
    }

    /// Returns a corpus with the same pages and only these columns. Pages are shared, rows are copied.
    ///
    /// # Errors
    /// If the corpus does not have one of the columns.
    pub fn with_columns(&self, names: &Arc<[String]>) -> Result<Self> {
        let place: FxHashMap<&str, usize> = self.columns.iter().map(String::as_str).zip(0..).collect();
        let missing = |name: &String| {
            Error::features("the corpus has no such column")
                .expected("one of the columns with which the corpus was read")
                .at_column(name)
        };
        let find = |name: &String| place.get(name.as_str()).copied().ok_or_else(|| missing(name));
        let chosen = names.iter().map(find).collect::<Result<Vec<_>>>()?;
        let features = self.families().with_columns(names)?;
        let mut x = StoredRows::new(&features.sources());
        let mut values = Vec::new();
        let mut add = |rows: &Range<usize>| {
            values.clear();
            for row in rows.clone() {
                values.extend(chosen.iter().map(|&column| self.x.value(row, column)));
            }
            x.push(rows.len(), &values)
        };
        let rows: Vec<PageRows> = self
            .rows
            .iter()
            .map(|rows| PageRows {
                page: add(&rows.page),
                generated: rows.generated.as_ref().map(&mut add),
                without_attributes: rows.without_attributes.as_ref().map(&mut add),
            })
            .collect();
        Ok(Corpus {
            sets: self.sets.clone(),
            pages: self.pages.clone(),
            failures: Vec::new(),
            columns: names.clone(),
            features: Some(features),
            x,
            rows: rows.into(),
            num_left_out: self.num_left_out,
            needs: self.needs,
        })
    }

    /// Number of pages with gold that [`Corpus::into_training`] excluded.
    pub fn num_left_out(&self) -> usize {
        self.num_left_out
    }

    /// Assigns each of `pages` to a fold. Pages of one site are in the same fold.
    pub fn folds(&self, pages: &[usize], num_folds: usize, seed: u64) -> Vec<usize> {
        let sites: Vec<&str> = pages.iter().map(|&p| self.pages[p].site.as_str()).collect();
        folds::folds(&sites, num_folds, seed)
    }

    /// Returns the labels of the blocks of `pages`, page by page.
    pub fn labels_of(&self, pages: &[usize]) -> Vec<bool> {
        pages.iter().flat_map(|&p| self.pages[p].labels.iter().copied()).collect()
    }

    /// Feature families of the columns.
    pub fn families(&self) -> Families {
        self.features.as_ref().map(|features| features.families().clone()).unwrap_or_default()
    }
    /// Column names.
    pub fn columns(&self) -> &[String] {
        &self.columns
    }
    /// Returns the row range of a page within the stored rows.
    pub fn rows_of(&self, page: usize) -> Range<usize> {
        self.rows[page].page.clone()
    }
    /// Returns the feature rows of a page's blocks, shape (n_blocks, n_features). Learned columns are 0.
    pub(crate) fn values_of(&self, page: usize) -> Array2<f32> {
        let rows = self.rows_of(page);
        let shape = (rows.len(), self.columns.len());
        Array2::from_shape_vec(shape, self.x.values_of(rows)).unwrap_or_else(|e| unreachable!("{e}"))
    }
    /// Returns a stored feature row.
    #[cfg(test)]
    pub(crate) fn row(&self, row: usize) -> Vec<f32> {
        self.x.values_of(row..row + 1)
    }

    /// Confines each property in `confined` to its own blocks: in all other rows of the page, the policy
    /// column of the property is set to the opposite of the page's policy. `values` has the rows of the page.
    pub(crate) fn confine(
        &self,
        values: &mut Array2<f32>,
        page: &CorpusPage,
        confined: &[&'static Property],
    ) {
        for property in confined {
            let columns = PolicyColumns::new(&self.columns, property);
            let counts = page.policy.has(property);
            let is_own = |block: usize| {
                page.metadata.iter().any(|m| m.0 as usize == block && m.1.name == property.name)
            };
            for (block, mut row) in values.rows_mut().into_iter().enumerate() {
                if let Some(mut row) = row.as_slice_mut() {
                    columns.set_of_page(&mut row, counts == is_own(block));
                }
            }
        }
    }

    /// Returns the page data that a decision uses in addition to feature rows.
    pub fn page_facts(&self, page: usize) -> DecisionFacts<'_> {
        let page = &self.pages[page];
        DecisionFacts {
            doc: &page.doc,
            blocks: &page.blocks,
            num_tokens: Cow::Borrowed(&page.alignment.num_tokens),
            article: Cow::Owned(metadata_blocks(|| &page.metadata, &self.columns)),
            left_out: page.left_out,
            thread: &page.thread,
            controls: &page.controls,
            notes: None,
            shift: None,
        }
    }
}

#[cfg(test)]
pub(crate) mod tests;

//! The columns of a corpus that change: chosen ones, learned ones, and those of the second pass.

use super::Corpus;
use super::corpus::Columns;
use crate::error::{Error, Result};
use crate::features::{FeatureMatrix, FeatureSet, Learned, Lesson, Terms, Vocabularies, Vocabulary, learn};
use crate::rescore;
use ndarray::Array2;
use rayon::prelude::*;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::sync::Arc;

impl Corpus {
    /// Takes all columns out; [`Corpus::choose_columns`] puts some of them back, so that feature sets can be compared
    /// without reading the pages again.
    ///
    /// # Errors
    /// Where a value is not finite.
    pub fn take_columns(&mut self) -> Result<FeatureMatrix> {
        let columns = std::mem::take(&mut self.columns);
        let mut x = std::mem::take(&mut self.x);
        if self.num_extra > 0 {
            x = x.view().first_columns(columns.len()).to_owned();
        }
        FeatureMatrix::new(columns, x)
    }

    /// Makes these columns of `all` the corpus's own, copied. `all` has the rows that
    /// [`Corpus::take_columns`] gave.
    ///
    /// # Errors
    /// Where `all` has other rows, or none of its columns has the name.
    pub fn choose_columns(&mut self, all: &FeatureMatrix, names: &Arc<[String]>) -> Result<()> {
        let num_rows = self.num_rows();
        if all.num_blocks() != num_rows {
            return Err(Error::features(format!("the matrix has {} rows", all.num_blocks()))
                .expected(num_rows.to_string()));
        }
        let place: FxHashMap<&str, usize> = all.columns().iter().map(String::as_str).zip(0..).collect();
        let missing = |name: &String| Error::features("the pages were read without it").at_column(name);
        let find = |name: &String| place.get(name.as_str()).copied().ok_or_else(|| missing(name));
        let chosen = names.iter().map(find).collect::<Result<Vec<_>>>()?;
        // row by row in memory: what is filled anew later is found by its row
        self.x = Array2::zeros((num_rows, names.len() + self.num_extra));
        for (mut row, from) in self.x.rows_mut().into_iter().zip(all.values().rows()) {
            row.iter_mut().zip(&chosen).for_each(|(value, &column)| *value = from[column]);
        }
        self.columns = names.clone();
        self.features = Some(FeatureSet::from_names(names)?);
        Ok(())
    }

    /// What learned families learn from the blocks of `pages`.
    pub(super) fn learn(&self, pages: &[usize]) -> BTreeMap<&'static str, Learned> {
        let Some(features) = &self.features else { return BTreeMap::new() };
        let families = features.learned_families();
        let learned = families.iter().filter_map(|family| {
            let lesson = |&p: &usize| {
                let page = &self.pages[p];
                let terms = page.terms.get(family.name())?;
                Some(Lesson { site: &page.site, terms, share: &page.alignment.share })
            };
            let lessons: Vec<_> = pages.iter().filter_map(lesson).collect();
            Some((family.name(), learn(&lessons, family.learner()?.limits())))
        });
        learned.collect()
    }

    /// Fills the learned columns: those of training pages from the labels of other sites, those of `others` from all.
    pub(super) fn fill_learned(
        &mut self,
        learned: &BTreeMap<&'static str, Learned>,
        train: &[usize],
        others: &[usize],
    ) {
        let Some(features) = &self.features else { return };
        let width = self.x.ncols();
        let mut is_training = vec![None; self.pages.len()];
        train.iter().for_each(|&p| is_training[p] = Some(true));
        others.iter().for_each(|&p| is_training[p] = Some(false));
        let trains: Vec<bool> = is_training.iter().map(|t| *t == Some(true)).collect();
        let rows = self.x.as_slice_mut();
        debug_assert!(rows.is_some(), "rows are kept one after the other");
        let Some(mut rest) = rows else { return };
        let mut jobs = Vec::new();
        for (page, is_training) in self.pages.iter().zip(is_training) {
            let rows;
            (rows, rest) = rest.split_at_mut(page.labels.len() * width);
            jobs.extend(is_training.map(|t| (&page.terms, page.site.as_str(), t, rows)));
        }
        for (index, range) in &self.grown_rows {
            let rows;
            (rows, rest) = rest.split_at_mut(range.len() * width);
            let page = &self.pages[*index];
            let grown = page.grown.as_ref().filter(|_| trains[*index]);
            jobs.extend(grown.map(|g| (&g.terms, page.site.as_str(), true, rows)));
        }
        jobs.into_par_iter().for_each(|(terms, site, is_training, rows)| {
            let num_blocks = rows.len() / width;
            refill(features, terms, num_blocks, rows, width, |family| {
                let learned = learned.get(family)?;
                Some(if is_training { learned.for_training(site) } else { &learned.vocabulary })
            });
        });
    }

    /// A copy of a page's features, the learned columns filled from `vocabularies`.
    pub(super) fn values_with(&self, page: usize, vocabularies: &Vocabularies) -> Array2<f32> {
        let mut values = self.values_of(page).as_standard_layout().into_owned();
        let width = values.ncols();
        if let (Some(features), Some(rows)) = (&self.features, values.as_slice_mut()) {
            let page = &self.pages[page];
            refill(features, &page.terms, page.labels.len(), rows, width, |family| vocabularies.get(family));
        }
        values
    }

    /// Fills the columns of the second pass of `pages` from the first's scores, page after page.
    pub(super) fn fill_scores(&mut self, pages: &[usize], scores: &[f32]) {
        let (width, first) = (self.x.ncols(), self.columns.len());
        let mut from = 0;
        for &page in pages {
            let rows = self.rows_of(page);
            let of_page = &scores[from..from + rows.len()];
            from += rows.len();
            if let Some(values) = self.x.as_slice_mut() {
                let values = &mut values[rows.start * width..rows.end * width];
                rescore::fill(&self.pages[page].structure, of_page, values, first, width);
            }
        }
    }
}

/// Writes the learned columns of the rows of a page, or of another form of it, each family's from the vocabulary that it is given.
fn refill<'v>(
    features: &FeatureSet,
    terms: &BTreeMap<&'static str, Terms>,
    num_blocks: usize,
    rows: &mut [f32],
    stride: usize,
    vocabulary: impl Fn(&str) -> Option<&'v Vocabulary>,
) {
    for family in features.learned_families() {
        let name = family.name();
        if let (Some(learner), Some(terms), Some(vocabulary)) =
            (family.learner(), terms.get(name), vocabulary(name))
        {
            features.refill(name, num_blocks, stride, rows, |grid| {
                Learned::fill(learner, terms, vocabulary, grid);
            });
        }
    }
}

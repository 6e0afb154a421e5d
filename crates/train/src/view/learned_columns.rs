//! Learned columns: vocabularies learned from training pages, and the columns computed with them.

use crate::corpus::Corpus;
use crate::view::vocabulary::{Learned, TermExample, learn};
use ndarray::Array2;
use std::collections::BTreeMap;
use threshr_features::{Family, FeatureSet, PageContext, Terms, Vocabularies, Vocabulary};

/// Vocabularies that each learned family learned from training pages, by family name.
pub(crate) type LearnedFamilies = BTreeMap<&'static str, Learned>;

impl Corpus {
    /// Learns the vocabularies of all learned families from the blocks of `pages`.
    pub(crate) fn learn(&self, pages: &[usize]) -> LearnedFamilies {
        let Some(features) = &self.features else { return BTreeMap::new() };
        let families = features.learned_families();
        let learned = families.iter().filter_map(|family| {
            let lesson = |&p: &usize| {
                let page = &self.pages[p];
                // snippets label too few blocks to count terms
                page.gold.as_ref()?;
                let terms = page.terms.get(family.name())?;
                Some(TermExample { site: &page.site, terms, share: &page.alignment.share })
            };
            let examples: Vec<_> = pages.iter().filter_map(lesson).collect();
            Some((family.name(), learn(&examples, family.learner()?.limits())))
        });
        learned.collect()
    }

    /// Returns a copy of a page's rows with the learned columns computed from `vocabularies`.
    pub(crate) fn values_with(&self, page: usize, vocabularies: &Vocabularies) -> Array2<f32> {
        let mut values = self.values_of(page);
        let width = values.ncols();
        if let (Some(features), Some(rows)) = (&self.features, values.as_slice_mut()) {
            let page = &self.pages[page];
            fill(
                features,
                &page.terms,
                page.labels.len(),
                |family| vocabularies.get(family),
                |block, column, value| {
                    rows[block * width + column] = value;
                },
            );
        }
        values
    }
}

/// Returns the vocabularies for pages that are not training pages.
pub(crate) fn vocabularies(learned: LearnedFamilies) -> Vocabularies {
    learned.into_iter().map(|(name, l)| (name.to_owned(), l.vocabulary)).collect()
}

/// Computes the learned columns of an example. `vocabulary` returns the vocabulary of a family. `set` is called
/// with block, column and value.
pub(crate) fn fill<'v>(
    features: &FeatureSet,
    terms: &BTreeMap<&'static str, Terms>,
    num_blocks: usize,
    vocabulary: impl Fn(&str) -> Option<&'v Vocabulary>,
    mut set: impl FnMut(usize, usize, f32),
) {
    for family in features.learned_families() {
        let name = family.name();
        if let (Some(learner), Some(terms), Some(vocabulary)) =
            (family.learner(), terms.get(name), vocabulary(name))
        {
            features.fill_family(
                name,
                num_blocks,
                |grid| learner.fill_terms(terms, vocabulary, grid),
                &mut set,
            );
        }
    }
}

/// Returns the rows of a page, row after row.
pub(crate) fn rows_of(features: &FeatureSet, page: &PageContext<'_>) -> Vec<f32> {
    features.extract(page).values().iter().copied().collect()
}

/// Returns the terms of a page for each learned family, by family name.
pub(crate) fn terms_of(features: &FeatureSet, page: &PageContext<'_>) -> BTreeMap<&'static str, Terms> {
    let of_family = |f: &&'static dyn Family| Some((f.name(), f.learner()?.terms(page)));
    features.learned_families().iter().filter_map(of_family).collect()
}

//! Learned columns: vocabularies learned from training pages, and the columns computed with them.

use crate::corpus::Corpus;
use crate::vocabulary::{Learned, TermExample, learn};
use ndarray::Array2;
use std::collections::BTreeMap;
use threshr_features::{FeatureSet, Terms, Vocabularies, Vocabulary};

/// What each learned family learned from training pages, by family name.
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

    /// A copy of a page's rows with the learned columns filled from `vocabularies`.
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

/// Vocabularies for pages that are not training pages.
pub(crate) fn vocabularies(learned: LearnedFamilies) -> Vocabularies {
    learned.into_iter().map(|(name, l)| (name.to_owned(), l.vocabulary)).collect()
}

/// Computes the learned columns of an example. `vocabulary` gives the vocabulary of a family; `set` receives
/// block, column and value.
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

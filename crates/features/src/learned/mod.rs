//! Families whose columns depend on a vocabulary that is learned from training pages.
//!
//! The [`Terms`] of a page are lists of strings for every block, such as words or names of elements. A
//! [`Vocabulary`] maps terms to their log-odds of content. A [`Learner`] makes columns of both. A vocabulary
//! holds the labels of the pages it is learned from. Columns of training pages therefore come from
//! vocabularies of other sites.
//!
//! # How to add a learned family
//!
//! Write `NAME.rs` here, as `words.rs`, with a [`Learner`]: the terms of each block, and columns from their log-odds.
//! Learning, cross-fitting and saving are done for it. Add it to the `REGISTRY` of families in `lib.rs`.

pub(crate) mod attribute_tokens;
mod folded;
pub(crate) mod ngrams;
mod sorted_terms;
mod term_table;
mod terms;
mod vocabulary;
pub(crate) mod words;

pub use term_table::TermTable;
pub use terms::{Terms, TermsBuilder};
pub use vocabulary::Vocabulary;

use crate::{Grid, PageContext};
use std::collections::BTreeMap;

/// Vocabularies by family.
pub type Vocabularies = BTreeMap<String, Vocabulary>;

/// The learned part of a family.
pub trait Learner: Sync {
    /// Number of lists of terms of a block.
    fn num_slots(&self) -> usize;
    /// Collects the terms of every block.
    fn collect(&self, page: &PageContext<'_>, terms: &mut TermsBuilder<'_>);
    /// Writes every column. `odds` gives the log-odds of a term by its id, NaN for an unknown term.
    fn fill(&self, terms: &Terms, odds: Odds<'_>, out: &mut Grid<'_>);
    /// Which terms enter the vocabulary.
    fn limits(&self) -> Limits;
}

impl dyn Learner {
    /// The terms of a page, with a dictionary of the page.
    pub fn terms(&self, page: &PageContext<'_>) -> Terms {
        let mut builder = TermsBuilder::new(self.num_slots());
        self.collect(page, &mut builder);
        builder.finish()
    }

    /// Writes every column of a page from a vocabulary and the terms of the page with its dictionary.
    pub fn fill_terms(&self, terms: &Terms, vocabulary: &Vocabulary, out: &mut Grid<'_>) {
        self.fill(terms, Odds::ById(&vocabulary.resolve(terms)), out);
    }

    /// Writes every column of a page directly from a vocabulary, without a dictionary of the page.
    pub fn fill_page(&self, page: &PageContext<'_>, vocabulary: &Vocabulary, out: &mut Grid<'_>) {
        let mut builder = TermsBuilder::of_vocabulary(self.num_slots(), vocabulary.table());
        self.collect(page, &mut builder);
        self.fill(&builder.finish(), Odds::InIds, out);
    }
}

/// Where the log-odds of terms are.
#[derive(Debug, Clone, Copy)]
pub enum Odds<'a> {
    /// In this list, by the ids of the page's dictionary.
    ById(&'a [f32]),
    /// In the ids themselves, which are the bits of the log-odds in a vocabulary.
    InIds,
}

impl Odds<'_> {
    /// The log-odds of the term with an id; NaN if it is unknown.
    #[inline]
    pub fn of(self, id: u32) -> f32 {
        match self {
            Odds::ById(odds) => odds[id as usize],
            Odds::InIds => f32::from_bits(id),
        }
    }
}

/// Which terms enter a vocabulary.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Fewest sites with the term, so that a vocabulary has no terms of a single site.
    pub min_sites: u32,
    /// Most terms. Those with the strongest log-odds on the most sites are kept.
    pub max_terms: usize,
}

//! Families whose columns depend on a vocabulary that is learned from training pages.
//!
//! The [`Terms`] of a page are lists of strings for each block, such as words or element names. A
//! [`Vocabulary`] maps terms to their log-odds of content. A [`Learner`] computes columns from both. A
//! vocabulary reveals the labels of the pages that it is learned from. Therefore, the columns of training pages
//! are computed from vocabularies of other sites (cross-fitting).
//!
//! # How to add a learned family
//!
//! Write `NAME.rs` here with a [`Learner`], following `words.rs`. The learner provides the terms of each block,
//! and computes columns from their log-odds. Learning, cross-fitting and saving are generic. Add the family to
//! `REGISTRY` in `lib.rs`.

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
    /// Number of term lists per block.
    fn num_slots(&self) -> usize;
    /// Collects the terms of every block.
    fn collect(&self, page: &PageContext<'_>, terms: &mut TermsBuilder<'_>);
    /// Writes every column. `odds` returns the log-odds of a term by its id, NaN for an unknown term.
    fn fill(&self, terms: &Terms, odds: Odds<'_>, out: &mut Grid<'_>);
    /// Returns the limits for terms in the vocabulary.
    fn limits(&self) -> Limits;
}

impl dyn Learner {
    /// Returns the terms of a page, with the page's own dictionary.
    pub fn terms(&self, page: &PageContext<'_>) -> Terms {
        let mut builder = TermsBuilder::new(self.num_slots());
        self.collect(page, &mut builder);
        builder.finish()
    }

    /// Computes all columns of a page from its terms, which have the page's own dictionary, and a vocabulary.
    pub fn fill_terms(&self, terms: &Terms, vocabulary: &Vocabulary, out: &mut Grid<'_>) {
        self.fill(terms, Odds::ById(&vocabulary.resolve(terms)), out);
    }

    /// Computes all columns of a page directly from a vocabulary, without a dictionary for the page.
    pub fn fill_page(&self, page: &PageContext<'_>, vocabulary: &Vocabulary, out: &mut Grid<'_>) {
        let mut builder = TermsBuilder::of_vocabulary(self.num_slots(), vocabulary.table());
        self.collect(page, &mut builder);
        self.fill(&builder.finish(), Odds::InIds, out);
    }
}

/// Where the log-odds of terms are stored.
#[derive(Debug, Clone, Copy)]
pub enum Odds<'a> {
    /// The log-odds are in this list, indexed by the ids of the page's dictionary.
    ById(&'a [f32]),
    /// The log-odds are the ids: an id is the bit pattern of the log-odds in a vocabulary.
    InIds,
}

impl Odds<'_> {
    /// Returns the log-odds of the term with an id, or NaN if the term is unknown.
    #[inline]
    pub fn of(self, id: u32) -> f32 {
        match self {
            Odds::ById(odds) => odds[id as usize],
            Odds::InIds => f32::from_bits(id),
        }
    }
}

/// Limits for the terms in a vocabulary.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Minimum number of sites on which a term occurs, so that a vocabulary has no site-specific terms.
    pub min_sites: u32,
    /// Maximum number of terms. Terms are ranked by the strength of their log-odds and their number of sites.
    pub max_terms: usize,
}

//! Families whose columns rest on a vocabulary that is learned from training pages.
//!
//! What a page offers to learn from is its [`Terms`]: lists of strings for every block (names of elements, words). A
//! [`Vocabulary`] gives terms their log-odds of standing in content; a [`Learner`] makes columns of both. A page
//! that a vocabulary was learned from would show its own labels in such columns, so training pages are filled from
//! vocabularies of other sites (see [`learn`]).

pub(crate) mod attribute_tokens;
mod folded;
mod known;
pub(crate) mod ngrams;
mod terms;
mod vocabulary;
pub(crate) mod words;

pub use known::Known;
pub use terms::{Terms, TermsBuilder};
pub use vocabulary::{Learned, Lesson, Vocabulary, learn};

use crate::{Grid, PageContext};
use std::collections::BTreeMap;

/// Vocabularies by family.
pub type Vocabularies = BTreeMap<String, Vocabulary>;

/// The learned side of a family.
pub trait Learner: Sync {
    /// Number of lists of a block.
    fn num_slots(&self) -> usize;
    /// Collects the terms of every block.
    fn collect(&self, page: &PageContext<'_>, terms: &mut TermsBuilder<'_>);
    /// Writes every column; `odds` knows the log-odds of the terms by their ids, NaN for unknown ones.
    fn fill(&self, terms: &Terms, odds: Odds<'_>, out: &mut Grid<'_>);
    /// What a term must have to enter the vocabulary.
    fn limits(&self) -> Limits;
}

impl dyn Learner {
    /// The terms of every block of a page, with a dictionary of their own.
    pub fn terms(&self, page: &PageContext<'_>) -> Terms {
        let mut builder = TermsBuilder::new(self.num_slots());
        self.collect(page, &mut builder);
        builder.finish()
    }

    /// Writes every column of a page, without a dictionary between page and vocabulary.
    pub fn fill_page(&self, page: &PageContext<'_>, vocabulary: &Vocabulary, out: &mut Grid<'_>) {
        let mut builder = TermsBuilder::known(self.num_slots(), vocabulary.known());
        self.collect(page, &mut builder);
        self.fill(&builder.finish(), Odds::InIds, out);
    }
}

/// Where the log-odds of terms are.
#[derive(Debug, Clone, Copy)]
pub enum Odds<'a> {
    /// At their ids, those of a page's dictionary.
    ById(&'a [f32]),
    /// The ids are the log-odds themselves, bit by bit: they came from a vocabulary.
    InIds,
}

impl Odds<'_> {
    /// The log-odds of the term with an id; NaN where it is unknown.
    #[inline]
    pub fn of(self, id: u32) -> f32 {
        match self {
            Odds::ById(odds) => odds[id as usize],
            Odds::InIds => f32::from_bits(id),
        }
    }
}

/// What a term must have to enter a vocabulary.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Sites it must occur on, so that no vocabulary knows a site by its names.
    pub min_sites: u32,
    /// Most terms; those that say most about most sites stay.
    pub max_terms: usize,
}

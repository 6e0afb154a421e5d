//! Vocabularies: log-odds of terms.

use crate::learned::sorted_terms::SortedTerms;
use crate::learned::terms::term_hash;
use crate::learned::{TermTable, Terms};
use std::sync::OnceLock;

/// Terms with their log-odds of content, relative to those of an average block.
#[derive(Debug, Clone, Default)]
pub struct Vocabulary {
    terms: SortedTerms,
    /// Built when a page is first filled.
    table: OnceLock<TermTable>,
}

impl PartialEq for Vocabulary {
    fn eq(&self, other: &Self) -> bool {
        self.terms == other.terms
    }
}

/// Greatest absolute log-odds: e^6 is odds of 403 to 1.
const MAX_ODDS: f32 = 6.0;

impl Vocabulary {
    pub(super) fn new(terms: SortedTerms) -> Self {
        Vocabulary { terms, table: OnceLock::new() }
    }
    /// Log-odds of every term of a page's dictionary; NaN for unknown terms.
    pub fn resolve(&self, terms: &Terms) -> Vec<f32> {
        let table = self.table();
        terms.dictionary().map(|t| table.odds(term_hash(t))).collect()
    }
    /// The hash table of the terms.
    pub fn table(&self) -> &TermTable {
        self.table.get_or_init(|| {
            let hashed = |(term, odds): (&str, f32)| (term_hash(term), odds.clamp(-MAX_ODDS, MAX_ODDS));
            TermTable::new(self.terms.iter().map(hashed))
        })
    }
    /// Number of terms.
    pub fn len(&self) -> usize {
        self.terms.odds().len()
    }
    /// Whether the vocabulary has no term.
    pub fn is_empty(&self) -> bool {
        self.terms.odds().is_empty()
    }
    /// The terms with their log-odds, sorted.
    pub fn iter(&self) -> impl Iterator<Item = (&str, f32)> {
        self.terms.iter()
    }
    /// Whether all log-odds are finite, as a model file requires.
    pub fn is_sound(&self) -> bool {
        self.terms.odds().iter().all(|o| o.is_finite())
    }
}

/// Collects distinct terms that are in ascending order.
impl<'a> FromIterator<(&'a str, f32)> for Vocabulary {
    fn from_iter<I: IntoIterator<Item = (&'a str, f32)>>(terms: I) -> Self {
        Vocabulary::new(terms.into_iter().collect())
    }
}

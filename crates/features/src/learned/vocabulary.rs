//! Vocabularies: log-odds of terms.

use crate::learned::sorted_terms::SortedTerms;
use crate::learned::terms::term_hash;
use crate::learned::{TermTable, Terms};
use std::sync::OnceLock;

/// Terms with their log-odds of content, relative to the log-odds of an average block.
#[derive(Debug, Clone, Default)]
pub struct Vocabulary {
    terms: SortedTerms,
    /// Hash table of the terms, built on first use.
    table: OnceLock<TermTable<f32>>,
}

impl PartialEq for Vocabulary {
    fn eq(&self, other: &Self) -> bool {
        self.terms == other.terms
    }
}

/// Maximum absolute log-odds. e^6 corresponds to odds of 403 to 1.
const MAX_ODDS: f32 = 6.0;

impl Vocabulary {
    pub(super) fn new(terms: SortedTerms) -> Self {
        Vocabulary { terms, table: OnceLock::new() }
    }
    /// Returns the log-odds of every term in a page's dictionary; NaN for unknown terms.
    pub fn resolve(&self, terms: &Terms) -> Vec<f32> {
        let table = self.table();
        terms.dictionary().map(|t| table.get(term_hash(t))).collect()
    }
    /// Returns the hash table of the terms. Builds it on first use.
    pub fn table(&self) -> &TermTable<f32> {
        self.table.get_or_init(|| {
            let hashed = |(term, odds): (&str, f32)| (term_hash(term), odds.clamp(-MAX_ODDS, MAX_ODDS));
            TermTable::new(self.terms.iter().map(hashed), f32::NAN)
        })
    }
    /// Number of terms.
    pub fn len(&self) -> usize {
        self.terms.odds().len()
    }
    /// Whether the vocabulary is empty.
    pub fn is_empty(&self) -> bool {
        self.terms.odds().is_empty()
    }
    /// Returns the terms with their log-odds, sorted by term.
    pub fn iter(&self) -> impl Iterator<Item = (&str, f32)> {
        self.terms.iter()
    }
    /// Whether all log-odds are finite, as required in a model file.
    pub fn is_sound(&self) -> bool {
        self.terms.odds().iter().all(|o| o.is_finite())
    }
}

/// Collects distinct terms, which must be in ascending order.
impl<'a> FromIterator<(&'a str, f32)> for Vocabulary {
    fn from_iter<I: IntoIterator<Item = (&'a str, f32)>>(terms: I) -> Self {
        Vocabulary::new(terms.into_iter().collect())
    }
}

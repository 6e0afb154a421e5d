//! The terms of a vocabulary, stored in a single string. A model has tens of thousands of terms, and one string
//! per term would take longer to load.

use crate::Vocabulary;
use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, Visitor};
use serde::{Deserialize, Serialize, Serializer};
use std::collections::BTreeMap;
use std::fmt;

/// Distinct terms in ascending order, each with its log-odds.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct SortedTerms {
    /// The terms, concatenated.
    text: String,
    /// End of each term in `text`.
    ends: Vec<usize>,
    odds: Vec<f32>,
}

impl SortedTerms {
    /// Returns the log-odds, in the order of the terms.
    pub(super) fn odds(&self) -> &[f32] {
        &self.odds
    }

    /// Returns the terms with their log-odds, in ascending order.
    pub(super) fn iter(&self) -> impl ExactSizeIterator<Item = (&str, f32)> {
        self.odds.iter().enumerate().map(|(i, &odds)| (self.term(i), odds))
    }

    fn term(&self, i: usize) -> &str {
        let start = if i == 0 { 0 } else { self.ends[i - 1] };
        &self.text[start..self.ends[i]]
    }

    /// Returns true if the last term is greater than the term before it.
    fn is_last_greater(&self) -> bool {
        let num = self.ends.len();
        num < 2 || self.term(num - 2) < self.term(num - 1)
    }
}

/// Collects terms that are in ascending order.
impl<'a> FromIterator<(&'a str, f32)> for SortedTerms {
    fn from_iter<I: IntoIterator<Item = (&'a str, f32)>>(terms: I) -> Self {
        let mut all = SortedTerms::default();
        for (term, odds) in terms {
            all.text.push_str(term);
            all.ends.push(all.text.len());
            all.odds.push(odds);
        }
        all
    }
}

impl Serialize for Vocabulary {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter())
    }
}

impl<'de> Deserialize<'de> for Vocabulary {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(OfMap).map(Vocabulary::new)
    }
}

/// Visitor that reads a map from terms to log-odds, in any order. If a term occurs several times, the last
/// value is used.
struct OfMap;

impl<'de> Visitor<'de> for OfMap {
    type Value = SortedTerms;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a map")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<SortedTerms, A::Error> {
        let mut terms = SortedTerms::default();
        let mut is_sorted = true;
        while map.next_key_seed(AddTo(&mut terms.text))?.is_some() {
            terms.ends.push(terms.text.len());
            terms.odds.push(map.next_value()?);
            is_sorted = is_sorted && terms.is_last_greater();
        }
        if is_sorted {
            return Ok(terms);
        }
        let sorted: BTreeMap<&str, f32> = terms.iter().collect();
        Ok(sorted.into_iter().collect())
    }
}

/// Deserializes a string by appending it to a buffer, without allocating a separate string.
struct AddTo<'a>(&'a mut String);

impl<'de> DeserializeSeed<'de> for AddTo<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for AddTo<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string")
    }

    fn visit_str<E: Error>(self, term: &str) -> Result<(), E> {
        self.0.push_str(term);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use crate::Vocabulary;

    #[test]
    fn terms_are_sorted_and_the_last_of_equal_terms_counts() {
        let read = |text: &str| serde_json::from_str::<Vocabulary>(text);
        let unsorted =
            read(r#"{"b": 1.5, "": 3, "\u0061": -2, "b": 0.25, "é": 1e-3}"#).expect("a vocabulary");
        let terms: Vec<_> = unsorted.iter().collect();
        assert_eq!(terms, [("", 3.0), ("a", -2.0), ("b", 0.25), ("é", 1e-3)]);
        let text = serde_json::to_string(&unsorted).expect("JSON");
        assert_eq!(text, r#"{"":3.0,"a":-2.0,"b":0.25,"é":0.001}"#);
        assert_eq!(read(&text).expect("a vocabulary"), unsorted);
        assert!(read("{}").expect("a vocabulary").is_empty());
        for bad in ["[]", "null", r#"{"a": "b"}"#, r#"{"a"}"#] {
            assert!(read(bad).is_err(), "{bad}");
        }
    }
}

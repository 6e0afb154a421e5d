//! Terms from class and id attributes.

use super::{TermCounter, at};
use rustc_hash::FxHashMap;
use std::ops::Range;
use threshr_page::names::element_names::for_each_word as for_each_name_word;

/// Maximum number of words in the class and the id of an element.
const MAX_WORDS: usize = 24;
/// Minimum number of bytes of a word that is a term.
const MIN_LENGTH: usize = 3;

/// Counts the words of names. Class values are often repeated, so each value is split once.
#[derive(Default)]
pub(super) struct NameTerms<'a> {
    /// Number of elements with a value. Counts only elements that have just one of the two attributes, because ids
    /// are seldom repeated.
    values: FxHashMap<&'a str, u32>,
    words: DistinctWords,
}

impl<'a> NameTerms<'a> {
    /// Adds the class and id of an element, in the order of the attributes.
    pub(super) fn add(&mut self, values: [&'a str; 2], counter: &mut impl TermCounter) {
        match values[1] {
            "" => *self.values.entry(values[0]).or_insert(0) += 1,
            _ => self.words.count(at::NAME, values, 1, counter),
        }
    }

    /// Counts the distinct words of the class and id of `<body>`.
    pub(super) fn body(&mut self, values: [&str; 2], counter: &mut impl TermCounter) {
        self.words.count(at::BODY_NAME, values, 1, counter);
    }

    /// Counts the distinct words of the values that were added.
    pub(super) fn finish(mut self, counter: &mut impl TermCounter) {
        for (value, times) in self.values {
            self.words.count(at::NAME, [value, ""], times, counter);
        }
    }
}

/// The distinct words of an element's names.
#[derive(Default)]
struct DistinctWords {
    text: String,
    ranges: Vec<Range<usize>>,
}

impl DistinctWords {
    fn read(&mut self, values: [&str; 2]) {
        self.text.clear();
        self.ranges.clear();
        for value in values {
            for_each_name_word(value, |word| {
                if word.len() >= MIN_LENGTH
                    && self.ranges.len() < MAX_WORDS
                    && !self.ranges.iter().any(|range| self.text[range.clone()] == *word)
                {
                    let start = self.text.len();
                    self.text.push_str(word);
                    self.ranges.push(start..self.text.len());
                }
            });
        }
    }

    /// Counts the distinct words of the names of `times` elements.
    fn count(&mut self, channel: usize, values: [&str; 2], times: u32, counter: &mut impl TermCounter) {
        self.read(values);
        for word in self.ranges.iter().map(|range| &self.text[range.clone()]) {
            if let Some(number) = counter.number_of_fitting(channel, word) {
                counter.count(number, times);
            }
        }
    }
}

//! Terms from class and id attributes.

use super::TermCounter;
use rustc_hash::FxHashMap;
use std::ops::Range;
use threshr_page::names::element_names::for_each_word as for_each_name_word;

/// Maximum number of words in the class and the id of an element.
const MAX_WORDS: usize = 24;
/// Minimum number of bytes of a word that is a term.
const MIN_LENGTH: usize = 3;

/// Counts the words of names. Class values are often repeated, so the terms of each value are looked up once.
#[derive(Default)]
pub(super) struct NameTerms<'a> {
    /// Numbers of the terms of all known values.
    numbers: Vec<u32>,
    /// Ranges in `numbers`, by channel and value. Only for elements with one of the two attributes, because ids
    /// are seldom repeated.
    known: FxHashMap<(usize, &'a str), Range<usize>>,
    words: DistinctWords,
}

impl<'a> NameTerms<'a> {
    /// Counts the distinct words in class and id of an element. `values` are in the order of the attributes.
    pub(super) fn add(&mut self, channel: usize, values: [&'a str; 2], counter: &mut impl TermCounter) {
        if !values[1].is_empty() {
            self.words.read(values);
            return self.words.iter().for_each(|word| counter.add(channel, word));
        }
        let key = (channel, values[0]);
        let range = match self.known.get(&key) {
            Some(range) => range.clone(),
            None => {
                self.words.read(values);
                let start = self.numbers.len();
                let numbers = self.words.iter().filter_map(|word| counter.number_of_fitting(channel, word));
                self.numbers.extend(numbers);
                let range = start..self.numbers.len();
                self.known.insert(key, range.clone());
                range
            }
        };
        self.numbers[range].iter().for_each(|&number| counter.count(number));
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

    fn iter(&self) -> impl Iterator<Item = &str> {
        self.ranges.iter().map(|range| &self.text[range.clone()])
    }
}

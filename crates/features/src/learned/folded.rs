//! Words normalised to vocabulary terms: lower case, each digit replaced by 0, at most 20 characters.

use crate::learned::TermsBuilder;
use std::ops::Range;
use threshr_html::text::classes::{NORMAL, NUMERIC, class};
use threshr_html::text::swar::{lower_case, zero_digits};
use threshr_page::Word;
use threshr_page::text::hashing::{chained, hash_of};

/// Maximum number of characters per word.
const MAX_CHARS: usize = 20;

/// The first words of a block, normalised to terms.
pub(crate) struct FoldedWords {
    /// Hash of each word.
    pub hashes: Vec<u64>,
    /// Whether the text of the terms is kept. If false, `text` and `at` are empty.
    with_text: bool,
    /// The words, separated by spaces.
    pub text: String,
    /// Range of each word in `text`.
    at: Vec<Range<usize>>,
    scratch: String,
    /// Maximum number of words per block.
    most_words: usize,
}

impl FoldedWords {
    pub(super) fn new(with_text: bool, most_words: usize) -> Self {
        FoldedWords {
            hashes: Vec::new(),
            with_text,
            text: String::new(),
            at: Vec::new(),
            scratch: String::new(),
            most_words,
        }
    }

    /// Replaces the words by those of another block.
    pub(super) fn fold(&mut self, text: &str, words: &[Word]) {
        self.hashes.clear();
        self.text.clear();
        self.at.clear();
        for found in words.iter().take(self.most_words) {
            // a short word without digits already has the hash of its term
            if found.is_plain() && found.range().len() <= MAX_CHARS && !self.with_text {
                self.hashes.push(found.hash);
                continue;
            }
            let word = found.of(text);
            let ascii = word.is_ascii();
            if ascii {
                let begin = &word.as_bytes()[..word.len().min(MAX_CHARS)];
                self.hashes.push(hash_of(begin, |chunk| zero_digits(lower_case(chunk))));
            }
            if !ascii || self.with_text {
                self.scratch.clear();
                fold_into(word, &mut self.scratch);
            }
            if !ascii {
                self.hashes.push(hash_of(self.scratch.as_bytes(), |chunk| chunk));
            }
            if self.with_text {
                self.text.push_str(if self.at.is_empty() { "" } else { " " });
                self.at.push(self.text.len()..self.text.len() + self.scratch.len());
                self.text.push_str(&self.scratch);
            }
        }
    }

    /// Returns the text of word `i`.
    pub(super) fn word(&self, i: usize) -> &str {
        &self.text[self.at[i].clone()]
    }

    /// Adds all n-grams of `n` words to the open list.
    pub(super) fn runs(&self, n: usize, terms: &mut TermsBuilder<'_>) {
        for (i, run) in self.hashes.windows(n).enumerate() {
            let text = || &self.text[self.at[i].start..self.at[i + n - 1].end];
            terms.term_of(run.iter().fold(0, |head, &word| chained(head, word)), text);
        }
    }
}

/// Appends the first characters of a word to `out`, in lower case and with each digit as 0.
fn fold_into(word: &str, out: &mut String) {
    let mut num = 0;
    for c in word.chars() {
        let class = class(c);
        if class & (NORMAL | NUMERIC) == NORMAL {
            out.push(c);
            num += 1;
        } else {
            let digit_as_0 = |c: char| if c.is_numeric() { '0' } else { c };
            let folded = c.to_lowercase().map(digit_as_0).take(MAX_CHARS - num);
            folded.for_each(|c| {
                out.push(c);
                num += 1;
            });
        }
        if num == MAX_CHARS {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn folding_is_lower_case_with_digits_as_0(word in "[a-zA-Z0-9ÀéİΣςß٣½漢字ไท𝐀ﬀ\u{301}\u{345}]{1,30}") {
            let mut folded = String::new();
            fold_into(&word, &mut folded);
            let digit_as_0 = |c: char| if c.is_numeric() { '0' } else { c };
            let expected: String = word.chars().flat_map(char::to_lowercase).map(digit_as_0).take(MAX_CHARS).collect();
            prop_assert_eq!(folded, expected);
        }
    }
}

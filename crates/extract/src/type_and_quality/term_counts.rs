//! Counts the vocabulary terms on a page.

use crate::type_and_quality::LabelledPage;
use crate::type_and_quality::term_index::{Entry, NONE, TermIndex, word_channel};
use crate::type_and_quality::terms::{KeptTerms, TermCounter, at, collect, path_of};
use threshr_html::text::classes::{LOWERS, NORMAL, class};
use threshr_page::PageWords;
use threshr_page::text::hashing::word_hash;

/// Occurrences of the vocabulary terms on a page.
pub(super) struct TermCounts<'a> {
    index: &'a TermIndex,
    /// Occurrences of each term by its index, at most 255.
    counts: Vec<u8>,
    /// Indices of the terms that occur.
    found: Vec<u32>,
}

impl<'a> TermCounts<'a> {
    /// Counts the terms of a page.
    pub(super) fn new(index: &'a TermIndex, page: &LabelledPage<'_>) -> Self {
        let mut counts = TermCounts { index, counts: vec![0; index.len()], found: Vec::new() };
        collect(page.doc, page.url, &mut counts);
        let (mut kept_terms, mut path, mut channels) = (KeptTerms::default(), String::new(), Vec::new());
        let words = page.words.filter(|words| words.num_blocks() == page.blocks.len());
        for (number, block) in page.blocks.iter().enumerate() {
            let text = page.blocks.text(number);
            let words = words.filter(|_| is_normalised_by_character(text));
            channels.clear();
            channels.push(at::WORD);
            if page.kept.get(number) == Some(&true) {
                path_of(page.doc, block.node, &mut path);
                channels.extend(kept_terms.block(&path, &mut counts).into_iter().flatten());
            }
            counts.block(words, number, text, &channels);
        }
        counts
    }

    /// Counts the words of a block as terms of the given channels.
    fn block(&mut self, words: Option<&PageWords>, number: usize, text: &str, channels: &[usize]) {
        let Some(words) = words else {
            return channels.iter().for_each(|&channel| self.add_words(channel, text));
        };
        debug_assert!(channels.iter().all(|&channel| word_channel(channel).is_some()));
        let index = self.index;
        for numbers in words.block(number).iter().filter_map(|word| index.word(word.hash)) {
            for place in channels.iter().filter_map(|&channel| word_channel(channel)) {
                if numbers[place] != NONE {
                    self.count(numbers[place]);
                }
            }
        }
    }

    /// Returns the terms that occur, each with its number of occurrences, at most 255.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&Entry, u32)> {
        let counted = self.found.iter().map(|&n| (n, self.counts.get(n as usize).copied().unwrap_or(0)));
        counted.filter_map(|(number, count)| Some((self.index.entry(number)?, u32::from(count))))
    }
}

impl TermCounter for TermCounts<'_> {
    fn number(&mut self, channel: usize, term: &str) -> Option<u32> {
        self.index.number(channel, word_hash(term))
    }

    #[inline]
    fn count(&mut self, number: u32) {
        if let Some(count) = self.counts.get_mut(number as usize) {
            if *count == 0 {
                self.found.push(number);
            }
            *count = count.saturating_add(1);
        }
    }
}

/// Whether normalisation maps each character of a text separately. If so, the words of the text have the same
/// hashes as those of the normalised text.
fn is_normalised_by_character(text: &str) -> bool {
    text.is_ascii() || text.chars().all(|c| c.is_ascii() || class(c) & (NORMAL | LOWERS) != 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use threshr_html::text::{normalise, words};

    #[test]
    fn words_of_a_text_are_those_of_its_normal_form() {
        let characters = (0..=0x2_ffff).filter_map(char::from_u32).map(String::from);
        for text in characters.filter(|text| is_normalised_by_character(text)) {
            for text in [text.clone(), format!("a{text}b"), format!("1{text}{text}")] {
                let lower = normalise(&text);
                let hashes = |text: &str| -> Vec<u64> {
                    words(text).map(|(start, end)| word_hash(&text[start..end])).collect()
                };
                assert_eq!(hashes(&text), hashes(&lower), "{text:?}");
            }
        }
        assert!(!is_normalised_by_character("e\u{301}") && !is_normalised_by_character("ΟΔΟΣ"));
    }
}

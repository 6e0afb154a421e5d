//! Counts the vocabulary terms on a page.

use crate::type_and_quality::LabelledPage;
use crate::type_and_quality::term_index::{NUM_WORD_CHANNELS, TermIndex, WORD_CHANNELS};
use crate::type_and_quality::terms::{KeptTerms, TermCounter, at, collect, path_of};
use threshr_html::text;
use threshr_html::text::classes::{LOWERS, NORMAL, class};
use threshr_page::PageWords;
use threshr_page::text::hashing::word_hash;

/// Occurrences of a word, at most 255 in each of the [`WORD_CHANNELS`]. The first channel is the lowest byte.
type WordCounts = u32;
const _: () = assert!(NUM_WORD_CHANNELS == size_of::<WordCounts>());

/// The value 1 in every byte.
const EACH: WordCounts = WordCounts::from_le_bytes([1; NUM_WORD_CHANNELS]);

/// Occurrences of the vocabulary terms on a page.
struct TermCounts<'a> {
    index: &'a TermIndex,
    /// The occurrences of each word, by its number. Entry 0, which unknown words have, is full from the start.
    words: Vec<WordCounts>,
    /// Occurrences of each other term, at most 255, by its number after those of words.
    others: Vec<u8>,
    /// The numbers of the terms that occur.
    found: Vec<u32>,
}

/// Calls `each` with the channel, the number and the number of occurrences (at most 255) of the terms of a page.
pub(super) fn for_each_term(
    index: &TermIndex,
    page: &LabelledPage<'_>,
    mut each: impl FnMut(usize, u32, u32),
) {
    let mut counts = TermCounts::new(index);
    collect(page.doc, page.url, &mut counts);
    let own;
    let words = match page.words.filter(|words| words.num_blocks() == page.blocks.len()) {
        Some(words) => words,
        None => {
            own = PageWords::new(page.blocks).0;
            &own
        }
    };
    let (mut kept_terms, mut path) = (KeptTerms::default(), String::new());
    for (number, block) in page.blocks.iter().enumerate() {
        let mut once = once_in(at::WORD);
        if page.kept.get(number) == Some(&true) {
            path_of(page.doc, block.node, &mut path);
            let channels = kept_terms.block(&path, &mut counts);
            once |= channels.into_iter().flatten().map(once_in).sum::<WordCounts>();
        }
        counts.block(words, number, page.blocks.text(number), once);
    }
    counts.for_each(&mut each);
}

/// Returns the counts of a word that occurs once in one of the [`WORD_CHANNELS`].
fn once_in(channel: usize) -> WordCounts {
    1 << (8 * (channel - WORD_CHANNELS.start()))
}

impl<'a> TermCounts<'a> {
    fn new(index: &'a TermIndex) -> Self {
        let mut words = vec![0; index.num_words()];
        words[0] = WordCounts::MAX;
        TermCounts { index, words, others: vec![0; index.len() - index.num_words()], found: Vec::new() }
    }

    /// Counts the words of a block. `once` has the counts of a word that occurs once in it.
    fn block(&mut self, words: &PageWords, number: usize, text: &str, once: WordCounts) {
        if is_normalised_by_character(text) {
            words.block(number).iter().for_each(|word| self.word(word.hash, once));
        } else {
            let content = text::normalise(text);
            text::words(&content).for_each(|(start, end)| self.word(word_hash(&content[start..end]), once));
        }
    }

    #[inline]
    fn word(&mut self, hash: u64, once: WordCounts) {
        let number = self.index.number(at::WORD, hash);
        let Some(counts) = self.words.get_mut(number as usize) else { return };
        if *counts == 0 {
            self.found.push(number);
        }
        // a full byte does not change
        let is_full = ((*counts & !(EACH << 7)) + EACH) & *counts & EACH << 7;
        *counts += once & !(is_full >> 7);
    }

    /// Calls `each` with the channel, the number and the occurrences of the terms that occur.
    fn for_each(&self, mut each: impl FnMut(usize, u32, u32)) {
        for &number in &self.found {
            if let Some(channel) = self.index.channel(number) {
                let place = number as usize - self.words.len();
                each(channel, number, self.others[place].into());
                continue;
            }
            for (channel, count) in WORD_CHANNELS.zip(self.words[number as usize].to_le_bytes()) {
                if count > 0 {
                    each(channel, number, count.into());
                }
            }
        }
    }
}

impl TermCounter for TermCounts<'_> {
    fn number(&mut self, channel: usize, term: &str) -> Option<u32> {
        Some(self.index.number(channel, word_hash(term))).filter(|number| *number != 0)
    }

    #[inline]
    fn count(&mut self, number: u32, times: u32) {
        let place = (number as usize).checked_sub(self.words.len());
        if let Some(count) = place.and_then(|place| self.others.get_mut(place)) {
            if *count == 0 {
                self.found.push(number);
            }
            *count = count.saturating_add(u8::try_from(times).unwrap_or(u8::MAX));
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

//! Counts the vocabulary terms on a page.

use crate::type_and_quality::LabelledPage;
use crate::type_and_quality::term_index::TermIndex;
use crate::type_and_quality::terms::{KeptTerms, TermCounter, at, collect, path_of};
use std::ops::Range;
use threshr_html::text::classes::{LOWERS, NORMAL, class};
use threshr_html::text::swar::packed;
use threshr_page::PageWords;
use threshr_page::text::hashing::word_hash;

/// Number of counts that are compared with 0 at once.
const CHUNK: usize = 8;

/// Occurrences of the vocabulary terms on a page.
struct TermCounts<'a> {
    index: &'a TermIndex,
    /// Occurrences of each term by its number, at most 255. Entry 0 counts unknown words.
    counts: Vec<u8>,
}

/// Calls `each` with the channel, the number and the number of occurrences (at most 255) of the terms of a page.
pub(super) fn for_each_term(
    index: &TermIndex,
    page: &LabelledPage<'_>,
    mut each: impl FnMut(usize, u32, u32),
) {
    let mut counts = TermCounts { index, counts: vec![0; index.len()] };
    collect(page.doc, page.url, &mut counts);
    let (mut kept_terms, mut path) = (KeptTerms::default(), String::new());
    let mut kept: [Vec<usize>; at::KEPT_FIRST - at::KEPT_WORD + 1] = Default::default();
    let mut others = Vec::new();
    for (number, block) in page.blocks.iter().enumerate() {
        if page.kept.get(number) != Some(&true) {
            others.push(number);
            continue;
        }
        path_of(page.doc, block.node, &mut path);
        for channel in kept_terms.block(&path, &mut counts).into_iter().flatten() {
            kept[channel - at::KEPT_WORD].push(number);
        }
    }
    counts.nonzero(index.num_words()..index.len(), |number, count| {
        if let Some(channel) = index.channel(number) {
            each(channel, number, count);
        }
    });
    let own;
    let words = match page.words.filter(|words| words.num_blocks() == page.blocks.len()) {
        Some(words) => words,
        None => {
            own = PageWords::new(page.blocks).0;
            &own
        }
    };
    let all_words = 0..index.num_words();
    for channel in [at::KEPT_HEADING, at::KEPT_FIRST, at::KEPT_WORD, at::WORD] {
        // the words of the page are those of its kept blocks, which are counted already, and of the others
        let blocks = if channel == at::WORD { &others } else { &kept[channel - at::KEPT_WORD] };
        blocks.iter().for_each(|&block| counts.block(words, block, page.blocks.text(block)));
        counts.nonzero(all_words.clone(), |number, count| each(channel, number, count));
        if channel != at::KEPT_WORD {
            counts.counts[all_words.clone()].fill(0);
        }
    }
}

impl TermCounts<'_> {
    /// Counts the words of a block.
    fn block(&mut self, words: &PageWords, number: usize, text: &str) {
        if is_normalised_by_character(text) {
            words.block(number).iter().for_each(|word| self.count(self.index.number(at::WORD, word.hash), 1));
        } else {
            self.add_words(at::WORD, text);
        }
    }

    /// Calls `each` with the numbers in a range that occur, each with its number of occurrences.
    fn nonzero(&self, range: Range<usize>, mut each: impl FnMut(u32, u32)) {
        for start in range.clone().step_by(CHUNK) {
            let chunk = &self.counts[start..range.end.min(start + CHUNK)];
            let mut left = packed(chunk);
            while left != 0 {
                let place = left.trailing_zeros() as usize / 8;
                each((start + place) as u32, chunk[place].into());
                left &= !(0xff << (8 * place));
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
        if let Some(count) = self.counts.get_mut(number as usize) {
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

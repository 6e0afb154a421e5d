//! Counts over the text of a block, shared by all feature families.

use crate::text::scan::scan;
use crate::text::word::Word;
use crate::text::word_list::{WordList, WordPlaces, WordStats};
use std::ops::Range;
use threshr_html::blocks::{Block, Blocks};

/// Counts over the text of one block.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct BlockStats {
    /// Number of characters, including the single spaces between words.
    pub num_chars: u32,
    /// Number of words. A word is a run of letters and digits, or one character in scripts without spaces.
    pub num_words: u32,
    /// Number of characters inside words.
    pub num_word_chars: u32,
    /// Number of sentences. Text after the last sentence end counts as another sentence.
    pub num_sentences: u32,
    /// Number of words whose first letter is upper-case.
    pub num_capitals: u32,
    /// Number of words of two or more characters that begin with an upper-case letter and have no lower-case letter.
    pub num_all_caps: u32,
    /// Number of full stops, including those of other scripts.
    pub num_stops: u32,
    /// Number of commas, including those of other scripts.
    pub num_commas: u32,
    /// Number of characters that separate navigation entries: `|` `»` `›` `→` `·` `•` …
    pub num_nav: u32,
    /// Number of digits.
    pub num_digits: u32,
    /// Number of characters that are neither in words nor white space.
    pub num_punct: u32,
    /// Number of question and exclamation marks.
    pub num_questions: u32,
    /// Number of words in links.
    pub num_link_words: u32,
    /// Number of characters in links.
    pub num_link_chars: u32,
    /// Number of links.
    pub num_links: u32,
    /// Whether the last character ends a sentence. Closing quotation marks and brackets are ignored.
    pub ends_sentence: bool,
    /// Whether the first word begins with an upper-case letter.
    pub starts_upper: bool,
    /// Whether there is a copyright sign.
    pub has_copyright: bool,
    /// Number of letters: characters of words other than digits.
    pub num_letters: u32,
    /// Number of white space characters.
    pub num_spaces: u32,
    /// Number of characters that are not letters, digits, white space or punctuation: symbols and combining marks.
    pub num_symbols: u32,
    /// Number of tokens between white space that contain no letter and no digit.
    pub num_nonwords: u32,
    /// Number of runs of words that are not separated by punctuation or symbols.
    pub num_word_runs: u32,
    /// Number of words that consist of letters only.
    pub num_alphabetic: u32,
    /// Number of words that consist of digits only.
    pub num_numeric: u32,
    /// Whether the first word begins with a lower-case letter.
    pub starts_lower: bool,
}

impl BlockStats {
    /// Returns the number of words outside links.
    pub fn num_text_words(&self) -> u32 {
        self.num_words - self.num_link_words
    }
    /// Whether more than half of the words are in links.
    pub fn is_mostly_link(&self) -> bool {
        2 * self.num_link_words > self.num_words
    }

    /// Counts a block, and adds its words to `words`.
    pub fn new(blocks: &Blocks, index: usize, words: &mut Vec<Word>) -> (Self, WordStats) {
        let (block, first) = (&blocks.blocks[index], words.len());
        let mut list = WordList::new(words);
        let mut stats = scan(&blocks.text, block.text.start as usize..block.text.end as usize, &mut list);
        let word_stats = list.stats();
        let words = &words[first..];
        stats.count_links(blocks, index, block, |piece| num_within(words, Word::range, piece));
        (stats, word_stats)
    }

    /// Counts a block without listing its words.
    pub fn without_words(blocks: &Blocks, index: usize, scratch: &mut WordPlaces) -> Self {
        let block = &blocks.blocks[index];
        let range = block.text.start as usize..block.text.end as usize;
        // the words in a link are counted by their ranges, unless every link covers the whole block
        let mut stats = if blocks.spans(index).iter().any(|s| s.link.is_some() && s.text != block.text) {
            scratch.0.clear();
            scan(&blocks.text, range, scratch)
        } else {
            scan(&blocks.text, range, &mut ())
        };
        let place = |place: &Range<u32>| place.start as usize..place.end as usize;
        stats.count_links(blocks, index, block, |piece| num_within(&scratch.0, place, piece));
        stats
    }

    /// Counts links. `num_words` returns the number of words that overlap a byte range of the text.
    fn count_links(
        &mut self,
        blocks: &Blocks,
        index: usize,
        block: &Block,
        num_words: impl Fn(Range<usize>) -> u32,
    ) {
        let (start, text) = (block.text.start as usize, blocks.slice(&block.text));
        let mut last = None;
        for span in blocks.spans(index).iter().filter(|s| s.link.is_some()) {
            let (from, to) = (span.text.start as usize - start, span.text.end as usize - start);
            let piece = &text[from..to];
            if piece.len() == text.len() {
                // common case: a navigation entry is one link
                (self.num_link_words, self.num_link_chars) = (self.num_words, self.num_chars);
            } else {
                self.num_link_words += num_words(from..to);
                self.num_link_chars += piece.chars().count() as u32;
            }
            self.num_links += u32::from(last != span.link);
            last = span.link;
        }
        // a word that crosses the boundary of two links is counted in both, so limit the sum
        self.num_link_words = self.num_link_words.min(self.num_words);
    }
}

/// Returns the number of words that overlap `piece`. The words must be in order.
fn num_within<W>(words: &[W], place: impl Fn(&W) -> Range<usize>, piece: Range<usize>) -> u32 {
    let begins = words.partition_point(|word| place(word).end <= piece.start);
    words[begins..].partition_point(|word| place(word).start < piece.end) as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{PageWords, WordStats};
    use threshr_html::blocks as block;
    use threshr_html::{Visibility, parse_str};

    fn all_stats(html: &str) -> (BlockStats, WordStats) {
        let blocks = Blocks::new(&parse_str(html), block::REGISTRY[0], Visibility::Visible);
        let (words, stats) = PageWords::new(&blocks);
        let mut scratch = WordPlaces::default();
        for (i, stats) in stats.iter().enumerate() {
            assert_eq!(stats, &BlockStats::without_words(&blocks, i, &mut scratch));
        }
        (stats[0].clone(), *words.stats(0))
    }

    fn stats(html: &str) -> BlockStats {
        all_stats(html).0
    }

    #[test]
    fn counts_of_a_paragraph_with_links() {
        let (s, w) = all_stats(
            "<p>The BBC paid 3.50, in May 2004. <a href=x>Read <b>more</b></a> | Why? <a href=y>OK",
        );
        assert_eq!((s.num_words, s.num_link_words, s.num_links), (12, 3, 2));
        assert_eq!((s.num_sentences, s.num_stops, s.num_commas, s.num_questions, s.num_nav), (3, 2, 1, 1, 1));
        assert_eq!((s.num_capitals, s.num_all_caps, w.num_dates, s.num_digits), (6, 2, 1, 7));
        assert!(s.starts_upper && !s.ends_sentence);
        assert_eq!(s.num_chars, 51);
    }

    #[test]
    fn classes_of_characters_and_tokens() {
        let s = stats("<p>He's won 12 of x2 — $5 | it, e.g. — and ok!");
        // words: He s won 12 of x2 5 it e g and ok
        assert_eq!((s.num_words, s.num_alphabetic, s.num_numeric), (12, 9, 2));
        assert_eq!((s.num_letters, s.num_digits, s.num_spaces), (18, 4, 12));
        // ' — $ | , . . — ! are signs; $ and | are symbols; — | — are separate tokens
        assert_eq!((s.num_punct, s.num_symbols, s.num_nonwords), (9, 2, 3));
        // runs of words: He's won 12 of x2 / 5 / it / e / g / and ok
        assert_eq!(s.num_word_runs, 6);
        assert!(!s.starts_lower && stats("<p>“and so").starts_lower);
    }

    #[test]
    fn letters_are_words_in_scripts_without_spaces() {
        let s = stats("<p>你好。再见！");
        assert_eq!((s.num_words, s.num_sentences, s.ends_sentence), (4, 2, true));
    }

    #[test]
    fn quotes_and_brackets_may_follow_the_end_of_a_sentence() {
        for text in ["“Yes.”", "„Ja.“", "»Ja.«", "«Oui.»", "「はい。」", "（对。）", "(Yes.)"]
        {
            assert!(stats(&format!("<p>{text}")).ends_sentence, "{text}");
        }
        assert!(!stats("<p>“Yes”").ends_sentence);
    }

    #[test]
    fn density_counts_full_lines() {
        // each word takes 9 columns and a space, so 8 words fit into a line: 8 * 10 - 1 = 79 columns
        let (_, w) = all_stats(&format!("<p>{}", "ninechars ".repeat(20)));
        assert_eq!((w.num_lines, w.num_full_line_words), (3, 16));
        let (_, w) = all_stats("<p>two words");
        assert_eq!((w.num_lines, w.num_full_line_words), (1, 2));
    }
}

//! Addresses that lead to a part of a page: text fragments, `https://a/#:~:text=first%20words,last%20words`.
//!
//! Source: WICG, URL Fragment Text Directives. A browser scrolls to the first match, so the words of a directive are chosen
//! such that their first match is the unit.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use rustc_hash::{FxHashMap, FxHasher};
use std::cell::OnceCell;
use std::hash::{Hash, Hasher};
use std::ops::Range;
use threshr_html::blocks::Blocks;
use threshr_html::text::words;

/// Numbers of words in which a directive is searched, its context included.
const LENGTHS: [usize; 9] = [1, 2, 3, 4, 5, 6, 7, 8, 16];
/// Numbers of words that are tried for the begin and for the end of a long text.
const ENDS: [usize; 3] = [4, 8, 16];
/// Most words of a unit that is written whole. Of longer ones the begin and the end are written.
const MAX_WHOLE: usize = 8;
/// Most words in which an earlier match of the last words is searched.
const MAX_SEARCHED: usize = 2_000;
/// Longest directive, and longest address of a page that is written before it, in bytes.
const MAX_LENGTH: usize = 2_000;
/// Multiplier of the rolling hash.
const BASE: u64 = 0x9e37_79b9_7f4a_7c15;
/// What is written as `%XX`: everything that separates parts of a directive or of an address.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'_').remove(b'.').remove(b'!').remove(b'~').remove(b'*');

/// The words of a page, with the first place of each sequence of words.
pub(super) struct TextFragments<'a> {
    blocks: &'a Blocks,
    url: &'a str,
    words: Vec<Word>,
    /// Hash of the words before each word.
    sums: Vec<u64>,
    /// For each of [`LENGTHS`]: hash of as many words → the first place.
    first: [OnceCell<FxHashMap<u64, u32>>; LENGTHS.len()],
}

/// A word of a block.
#[derive(Debug, Clone, Copy)]
struct Word {
    /// Its place in [`Blocks::text`].
    start: u32,
    end: u32,
    block: u32,
}

impl<'a> TextFragments<'a> {
    /// For the blocks of a page with an address; without one, the results are relative. A page with more than
    /// `most_words` has no fragments, since the places of its words take too much memory.
    pub(super) fn new(blocks: &'a Blocks, url: Option<&'a str>, most_words: usize) -> Self {
        let mut all: Vec<Word> = Vec::new();
        for (number, block) in blocks.iter().enumerate() {
            let first = all.len();
            for (start, end) in words(blocks.text(number)) {
                let (start, end) = (block.text.start + start as u32, block.text.start + end as u32);
                match all[first..].last_mut() {
                    // browsers compare whole words; scripts without spaces have no visible ones
                    Some(last) if last.end == start => last.end = end,
                    _ => all.push(Word { start, end, block: number as u32 }),
                }
            }
        }
        if all.len() > most_words {
            all = Vec::new();
        }
        let mut sums = vec![0u64];
        let mut sum = 0u64;
        for word in &all {
            let mut hasher = FxHasher::default();
            blocks.slice(&(word.start..word.end)).to_lowercase().hash(&mut hasher);
            sum = sum.wrapping_mul(BASE).wrapping_add(hasher.finish());
            sums.push(sum);
        }
        TextFragments {
            blocks,
            url: url.filter(|url| url.len() <= MAX_LENGTH).unwrap_or_default(),
            words: all,
            sums,
            first: Default::default(),
        }
    }

    /// The address of the text at a range of [`Blocks::text`]. `None` if it has no words, or if the same words come
    /// before it with the same words around them.
    pub(super) fn of(&self, text: &Range<u32>) -> Option<String> {
        let from = self.words.partition_point(|word| word.start < text.start);
        let to = self.words.partition_point(|word| word.start < text.end);
        let (first, last) = (self.words.get(from)?, self.words.get(to.checked_sub(1)?)?);
        if from >= to {
            return None;
        }
        let directive = if first.block == last.block && to - from <= MAX_WHOLE {
            self.whole(from..to)
        } else {
            self.ends(from..to)
        };
        let directive = directive.filter(|directive| directive.len() <= MAX_LENGTH)?;
        let separator = if self.url.contains('#') { "" } else { "#" };
        Some(format!("{}{separator}:~:text={}", self.url, directive))
    }

    /// The directive of a few words of one block.
    fn whole(&self, unit: Range<usize>) -> Option<String> {
        let after = self.words.get(unit.end).map_or(0, |word| self.of_block(word.block).end - unit.end);
        LENGTHS.iter().filter_map(|length| length.checked_sub(unit.len())).find_map(|context| {
            let prefix = self.words_before(unit.start).min(context);
            let suffix = context - prefix;
            let window = unit.start - prefix..unit.end + suffix;
            if suffix > after || !self.is_first(&window) {
                return None;
            }
            let mut out = self.prefix(unit.start - prefix..unit.start);
            out.push_str(&self.encoded(unit.clone()));
            if suffix > 0 {
                out.push_str(",-");
                out.push_str(&self.encoded(unit.end..window.end));
            }
            Some(out)
        })
    }

    /// The directive of a long text: its first and its last words.
    fn ends(&self, unit: Range<usize>) -> Option<String> {
        let in_first = self.of_block(self.words[unit.start].block).end.min(unit.end) - unit.start;
        let in_last = unit.end - self.of_block(self.words[unit.end - 1].block).start.max(unit.start);
        let most = self.words_before(unit.start);
        let (start, prefix) = ENDS.iter().find_map(|&length| {
            let start = unit.start..unit.start + in_first.min(length);
            let context = LENGTHS.iter().filter_map(|l| l.checked_sub(start.len()));
            let mut context = context.take_while(|&prefix| prefix <= most);
            let prefix = context.find(|prefix| self.is_first(&(start.start - prefix..start.end)))?;
            Some((start, prefix))
        })?;
        let end = ENDS.iter().map(|length| unit.end - in_last.min(*length)..unit.end);
        let end = end.map(|end| start.end.max(end.start)..unit.end).find(|end| {
            let mut before = start.end..end.start;
            !end.is_empty()
                && (before.len() > MAX_SEARCHED
                    || !before.any(|i| self.hash(&(i..i + end.len())) == self.hash(end)))
        })?;
        let mut out = self.prefix(unit.start - prefix..unit.start);
        out.push_str(&self.encoded(start));
        out.push(',');
        out.push_str(&self.encoded(end));
        Some(out)
    }

    /// The words of a block.
    fn of_block(&self, block: u32) -> Range<usize> {
        self.words.partition_point(|word| word.block < block)
            ..self.words.partition_point(|word| word.block <= block)
    }

    /// Number of words of one block before a word.
    fn words_before(&self, index: usize) -> usize {
        let last = index.checked_sub(1).and_then(|i| self.words.get(i));
        last.map_or(0, |word| index - self.of_block(word.block).start)
    }

    fn hash(&self, words: &Range<usize>) -> u64 {
        let power = BASE.wrapping_pow(words.len() as u32);
        self.sums[words.end].wrapping_sub(self.sums[words.start].wrapping_mul(power))
    }

    /// Whether a sequence of words, of one of [`LENGTHS`], is not on the page before.
    fn is_first(&self, window: &Range<usize>) -> bool {
        let length = window.len();
        let Some(place) = LENGTHS.iter().position(|&l| l == length) else { return false };
        let first = self.first[place].get_or_init(|| {
            let mut first = FxHashMap::default();
            for start in 0..(self.words.len() + 1).saturating_sub(length) {
                first.entry(self.hash(&(start..start + length))).or_insert(start as u32);
            }
            first
        });
        first.get(&self.hash(window)) == Some(&(window.start as u32))
    }

    fn prefix(&self, words: Range<usize>) -> String {
        if words.is_empty() { String::new() } else { self.encoded(words) + "-," }
    }

    /// The text from the first to the last of some words.
    fn encoded(&self, words: Range<usize>) -> String {
        let text = self.blocks.slice(&(self.words[words.start].start..self.words[words.end - 1].end));
        utf8_percent_encode(&text.replace('\n', " "), ENCODED).to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use threshr_html::blocks::REGISTRY;
    use threshr_html::{Visibility, parse_str};

    fn fragments(html: &str) -> Vec<String> {
        let blocks = Blocks::of(&parse_str(html), REGISTRY[0], Visibility::Visible);
        let fragments = TextFragments::new(&blocks, None, usize::MAX);
        let all = blocks.iter().map(|block| fragments.of(&block.text));
        all.map(|f| f.map_or("none".to_owned(), |f| f["#:~:text=".len()..].to_owned())).collect()
    }

    #[test]
    fn short_texts_are_written_whole_and_long_ones_by_their_ends() {
        assert_eq!(
            fragments("<p>Rain, again<p>snow-fall & wind"),
            ["Rain%2C%20again", "snow%2Dfall%20%26%20wind"]
        );
        let html = "<p>one two three four five six seven eight nine ten";
        assert_eq!(fragments(html), ["one%20two%20three%20four,seven%20eight%20nine%20ten"]);
        assert_eq!(
            fragments("<p>…<p>今日は雨。"),
            ["none", "今日は雨"].map(|t| {
                if t == "none" { t.to_owned() } else { utf8_percent_encode(t, ENCODED).to_string() }
            })
        );
    }

    #[test]
    fn repeated_texts_have_context() {
        let found = fragments("<p>Menu<p>Rain all day<p>More<p>Snow all day<p>More<p>More<p>More");
        assert_eq!(found[2..5], ["More", "Snow%20all%20day", "Snow%20all%20day-,More"]);
        assert_eq!(found[5..], ["More-,More", "none"]);
        let long = "it rained all day in the north of the country";
        let found = fragments(&format!("<p>{long}<p>Today<p>{long} and in the south"));
        assert_eq!(found[2], "Today-,it%20rained%20all%20day,and%20in%20the%20south");
    }
}

//! Counts characters and sentences of a block in one pass, and sends its words to a [`WordSink`].
//!
//! The fast path processes up to 63 bytes of ASCII at a time with bit masks; each piece ends at white space.
//! Longer tokens and tokens with non-ASCII characters are processed character by character.

use crate::BlockStats;
use crate::text::masks::{Masks, PIECE, below, filled};
use crate::text::signs;
use crate::text::signs::{COMMA, COPYRIGHT, END, END_OF_WORD, INSIDE, NAVIGATION, QUESTION, STOP, SYMBOL};
use crate::text::word_list::{AsciiWords, OtherWord, WordSink};
use std::ops::Range;
use threshr_html::text::classes::{
    ALPHANUMERIC, LOWER, NOSPACE, NUMERIC, SPACE, UPPER, WORD, class, goes_on,
};

/// Characters that may follow the end of a sentence. Some quotation marks open in one language and close in
/// another, so the list has both kinds.
const CLOSING: &str = "\"'”’“‘»«›‹)]」』）】》〉";

/// Counts `all[range]` except for links, and sends its words to `sink`. Text after the range is not counted; it
/// only allows the fast path to read full chunks near the end of the range.
pub(crate) fn scan(all: &str, range: Range<usize>, sink: &mut impl WordSink) -> BlockStats {
    let mut scan = Scan::new(all, range, sink);
    scan.run();
    scan.finish()
}

struct Scan<'a, L> {
    text: &'a str,
    /// The bytes of the text, and the bytes after it.
    ahead: &'a [u8],
    sink: &'a mut L,
    /// Offset of the next byte.
    at: usize,
    stats: BlockStats,
    /// Whether there is text after the last end of a sentence.
    open_sentence: bool,
    /// Whether the current run of words continues, because no separating character follows the last word.
    in_run: bool,
    token: TokenState,
}

/// Content so far of the token that began after the last white space.
#[derive(Clone, Copy, PartialEq)]
enum TokenState {
    Empty,
    Signs,
    Word,
}

impl<'a, L: WordSink> Scan<'a, L> {
    fn new(all: &'a str, range: Range<usize>, sink: &'a mut L) -> Self {
        Scan {
            text: &all[range.clone()],
            ahead: &all.as_bytes()[range.start..],
            sink,
            at: 0,
            stats: BlockStats::default(),
            open_sentence: false,
            in_run: false,
            token: TokenState::Empty,
        }
    }

    fn run(&mut self) {
        while self.at < self.text.len() {
            let masks = Masks::new(&self.ahead[self.at..]);
            let left = self.text.len() - self.at;
            let simple = below(left.min(PIECE)) & below(masks.others.trailing_zeros().min(63) as usize);
            // up to the last white space, or to the end of the text
            let length = if left <= PIECE && simple == below(left) {
                left
            } else {
                64 - (masks.spaces & simple).leading_zeros() as usize
            };
            match length {
                0 => self.slow_token(),
                _ => self.piece(&masks, length),
            }
        }
    }

    /// Completes the last sentence and the last token.
    fn finish(mut self) -> BlockStats {
        self.stats.num_sentences += u32::from(self.open_sentence);
        self.stats.num_nonwords += u32::from(self.token == TokenState::Signs);
        let last = self.text.trim_end_matches(|c: char| CLOSING.contains(c)).chars().next_back();
        self.stats.ends_sentence = last.is_some_and(|c| ".!?…。．！？।۔؟".contains(c));
        self.stats
    }

    /// Processes complete ASCII tokens with a total of `length` bytes by their masks.
    fn piece(&mut self, masks: &Masks, length: usize) {
        let inside = below(length);
        let (upper, lower, digits) = (masks.upper & inside, masks.lower & inside, masks.digits & inside);
        let alnum = upper | lower | digits;
        let shown = inside & !masks.spaces;
        let starts = alnum & !(alnum << 1);
        let start_column = self.stats.num_chars;
        let stats = &mut self.stats;
        if stats.num_words == 0 && starts != 0 {
            let first = starts & starts.wrapping_neg();
            (stats.starts_upper, stats.starts_lower) = (upper & first != 0, lower & first != 0);
        }
        // skip the bit count if there are no bits, because some processors have no instruction for it
        let num_spaces = (inside & masks.spaces).count_ones();
        let signs = shown & !alnum;
        let mut num_signs = 0;
        if signs != 0 {
            num_signs = signs.count_ones();
            stats.num_punct += num_signs;
            stats.num_nonwords += num_bits(filled(signs, shown & !(shown << 1), shown));
        }
        let num_alnum = length as u32 - num_spaces - num_signs;
        let num_digits = num_bits(digits);
        stats.num_chars += length as u32;
        stats.num_spaces += num_spaces;
        stats.num_digits += num_digits;
        stats.num_letters += num_alnum - num_digits;
        stats.num_word_chars += num_alnum;
        if upper != 0 {
            stats.num_capitals += num_bits(starts & upper);
            let long = starts & upper & alnum >> 1;
            stats.num_all_caps += num_bits(filled(alnum & !lower, long, alnum));
        }
        let num_words = starts.count_ones();
        stats.num_words += num_words;
        if digits == 0 {
            stats.num_alphabetic += num_words;
        } else {
            stats.num_alphabetic += num_bits(filled(alnum & !digits, starts, alnum));
            stats.num_numeric += num_bits(filled(digits, starts, alnum));
        }
        self.signs(signs, alnum);
        let words = AsciiWords { starts, alnum, digits };
        self.sink.ascii_words(&self.ahead[self.at..], self.at, words, start_column);
        self.at += length;
    }

    /// Counts the punctuation and symbols of a piece, and the runs of words and sentences that they end.
    #[inline]
    fn signs(&mut self, signs: u64, alnum: u64) {
        // alphanumeric bytes since the last end of a run of words, and since the last end of a sentence
        let (mut of_run, mut of_sentence) = (alnum, alnum);
        let mut rest = signs;
        while rest != 0 {
            let place = rest & rest.wrapping_neg();
            rest &= rest - 1;
            let byte = self.ahead[self.at + place.trailing_zeros() as usize];
            let sign = signs::ascii_sign(byte);
            self.count_sign(sign);
            if sign & INSIDE == 0 {
                self.stats.num_word_runs += u32::from(!self.in_run && of_run & (place - 1) != 0);
                self.in_run = false;
                of_run &= !(place - 1);
            }
            if sign & (END | END_OF_WORD) != 0 && (self.open_sentence || of_sentence & (place - 1) != 0) {
                let ends = sign & END != 0 || alnum & place << 1 == 0;
                self.stats.num_sentences += u32::from(ends);
                self.open_sentence = !ends;
                of_sentence &= !(place - 1);
            }
        }
        self.open_sentence |= of_sentence != 0;
        self.stats.num_word_runs += u32::from(!self.in_run && of_run != 0);
        self.in_run |= of_run != 0;
    }

    /// Returns the next character and its class.
    #[inline]
    fn peek(&self) -> Option<(char, u16)> {
        self.text[self.at..].chars().next().map(|c| (c, class(c)))
    }

    /// Processes text character by character, up to and including the next ASCII white space.
    fn slow_token(&mut self) {
        let mut next = self.peek();
        while let Some((c, class)) = next {
            if class & (WORD | NOSPACE) != 0 {
                next = self.word(c, class);
                continue;
            }
            self.at += c.len_utf8();
            self.character(c, class);
            if c.is_ascii() && class & SPACE != 0 {
                return;
            }
            next = self.peek();
        }
    }

    /// Reads a word that begins with the next character `c` of class `first`. Returns the character after the
    /// word.
    fn word(&mut self, c: char, first: u16) -> Option<(char, u16)> {
        let (start, column) = (self.at, self.stats.num_chars);
        // bitwise OR and AND of the class bits of all characters, and whether all are ASCII
        let (mut some, mut all, mut is_ascii) = (0, !0, true);
        let mut next = Some((c, first));
        while let Some((c, class)) = next {
            self.at += c.len_utf8();
            self.character(c, class);
            (some, all, is_ascii) = (some | class, all & class, is_ascii && c.is_ascii());
            next = self.peek();
            if !next.is_some_and(|(_, class)| goes_on(class, first & NOSPACE != 0)) {
                break;
            }
        }
        let word = &self.text[start..self.at];
        let (has_digits, has_letters) = (some & NUMERIC != 0, all & NUMERIC == 0);
        let stats = &mut self.stats;
        let length = stats.num_chars - column;
        if stats.num_words == 0 {
            (stats.starts_upper, stats.starts_lower) = (first & UPPER != 0, first & LOWER != 0);
        }
        stats.num_words += 1;
        stats.num_word_chars += length;
        stats.num_alphabetic += u32::from(has_letters && !has_digits);
        stats.num_numeric += u32::from(has_digits && !has_letters);
        stats.num_capitals += u32::from(first & UPPER != 0);
        stats.num_all_caps += u32::from(first & UPPER != 0 && word.len() > 1 && some & LOWER == 0);
        self.sink.word(start, OtherWord { text: word, num_chars: length, some, all, is_ascii }, column);
        next
    }

    /// Counts a white space character, which ends a token.
    fn space(&mut self) {
        self.stats.num_chars += 1;
        self.stats.num_spaces += 1;
        self.stats.num_nonwords += u32::from(self.token == TokenState::Signs);
        self.token = TokenState::Empty;
    }

    /// Counts a character of the given class.
    #[inline]
    fn character(&mut self, c: char, class: u16) {
        if class & ALPHANUMERIC != 0 {
            self.stats.num_chars += 1;
            let is_digit = class & NUMERIC != 0;
            self.stats.num_digits += u32::from(is_digit);
            self.stats.num_letters += u32::from(!is_digit);
            self.stats.num_word_runs += u32::from(!self.in_run);
            (self.open_sentence, self.in_run, self.token) = (true, true, TokenState::Word);
        } else if class & SPACE != 0 {
            self.space();
        } else {
            self.sign(signs::sign(c, class));
        }
    }

    /// Counts a character that is neither alphanumeric nor white space.
    fn sign(&mut self, sign: u16) {
        self.count_sign(sign);
        self.stats.num_chars += 1;
        self.stats.num_punct += 1;
        self.in_run &= sign & INSIDE != 0;
        if self.token == TokenState::Empty {
            self.token = TokenState::Signs;
        }
        if sign & (END | END_OF_WORD) != 0 && self.open_sentence {
            let ends = sign & END != 0 || ends_word(&self.text[self.at..]);
            self.stats.num_sentences += u32::from(ends);
            self.open_sentence = !ends;
        }
    }

    /// Counts a punctuation character or symbol by its roles.
    #[inline]
    fn count_sign(&mut self, sign: u16) {
        let count = |bit: u16| u32::from(sign & bit != 0);
        let stats = &mut self.stats;
        stats.num_symbols += count(SYMBOL);
        stats.num_commas += count(COMMA);
        stats.num_stops += count(STOP);
        stats.num_questions += count(QUESTION);
        stats.num_nav += count(NAVIGATION);
        stats.has_copyright |= sign & COPYRIGHT != 0;
    }
}

/// Returns the number of set bits. The check for 0 is faster, because most masks are 0.
#[inline]
fn num_bits(bits: u64) -> u32 {
    if bits == 0 { 0 } else { bits.count_ones() }
}

/// Whether a period, `!` or `?` before `rest` ends a word, unlike the one in `3.5` and `a.b`.
fn ends_word(rest: &str) -> bool {
    rest.chars().next().is_none_or(|c| !c.is_alphanumeric())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dates::date_words::DATE_WORDS;
    use crate::text::hashing::word_hash;
    use crate::text::word::Word;
    use crate::text::word_list::{WordList, WordPlaces, WordStats};
    use proptest::prelude::*;
    use threshr_html::text;

    fn listed(text: &str, range: Range<usize>) -> (BlockStats, WordStats, Vec<Word>) {
        let mut words = Vec::new();
        let mut list = WordList::new(&mut words);
        (scan(text, range, &mut list), list.stats(), words)
    }

    fn num_dates(text: &str) -> u32 {
        listed(text, 0..text.len()).1.num_dates
    }

    #[test]
    fn date_words_are_counted() {
        assert!(DATE_WORDS.iter().all(|n| num_dates(&n.to_ascii_uppercase()) == 1));
        assert_eq!(num_dates("September WEDNESDAY 1999 2026 12 1850"), 4);
        assert_eq!(num_dates("septembe sunday1 ma janu wednesdaz zz 19999"), 0);
    }

    #[test]
    fn words_of_any_length_match_the_tokeniser() {
        let text = "a Bc 12 x_y caf\u{e9}s 12345678 abcdefgH abcdefghi e\u{301}t\u{e9} 漢字x don't abcdefghijklmnopQ7 \u{391}b7\u{a0}z";
        for from in (0..text.len()).filter(|&at| text.is_char_boundary(at)) {
            let (stats, _, words) = listed(text, from..text.len());
            let expected: Vec<_> = text::words(&text[from..]).collect();
            let found: Vec<_> = words
                .iter()
                .map(|w| {
                    let r = w.range();
                    (r.start, r.end)
                })
                .collect();
            assert_eq!(found, expected);
            assert!(words.iter().all(|w| w.hash == word_hash(&text[from..][w.range()])));
            let count = |is: fn(&char) -> bool| text[from..].chars().filter(is).count() as u32;
            assert_eq!(stats.num_chars, count(|_| true));
            assert_eq!(stats.num_digits, count(|c| c.is_numeric()));
            let num = |is: &dyn Fn(&str) -> bool| {
                expected.iter().filter(|&&(start, end)| is(&text[from..][start..end])).count() as u32
            };
            let first = |word: &str, is: fn(char) -> bool| word.chars().next().is_some_and(is);
            assert_eq!(stats.num_capitals, num(&|w| first(w, char::is_uppercase)));
            assert_eq!(stats.num_alphabetic, num(&|w| !w.contains(char::is_numeric)));
            assert_eq!(stats.num_numeric, num(&|w| w.chars().all(char::is_numeric)));
            let all_caps =
                |w: &str| first(w, char::is_uppercase) && w.len() > 1 && !w.contains(char::is_lowercase);
            assert_eq!(stats.num_all_caps, num(&all_caps));
            let begins = expected.first().map_or("", |&(start, end)| &text[from..][start..end]);
            assert_eq!(stats.starts_upper, first(begins, char::is_uppercase));
            assert_eq!(stats.starts_lower, first(begins, char::is_lowercase));
        }
    }

    proptest! {
        #[test]
        fn fast_and_slow_counting_agree(
            text in "([a-zA-Z]{1,12}|[0-9]{1,5}|May|Sunday|1999|don't|e\u{301}a|a\u{301}|é|\u{a0}|\t|\u{0}|漢字|x_y|[-.,!?|'\"©$] ?|[ \n] ?|[a-z0-9]{60,70}){0,60}",
            begin in 0..4usize,
        ) {
            let start = text.char_indices().nth(begin).map_or(0, |c| c.0);
            for end in [text.len(), text[start..].char_indices().nth(90).map_or(text.len(), |c| start + c.0)] {
                let (stats, word_stats, words) = listed(&text, start..end);
                let mut singly = Vec::new();
                let mut list = WordList::new(&mut singly);
                let mut slow = Scan::new(&text, start..end, &mut list);
                while slow.at < slow.text.len() {
                    slow.slow_token();
                }
                prop_assert_eq!(&stats, &slow.finish());
                prop_assert_eq!(word_stats, list.stats());
                prop_assert_eq!(&words, &singly);
                prop_assert_eq!(&stats, &scan(&text, start..end, &mut ()));
                let mut places = WordPlaces::default();
                prop_assert_eq!(stats, scan(&text, start..end, &mut places));
                prop_assert!(places.0.iter().map(|p| p.start as usize..p.end as usize).eq(words.iter().map(Word::range)));
            }
        }
    }
}

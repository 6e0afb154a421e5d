//! One pass over a block's text: its words, with their hashes, and its counts.

use super::BlockStats;
use super::hashing::word_hash;
use super::page_words::Word;
use super::signs::{self, COMMA, COPYRIGHT, END, END_OF_WORD, INSIDE, NAVIGATION, QUESTION, STOP, SYMBOL};
use crate::text;
use crate::text::eights::{HIGH, packed, within};
use rustc_hash::FxHasher;
use std::hash::Hasher;

/// Width at which text is wrapped to measure its density, in characters.
const WRAP_COLUMNS: u32 = 80;

/// Adds the words of `text` to `words` and counts all but links.
pub(super) fn scan(text: &str, words: &mut Vec<Word>) -> BlockStats {
    let mut scan = Scan {
        text,
        words,
        at: 0,
        stats: BlockStats::default(),
        open_sentence: false,
        in_run: false,
        stretch: Stretch::Empty,
        line_start: 0,
        line_words: 0,
        full_words: 0,
    };
    scan.run();
    scan.stats
}

struct Scan<'a> {
    text: &'a str,
    words: &'a mut Vec<Word>,
    /// Byte that is looked at.
    at: usize,
    stats: BlockStats,
    /// Whether text stands after the last end of a sentence.
    open_sentence: bool,
    /// Whether no sign stands since the last word.
    in_run: bool,
    stretch: Stretch,
    /// Character that the wrapped line begins with, the words on it, and those on lines before.
    line_start: u32,
    line_words: u32,
    full_words: u32,
}

/// What has been seen of a stretch between white space.
#[derive(Clone, Copy, PartialEq)]
enum Stretch {
    Empty,
    Signs,
    Word,
}

/// What a byte begins.
#[derive(Clone, Copy)]
enum Kind {
    /// A word of ASCII letters and digits, mostly.
    Word,
    Space,
    /// Part of words, but neither letter nor digit.
    Underscore,
    /// An ASCII character of no other kind.
    Sign,
    BeyondAscii,
}

static KINDS: [Kind; 256] = {
    let mut table = [Kind::BeyondAscii; 256];
    let mut b = 0;
    while b < 128 {
        table[b] = match b as u8 {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' => Kind::Word,
            b' ' | b'\t'..=b'\r' => Kind::Space,
            b'_' => Kind::Underscore,
            _ => Kind::Sign,
        };
        b += 1;
    }
    table
};

/// The ASCII letters and digits that at most eight bytes begin with. What a byte is stands in its high bit.
struct Chunk {
    length: usize,
    /// The characters, letters in lower case, 0 after them.
    folded: u64,
    upper: u64,
    lower: u64,
    digits: u64,
}

impl Chunk {
    #[inline]
    fn of(bytes: &[u8]) -> Self {
        let chunk = bytes.first_chunk().map_or_else(|| packed(bytes), |chunk| u64::from_le_bytes(*chunk));
        let (ascii, chars) = (!chunk & HIGH, chunk & !HIGH);
        let (upper, lower) = (within(chars, b'A', b'Z') & ascii, within(chars, b'a', b'z') & ascii);
        let digits = within(chars, b'0', b'9') & ascii;
        let others = !(upper | lower | digits) & HIGH;
        // all bits below the first other byte
        let own = others.wrapping_sub(1) & !others;
        let own = if others == 0 { !0 } else { own >> 7 };
        Chunk {
            length: (others.trailing_zeros() / 8) as usize,
            folded: (chars | upper >> 2) & own,
            upper: upper & own,
            lower: lower & own,
            digits: digits & own,
        }
    }

    #[inline]
    fn num_digits(&self) -> u32 {
        // most words have none, and not every processor counts bits at once
        if self.digits == 0 { 0 } else { self.digits.count_ones() }
    }
}

/// What is known of a word's characters.
struct Shape {
    first_upper: bool,
    first_lower: bool,
    has_lower: bool,
    /// Characters that are no digits.
    has_letters: bool,
    has_digits: bool,
}

impl Scan<'_> {
    fn run(&mut self) {
        let bytes = self.text.as_bytes();
        while let Some(&byte) = bytes.get(self.at) {
            match KINDS[usize::from(byte)] {
                Kind::Word => {
                    self.ascii_word();
                    // what mostly follows; told apart here, the next is mostly a word again, which processors foresee
                    if bytes.get(self.at) == Some(&b' ') {
                        self.at += 1;
                        self.space();
                    }
                }
                Kind::Space => {
                    self.at += 1;
                    self.space();
                }
                Kind::Underscore => self.other_word(),
                Kind::Sign => {
                    self.at += 1;
                    self.sign(byte as char);
                }
                Kind::BeyondAscii => self.beyond_ascii(),
            }
        }
        self.stats.num_lines += u32::from(self.line_words > 0);
        self.stats.num_full_line_words =
            if self.stats.num_lines <= 1 { self.line_words } else { self.full_words };
        self.stats.num_sentences += u32::from(self.open_sentence);
        self.stats.num_nonwords += u32::from(self.stretch == Stretch::Signs);
        let last = self.text.trim_end_matches(|c: char| "\"'”’»)]".contains(c)).chars().next_back();
        self.stats.ends_sentence = last.is_some_and(|c| ".!?…。．！？।۔؟".contains(c));
    }

    fn space(&mut self) {
        self.stats.num_chars += 1;
        self.stats.num_spaces += 1;
        self.stats.num_nonwords += u32::from(self.stretch == Stretch::Signs);
        self.stretch = Stretch::Empty;
    }

    /// A word that begins with an ASCII letter or digit: nearly all of them end with one too. Eight bytes at a time.
    fn ascii_word(&mut self) {
        let bytes = &self.text.as_bytes()[self.at..];
        let first = Chunk::of(bytes);
        let mut lower = first.lower;
        let mut hasher = FxHasher::default();
        hasher.write_u64(first.folded);
        let (mut num_digits, mut length) = (first.num_digits(), first.length);
        while length % 8 == 0 {
            let next = Chunk::of(&bytes[length..]);
            if next.length == 0 {
                break;
            }
            hasher.write_u64(next.folded);
            num_digits += next.num_digits();
            lower |= next.lower;
            length += next.length;
        }
        let goes_on = match bytes.get(length) {
            Some(b'_') => true,
            Some(byte) if !byte.is_ascii() => {
                self.text[self.at + length..].chars().next().is_some_and(text::extends_word)
            }
            _ => false,
        };
        if goes_on {
            return self.other_word();
        }
        let word = &bytes[..length];
        let (start, column) = (self.at, self.stats.num_chars);
        self.at += length;
        self.stats.num_chars += length as u32;
        self.stats.num_digits += num_digits;
        self.stats.num_letters += length as u32 - num_digits;
        self.stats.num_word_runs += u32::from(!self.in_run);
        (self.open_sentence, self.in_run, self.stretch) = (true, true, Stretch::Word);
        self.stats.num_dates += u32::from(match length {
            4 if num_digits == 4 => word.starts_with(b"19") || word.starts_with(b"20"),
            2..=8 if num_digits == 0 => is_date_name(first.folded),
            9 if num_digits == 0 => LONG_DATE_NAMES.iter().any(|name| word.eq_ignore_ascii_case(name)),
            _ => false,
        });
        let shape = Shape {
            first_upper: first.upper & 0x80 != 0,
            first_lower: first.lower & 0x80 != 0,
            has_lower: lower != 0,
            has_letters: num_digits < length as u32,
            has_digits: num_digits > 0,
        };
        self.word(start, column, hasher.finish(), shape);
    }

    /// Any other word that begins here.
    fn other_word(&mut self) {
        let (start, column) = (self.at, self.stats.num_chars);
        let Some((_, length)) = text::words(&self.text[start..]).next() else { return };
        let word = &self.text[start..start + length];
        for c in word.chars() {
            self.at += c.len_utf8();
            self.character(c);
        }
        let first = word.chars().next();
        let shape = Shape {
            first_upper: first.is_some_and(char::is_uppercase),
            first_lower: first.is_some_and(char::is_lowercase),
            has_lower: word.chars().any(char::is_lowercase),
            has_letters: !word.chars().all(char::is_numeric),
            has_digits: word.chars().any(char::is_numeric),
        };
        self.word(start, column, word_hash(word), shape);
    }

    fn beyond_ascii(&mut self) {
        let Some(c) = self.text[self.at..].chars().next() else { return };
        if text::is_word_char(c) || text::is_nospace(c) {
            return self.other_word();
        }
        self.at += c.len_utf8();
        self.character(c);
    }

    /// A character of a word or between words; the cursor is behind it.
    fn character(&mut self, c: char) {
        if c.is_alphanumeric() {
            self.stats.num_chars += 1;
            let is_digit = c.is_numeric();
            self.stats.num_digits += u32::from(is_digit);
            self.stats.num_letters += u32::from(!is_digit);
            self.stats.num_word_runs += u32::from(!self.in_run);
            (self.open_sentence, self.in_run, self.stretch) = (true, true, Stretch::Word);
        } else if c.is_whitespace() {
            self.space();
        } else {
            self.sign(c);
        }
    }

    /// A character that is neither alphanumeric nor white space.
    fn sign(&mut self, c: char) {
        let sign = signs::sign(c);
        let count = |bit: u16| u32::from(sign & bit != 0);
        let stats = &mut self.stats;
        stats.num_chars += 1;
        stats.num_punct += 1;
        stats.num_symbols += count(SYMBOL);
        stats.num_commas += count(COMMA);
        stats.num_stops += count(STOP);
        stats.num_questions += count(QUESTION);
        stats.num_nav += count(NAVIGATION);
        stats.has_copyright |= sign & COPYRIGHT != 0;
        self.in_run &= sign & INSIDE != 0;
        if self.stretch == Stretch::Empty {
            self.stretch = Stretch::Signs;
        }
        if sign & (END | END_OF_WORD) != 0 && self.open_sentence {
            let ends = sign & END != 0 || ends_word(&self.text[self.at..]);
            self.stats.num_sentences += u32::from(ends);
            self.open_sentence = !ends;
        }
    }

    /// A word from byte `start` and character `column` to the cursor, whose characters are counted.
    #[inline]
    fn word(&mut self, start: usize, column: u32, hash: u64, shape: Shape) {
        self.words.push(Word { start: start as u32, end: self.at as u32, hash });
        let stats = &mut self.stats;
        let length = stats.num_chars - column;
        if column + length > self.line_start + WRAP_COLUMNS && self.line_words > 0 {
            stats.num_lines += 1;
            self.full_words += self.line_words;
            (self.line_start, self.line_words) = (column, 0);
        }
        self.line_words += 1;
        stats.num_word_chars += length;
        if stats.num_words == 0 {
            (stats.starts_upper, stats.starts_lower) = (shape.first_upper, shape.first_lower);
        }
        stats.num_alphabetic += u32::from(shape.has_letters && !shape.has_digits);
        stats.num_numeric += u32::from(shape.has_digits && !shape.has_letters);
        stats.num_words += 1;
        stats.num_capitals += u32::from(shape.first_upper);
        stats.num_all_caps += u32::from(shape.first_upper && self.at - start > 1 && !shape.has_lower);
    }
}

/// Whether a mark before `rest` stands at the end of a word, unlike the point in `3.5` or `a.b`.
fn ends_word(rest: &str) -> bool {
    rest.chars().next().is_none_or(|c| !c.is_alphanumeric())
}

/// Names of months and weekdays in English and their short forms, and what stands beside times.
const DATE_NAMES: [&str; 40] = [
    "jan", "january", "feb", "february", "mar", "march", "apr", "april", "june", "jun", "july", "jul", "aug",
    "august", "sep", "sept", "oct", "october", "nov", "november", "dec", "december", "mon", "monday", "tue",
    "tuesday", "wed", "thu", "thursday", "fri", "friday", "sat", "saturday", "sunday", "am", "pm", "gmt",
    "utc", "est", "pst",
];

/// Those of more than eight letters.
const LONG_DATE_NAMES: [&[u8]; 2] = [b"wednesday", b"september"];

/// The names by their letters' hashes, of which each sets a bit: few other words have one of these, so that it is foreseen
/// that they are no name.
static DATE_BITS: [u64; 16] = {
    let mut bits = [0; 16];
    let mut i = 0;
    while i < DATE_NAMES.len() {
        let bit = date_bit(packed(DATE_NAMES[i].as_bytes()));
        bits[bit / 64] |= 1 << (bit % 64);
        i += 1;
    }
    bits
};

const fn date_bit(name: u64) -> usize {
    (name.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 54) as usize
}

/// Whether at most eight letters in lower case, the first lowest, are one of the names.
fn is_date_name(name: u64) -> bool {
    let bit = date_bit(name);
    DATE_BITS[bit / 64] >> (bit % 64) & 1 == 1 && DATE_NAMES.iter().any(|n| packed(n.as_bytes()) == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn num_dates(text: &str) -> u32 {
        scan(text, &mut Vec::new()).num_dates
    }

    #[test]
    fn names_of_dates_are_found_by_their_letters() {
        assert!(DATE_NAMES.iter().all(|n| num_dates(&n.to_ascii_uppercase()) == 1));
        assert_eq!(num_dates("September WEDNESDAY 1999 2026 12 1850"), 4);
        assert_eq!(num_dates("septembe sunday1 ma janu wednesdaz zz 19999"), 0);
    }

    #[test]
    fn words_of_any_length_are_those_of_the_tokeniser() {
        let text = "a Bc 12 x_y caf\u{e9}s 12345678 abcdefgH abcdefghi e\u{301}t\u{e9} 漢字x don't abcdefghijklmnopQ7 \u{391}b7\u{a0}z";
        for from in (0..text.len()).filter(|&at| text.is_char_boundary(at)) {
            let mut words = Vec::new();
            let stats = scan(&text[from..], &mut words);
            let expected: Vec<_> = text::words(&text[from..]).collect();
            let found: Vec<_> = words.iter().map(|w| (w.start as usize, w.end as usize)).collect();
            assert_eq!(found, expected);
            assert!(
                words.iter().all(|w| w.hash == word_hash(&text[from..][w.start as usize..w.end as usize]))
            );
            let count = |is: fn(&char) -> bool| text[from..].chars().filter(is).count() as u32;
            assert_eq!(stats.num_chars, count(|_| true));
            assert_eq!(stats.num_digits, count(|c| c.is_numeric()));
        }
    }
}

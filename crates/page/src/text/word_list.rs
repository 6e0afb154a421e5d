//! Sinks for the words of a scan. The first ignores the words, the second stores their ranges, and the third
//! stores words with hashes and counts dates and lines.

use crate::dates::date_words::{LONGEST_DATE_WORD, begins_date, is_date};
use crate::text::hashing::{hash_by_class, hash_of_alnum, word_hash};
use crate::text::masks::{PIECE, below};
use crate::text::word::Word;
use std::ops::Range;
use threshr_html::text::classes::{ALPHANUMERIC, NUMERIC};

/// Line width, in characters, at which text is wrapped to measure text density.
const WRAP_COLUMNS: u32 = 80;
/// Maximum number of words in [`PIECE`] bytes, when letters and spaces alternate.
const MAX_WORDS: usize = PIECE.div_ceil(2);

/// Counts over the words of a block.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct WordStats {
    /// Number of words that are part of a date or a time.
    pub num_dates: u32,
    /// Number of lines if the text is wrapped at 80 columns.
    pub num_lines: u32,
    /// Number of words in these lines except the last line. If there is only one line, the number of words in
    /// this line.
    pub num_full_line_words: u32,
}

/// Words of ASCII letters and digits in at most `PIECE` bytes, as bit masks over the bytes.
#[derive(Debug, Clone, Copy)]
pub struct AsciiWords {
    /// First bytes of the words.
    pub starts: u64,
    /// All bytes of the words.
    pub alnum: u64,
    /// The digits among these bytes.
    pub digits: u64,
}

/// A word with characters other than ASCII letters and digits.
#[derive(Debug, Clone, Copy)]
pub struct OtherWord<'a> {
    /// The word.
    pub text: &'a str,
    /// Number of characters.
    pub num_chars: u32,
    /// Class bits that at least one character has.
    pub some: u16,
    /// Class bits that all characters have.
    pub all: u16,
    /// Whether all characters are ASCII.
    pub is_ascii: bool,
}

/// Receives the words of a text. `at` is a byte offset in the text; `column` is the number of characters before
/// it.
pub trait WordSink {
    /// Receives ASCII words. `ahead` is the text from offset `at` on.
    fn ascii_words(&mut self, ahead: &[u8], at: usize, words: AsciiWords, column: u32);
    /// Receives one word at offset `at`.
    fn word(&mut self, at: usize, word: OtherWord<'_>, column: u32);
}

/// Ignores words.
impl WordSink for () {
    #[inline]
    fn ascii_words(&mut self, _: &[u8], _: usize, _: AsciiWords, _: u32) {}
    #[inline]
    fn word(&mut self, _: usize, _: OtherWord<'_>, _: u32) {}
}

/// Stores the byte range of each word.
#[derive(Debug, Default)]
pub struct WordPlaces(pub Vec<Range<u32>>);

impl WordSink for WordPlaces {
    #[inline]
    fn ascii_words(&mut self, _: &[u8], at: usize, words: AsciiWords, _: u32) {
        let AsciiWords { mut starts, alnum, .. } = words;
        self.0.reserve(MAX_WORDS);
        while starts != 0 {
            let start = starts.trailing_zeros();
            starts &= starts - 1;
            let end = start + (!(alnum >> start)).trailing_zeros();
            self.0.push(at as u32 + start..at as u32 + end);
        }
    }
    fn word(&mut self, at: usize, word: OtherWord<'_>, _: u32) {
        self.0.push(at as u32..(at + word.text.len()) as u32);
    }
}

/// Appends the words of a block to a list.
pub struct WordList<'a> {
    words: &'a mut Vec<Word>,
    num_dates: u32,
    line: Line,
    /// Buffer for a word in lower case.
    scratch: String,
}

impl<'a> WordList<'a> {
    /// Creates a sink that appends to `words`.
    pub fn new(words: &'a mut Vec<Word>) -> Self {
        WordList { words, num_dates: 0, line: Line::default(), scratch: String::new() }
    }

    /// Returns the counts over the words so far.
    pub fn stats(&self) -> WordStats {
        let line = &self.line;
        WordStats {
            num_dates: self.num_dates,
            num_lines: line.num_before + u32::from(line.num_words > 0),
            num_full_line_words: if line.num_before == 0 { line.num_words } else { line.words_before },
        }
    }
}

impl WordSink for WordList<'_> {
    #[inline]
    fn ascii_words(&mut self, ahead: &[u8], at: usize, words: AsciiWords, column: u32) {
        let AsciiWords { starts, alnum, digits } = words;
        let mut line = self.line;
        self.words.reserve(MAX_WORDS);
        let mut rest = starts;
        while rest != 0 {
            let place = rest.trailing_zeros();
            rest &= rest - 1;
            let length = (!(alnum >> place)).trailing_zeros();
            let has_digits = digits >> place & below(length as usize) != 0;
            let bytes = &ahead[place as usize..];
            let (hash, first) = hash_of_alnum(bytes, length as usize);
            // both conditions are nearly always false, so the branch is well predictable
            if begins_date(first) || has_digits && length == 4 {
                self.num_dates += u32::from(is_date(&bytes[..length as usize]));
            }
            self.words.push(Word::new(at + place as usize, length as usize, hash, !has_digits));
            line.wrap(column + place, length);
        }
        self.line = line;
    }

    fn word(&mut self, at: usize, word: OtherWord<'_>, column: u32) {
        let OtherWord { text, num_chars, some, all, is_ascii } = word;
        let may_be_date = is_ascii && text.len() <= LONGEST_DATE_WORD;
        self.num_dates += u32::from(may_be_date && is_date(text.as_bytes()));
        let is_plain = is_ascii && some & NUMERIC == 0 && all & ALPHANUMERIC != 0;
        let hash = if is_ascii { word_hash(text) } else { hash_by_class(text, all, &mut self.scratch) };
        self.words.push(Word::new(at, text.len(), hash, is_plain));
        self.line.wrap(column, num_chars);
    }
}

/// Wraps words into lines.
#[derive(Clone, Copy, Default)]
struct Line {
    /// Column at which the current line starts.
    start: u32,
    num_words: u32,
    /// Number of completed lines, and number of words in them.
    num_before: u32,
    words_before: u32,
}

impl Line {
    /// Adds a word to the line, or to a new line if it does not fit.
    #[inline]
    fn wrap(&mut self, column: u32, length: u32) {
        if column + length > self.start + WRAP_COLUMNS && self.num_words > 0 {
            self.num_before += 1;
            self.words_before += self.num_words;
            (self.start, self.num_words) = (column, 0);
        }
        self.num_words += 1;
    }
}

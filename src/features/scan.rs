//! One pass over a block's text: its words, with their hashes, and its counts.

use super::BlockStats;
use super::hashing::{lower_case, packed, word_hash};
use super::page_words::Word;
use crate::text;
use unicode_properties::{GeneralCategoryGroup, UnicodeGeneralCategory};

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

/// What an ASCII character is: letters and digits are bits, so that those of a word can be put together.
const UPPER: u8 = 1;
const LOWER: u8 = 2;
const DIGIT: u8 = 4;
const SPACE: u8 = 8;
/// In words, but neither letter nor digit.
const UNDERSCORE: u8 = 16;

/// By byte; 0 for other signs and bytes beyond ASCII.
static KINDS: [u8; 256] = {
    let mut table = [0; 256];
    let mut b = 0;
    while b < 128 {
        table[b] = match b as u8 {
            b'a'..=b'z' => LOWER,
            b'A'..=b'Z' => UPPER,
            b'0'..=b'9' => DIGIT,
            b' ' | b'\t'..=b'\r' => SPACE,
            b'_' => UNDERSCORE,
            _ => 0,
        };
        b += 1;
    }
    table
};

fn kind(byte: u8) -> u8 {
    KINDS[usize::from(byte)]
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
            match kind(byte) {
                SPACE => {
                    self.at += 1;
                    self.space();
                }
                LOWER | UPPER | DIGIT => self.ascii_word(),
                UNDERSCORE => self.other_word(),
                _ if byte.is_ascii() => {
                    self.at += 1;
                    self.sign(byte as char);
                }
                _ => self.beyond_ascii(),
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

    /// A word that begins with an ASCII letter or digit: nearly all of them end with one too.
    fn ascii_word(&mut self) {
        let bytes = &self.text.as_bytes()[self.at..];
        let (mut seen, mut num_digits, mut length) = (0, 0, 0);
        while let Some(&byte) = bytes.get(length)
            && kind(byte) & (LOWER | UPPER | DIGIT) != 0
        {
            seen |= kind(byte);
            num_digits += u32::from(kind(byte) == DIGIT);
            length += 1;
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
            4 if seen == DIGIT => word.starts_with(b"19") || word.starts_with(b"20"),
            2..=9 if seen & DIGIT == 0 => is_date_name(word),
            _ => false,
        });
        self.word(
            start,
            column,
            Shape {
                first_upper: kind(word[0]) == UPPER,
                first_lower: kind(word[0]) == LOWER,
                has_lower: seen & LOWER != 0,
                has_letters: seen & (LOWER | UPPER) != 0,
                has_digits: seen & DIGIT != 0,
            },
        );
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
        self.word(
            start,
            column,
            Shape {
                first_upper: first.is_some_and(char::is_uppercase),
                first_lower: first.is_some_and(char::is_lowercase),
                has_lower: word.chars().any(char::is_lowercase),
                has_letters: !word.chars().all(char::is_numeric),
                has_digits: word.chars().any(char::is_numeric),
            },
        );
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
        let group = sign_group(c);
        let stats = &mut self.stats;
        stats.num_chars += 1;
        stats.num_punct += 1;
        stats.num_symbols += u32::from(group != GeneralCategoryGroup::Punctuation);
        // marks, apostrophes and hyphens stand inside words
        self.in_run &= group == GeneralCategoryGroup::Mark || matches!(c, '\'' | '’' | '-' | '‐' | '_');
        if self.stretch == Stretch::Empty {
            self.stretch = Stretch::Signs;
        }
        match c {
            ',' | '，' | '、' | '،' => stats.num_commas += 1,
            '.' | '。' | '．' | '।' | '۔' => stats.num_stops += 1,
            '!' | '?' | '！' | '？' | '؟' => stats.num_questions += 1,
            '|' | '»' | '›' | '→' | '·' | '•' | '«' | '‹' | '←' | '>' | '▸' | '►' => {
                stats.num_nav += 1
            }
            '©' => stats.has_copyright = true,
            _ => {}
        }
        let full_width = matches!(c, '。' | '．' | '！' | '？' | '।' | '۔' | '؟');
        let ends = full_width || (matches!(c, '.' | '!' | '?' | '…') && ends_word(&self.text[self.at..]));
        if ends && self.open_sentence {
            self.stats.num_sentences += 1;
            self.open_sentence = false;
        }
    }

    /// A word from byte `start` and character `column` to the cursor, whose characters are counted.
    fn word(&mut self, start: usize, column: u32, shape: Shape) {
        let word = &self.text[start..self.at];
        self.words.push(Word { start: start as u32, end: self.at as u32, hash: word_hash(word) });
        let stats = &mut self.stats;
        let length = stats.num_chars - column;
        if column + length > self.line_start + WRAP_COLUMNS && self.line_words > 0 {
            stats.num_lines += 1;
            self.full_words += self.line_words;
            (self.line_start, self.line_words) = (column, 0);
        }
        self.line_words += 1;
        stats.num_word_chars += length;
        stats.starts_upper |= stats.num_words == 0 && shape.first_upper;
        stats.starts_lower |= stats.num_words == 0 && shape.first_lower;
        stats.num_alphabetic += u32::from(shape.has_letters && !shape.has_digits);
        stats.num_numeric += u32::from(shape.has_digits && !shape.has_letters);
        stats.num_words += 1;
        stats.num_capitals += u32::from(shape.first_upper);
        stats.num_all_caps += u32::from(shape.first_upper && word.len() > 1 && !shape.has_lower);
    }
}

/// The group of a character that is neither alphanumeric nor white space.
fn sign_group(c: char) -> GeneralCategoryGroup {
    match c {
        '$' | '+' | '<' | '=' | '>' | '^' | '`' | '|' | '~' => GeneralCategoryGroup::Symbol,
        _ if c.is_ascii_punctuation() => GeneralCategoryGroup::Punctuation,
        _ => c.general_category_group(),
    }
}

/// Whether a mark before `rest` stands at the end of a word, unlike the point in `3.5` or `a.b`.
fn ends_word(rest: &str) -> bool {
    rest.chars().next().is_none_or(|c| !c.is_alphanumeric())
}

/// Names of months and weekdays in English and their short forms, and what stands beside times; those of nine letters
/// are apart.
const DATE_NAMES: [&str; 40] = [
    "jan", "january", "feb", "february", "mar", "march", "apr", "april", "june", "jun", "july", "jul", "aug",
    "august", "sep", "sept", "oct", "october", "nov", "november", "dec", "december", "mon", "monday", "tue",
    "tuesday", "wed", "thu", "thursday", "fri", "friday", "sat", "saturday", "sunday", "am", "pm", "gmt",
    "utc", "est", "pst",
];

/// The names by a hash of their letters.
static DATE_SLOTS: [u64; 128] = {
    let mut slots = [0; 128];
    let mut i = 0;
    while i < DATE_NAMES.len() {
        let name = packed(DATE_NAMES[i].as_bytes());
        let mut slot = first_slot(name);
        while slots[slot] != 0 {
            slot = (slot + 1) % 128;
        }
        slots[slot] = name;
        i += 1;
    }
    slots
};

const fn first_slot(name: u64) -> usize {
    (name.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 57) as usize
}

/// Whether letters are one of the names, case aside.
fn is_date_name(word: &[u8]) -> bool {
    if word.len() > 8 {
        return word.eq_ignore_ascii_case(b"wednesday") || word.eq_ignore_ascii_case(b"september");
    }
    let name = lower_case(packed(word));
    let mut slot = first_slot(name);
    while DATE_SLOTS[slot] != 0 {
        if DATE_SLOTS[slot] == name {
            return true;
        }
        slot = (slot + 1) % DATE_SLOTS.len();
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_dates_are_found_by_their_letters() {
        let found: Vec<_> = DATE_NAMES.iter().collect();
        assert!(found.iter().all(|n| is_date_name(n.to_ascii_uppercase().as_bytes())));
        assert!(is_date_name(b"September") && is_date_name(b"WEDNESDAY"));
        for other in ["septembe", "sunday1", "ma", "janu", "wednesdaz", "zz"] {
            assert!(!is_date_name(other.as_bytes()), "{other}");
        }
    }
}

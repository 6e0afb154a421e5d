//! What is counted in a block's text, in one pass, for all families.

use super::page_words::Word;
use crate::block::{Block, Blocks};
use crate::text;
use unicode_properties::{GeneralCategoryGroup, UnicodeGeneralCategory};

/// Width at which text is wrapped to measure its density, in characters.
const WRAP_COLUMNS: usize = 80;

/// Counts over one block's text.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct BlockStats {
    /// Characters, single spaces between words included.
    pub num_chars: u32,
    /// Words: runs of letters and digits; in scripts without spaces one letter each.
    pub num_words: u32,
    /// Characters inside words.
    pub num_word_chars: u32,
    /// Sentences: ends of sentences, and one more where text follows the last.
    pub num_sentences: u32,
    /// Words whose first letter is upper-case.
    pub num_capitals: u32,
    /// Words of two or more letters without a lower-case one.
    pub num_all_caps: u32,
    /// Full stops `.` and their counterparts.
    pub num_stops: u32,
    /// Commas and their counterparts.
    pub num_commas: u32,
    /// Signs that separate the entries of navigation: `|` `»` `›` `→` `·` `•` …
    pub num_nav: u32,
    /// Words that look like part of a date or a time.
    pub num_dates: u32,
    /// Digits.
    pub num_digits: u32,
    /// Characters that are neither in words nor white space.
    pub num_punct: u32,
    /// Question and exclamation marks.
    pub num_questions: u32,
    /// Words in links.
    pub num_link_words: u32,
    /// Characters in links.
    pub num_link_chars: u32,
    /// Links.
    pub num_links: u32,
    /// Lines after wrapping at 80 columns.
    pub num_lines: u32,
    /// Words in the lines but the last; in the last where it is the only one.
    pub num_full_line_words: u32,
    /// Whether the last sign ends a sentence.
    pub ends_sentence: bool,
    /// Whether the first word begins upper-case.
    pub starts_upper: bool,
    /// Whether a copyright sign occurs.
    pub has_copyright: bool,
    /// Letters: characters of words that are no digits.
    pub num_letters: u32,
    /// White space.
    pub num_spaces: u32,
    /// Characters that are neither letters, digits, white space nor punctuation: symbols and marks.
    pub num_symbols: u32,
    /// Stretches between white space without a letter or a digit.
    pub num_nonwords: u32,
    /// Stretches of words without punctuation or symbols between.
    pub num_word_runs: u32,
    /// Words of letters alone.
    pub num_alphabetic: u32,
    /// Words of digits alone.
    pub num_numeric: u32,
    /// Whether the first word begins lower-case.
    pub starts_lower: bool,
}

impl BlockStats {
    /// Words outside links.
    pub fn num_text_words(&self) -> u32 {
        self.num_words - self.num_link_words
    }

    pub(super) fn of(blocks: &Blocks, index: usize, block: &Block, words: &[Word]) -> Self {
        let text = blocks.slice(&block.text);
        let mut stats = BlockStats::default();
        stats.count_chars(text);
        stats.count_words(text, words);
        stats.count_links(blocks, index, block.text.start as usize, text);
        stats
    }

    fn count_chars(&mut self, text: &str) {
        let bytes = text.as_bytes();
        let (mut open_sentence, mut run, mut stretch) = (false, false, Stretch::Empty);
        let mut at = 0;
        while let Some(&byte) = bytes.get(at) {
            // most characters are ASCII, whose class is in a table
            let (c, class) = match CLASSES.get(usize::from(byte)) {
                Some(&class) => (byte as char, class),
                None => {
                    let Some(c) = text[at..].chars().next() else { break };
                    (c, class_of(c))
                }
            };
            at += c.len_utf8();
            self.num_chars += 1;
            match class {
                Class::Letter | Class::Digit => {
                    self.num_digits += u32::from(class == Class::Digit);
                    self.num_letters += u32::from(class == Class::Letter);
                    self.num_word_runs += u32::from(!run);
                    (open_sentence, run, stretch) = (true, true, Stretch::Word);
                    continue;
                }
                Class::Space => {
                    self.num_spaces += 1;
                    self.num_nonwords += u32::from(stretch == Stretch::Signs);
                    stretch = Stretch::Empty;
                    continue;
                }
                Class::Sign => {}
            }
            self.num_punct += 1;
            let group = sign_group(c);
            self.num_symbols += u32::from(group != GeneralCategoryGroup::Punctuation);
            // marks, apostrophes and hyphens stand inside words
            run &= group == GeneralCategoryGroup::Mark || matches!(c, '\'' | '’' | '-' | '‐' | '_');
            if stretch == Stretch::Empty {
                stretch = Stretch::Signs;
            }
            match c {
                ',' | '，' | '、' | '،' => self.num_commas += 1,
                '.' | '。' | '．' | '।' | '۔' => self.num_stops += 1,
                '!' | '?' | '！' | '？' | '؟' => self.num_questions += 1,
                '|' | '»' | '›' | '→' | '·' | '•' | '«' | '‹' | '←' | '>' | '▸' | '►' => {
                    self.num_nav += 1
                }
                '©' => self.has_copyright = true,
                _ => {}
            }
            let full_width = matches!(c, '。' | '．' | '！' | '？' | '।' | '۔' | '؟');
            let ends = full_width || (matches!(c, '.' | '!' | '?' | '…') && ends_word(&text[at..]));
            if ends && open_sentence {
                self.num_sentences += 1;
                open_sentence = false;
            }
        }
        self.num_sentences += u32::from(open_sentence);
        self.num_nonwords += u32::from(stretch == Stretch::Signs);
        let last = text.trim_end_matches(|c: char| "\"'”’»)]".contains(c)).chars().next_back();
        self.ends_sentence = last.is_some_and(|c| ".!?…。．！？।۔؟".contains(c));
    }

    fn count_words(&mut self, text: &str, words: &[Word]) {
        let (mut column, mut at, mut line_start, mut line_words) = (0, 0, 0, 0);
        let mut full_words = 0;
        let is_ascii = text.is_ascii();
        let width = |piece: &str| if is_ascii { piece.len() } else { piece.chars().count() };
        for word in words {
            let (start, end) = (word.start as usize, word.end as usize);
            let word = &text[start..end];
            column += width(&text[at..start]);
            let length = width(word);
            if column + length > line_start + WRAP_COLUMNS && line_words > 0 {
                self.num_lines += 1;
                full_words += line_words;
                (line_start, line_words) = (column, 0);
            }
            column += length;
            at = end;
            line_words += 1;
            self.num_word_chars += length as u32;
            self.count_word(word);
        }
        self.num_full_line_words = if self.num_lines == 0 { line_words } else { full_words };
        self.num_lines += u32::from(line_words > 0);
    }

    fn count_word(&mut self, word: &str) {
        let first_upper = word.chars().next().is_some_and(char::is_uppercase);
        self.starts_upper |= self.num_words == 0 && first_upper;
        self.starts_lower |= self.num_words == 0 && word.chars().next().is_some_and(char::is_lowercase);
        let (letters, digits) = letters_and_digits(word);
        self.num_alphabetic += u32::from(letters && !digits);
        self.num_numeric += u32::from(digits && !letters);
        self.num_words += 1;
        self.num_capitals += u32::from(first_upper);
        self.num_all_caps +=
            u32::from(first_upper && word.len() > 1 && !word.chars().any(char::is_lowercase));
        self.num_dates += u32::from(is_date_word(word));
    }

    fn count_links(&mut self, blocks: &Blocks, index: usize, start: usize, text: &str) {
        let mut last = None;
        for span in blocks.spans(index).iter().filter(|s| s.link.is_some()) {
            let (from, to) = (span.text.start as usize - start, span.text.end as usize - start);
            let piece = &text[from..to];
            if piece.len() == text.len() {
                // entries of menus are links from end to end
                (self.num_link_words, self.num_link_chars) = (self.num_words, self.num_chars);
            } else {
                self.num_link_words += text::words(piece).count() as u32;
                self.num_link_chars += piece.chars().count() as u32;
            }
            self.num_links += u32::from(last != span.link);
            last = span.link;
        }
        // a word that straddles a link's edge is counted in its piece and in the block
        self.num_link_words = self.num_link_words.min(self.num_words);
    }
}

/// What a character is to a count of characters.
#[derive(Clone, Copy, PartialEq)]
enum Class {
    Letter,
    Digit,
    Space,
    Sign,
}

/// Classes of the ASCII characters.
static CLASSES: [Class; 128] = {
    let mut table = [Class::Sign; 128];
    let mut b = 0;
    while b < 128 {
        table[b] = match b as u8 {
            b'a'..=b'z' | b'A'..=b'Z' => Class::Letter,
            b'0'..=b'9' => Class::Digit,
            b' ' | b'\t'..=b'\r' => Class::Space,
            _ => Class::Sign,
        };
        b += 1;
    }
    table
};

fn class_of(c: char) -> Class {
    match c {
        _ if c.is_alphanumeric() => {
            if c.is_numeric() {
                Class::Digit
            } else {
                Class::Letter
            }
        }
        _ if c.is_whitespace() => Class::Space,
        _ => Class::Sign,
    }
}

/// What has been seen of a stretch between white space.
#[derive(Clone, Copy, PartialEq)]
enum Stretch {
    Empty,
    Signs,
    Word,
}

/// The group of a character that is neither alphanumeric nor white space.
fn sign_group(c: char) -> GeneralCategoryGroup {
    match c {
        '$' | '+' | '<' | '=' | '>' | '^' | '`' | '|' | '~' => GeneralCategoryGroup::Symbol,
        _ if c.is_ascii_punctuation() => GeneralCategoryGroup::Punctuation,
        _ => c.general_category_group(),
    }
}

/// Whether a word has letters (or marks), and whether it has digits.
fn letters_and_digits(word: &str) -> (bool, bool) {
    let (mut letters, mut digits) = (false, false);
    for c in word.chars() {
        if c.is_numeric() {
            digits = true;
        } else {
            letters = true;
        }
    }
    (letters, digits)
}

/// Whether a mark before `rest` stands at the end of a word, unlike the point in `3.5` or `a.b`.
fn ends_word(rest: &str) -> bool {
    rest.chars().next().is_none_or(|c| !c.is_alphanumeric())
}

/// Years from 1900 to 2099, and names of months and weekdays in English and their common short forms.
fn is_date_word(word: &str) -> bool {
    if word.len() == 4 && word.bytes().all(|b| b.is_ascii_digit()) {
        return word.starts_with("19") || word.starts_with("20");
    }
    if word.len() < 2 || word.len() > 9 || !word.is_ascii() {
        return false;
    }
    let mut lower = [0; 9];
    let lower = &mut lower[..word.len()];
    lower.copy_from_slice(word.as_bytes());
    lower.make_ascii_lowercase();
    #[rustfmt::skip] // one a line would be 42 lines
    let is_name = matches!(
        &*lower,
        b"jan" | b"january" | b"feb" | b"february" | b"mar" | b"march" | b"apr" | b"april" | b"june" | b"jun" | b"july"
            | b"jul" | b"aug" | b"august" | b"sep" | b"sept" | b"september" | b"oct" | b"october" | b"nov" | b"november"
            | b"dec" | b"december" | b"mon" | b"monday" | b"tue" | b"tuesday" | b"wed" | b"wednesday" | b"thu"
            | b"thursday" | b"fri" | b"friday" | b"sat" | b"saturday" | b"sunday" | b"am" | b"pm" | b"gmt" | b"utc"
            | b"est" | b"pst"
    );
    is_name
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block;
    use crate::features::PageWords;
    use crate::page::{Visibility, parse_str};

    fn stats(html: &str) -> BlockStats {
        let blocks = Blocks::of(&parse_str(html), block::REGISTRY[0], Visibility::Visible);
        BlockStats::of(&blocks, 0, blocks.get(0).expect("a block"), PageWords::of(&blocks).block(0))
    }

    #[test]
    fn counts_what_they_say() {
        let s =
            stats("<p>The BBC paid 3.50, in May 2004. <a href=x>Read <b>more</b></a> | Why? <a href=y>OK");
        assert_eq!((s.num_words, s.num_link_words, s.num_links), (12, 3, 2));
        assert_eq!((s.num_sentences, s.num_stops, s.num_commas, s.num_questions, s.num_nav), (3, 2, 1, 1, 1));
        assert_eq!((s.num_capitals, s.num_all_caps, s.num_dates, s.num_digits), (6, 2, 1, 7));
        assert!(s.starts_upper && !s.ends_sentence);
        assert_eq!(s.num_chars, 51);
    }

    #[test]
    fn characters_and_tokens_have_classes() {
        let s = stats("<p>He's won 12 of x2 — $5 | it, e.g. — and ok!");
        // He s won 12 of x2 5 it e g and ok
        assert_eq!((s.num_words, s.num_alphabetic, s.num_numeric), (12, 9, 2));
        assert_eq!((s.num_letters, s.num_digits, s.num_spaces), (18, 4, 12));
        // ' — $ | , . . — !, of which $ and | are symbols; — | — stand alone
        assert_eq!((s.num_punct, s.num_symbols, s.num_nonwords), (9, 2, 3));
        // He's won 12 of x2 / 5 / it / e / g / and ok
        assert_eq!(s.num_word_runs, 6);
        assert!(!s.starts_lower && stats("<p>“and so").starts_lower);
    }

    #[test]
    fn scripts_without_spaces_count_letters_and_full_width_stops() {
        let s = stats("<p>你好。再见！");
        assert_eq!((s.num_words, s.num_sentences, s.ends_sentence), (4, 2, true));
    }

    #[test]
    fn density_counts_full_lines() {
        // 16 words of 9 columns each with their space: 8 a line (8 * 10 - 1 = 79 columns)
        let s = stats(&format!("<p>{}", "ninechars ".repeat(20)));
        assert_eq!((s.num_lines, s.num_full_line_words), (3, 16));
        let s = stats("<p>two words");
        assert_eq!((s.num_lines, s.num_full_line_words), (1, 2));
    }
}

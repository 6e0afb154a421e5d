//! Tokens for metrics, and words for features.
//!
//! The text is normalised to NFC and lower case. A token is a maximal run of word characters: Unicode letters (L*),
//! numbers (N*) and `_`. Combining marks (M*) are not word characters, as in Python's `\w`. In the Unicode blocks
//! of scripts without spaces, every character is a separate token, whatever its category. The independent scorer
//! that verifies `evaluate` uses the same definition.

use crate::text::classes::{MARK, NOSPACE, WORD, class, goes_on};
use rustc_hash::FxHashMap;
use std::borrow::Cow;
use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc_quick};

/// Whether `c` is a letter, a number or `_`, as in Python's `\w`.
#[inline]
pub fn is_word_char(c: char) -> bool {
    class(c) & WORD != 0
}

/// Whether `c` is in a block of a script without spaces, whose characters are single tokens.
#[inline]
pub fn is_nospace(c: char) -> bool {
    class(c) & NOSPACE != 0
}

/// Returns `text` in NFC and lower case. The result is borrowed if `text` is lower-case ASCII.
pub fn normalise(text: &str) -> Cow<'_, str> {
    if text.is_ascii() {
        return match text.bytes().any(|b| b.is_ascii_uppercase()) {
            true => Cow::Owned(text.to_ascii_lowercase()),
            false => Cow::Borrowed(text),
        };
    }
    match is_nfc_quick(text.chars()) {
        IsNormalized::Yes => Cow::Owned(text.to_lowercase()),
        _ => Cow::Owned(text.nfc().collect::<String>().to_lowercase()),
    }
}

/// Returns the tokens of `text`, in order.
pub fn tokens(text: &str) -> Vec<String> {
    let text = normalise(text);
    runs(&text, false).map(|(start, end)| text[start..end].to_owned()).collect()
}

/// Returns the byte ranges `(start, end)` of the words of `text`. A word is a token of [`tokens`] before NFC and
/// lower-casing.
///
/// Unlike in tokens, combining marks belong to the word before them, so that decomposed text has as many words as
/// composed text. A mark that does not follow a word is not a word, unless it is in the Unicode block of a script
/// without spaces.
pub fn words(text: &str) -> Words<'_> {
    runs(text, true)
}

fn runs(text: &str, marks: bool) -> Words<'_> {
    Words { text, pos: 0, marks }
}

/// Iterator over the byte ranges of the words of a text; see [`words`].
#[derive(Debug, Clone)]
pub struct Words<'a> {
    text: &'a str,
    pos: usize,
    marks: bool,
}

impl Words<'_> {
    /// The character at the cursor.
    #[inline]
    fn peek(&self) -> Option<char> {
        match self.text.as_bytes().get(self.pos) {
            Some(&b) if b.is_ascii() => Some(b as char),
            Some(_) => self.text[self.pos..].chars().next(),
            None => None,
        }
    }

    /// Moves the cursor to the end of the current word.
    #[inline]
    fn extend(&mut self, single: bool) {
        while let Some(c) = self.peek() {
            let class = class(c);
            // a letter never has the class MARK, so the condition excludes only marks
            if goes_on(class, single) && (self.marks || class & MARK == 0) {
                self.pos += c.len_utf8();
            } else {
                break;
            }
        }
    }
}

/// The ASCII word characters.
static ASCII_WORD: [bool; 128] = {
    let mut table = [false; 128];
    let mut b = 0;
    while b < 128 {
        table[b] = (b as u8).is_ascii_alphanumeric() || b as u8 == b'_';
        b += 1;
    }
    table
};

fn is_ascii_word(b: u8) -> bool {
    ASCII_WORD.get(usize::from(b)).is_some_and(|w| *w)
}

impl Iterator for Words<'_> {
    type Item = (usize, usize);

    fn next(&mut self) -> Option<(usize, usize)> {
        let bytes = self.text.as_bytes();
        loop {
            let &first = bytes.get(self.pos)?;
            let start = self.pos;
            if first.is_ascii() {
                self.pos += 1;
                if !is_ascii_word(first) {
                    continue;
                }
                // most words are pure ASCII
                self.pos += bytes[self.pos..].iter().take_while(|b| is_ascii_word(**b)).count();
                if bytes.get(self.pos).is_some_and(|b| !b.is_ascii()) {
                    self.extend(false);
                }
                return Some((start, self.pos));
            }
            let c = self.peek()?;
            self.pos += c.len_utf8();
            let class = class(c);
            if class & (WORD | NOSPACE) != 0 {
                self.extend(class & NOSPACE != 0);
                return Some((start, self.pos));
            }
        }
    }
}

/// Maps tokens to ids. Ids are consecutive integers from 0, in order of first occurrence.
#[derive(Debug, Clone, Default)]
pub struct Interner {
    ids: FxHashMap<Box<str>, u32>,
}

impl Interner {
    /// Creates an interner without tokens.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the ids of the [`tokens`] of `text`, in order.
    pub fn encode(&mut self, text: &str) -> Vec<u32> {
        let text = normalise(text);
        let mut out = Vec::with_capacity(text.len() / 5);
        out.extend(runs(&text, false).map(|(start, end)| self.id(&text[start..end])));
        out
    }

    /// Returns the id of a token. The token is not normalised here.
    pub fn id(&mut self, token: &str) -> u32 {
        if let Some(&id) = self.ids.get(token) {
            return id;
        }
        // four billion distinct tokens do not fit into memory
        let id = u32::try_from(self.ids.len()).unwrap_or(u32::MAX);
        self.ids.insert(token.into(), id);
        id
    }

    /// Returns the tokens in the order of their ids.
    pub fn tokens(&self) -> Vec<&str> {
        let mut out = vec![""; self.ids.len()];
        self.ids.iter().for_each(|(token, &id)| out[id as usize] = token);
        out
    }

    /// Returns the number of distinct tokens. Every id is less than this number.
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// Whether there is no token.
    pub fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn word_list(text: &str) -> Vec<&str> {
        words(text).map(|(start, end)| &text[start..end]).collect()
    }

    #[test]
    fn splits_as_the_scorer() {
        // the expected values come from score.py
        assert_eq!(tokens("Don't STOP_me, 3.5 times"), ["don", "t", "stop_me", "3", "5", "times"]);
        assert_eq!(tokens("Cafe\u{301} \u{130}x"), ["caf\u{e9}", "i", "x"]);
        assert_eq!(tokens("ΟΔΟΣ ²½Ⅳ"), ["οδος", "²½ⅳ"]);
        assert_eq!(tokens("他们abc说、๏฿ok"), ["他", "们", "abc", "说", "๏", "฿", "ok"]);
        assert_eq!(tokens("हिन्दी"), ["ह", "न", "द"]);
        assert!(tokens(" \n—…").is_empty());
    }

    #[test]
    fn words_include_their_marks() {
        assert_eq!(word_list("Cafe\u{301}s हिन्दी"), ["Cafe\u{301}s", "हिन्दी"]);
        // Thai: a word is a character with its marks
        assert_eq!(word_list("ที่นี่ A1"), ["ที่", "นี่", "A1"]);
        assert!(word_list("\u{301} .").is_empty());
    }

    #[test]
    fn token_numbers_are_dense() {
        let mut interner = Interner::new();
        assert_eq!(interner.encode("the cat, The hat"), [0, 1, 0, 2]);
        assert_eq!(interner.encode("HAT"), [2]);
        assert_eq!(interner.len(), 3);
    }
}

//! Words as defined by Boilerpipe and by its Python port.
//!
//! Boilerpipe splits a text at Java's white space, and between a word character and any character other than
//! `" ' . , ! @ - : ; $ ? ( ) /`. A token is a word if it contains a letter or a number.
//!
//! The port splits at every character other than letters, numbers, `_` and the characters listed above,
//! including Unicode white space. A no-break space is therefore not a token, and a fraction such as `½`
//! belongs to the number before it.

use serde::Deserialize;
use unicode_properties::{GeneralCategory, GeneralCategoryGroup, UnicodeGeneralCategory};

/// Punctuation characters that belong to the adjacent token.
const JOINED: &str = "\"'.,!@-:;$?()/";

/// The program whose definitions of space, word, link and title are used.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Reading {
    /// The Java library.
    #[default]
    Java,
    /// BoilerPy3.
    Python,
}

impl Reading {
    /// Returns whether a character is white space. In Java, a no-break space is not white space, so a table cell
    /// with only `&nbsp;` is a block.
    pub(super) fn is_space(self, c: char) -> bool {
        match c {
            '\u{1c}'..='\u{1f}' => true,
            '\u{85}' | '\u{a0}' | '\u{2007}' | '\u{202f}' => self == Reading::Python,
            _ => c.is_whitespace(),
        }
    }

    /// Splits a text into tokens.
    pub(super) fn tokens(self, text: &str) -> impl Iterator<Item = Token> {
        let mut chars = text.char_indices().peekable();
        std::iter::from_fn(move || {
            while chars.next_if(|&(_, c)| self.is_between(c)).is_some() {}
            let (start, first) = chars.next()?;
            let mut token = Token { start, num_chars: 1, is_word: makes_word(first) };
            let mut last = first;
            while let Some((_, c)) = chars.next_if(|&(_, c)| !self.is_between(c) && !self.is_cut(last, c)) {
                token.num_chars += 1;
                token.is_word |= makes_word(c);
                last = c;
            }
            Some(token)
        })
    }

    /// Returns whether a character separates tokens and belongs to none of them.
    fn is_between(self, c: char) -> bool {
        match self {
            Reading::Java => self.is_space(c),
            Reading::Python => !makes_word(c) && c != '_' && !JOINED.contains(c),
        }
    }

    /// Returns whether a token ends between the adjacent characters `a` and `b`.
    fn is_cut(self, a: char, b: char) -> bool {
        self == Reading::Java && is_cut(a, b)
    }
}

/// A token: its first byte, its number of characters, and whether it is a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Token {
    pub start: usize,
    pub num_chars: u32,
    pub is_word: bool,
}

/// Returns whether the character makes its token a word: a letter, a digit or any other number.
fn makes_word(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_alphanumeric();
    }
    matches!(c.general_category_group(), GeneralCategoryGroup::Letter | GeneralCategoryGroup::Number)
}

/// Returns whether a character is a word character of Java's `\b`: letters, digits, `_` and combining marks, but
/// not `½` or `²`.
fn is_word_char(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_alphanumeric() || c == '_';
    }
    c.general_category_group() == GeneralCategoryGroup::Letter
        || matches!(c.general_category(), GeneralCategory::DecimalNumber | GeneralCategory::NonspacingMark)
}

fn is_cut(a: char, b: char) -> bool {
    let sign = match (is_word_char(a), is_word_char(b)) {
        (true, false) => b,
        (false, true) => a,
        _ => return false,
    };
    !JOINED.contains(sign)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_join_or_cut() {
        let cut = |text: &str| -> Vec<(u32, bool)> {
            Reading::Java.tokens(text).map(|t| (t.num_chars, t.is_word)).collect()
        };
        assert_eq!(cut("don't (stop)  it."), [(5, true), (6, true), (3, true)]);
        // `|` is split from the letters on both sides; alone it is a token but not a word
        assert_eq!(cut("a|b | c"), [(1, true), (1, false), (1, true), (1, false), (1, true)]);
        // a no-break space is split from letters; it is a token, but not a word
        assert_eq!(cut("a\u{a0}b."), [(1, true), (1, false), (2, true)]);
        assert_eq!(cut("\u{a0}"), [(1, false)]);
        // `½` is a separate word; a vowel sign belongs to its letter
        assert_eq!(cut("3½ x"), [(1, true), (1, true), (1, true)]);
        assert_eq!(cut("\u{0633}\u{064b}\u{0633}"), [(3, true)]);
        assert_eq!(cut(""), []);
    }

    #[test]
    fn signs_part_in_the_port() {
        let cut = |text: &str| -> Vec<(usize, u32, bool)> {
            Reading::Python.tokens(text).map(|t| (t.start, t.num_chars, t.is_word)).collect()
        };
        assert_eq!(cut("don't (stop)"), [(0, 5, true), (6, 6, true)]);
        // `|` is in no token; `-` alone is a token, but not a word
        assert_eq!(cut("a|b | -"), [(0, 1, true), (2, 1, true), (6, 1, false)]);
        assert_eq!(cut("a_\u{a0}b."), [(0, 2, true), (4, 2, true)]);
        assert_eq!(cut("\u{a0}\u{2022} "), []);
        assert_eq!(cut("3½ x"), [(0, 2, true), (4, 1, true)]);
        assert_eq!(cut("\u{0633}\u{064b}\u{0633}"), [(0, 1, true), (4, 1, true)]);
    }
}

//! Splits a text that may be a date into numbers and words.

use super::text::has_digit;
use crate::dates::months::ascii_digit;
use std::ops::RangeInclusive;

/// Maximum number of characters between two tokens of a date.
const MAX_GAP: usize = 3;

/// A number or a word of a text.
#[derive(Debug, Clone)]
pub(super) struct Token<'t> {
    /// The token as written in the text.
    pub text: &'t str,
    /// The text between the previous token and this token.
    pub before: &'t str,
    /// The text from the start of the token to the end.
    pub rest: &'t str,
    number: Option<(u32, usize)>,
}

impl Token<'_> {
    pub(super) fn is_number(&self) -> bool {
        self.number.is_some()
    }
    pub(super) fn number(&self) -> Option<u32> {
        self.number.map(|n| n.0)
    }
    /// Returns the number if its number of digits is in the range.
    pub(super) fn number_of(&self, digits: RangeInclusive<usize>) -> Option<u32> {
        self.number.filter(|n| digits.contains(&n.1)).map(|n| n.0)
    }
    /// Returns the number if one of `signs`, optionally with white space, precedes it.
    pub(super) fn number_after(&self, signs: &[&str], digits: RangeInclusive<usize>) -> Option<u32> {
        signs.contains(&self.before.trim()).then(|| self.number_of(digits)).flatten()
    }
    /// Whether only white space and a few punctuation characters separate the token from the previous token.
    pub(super) fn is_near(&self) -> bool {
        self.before.chars().count() <= MAX_GAP
            && self
                .before
                .chars()
                .all(|c| c.is_whitespace() || matches!(c, '.' | ',' | '-' | '/' | '\'' | '’' | 'º'))
    }
}

#[derive(PartialEq, Clone, Copy)]
enum Class {
    Digit,
    Letter,
    Other,
}

fn class(c: char) -> Class {
    if c.is_ascii_alphabetic() {
        Class::Letter
    } else if c.is_ascii_digit() || ascii_digit(c).is_some() || ('\u{e50}'..='\u{e59}').contains(&c) {
        Class::Digit
    } else if c.is_alphabetic() || is_mark(c) {
        Class::Letter
    } else {
        Class::Other
    }
}

/// Returns whether a character is a vowel mark or a tone mark: combining marks, Arabic marks, and marks of
/// Indic and Thai scripts.
fn is_mark(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}' | '\u{900}'..='\u{d7f}' | '\u{e31}'..='\u{e4e}' | '\u{64b}'..='\u{652}' | '\u{200c}')
}

fn digit(c: char) -> Option<u32> {
    let thai = || (c as u32).checked_sub(0xe50).filter(|d| *d < 10);
    c.to_digit(10).or_else(|| ascii_digit(c)?.to_digit(10)).or_else(thai)
}

/// Whether a text has a digit of any script.
pub(super) fn has_number(text: &str) -> bool {
    has_digit(text) || !text.is_ascii() && text.chars().any(|c| class(c) == Class::Digit)
}

/// Returns the tokens of a text: runs of digits and runs of letters. An apostrophe between letters is part of
/// the word (`d'abril`). Digits and letters need no space between them: `2024年5` has three tokens.
pub(super) fn tokens(text: &str) -> Vec<Token<'_>> {
    each_token(text).collect()
}

/// Returns the [`tokens`] of a text one by one.
pub(super) fn each_token(text: &str) -> impl Iterator<Item = Token<'_>> {
    let (mut start, mut end) = (0, 0);
    std::iter::from_fn(move || {
        let (at, first) = text[start..].char_indices().find(|(_, c)| class(*c) != Class::Other)?;
        start += at;
        let kind = class(first);
        let rest = &text[start..];
        let mut len = 0;
        for (at, c) in rest.char_indices() {
            let is_inner = matches!(c, '\'' | '’')
                && kind == Class::Letter
                && rest[at + c.len_utf8()..].starts_with(char::is_alphabetic);
            if class(c) != kind && !is_inner {
                break;
            }
            len = at + c.len_utf8();
        }
        let word = &rest[..len];
        let number = (kind == Class::Digit).then(|| {
            let digits = word.chars().take(9);
            (digits.filter_map(digit).fold(0, |sum, d| sum * 10 + d), word.chars().count())
        });
        let token = Token { text: word, before: &text[end..start], rest, number };
        start += len;
        end = start;
        Some(token)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_runs_of_digits_and_letters() {
        let of =
            |text| tokens(text).iter().map(|t| (t.before.to_owned(), t.text.to_owned())).collect::<Vec<_>>();
        let expected = [("", "3"), (" ", "d'abril"), (", ", "2024"), ("", "年"), ("", "5")];
        assert_eq!(of("3 d'abril, 2024年5"), expected.map(|(a, b)| (a.to_owned(), b.to_owned())));
        assert_eq!(
            tokens("٢٠٢٤ ๒๕๖๗ 0503").iter().map(|t| t.number_of(4..=4)).collect::<Vec<_>>(),
            [Some(2024), Some(2567), Some(503)]
        );
    }
}

//! Roles of punctuation characters and symbols ("signs"), which are neither alphanumeric nor white space.

use threshr_html::text::classes::{ANY_MARK, PUNCTUATION};

/// The Unicode category of the character is not punctuation.
pub(crate) const SYMBOL: u16 = 1;
/// May occur inside words: combining marks, apostrophes, hyphens.
pub(crate) const INSIDE: u16 = 2;
pub(crate) const COMMA: u16 = 4;
pub(crate) const STOP: u16 = 8;
/// A question or exclamation mark.
pub(crate) const QUESTION: u16 = 16;
/// Separates navigation entries.
pub(crate) const NAVIGATION: u16 = 32;
pub(crate) const COPYRIGHT: u16 = 64;
/// Ends a sentence, whatever follows.
pub(crate) const END: u16 = 128;
/// Ends a sentence unless an alphanumeric character follows.
pub(crate) const END_OF_WORD: u16 = 256;

static ASCII: [u16; 128] = {
    let mut table = [0; 128];
    let mut i = 0;
    while i < 128 {
        let c = i as u8 as char;
        table[i] = role(c) | if c.is_ascii_punctuation() && !is_ascii_symbol(c) { 0 } else { SYMBOL };
        i += 1;
    }
    table
};

const fn is_ascii_symbol(c: char) -> bool {
    matches!(c, '$' | '+' | '<' | '=' | '>' | '^' | '`' | '|' | '~')
}

/// Returns the role bits of a sign with this [`class`](threshr_html::text::classes).
#[inline]
pub(crate) fn sign(c: char, class: u16) -> u16 {
    let category = match class & (PUNCTUATION | ANY_MARK) {
        PUNCTUATION => 0,
        ANY_MARK => SYMBOL | INSIDE,
        _ => SYMBOL,
    };
    role(c) | category
}

/// Returns the role bits of an ASCII character.
#[inline]
pub(crate) fn ascii_sign(byte: u8) -> u16 {
    ASCII.get(usize::from(byte)).copied().unwrap_or_default()
}

/// Returns the role bits that do not depend on the Unicode category.
const fn role(c: char) -> u16 {
    let inside = if matches!(c, '\'' | '’' | '-' | '‐' | '_') { INSIDE } else { 0 };
    let count = match c {
        ',' | '，' | '、' | '،' => COMMA,
        '.' | '。' | '．' | '।' | '۔' => STOP,
        '!' | '?' | '！' | '？' | '؟' => QUESTION,
        '|' | '»' | '›' | '→' | '·' | '•' | '«' | '‹' | '←' | '>' | '▸' | '►' => NAVIGATION,
        '©' => COPYRIGHT,
        _ => 0,
    };
    let end = match c {
        '。' | '．' | '！' | '？' | '।' | '۔' | '؟' => END,
        '.' | '!' | '?' | '…' => END_OF_WORD,
        _ => 0,
    };
    inside | count | end
}

#[cfg(test)]
mod tests {
    use super::*;
    use threshr_html::text::classes::class;
    use unicode_properties::{GeneralCategoryGroup, UnicodeGeneralCategory};

    #[test]
    fn symbols_agree_with_unicode_categories() {
        let signs =
            (0..=0x2fff).filter_map(char::from_u32).filter(|c| !c.is_alphanumeric() && !c.is_whitespace());
        for c in signs {
            let is_punctuation = c.general_category_group() == GeneralCategoryGroup::Punctuation;
            assert_eq!(sign(c, class(c)) & SYMBOL == 0, is_punctuation, "{c:?}");
            assert!(!c.is_ascii() || ascii_sign(c as u8) == sign(c, class(c)), "{c:?}");
        }
        assert_eq!(
            ['-', '\u{301}', '!'].map(|c| sign(c, class(c))),
            [INSIDE, SYMBOL | INSIDE, QUESTION | END_OF_WORD]
        );
    }
}

//! Classes of characters as bits in a lookup table, which is faster than a search for the Unicode category.

use std::sync::OnceLock;
use unicode_normalization::char::canonical_combining_class;
use unicode_normalization::{IsNormalized, is_nfc_quick};
use unicode_properties::{GeneralCategory, GeneralCategoryGroup, UnicodeGeneralCategory};

/// A letter (L*), a number (N*) or `_`.
pub const WORD: u16 = 1;
/// A combining mark that continues a word (Mn, Mc).
pub(crate) const MARK: u16 = 2;
/// A combining or enclosing mark (M*).
pub const ANY_MARK: u16 = 4;
/// Punctuation (P*).
pub const PUNCTUATION: u16 = 8;
/// A character for which [`char::is_alphanumeric`] holds.
pub const ALPHANUMERIC: u16 = 16;
/// A character for which [`char::is_numeric`] holds.
pub const NUMERIC: u16 = 32;
/// A character for which [`char::is_whitespace`] holds.
pub const SPACE: u16 = 64;
/// A character for which [`char::is_uppercase`] holds.
pub const UPPER: u16 = 128;
/// A character for which [`char::is_lowercase`] holds.
pub const LOWER: u16 = 256;
/// A character in the Unicode block of a script that is written without spaces.
pub const NOSPACE: u16 = 512;
/// A character that NFC and lower-casing do not change, if the text consists of such characters.
pub const NORMAL: u16 = 1024;
/// A character that NFC does not change and lower-casing maps to a single character, if the text consists of such
/// characters.
pub const LOWERS: u16 = 2048;

/// Thai and Lao, Myanmar, Khmer, ideographic marks, kana and Bopomofo, kana extensions, Han.
const NOSPACE_BLOCKS: [(u32, u32); 9] = [
    (0x0E00, 0x0EFF),
    (0x1000, 0x109F),
    (0x1780, 0x17FF),
    (0x3005, 0x3007),
    (0x3040, 0x312F),
    (0x31F0, 0x31FF),
    (0x3400, 0x4DBF),
    (0x4E00, 0x9FFF),
    (0xF900, 0xFAFF),
];
/// The supplementary and tertiary ideographic planes.
const NOSPACE_PLANES: (u32, u32) = (0x2_0000, 0x3_FFFF);

/// Number of characters in a part of the table. Each part is computed at first use, because the whole table takes
/// milliseconds.
const PART: usize = 0x80;
/// Number of characters in the table: two Unicode planes.
const KEPT: usize = 0x2_0000;

static PARTS: [OnceLock<Box<[u16; PART]>>; KEPT / PART] = [const { OnceLock::new() }; KEPT / PART];

/// Returns the bits of a character.
#[inline]
pub fn class(c: char) -> u16 {
    let code = c as usize;
    match code {
        // all characters of Han and of Hangul have the same bits
        0x3400..=0x4DBF | 0x4E00..=0x9FFF | 0x2_0000..=0x2_A6DF => {
            WORD | ALPHANUMERIC | NOSPACE | NORMAL | LOWERS
        }
        0xAC00..=0xD7A3 => WORD | ALPHANUMERIC | NORMAL | LOWERS,
        ..KEPT => PARTS[code / PART].get_or_init(|| part(code / PART))[code % PART],
        _ => class_of(c),
    }
}

/// Returns whether a word continues with a character of this class.
///
/// If `is_single` is true, the word began with a character that is a separate word, as in scripts without spaces.
/// Only combining marks continue such a word.
#[inline]
pub fn goes_on(class: u16, is_single: bool) -> bool {
    class & MARK != 0 || class & (WORD | NOSPACE) == WORD && !is_single
}

#[cold]
fn part(part: usize) -> Box<[u16; PART]> {
    let of = |place| char::from_u32((part * PART + place) as u32).map_or(0, class_of);
    Box::new(std::array::from_fn(of))
}

fn class_of(c: char) -> u16 {
    let group = c.general_category_group();
    let is_word = c == '_' || matches!(group, GeneralCategoryGroup::Letter | GeneralCategoryGroup::Number);
    let is_any_mark = group == GeneralCategoryGroup::Mark;
    // NFC may reorder characters that are not starters
    let keeps = is_nfc_quick(std::iter::once(c)) == IsNormalized::Yes && canonical_combining_class(c) == 0;
    let mut lower = c.to_lowercase();
    let (first, is_one) = (lower.next(), lower.next().is_none());
    [
        (WORD, is_word),
        (MARK, is_any_mark && c.general_category() != GeneralCategory::EnclosingMark),
        (ANY_MARK, is_any_mark),
        (PUNCTUATION, group == GeneralCategoryGroup::Punctuation),
        (ALPHANUMERIC, c.is_alphanumeric()),
        (NUMERIC, c.is_numeric()),
        (SPACE, c.is_whitespace()),
        (UPPER, c.is_uppercase()),
        (LOWER, c.is_lowercase()),
        (NOSPACE, is_in_nospace_block(c as u32)),
        (NORMAL, keeps && is_one && first == Some(c)),
        // the lower case of a sigma depends on the next character
        (LOWERS, keeps && is_one && c != 'Σ'),
    ]
    .iter()
    .fold(0, |bits, &(bit, is)| if is { bits | bit } else { bits })
}

fn is_in_nospace_block(code: u32) -> bool {
    NOSPACE_BLOCKS.iter().any(|&(low, high)| low <= code && code <= high)
        || NOSPACE_PLANES.0 <= code && code <= NOSPACE_PLANES.1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::normalise;

    #[test]
    fn table_equals_the_classes_of_all_characters() {
        for c in (0..=0x3_ffff).filter_map(char::from_u32) {
            assert_eq!(class(c), class_of(c), "{c:?}");
        }
    }

    #[test]
    fn normal_characters_are_their_own_normal_form() {
        for c in (0..KEPT as u32).filter_map(char::from_u32) {
            let among = |c: char| format!("x{c}y{c}");
            if class(c) & NORMAL != 0 {
                assert_eq!(normalise(&among(c)), among(c), "{c:?}");
                assert!(class(c) & LOWERS != 0, "{c:?}");
            } else if class(c) & LOWERS != 0 {
                let lower = c.to_lowercase().next().expect("one");
                assert_eq!(normalise(&among(c)), among(lower), "{c:?}");
            }
        }
        assert_eq!(class('Σ') & (NORMAL | LOWERS), 0);
        assert_eq!(class('\u{301}') & (NORMAL | LOWERS), 0);
        assert_eq!(class('é') & class('漢') & class('я') & NORMAL, NORMAL);
    }
}

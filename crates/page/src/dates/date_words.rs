//! English words that are part of a date or a time.

use crate::word_lists::const_words;
use threshr_html::text::swar::packed;

/// Months and weekdays with their abbreviations, and words next to times. The list is parsed at compile time,
/// because every word of a page is compared with it.
pub static DATE_WORDS: [&str; 42] = DATE_WORD_LIST;
const DATE_WORD_LIST: [&str; 42] = const_words(include_str!("../../data/date_words.tsv"));

/// Number of letters of the longest date word.
pub const LONGEST_DATE_WORD: usize = 9;

/// Whether a word is a year from 1900 to 2099 or a date word.
pub fn is_date(word: &[u8]) -> bool {
    match word {
        [b'1', b'9', c, d] | [b'2', b'0', c, d] => c.is_ascii_digit() && d.is_ascii_digit(),
        _ => DATE_WORDS.iter().any(|name| word.eq_ignore_ascii_case(name.as_bytes())),
    }
}

/// Bitmap over the hashes of the first eight letters of the date words. It rejects nearly all other words.
static DATE_BITS: [u64; 64] = {
    let mut bits = [0; 64];
    let mut i = 0;
    while i < DATE_WORD_LIST.len() {
        let bit = date_bit(packed(DATE_WORD_LIST[i].as_bytes()));
        bits[bit / 64] |= 1 << (bit % 64);
        i += 1;
    }
    bits
};

const fn date_bit(letters: u64) -> usize {
    (letters.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 52) as usize
}

/// Whether a date word may begin with these letters. `letters` has up to eight lower-case letters, the first in
/// the lowest byte.
#[inline]
pub fn begins_date(letters: u64) -> bool {
    let bit = date_bit(letters);
    DATE_BITS[bit / 64] >> (bit % 64) & 1 == 1
}

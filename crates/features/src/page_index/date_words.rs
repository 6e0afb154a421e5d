//! Words that look like part of a date or a time.

use threshr_html::text::swar::packed;

/// Whether a word looks like part of a date or a time.
pub(crate) fn is_date(word: &[u8]) -> bool {
    match word {
        [b'1', b'9', c, d] | [b'2', b'0', c, d] => c.is_ascii_digit() && d.is_ascii_digit(),
        _ => DATE_NAMES.iter().any(|name| word.eq_ignore_ascii_case(name.as_bytes())),
    }
}

/// Names of months and weekdays in English and their short forms, and what stands beside times.
#[rustfmt::skip] // one a line would be 42 lines
pub(crate) const DATE_NAMES: [&str; 42] = [
    "jan", "january", "feb", "february", "mar", "march", "apr", "april", "june", "jun", "july", "jul", "aug",
    "august", "sep", "sept", "september", "oct", "october", "nov", "november", "dec", "december", "mon", "monday",
    "tue", "tuesday", "wed", "wednesday", "thu", "thursday", "fri", "friday", "sat", "saturday", "sunday", "am",
    "pm", "gmt", "utc", "est", "pst",
];

/// Letters of the longest name.
pub(crate) const LONGEST_DATE: usize = 9;

/// The names by the hashes of their first eight letters, of which each sets a bit: few other words have one of these.
static DATE_BITS: [u64; 64] = {
    let mut bits = [0; 64];
    let mut i = 0;
    while i < DATE_NAMES.len() {
        let bit = date_bit(packed(DATE_NAMES[i].as_bytes()));
        bits[bit / 64] |= 1 << (bit % 64);
        i += 1;
    }
    bits
};

const fn date_bit(name: u64) -> usize {
    (name.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 52) as usize
}

/// Whether a name may begin with these letters in lower case, at most eight, the first lowest.
#[inline]
pub(crate) fn begins_date(letters: u64) -> bool {
    let bit = date_bit(letters);
    DATE_BITS[bit / 64] >> (bit % 64) & 1 == 1
}

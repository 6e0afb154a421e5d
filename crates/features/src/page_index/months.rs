//! Months, and other words beside a number in a date.

use crate::word_lists::list;
use std::sync::LazyLock;
use threshr_html::text::normalise;

const FILE: &str = include_str!("../../data/months.tsv");

/// Months of some 45 languages and their common short forms, in NFC, sorted.
static MONTHS: LazyLock<Vec<&str>> = LazyLock::new(|| {
    let mut months = list(FILE, "months");
    months.sort_unstable();
    months.dedup();
    months
});
/// Months of Thai and their short forms.
static MONTHS_UNSPACED: LazyLock<Vec<&str>> = LazyLock::new(|| list(FILE, "months_unspaced"));
/// Words that are part of a date after a number only, and before a number only.
static ONLY_AFTER_NUMBER: LazyLock<Vec<&str>> = LazyLock::new(|| list(FILE, "only_after_number"));
static ONLY_BEFORE_NUMBER: LazyLock<Vec<&str>> = LazyLock::new(|| list(FILE, "only_before_number"));
static BETWEEN: LazyLock<Vec<&str>> = LazyLock::new(|| list(FILE, "between_day_and_month"));

/// Whether a word next to a number makes a date with it.
pub(crate) fn makes_date(word: &str, is_after_number: bool) -> bool {
    let word = normalise(word);
    let word = word.trim_end_matches('.');
    // Catalan: 3 d'abril
    let name = ["d'", "d’"].iter().find_map(|d| word.strip_prefix(d)).unwrap_or(word);
    let one_side = if is_after_number { &ONLY_AFTER_NUMBER } else { &ONLY_BEFORE_NUMBER };
    MONTHS.binary_search(&name).is_ok() || one_side.contains(&name)
}

/// Whether a word may stand between a day and its month: `3 de mayo`, `3rd of May`.
pub(crate) fn is_between_day_and_month(word: &str) -> bool {
    BETWEEN.iter().any(|w| word.eq_ignore_ascii_case(w))
}

/// Whether a Thai text, which has no spaces between words, begins with a month.
pub(crate) fn begins_with_thai_month(text: &str) -> bool {
    MONTHS_UNSPACED.iter().any(|month| text.starts_with(month))
}

/// The ASCII digit for a decimal digit of another script. Thai digits are not included: they stand among
/// letters without spaces.
pub(crate) fn ascii_digit(c: char) -> Option<char> {
    // Arabic, Persian, Devanagari, Bengali, Tamil, full width
    const ZEROS: [u32; 6] = [0x660, 0x6F0, 0x966, 0x9E6, 0xBE6, 0xFF10];
    if c < '\u{660}' {
        return None; // most texts have no other digits
    }
    let zero = ZEROS.iter().find(|&&zero| (zero..zero + 10).contains(&(c as u32)))?;
    char::from_digit(c as u32 - zero, 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn months_can_be_looked_up() {
        assert_eq!(MONTHS.len(), 592);
        assert!(MONTHS.iter().all(|m| normalise(m) == *m));
        for word in ["Sept.", "MAY", "Σεπτεμβρίου", "październik", "d’abril", "জানুয়ারি", "aou\u{302}t"]
        {
            assert!(makes_date(word, false) && makes_date(word, true), "{word}");
        }
        assert!(!makes_date("रविवार", true));
        assert!(makes_date("آب", true) && !makes_date("آب", false));
        assert!(makes_date("tháng", false) && !makes_date("tháng", true));
    }
}

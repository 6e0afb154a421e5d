//! Month names, and other words that form a date with a number.

use crate::word_lists::{list, rows};
use rustc_hash::FxHashMap;
use std::sync::LazyLock;
use threshr_html::text::normalise;

const FILE: &str = include_str!("../../data/months.tsv");

/// Month names in some 45 languages with their common abbreviations, in NFC, sorted.
static MONTHS: LazyLock<Vec<&str>> = LazyLock::new(|| {
    let is_name =
        |list: &str| list.starts_with("persian") || list == "month_first_words" || number(list).is_some();
    let names = rows::<3>(FILE).filter(|row| is_name(row[0])).flat_map(|row| row[2].split(' '));
    let mut months: Vec<&str> = names.collect();
    months.sort_unstable();
    months.dedup();
    months
});
/// Thai month names: full names in order, then abbreviations in order.
static MONTHS_UNSPACED: LazyLock<Vec<&str>> = LazyLock::new(|| list(FILE, "months_unspaced"));
/// Two lists: words that are part of a date only after a number, and words that are part of a date only
/// before a number.
static ONLY_AFTER_NUMBER: LazyLock<Vec<&str>> = LazyLock::new(|| list(FILE, "month8_after_number"));
static ONLY_BEFORE_NUMBER: LazyLock<Vec<&str>> = LazyLock::new(|| list(FILE, "only_before_number"));
static BETWEEN: LazyLock<Vec<&str>> = LazyLock::new(|| list(FILE, "between_day_and_month"));

/// A month of a calendar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Month {
    /// The number of the month, from 1 to 12.
    pub number: u32,
    /// Whether the month belongs to the Persian calendar; otherwise, it is Gregorian.
    pub is_persian: bool,
}

/// Months by name, each with the languages in which the name has this meaning.
static MONTHS_BY_NAME: LazyLock<FxHashMap<&str, Vec<(&str, Month)>>> = LazyLock::new(|| {
    let mut by_name: FxHashMap<&str, Vec<(&str, Month)>> = FxHashMap::default();
    for [list, languages, words] in rows::<3>(FILE) {
        let persian = list.strip_prefix("persian").and_then(|n| n.parse().ok());
        let Some(number) = persian.or_else(|| number(list.strip_suffix("_after_number").unwrap_or(list)))
        else {
            continue;
        };
        let month = Month { number, is_persian: persian.is_some() };
        words.split(' ').for_each(|word| by_name.entry(word).or_default().push((languages, month)));
    }
    by_name
});

/// Returns the month number in a list name from `month1` to `month12`.
fn number(list: &str) -> Option<u32> {
    list.strip_prefix("month")?.parse().ok()
}

/// Returns the month with this name or abbreviation; case is ignored. `language` (ISO 639-1) selects the meaning
/// if a name differs between languages.
///
/// ```
/// use threshr_page::dates::months::month;
///
/// assert_eq!(month("Październik", None).map(|m| m.number), Some(10));
/// assert_eq!(month("listopad", Some("hr")).map(|m| m.number), Some(10));
/// assert_eq!(month("Monday", None), None);
/// ```
pub fn month(word: &str, language: Option<&str>) -> Option<Month> {
    let word = normalise(word);
    let word = word.trim_end_matches('.');
    let name = ["d'", "d’"].iter().find_map(|d| word.strip_prefix(d)).unwrap_or(word);
    let found = MONTHS_BY_NAME.get(name)?;
    let spoken = |languages: &str| language.is_some_and(|l| languages.split(',').any(|x| x == l));
    found.iter().find(|(languages, _)| spoken(languages)).or(found.first()).map(|f| f.1)
}

/// Returns the number of the month at the start of a Thai text, and the length of its name in bytes.
pub fn leading_thai_month(text: &str) -> Option<(u32, usize)> {
    let names = MONTHS_UNSPACED.iter().enumerate();
    names.filter(|(_, name)| text.starts_with(**name)).map(|(i, name)| (i as u32 % 12 + 1, name.len())).next()
}

/// Returns whether a word and an adjacent number form a date.
pub fn makes_date(word: &str, is_after_number: bool) -> bool {
    let word = normalise(word);
    let word = word.trim_end_matches('.');
    // Catalan: 3 d'abril
    let name = ["d'", "d’"].iter().find_map(|d| word.strip_prefix(d)).unwrap_or(word);
    let one_side = if is_after_number { &ONLY_AFTER_NUMBER } else { &ONLY_BEFORE_NUMBER };
    MONTHS.binary_search(&name).is_ok() || one_side.contains(&name)
}

/// Returns whether a word may be between a day and its month: `3 de mayo`, `3rd of May`.
pub fn is_between_day_and_month(word: &str) -> bool {
    BETWEEN.iter().any(|w| word.eq_ignore_ascii_case(w))
}

/// Whether a Thai text, which has no spaces between words, begins with a month.
pub fn begins_with_thai_month(text: &str) -> bool {
    MONTHS_UNSPACED.iter().any(|month| text.starts_with(month))
}

/// Returns the ASCII digit for a decimal digit of another script. Thai digits are not included, because Thai
/// text has no spaces between digits and letters.
pub fn ascii_digit(c: char) -> Option<char> {
    // Arabic, Persian, Devanagari, Bengali, Tamil, full width
    const ZEROS: [u32; 6] = [0x660, 0x6F0, 0x966, 0x9E6, 0xBE6, 0xFF10];
    if c < '\u{660}' {
        return None; // fast exit: most texts contain no digits of other scripts
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

    #[test]
    fn months_have_numbers() {
        let number = |word, language| month(word, language).map(|m| m.number);
        for (word, expected) in
            [("Sept.", 9), ("Σεπτεμβρίου", 9), ("d’abril", 4), ("Mai", 5), ("آب", 8), ("мая", 5)]
        {
            assert_eq!(number(word, None), Some(expected), "{word}");
        }
        assert_eq!([number("listopad", Some("hr")), number("listopad", Some("pl"))], [Some(10), Some(11)]);
        assert_eq!(month("مهر", None), Some(Month { number: 7, is_persian: true }));
        assert_eq!([number("كانون", None), number("of", None)], [None; 2]);
        let thai = "ธันวาคม 2567";
        assert_eq!(leading_thai_month(thai), Some((12, thai.len() - 5)));
        assert_eq!(leading_thai_month("ก.พ."), Some((2, "ก.พ.".len())));
    }
}

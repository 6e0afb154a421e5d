//! Single-byte charsets that charset detectors do not support: those of old Macintosh and DOS systems.

use super::Charset;
use encoding_rs::{MACINTOSH, X_MAC_CYRILLIC};

/// The candidate charsets, each with the letters of its languages.
const CANDIDATES: [(Charset, &str); 3] = [
    (Charset::Standard(MACINTOSH), LATIN),
    (Charset::Cp850, LATIN),
    (Charset::Standard(X_MAC_CYRILLIC), CYRILLIC),
];
/// Letters of the languages of western Europe, in lower case.
const LATIN: &str = "àáâãäåæçèéêëìíîïñòóôõöøùúûüýÿßœ";
/// Letters of East Slavic languages, in lower case.
const CYRILLIC: &str = "абвгдежзийклмнопрстуфхцчшщъыьэюяёіїєґў";
/// Non-ASCII punctuation and symbols that are common in text of any language.
const SIGNS: &str = "\u{a0}\u{ad}‘’“”«»‹›–—…·•™®©°§¶´ªº€№";

/// Statistics that describe how well a charset fits a sample.
#[derive(Default)]
struct Fit {
    num_words: usize,
    /// Number of words that occur in no language: with a capital or an opening quote after a lower-case letter, an
    /// uncommon symbol between lower-case letters, or letters of two scripts.
    num_bad: usize,
    num_other: usize,
    /// Number of non-ASCII characters that are letters of the charset's languages or common symbols.
    num_common: usize,
}

/// Returns a charset that fits the sample clearly better than `found`, if there is one.
pub(super) fn better<'a>(found: Charset, sample: impl Iterator<Item = &'a [u8]>) -> Option<Charset> {
    const LEAST_BAD: usize = 3;
    let pieces: Vec<&[u8]> = sample.collect();
    let fit = Fit::new(found, "", &pieces);
    // X-Mac-Cyrillic and Windows-1251 differ mainly in `я`, which about one word in ten contains
    if fit.num_bad < LEAST_BAD || 25 * fit.num_bad < fit.num_words {
        return None;
    }
    let others = CANDIDATES.iter().filter(|(charset, _)| *charset != found);
    let fits = others.map(|&(charset, letters)| (charset, Fit::new(charset, letters, &pieces)));
    fits.filter(|(_, fit)| 50 * fit.num_bad <= fit.num_words && 10 * fit.num_common >= 9 * fit.num_other)
        .min_by_key(|(_, fit)| (fit.num_bad, usize::MAX - fit.num_common))
        .map(|(charset, _)| charset)
}

impl Fit {
    fn new(charset: Charset, letters: &str, pieces: &[&[u8]]) -> Fit {
        let mut fit = Fit::default();
        for piece in pieces {
            let text: Vec<char> = charset.decode(piece).chars().collect();
            let around = |i: usize| (i.checked_sub(1).map(|i| text[i]), text.get(i + 1).copied());
            let others = || text.iter().enumerate().filter(|(_, c)| !c.is_ascii());
            let is_common = |c: char| SIGNS.contains(c) || c.to_lowercase().all(|c| letters.contains(c));
            fit.num_words += 1;
            fit.num_bad += usize::from(others().any(|(i, &c)| is_bad(c, around(i))));
            fit.num_other += others().count();
            fit.num_common += others().filter(|(_, c)| is_common(**c)).count();
        }
        fit
    }
}

/// Returns whether the character does not occur between these neighbours in any language.
fn is_bad(c: char, (before, after): (Option<char>, Option<char>)) -> bool {
    let is_small = |c: Option<char>| c.is_some_and(char::is_lowercase);
    let is_latin = |c: Option<char>| c.is_some_and(|c| c.is_ascii_lowercase());
    if c == char::REPLACEMENT_CHARACTER || c.is_control() {
        return true;
    }
    // capitals and low quotes begin a word
    if c.is_uppercase() || matches!(c, '‚' | '„') {
        return is_small(before);
    }
    if c.is_alphabetic() {
        // letters up to U+024F are Latin
        return c > '\u{24f}' && is_latin(before) && is_latin(after);
    }
    !SIGNS.contains(c) && is_small(before) && is_small(after)
}

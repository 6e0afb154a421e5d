//! The mathematical alphanumeric symbols of Unicode, such as `𝑥` and `𝐑`.

use super::variants::Variant;
use unicode_normalization::UnicodeNormalization;

/// The variants of the 13 Latin alphabets of 52 letters from U+1D400. `None` is italic, the default in formulas.
const LATIN: [Option<Variant>; 13] = [
    Some(Variant::Bold),
    None,
    Some(Variant::BoldItalic),
    Some(Variant::Script),
    Some(Variant::Script),
    Some(Variant::Fraktur),
    Some(Variant::DoubleStruck),
    Some(Variant::Fraktur),
    Some(Variant::SansSerif),
    Some(Variant::SansSerif),
    Some(Variant::SansSerif),
    Some(Variant::SansSerif),
    Some(Variant::Monospace),
];

/// The variants of the 5 Greek alphabets of 58 characters from U+1D6A8.
const GREEK: [Option<Variant>; 5] = [
    Some(Variant::Bold),
    None,
    Some(Variant::BoldItalic),
    Some(Variant::SansSerif),
    Some(Variant::SansSerif),
];

/// The variants of the 5 sets of 10 digits from U+1D7CE.
const DIGITS: [Option<Variant>; 5] = [
    Some(Variant::Bold),
    Some(Variant::DoubleStruck),
    Some(Variant::SansSerif),
    Some(Variant::SansSerif),
    Some(Variant::Monospace),
];

/// Splits a symbol into the ordinary character, such as `x`, and its variant.
pub(super) fn plain(c: char) -> (char, Option<Variant>) {
    let variant = match c {
        '\u{1d400}'..='\u{1d6a3}' => LATIN[(c as usize - 0x1d400) / 52],
        '\u{1d6a8}'..='\u{1d7c9}' => GREEK[(c as usize - 0x1d6a8) / 58],
        '\u{1d7ce}'..='\u{1d7ff}' => DIGITS[(c as usize - 0x1d7ce) / 10],
        'ℂ' | 'ℍ' | 'ℕ' | 'ℙ' | 'ℚ' | 'ℝ' | 'ℤ' => Some(Variant::DoubleStruck),
        'ℬ' | 'ℰ' | 'ℱ' | 'ℋ' | 'ℐ' | 'ℒ' | 'ℳ' | 'ℛ' => Some(Variant::Script),
        'ℎ' => None,
        _ => return (c, None),
    };
    (std::iter::once(c).nfkc().next().unwrap_or(c), variant)
}

//! Character references: `&amp;`, `&#38;`, `&#x26;`.

use rustc_hash::FxHashMap;
use std::sync::LazyLock;

/// Named character references and their characters. The second character is NUL if there is only one.
static NAMED: LazyLock<FxHashMap<&'static str, [char; 2]>> = LazyLock::new(|| {
    let table = include_str!("../../data/character_references.tsv");
    let entry = |line: &'static str| {
        let (name, points) = line.split_once('\t')?;
        let mut points = points.split(' ').map(|p| u32::from_str_radix(p, 16).ok().and_then(char::from_u32));
        Some((name, [points.next()??, points.next().flatten().unwrap_or('\0')]))
    };
    table.lines().filter(|line| !line.starts_with('#')).filter_map(entry).collect()
});

/// Windows-1252 characters for the numeric references 0x80 to 0x9F. Source: HTML standard, section 13.2.5.80.
const C1_REPLACEMENTS: [Option<char>; 32] = [
    Some('\u{20ac}'),
    None,
    Some('\u{201a}'),
    Some('\u{0192}'),
    Some('\u{201e}'),
    Some('\u{2026}'),
    Some('\u{2020}'),
    Some('\u{2021}'),
    Some('\u{02c6}'),
    Some('\u{2030}'),
    Some('\u{0160}'),
    Some('\u{2039}'),
    Some('\u{0152}'),
    None,
    Some('\u{017d}'),
    None,
    None,
    Some('\u{2018}'),
    Some('\u{2019}'),
    Some('\u{201c}'),
    Some('\u{201d}'),
    Some('\u{2022}'),
    Some('\u{2013}'),
    Some('\u{2014}'),
    Some('\u{02dc}'),
    Some('\u{2122}'),
    Some('\u{0161}'),
    Some('\u{203a}'),
    Some('\u{0153}'),
    None,
    Some('\u{017e}'),
    Some('\u{0178}'),
];

/// A character reference.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Reference {
    /// The characters of the reference. The second character is NUL if there is only one.
    chars: [char; 2],
    /// The length of the reference in the page, `&` included.
    pub length: usize,
}

impl Reference {
    /// Writes the characters of the reference to `buffer` and returns them as a string.
    pub(super) fn text(self, buffer: &mut [u8; 8]) -> &str {
        let mut length = self.chars[0].encode_utf8(buffer).len();
        if self.chars[1] != '\0' {
            length += self.chars[1].encode_utf8(&mut buffer[length..]).len();
        }
        std::str::from_utf8(&buffer[..length]).unwrap_or_default()
    }
}

/// Maximum length of a name with its `;`, in bytes (`CounterClockwiseContourIntegral;`).
const MAX_NAME: usize = 32;

/// Maximum length of a name that is valid without `;`, in bytes (`Aacute`).
const MAX_OPEN_NAME: usize = 6;

/// Reads the reference at the start of `bytes`. Attributes have stricter rules for names without `;`.
pub(crate) fn read(bytes: &[u8], in_attribute: bool) -> Option<Reference> {
    if bytes.get(1) == Some(&b'#') { numeric(bytes) } else { named(&bytes[1..], in_attribute) }
}

fn numeric(bytes: &[u8]) -> Option<Reference> {
    let is_hex = matches!(bytes.get(2), Some(b'x' | b'X'));
    let (start, base) = if is_hex { (3, 16) } else { (2, 10) };
    let digits = bytes[start..].iter().map_while(|&b| char::from(b).to_digit(base));
    let mut number = 0_u32;
    let mut end = start;
    for digit in digits {
        // a saturated number is not a character
        number = number.saturating_mul(base).saturating_add(digit);
        end += 1;
    }
    if end == start {
        return None;
    }
    let length = end + usize::from(bytes.get(end) == Some(&b';'));
    Some(Reference { chars: [character(number), '\0'], length })
}

/// Returns the character of a numeric reference.
fn character(number: u32) -> char {
    let replaced = number.checked_sub(0x80).and_then(|i| C1_REPLACEMENTS.get(i as usize).copied().flatten());
    match number {
        0 => '\u{fffd}',
        _ => replaced.or_else(|| char::from_u32(number)).unwrap_or('\u{fffd}'),
    }
}

/// Reads the name at the start of `text`, which follows `&`.
fn named(text: &[u8], in_attribute: bool) -> Option<Reference> {
    let num_letters = text.iter().take(MAX_NAME).take_while(|b| b.is_ascii_alphanumeric()).count();
    let found = |length: usize| {
        let name = std::str::from_utf8(&text[..length]).ok()?;
        let &chars = NAMED.get(name)?;
        Some(Reference { chars, length: 1 + length })
    };
    if num_letters == 0 {
        return None;
    }
    if text.get(num_letters) == Some(&b';') {
        let common = match &text[..num_letters] {
            b"amp" => '&',
            b"nbsp" => '\u{a0}',
            b"quot" => '"',
            b"lt" => '<',
            b"gt" => '>',
            _ => '\0',
        };
        if common != '\0' {
            return Some(Reference { chars: [common, '\0'], length: num_letters + 2 });
        }
        if let Some(reference) = found(num_letters + 1) {
            return Some(reference);
        }
    }
    // in an attribute, a name without `;` must not be followed by a letter, a digit or `=`
    let least = if in_attribute { num_letters.max(2) } else { 2 };
    if in_attribute && text.get(num_letters) == Some(&b'=') {
        return None;
    }
    (least..=num_letters.min(MAX_OPEN_NAME)).rev().find_map(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use html5ever::data::{C1_REPLACEMENTS as THEIR_REPLACEMENTS, NAMED_ENTITIES};

    #[test]
    fn limits_match_the_table() {
        assert_eq!(NAMED.keys().map(|n| n.len()).max(), Some(MAX_NAME));
        let open = || NAMED.keys().filter(|n| !n.ends_with(';')).map(|n| n.len());
        assert_eq!((open().min(), open().max()), (Some(2), Some(MAX_OPEN_NAME)));
    }

    #[test]
    fn tables_equal_html5evers() {
        assert_eq!(C1_REPLACEMENTS[..], THEIR_REPLACEMENTS[..]);
        let theirs = || NAMED_ENTITIES.entries().filter(|e| e.1.0 != 0);
        assert_eq!(NAMED.len(), theirs().count());
        for (name, &(first, second)) in theirs() {
            assert_eq!(NAMED.get(name).map(|c| c.map(u32::from)), Some([first, second]), "{name}");
        }
    }

    #[test]
    fn reads_every_name() {
        for (name, chars) in NAMED.iter() {
            let expected: String = chars.iter().filter(|&&c| c != '\0').collect();
            let page = format!("&{name} x");
            let found = read(page.as_bytes(), true).expect(name);
            assert_eq!((found.text(&mut [0; 8]), found.length), (expected.as_str(), name.len() + 1));
        }
    }
}

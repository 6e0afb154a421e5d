//! Character references: `&amp;`, `&#38;`, `&#x26;`.

use html5ever::data::{C1_REPLACEMENTS, NAMED_ENTITIES};

/// A character reference that was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Reference {
    /// What it stands for; the second is NUL where there is one only.
    chars: [char; 2],
    /// Its length in the page, `&` included.
    pub length: usize,
}

impl Reference {
    /// What it stands for as text.
    pub fn text(self, buffer: &mut [u8; 8]) -> &str {
        let mut length = self.chars[0].encode_utf8(buffer).len();
        if self.chars[1] != '\0' {
            length += self.chars[1].encode_utf8(&mut buffer[length..]).len();
        }
        std::str::from_utf8(&buffer[..length]).unwrap_or_default()
    }
}

/// Longest name with its `;`, in bytes (`CounterClockwiseContourIntegral;`).
const MAX_NAME: usize = 32;

/// Longest name that counts without `;`, in bytes (`Aacute`).
const MAX_OPEN_NAME: usize = 6;

/// Reads the reference that `bytes` begin with, if it is one. In attributes, names without `;` count for less.
pub(super) fn read(bytes: &[u8], in_attribute: bool) -> Option<Reference> {
    if bytes.get(1) == Some(&b'#') { numeric(bytes) } else { named(&bytes[1..], in_attribute) }
}

fn numeric(bytes: &[u8]) -> Option<Reference> {
    let is_hex = matches!(bytes.get(2), Some(b'x' | b'X'));
    let (start, base) = if is_hex { (3, 16) } else { (2, 10) };
    let digits = bytes[start..].iter().map_while(|&b| char::from(b).to_digit(base));
    let mut number = 0_u32;
    let mut end = start;
    for digit in digits {
        // greater numbers are no characters, so where they stop does not matter
        number = number.saturating_mul(base).saturating_add(digit);
        end += 1;
    }
    if end == start {
        return None;
    }
    let length = end + usize::from(bytes.get(end) == Some(&b';'));
    Some(Reference { chars: [character(number), '\0'], length })
}

/// The character that a number stands for.
fn character(number: u32) -> char {
    let replaced = number.checked_sub(0x80).and_then(|i| C1_REPLACEMENTS.get(i as usize).copied().flatten());
    match number {
        0 => '\u{fffd}',
        _ => replaced.or_else(|| char::from_u32(number)).unwrap_or('\u{fffd}'),
    }
}

/// Reads the name at the start of `text`, `&` left out.
fn named(text: &[u8], in_attribute: bool) -> Option<Reference> {
    let num_letters = text.iter().take(MAX_NAME).take_while(|b| b.is_ascii_alphanumeric()).count();
    let found = |length: usize| {
        let name = std::str::from_utf8(&text[..length]).ok()?;
        // the table also lists beginnings of names, with NUL
        let &(first, second) = NAMED_ENTITIES.get(name).filter(|c| c.0 != 0)?;
        let chars = [char::from_u32(first)?, char::from_u32(second)?];
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
    // in an attribute no letter, digit or `=` follows
    let least = if in_attribute { num_letters.max(2) } else { 2 };
    if in_attribute && text.get(num_letters) == Some(&b'=') {
        return None;
    }
    (least..=num_letters.min(MAX_OPEN_NAME)).rev().find_map(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_those_of_the_table() {
        let names = || NAMED_ENTITIES.entries().filter(|e| e.1.0 != 0).map(|e| *e.0);
        assert_eq!(names().map(str::len).max(), Some(MAX_NAME));
        assert_eq!(names().filter(|n| !n.ends_with(';')).map(str::len).max(), Some(MAX_OPEN_NAME));
        assert_eq!(names().filter(|n| !n.ends_with(';')).map(str::len).min(), Some(2));
    }

    #[test]
    fn every_name_is_read() {
        for (name, &(first, second)) in NAMED_ENTITIES.entries().filter(|e| e.1.0 != 0) {
            let expected: String =
                [first, second].into_iter().filter(|&c| c != 0).filter_map(char::from_u32).collect();
            let page = format!("&{name} x");
            let found = read(page.as_bytes(), true).expect(name);
            assert_eq!((found.text(&mut [0; 8]), found.length), (expected.as_str(), name.len() + 1));
        }
    }
}

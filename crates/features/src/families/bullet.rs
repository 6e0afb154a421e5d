//! List markers that are typed at the start of a block: `1.`, `b)`, `IV.`, `•`.

use crate::{Entry, PageContext, PerBlock, each};

/// Maximum number of characters of numbers and of Roman numerals that are recognised as list markers.
const MAX_DIGITS: usize = 3;
const MAX_ROMAN: usize = 5;

/// The family.
pub(crate) static FAMILY: PerBlock = PerBlock {
    name: "bullet",
    summary: "the list marker at the start of a block: 1. b) •",
    source: "Victor (Marek et al. 2007)",
    neighbours: false,
    word_columns: &[],
    table: &[
        Entry {
            name: "code",
            unit: "code",
            definition: "code of the list marker: 4 × type + terminator; 13 for a symbol such as • or -; 0 \
                without a marker. Types: 0 digits, 1 lower-case letter or roman numeral, 2 upper-case \
                letter or roman numeral. Terminators: 1 full stop, 2 bracket, 3 slash, 4 hyphen",
            fill: each!(|p, i| f32::from(code(p.blocks.text(i)))),
        },
        Entry {
            name: "is_number",
            unit: "flag",
            definition: "1 if the marker is a number",
            fill: each!(|p, i| flag((1..=4).contains(&code(p.blocks.text(i))))),
        },
        Entry {
            name: "is_letter",
            unit: "flag",
            definition: "1 if the marker is a letter or a roman numeral",
            fill: each!(|p, i| flag((5..=12).contains(&code(p.blocks.text(i))))),
        },
        Entry {
            name: "is_sign",
            unit: "flag",
            definition: "1 if the marker is a symbol such as • or -",
            fill: each!(|p, i| flag(code(p.blocks.text(i)) == SYMBOL)),
        },
        Entry {
            name: "is_listed",
            unit: "flag",
            definition: "1 if the block has a marker, and the previous or the next block has a marker with \
                the same code",
            fill: each!(|p, i| flag(is_listed(p, i))),
        },
    ],
};

/// Code of a symbol as a list marker.
const SYMBOL: u8 = 13;

fn flag(yes: bool) -> f32 {
    f32::from(u8::from(yes))
}

fn is_listed(page: &PageContext<'_>, index: usize) -> bool {
    let own = code(page.blocks.text(index));
    let same = |at: usize| at < page.len() && code(page.blocks.text(at)) == own;
    own != 0 && (index.checked_sub(1).is_some_and(same) || same(index + 1))
}

/// Returns the code of the list marker that `text` begins with, or 0 if there is none.
fn code(text: &str) -> u8 {
    let text = text.strip_prefix(['(', '（', '[']).unwrap_or(text);
    let Some(first) = text.chars().next() else { return 0 };
    let spaced = |rest: &str| rest.is_empty() || rest.starts_with(char::is_whitespace);
    if "•·●○◦▪▫■□►▸▶–—-*+✓✔✱※‣".contains(first) {
        return if spaced(&text[first.len_utf8()..]) { SYMBOL } else { 0 };
    }
    let end = |of: fn(char) -> bool| text.find(|c: char| !of(c)).unwrap_or(text.len());
    let (kind, length) = match first {
        c if c.is_numeric() => (0, end(char::is_numeric)),
        c if c.is_lowercase() => (1, end(char::is_lowercase)),
        c if c.is_uppercase() => (2, end(char::is_uppercase)),
        _ => return 0,
    };
    let word = &text[..length];
    let num_chars = word.chars().take(MAX_ROMAN + 1).count();
    let roman = word.bytes().all(|b| b"ivxIVX".contains(&b));
    let most = if kind == 0 {
        MAX_DIGITS
    } else if roman {
        MAX_ROMAN
    } else {
        1
    };
    let mut rest = text[length..].chars();
    let terminator = match rest.next() {
        Some('.' | '．') => 1,
        Some(')' | '）' | ']') => 2,
        Some('/') => 3,
        Some('-' | '–') => 4,
        Some('、') => return if num_chars <= most { 4 * kind + 1 } else { 0 },
        _ => return 0,
    };
    if num_chars <= most && spaced(rest.as_str()) { 4 * kind + terminator } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::values;

    #[test]
    fn codes_combine_kind_and_terminator() {
        for (text, expected) in [
            ("1. one", 1),
            ("(12) twelve", 2),
            ("3/ x", 3),
            ("4 - x", 0),
            ("5- x", 4),
            ("a) x", 6),
            ("iv. x", 5),
            ("IV) x", 10),
            ("B. x", 9),
            ("И) x", 10),
            ("• x", 13),
            ("- x", 13),
            ("-x", 0),
            ("1.5 million", 0),
            ("2024. x", 0),
            ("e.g. x", 0),
            ("no. 5", 0),
            ("1、第一", 1),
            ("1）第一", 0),
            ("１） x", 2),
            ("", 0),
            ("漢字", 0),
        ] {
            assert_eq!(code(text), expected, "{text}");
        }
    }

    #[test]
    fn neighbours_of_the_same_code_make_a_list() {
        let html = "<p>1. one<p>2. two<p>a) three<p>four";
        assert_eq!(values(html, "bullet.is_listed"), [1.0, 1.0, 0.0, 0.0]);
        assert_eq!(values(html, "bullet.is_letter"), [0.0, 0.0, 1.0, 0.0]);
    }
}

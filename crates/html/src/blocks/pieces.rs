//! Splits text at white space that is not a single space.

use crate::text::swar::{HIGH, within};

/// Returns the pieces of `text`, each with the white space after it.
///
/// A piece consists of words with single spaces between them. The first piece may be empty.
pub(crate) fn pieces(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let (piece, tail) = rest.split_at(piece_end(rest));
        let gap_end = tail.find(|c: char| !c.is_whitespace()).unwrap_or(tail.len());
        let (gap, tail) = tail.split_at(gap_end);
        rest = tail;
        Some((piece, gap))
    })
}

/// The class of a character, by the first byte of its UTF-8 encoding.
#[derive(Clone, Copy, PartialEq)]
enum Begin {
    Plain,
    Space,
    /// Other ASCII white space.
    White,
    /// A non-ASCII character that may be white space.
    Maybe,
}

static BEGINS: [Begin; 256] = {
    let mut table = [Begin::Plain; 256];
    table[b' ' as usize] = Begin::Space;
    let mut b = b'\t';
    while b <= b'\r' {
        table[b as usize] = Begin::White;
        b += 1;
    }
    (table[0xc2], table[0xe1], table[0xe2], table[0xe3]) =
        (Begin::Maybe, Begin::Maybe, Begin::Maybe, Begin::Maybe);
    table
};

/// Returns the end of the first piece of `text`.
fn piece_end(text: &str) -> usize {
    let bytes = text.as_bytes();
    let begin = |at: usize| bytes.get(at).map(|b| BEGINS[usize::from(*b)]);
    let mut at = 0;
    while let Some(next) = begin(at) {
        match next {
            Begin::Plain => at += plain(&bytes[at..]),
            Begin::Space if at > 0 && begin(at + 1) == Some(Begin::Plain) => at += 1,
            Begin::Space | Begin::White => return at,
            Begin::Maybe => match text[at..].chars().next() {
                Some(c) if !c.is_whitespace() => at += c.len_utf8(),
                _ => return at,
            },
        }
    }
    at
}

/// Returns a number of bytes at the start of `bytes` that belong to one piece: at least 1, but not always all of
/// them. The class of the first byte must be [`Begin::Plain`].
///
/// If the first byte is not ASCII, counts the non-ASCII bytes of this class. Otherwise counts ASCII bytes, eight at
/// a time, up to a non-ASCII byte, a control character or the second of two spaces. A space at the end is not
/// counted.
fn plain(bytes: &[u8]) -> usize {
    if !bytes.first().is_some_and(u8::is_ascii) {
        let is_like = |b: &&u8| !b.is_ascii() && BEGINS[usize::from(**b)] == Begin::Plain;
        return bytes.iter().take_while(is_like).count().max(1);
    }
    let mut at = 0;
    let mut after_space = 0;
    while let Some(chunk) = bytes[at..].first_chunk() {
        let chunk = u64::from_le_bytes(*chunk);
        let chars = chunk & !HIGH;
        let (low, space) = (within(chars, 0, b' '), within(chars, b' ', b' '));
        let stops = (chunk & HIGH) | (low & !space) | (space & ((space << 8) | after_space));
        if stops != 0 {
            at += (stops.trailing_zeros() / 8) as usize;
            break;
        }
        after_space = space >> 56;
        at += 8;
    }
    // a space at the end is left to the caller, which sees the next character
    if at > 1 && bytes[at - 1] == b' ' { at - 1 } else { at.max(1) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn pieces_equal_the_definition(
            text in "[ab \\t\u{1}\u{1c}\u{a0}\u{e9}\u{442}\u{2003}\u{2014}\u{6f22}]{0,40}",
            long in "[a-z ]{0,40}",
        ) {
            for text in [&text, &long, &(long.clone() + &text)] {
                let found: String = pieces(text).map(|(piece, _)| piece.to_owned() + "|").collect();
                let is_piece = |p: &str| !p.contains("  ") && p == p.trim_matches(' ');
                prop_assert!(pieces(text).all(|(p, _)| is_piece(p)));
                let joined: Vec<&str> = found.split(['|', ' ']).filter(|w| !w.is_empty()).collect();
                prop_assert_eq!(joined, text.split_whitespace().collect::<Vec<_>>());
                let whole: String = pieces(text).flat_map(|(piece, gap)| [piece, gap]).collect();
                prop_assert_eq!(&whole, text);
                // in ASCII text, a single space ends a piece only at the start or end of the text
                for (piece, gap) in pieces(text) {
                    prop_assert!(piece.is_empty() || gap != " " || !whole.is_ascii() || whole.ends_with(gap));
                }
            }
        }
    }

    #[test]
    fn pieces_end_where_white_space_is_not_one_space() {
        let text = " a b\u{a0}c\u{e9} d  e\n\u{3000}\u{201c}f\u{201d} g ";
        let found: Vec<_> = pieces(text).collect();
        let expected = [
            ("", " "),
            ("a b", "\u{a0}"),
            ("c\u{e9} d", "  "),
            ("e", "\n\u{3000}"),
            ("\u{201c}f\u{201d} g", " "),
        ];
        assert_eq!(found, expected);
        assert_eq!(pieces("a \u{2003}b").collect::<Vec<_>>(), [("a", " \u{2003}"), ("b", "")]);
        // no white-space character begins with a byte of the class [`Begin::Plain`]
        for c in (0..=0x10ffff).filter_map(char::from_u32).filter(|c| c.is_whitespace()) {
            let begin = BEGINS[usize::from(c.to_string().as_bytes()[0])];
            assert!(begin != Begin::Plain, "{c:?}");
        }
    }
}

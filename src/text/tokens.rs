//! Tokens as the scorer defines them, and words as the features count them.
//!
//! A token is, in the text after NFC and lower-casing, a longest run of word characters: Unicode letters (L*), numbers
//! (N*) and `_`. Combining marks (M*) are none, as in Python's `\w`. In the blocks of scripts written without spaces
//! every character is a token of its own, whatever its category.
//! The same definition as that of the independent scorer that `evaluate` is checked against.

use std::borrow::Cow;
use std::sync::OnceLock;

use rustc_hash::FxHashMap;
use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc_quick};
use unicode_properties::{GeneralCategory, GeneralCategoryGroup, UnicodeGeneralCategory};

/// Thai and Lao, Myanmar, Khmer, ideographic marks, kana and Bopomofo, kana extensions, Han.
const NOSPACE: [(u32, u32); 9] = [
    (0x0E00, 0x0EFF),
    (0x1000, 0x109F),
    (0x1780, 0x17FF),
    (0x3005, 0x3007),
    (0x3040, 0x312F),
    (0x31F0, 0x31FF),
    (0x3400, 0x4DBF),
    (0x4E00, 0x9FFF),
    (0xF900, 0xFAFF),
];
/// The supplementary and tertiary ideographic planes.
const NOSPACE_PLANES: (u32, u32) = (0x2_0000, 0x3_FFFF);

/// One bit per character of a part of the basic plane: categories need a search, and pages ask for millions.
struct Bits {
    word: [u64; PART / 64],
    mark: [u64; PART / 64],
}

/// Characters in a part. Most pages have those of one or two alone, and to look all up takes milliseconds.
const PART: usize = 0x1000;

static BITS: [OnceLock<Bits>; 0x1_0000 / PART] = [const { OnceLock::new() }; 0x1_0000 / PART];

/// The bits of the part that a character of the basic plane is in.
fn bits(c: char) -> &'static Bits {
    let part = c as usize / PART;
    BITS[part].get_or_init(|| {
        let mut bits = Bits { word: [0; PART / 64], mark: [0; PART / 64] };
        for place in 0..PART {
            let Some(c) = char::from_u32((part * PART + place) as u32) else { continue };
            let (slot, bit) = (place / 64, 1 << (place % 64));
            if word_category(c) {
                bits.word[slot] |= bit;
            }
            if mark_category(c) {
                bits.mark[slot] |= bit;
            }
        }
        bits
    })
}

fn word_category(c: char) -> bool {
    matches!(c.general_category_group(), GeneralCategoryGroup::Letter | GeneralCategoryGroup::Number)
}

fn mark_category(c: char) -> bool {
    matches!(c.general_category(), GeneralCategory::NonspacingMark | GeneralCategory::SpacingMark)
}

fn has_bit(bits: &[u64; PART / 64], c: char) -> bool {
    bits[c as usize % PART / 64] >> (c as u32 % 64) & 1 == 1
}

/// Whether `c` is a letter, a number or `_`: what Python's `re` calls `\w`.
#[inline]
pub fn is_word_char(c: char) -> bool {
    if c.is_ascii() {
        c.is_ascii_alphanumeric() || c == '_'
    } else if (c as u32) < 0x1_0000 {
        has_bit(&bits(c).word, c)
    } else {
        word_category(c)
    }
}

/// Whether `c` stands in a block of a script written without spaces, whose characters are tokens one by one.
#[inline]
pub fn is_nospace(c: char) -> bool {
    let c = c as u32;
    if c < NOSPACE[0].0 {
        return false;
    }
    NOSPACE.iter().any(|&(low, high)| low <= c && c <= high) || NOSPACE_PLANES.0 <= c && c <= NOSPACE_PLANES.1
}

/// Whether `c` is a combining mark (Mn, Mc).
fn is_mark(c: char) -> bool {
    if (c as u32) < 0x1_0000 { !c.is_ascii() && has_bit(&bits(c).mark, c) } else { mark_category(c) }
}

/// `text` in NFC and lower case, borrowed where it already is.
pub fn normalise(text: &str) -> Cow<'_, str> {
    if text.is_ascii() {
        return match text.bytes().any(|b| b.is_ascii_uppercase()) {
            true => Cow::Owned(text.to_ascii_lowercase()),
            false => Cow::Borrowed(text),
        };
    }
    match is_nfc_quick(text.chars()) {
        IsNormalized::Yes => Cow::Owned(text.to_lowercase()),
        _ => Cow::Owned(text.nfc().collect::<String>().to_lowercase()),
    }
}

/// The tokens of `text`, in order.
pub fn tokens(text: &str) -> Vec<String> {
    let text = normalise(text);
    runs(&text, false).map(|(start, end)| text[start..end].to_owned()).collect()
}

/// Byte ranges `(start, end)` of the words of `text` as it stands: the runs of [`tokens`] without NFC and lower-casing.
///
/// Combining marks stay inside the word they follow, so decomposed text has as many words as composed text; a mark at
/// the start of nothing is no word, unless it stands in a block of a script without spaces.
pub fn words(text: &str) -> Words<'_> {
    runs(text, true)
}

fn runs(text: &str, marks: bool) -> Words<'_> {
    Words { text, pos: 0, marks }
}

/// Iterator over the byte ranges of the words of a text; see [`words`].
#[derive(Debug, Clone)]
pub struct Words<'a> {
    text: &'a str,
    pos: usize,
    marks: bool,
}

impl Words<'_> {
    /// The character at the cursor.
    #[inline]
    fn peek(&self) -> Option<char> {
        match self.text.as_bytes().get(self.pos) {
            Some(&b) if b.is_ascii() => Some(b as char),
            Some(_) => self.text[self.pos..].chars().next(),
            None => None,
        }
    }

    /// Moves the cursor over what still belongs to the word it is in.
    #[inline]
    fn extend(&mut self, single: bool) {
        while let Some(c) = self.peek() {
            let inside = !single && is_word_char(c) && !is_nospace(c);
            if inside || (self.marks && is_mark(c)) {
                self.pos += c.len_utf8();
            } else {
                break;
            }
        }
    }
}

/// Which ASCII characters are word characters.
static ASCII_WORD: [bool; 128] = {
    let mut table = [false; 128];
    let mut b = 0;
    while b < 128 {
        table[b] = (b as u8).is_ascii_alphanumeric() || b as u8 == b'_';
        b += 1;
    }
    table
};

fn is_ascii_word(b: u8) -> bool {
    ASCII_WORD.get(usize::from(b)).is_some_and(|w| *w)
}

impl Iterator for Words<'_> {
    type Item = (usize, usize);

    fn next(&mut self) -> Option<(usize, usize)> {
        let bytes = self.text.as_bytes();
        loop {
            let &first = bytes.get(self.pos)?;
            let start = self.pos;
            if first.is_ascii() {
                self.pos += 1;
                if !is_ascii_word(first) {
                    continue;
                }
                // most words are ASCII from end to end
                self.pos += bytes[self.pos..].iter().take_while(|b| is_ascii_word(**b)).count();
                if bytes.get(self.pos).is_some_and(|b| !b.is_ascii()) {
                    self.extend(false);
                }
                return Some((start, self.pos));
            }
            let c = self.peek()?;
            self.pos += c.len_utf8();
            let single = is_nospace(c);
            if single || is_word_char(c) {
                self.extend(single);
                return Some((start, self.pos));
            }
        }
    }
}

/// Tokens as numbers: equal tokens, equal numbers. Numbers are dense from 0 in order of first sight.
#[derive(Debug, Clone, Default)]
pub struct Interner {
    ids: FxHashMap<Box<str>, u32>,
}

impl Interner {
    /// An interner that knows no token yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// The [`tokens`] of `text` as numbers, in order.
    pub fn encode(&mut self, text: &str) -> Vec<u32> {
        let text = normalise(text);
        let mut out = Vec::with_capacity(text.len() / 5);
        out.extend(runs(&text, false).map(|(start, end)| self.id(&text[start..end])));
        out
    }

    /// The number of one token, taken as it is.
    pub fn id(&mut self, token: &str) -> u32 {
        if let Some(&id) = self.ids.get(token) {
            return id;
        }
        // four billion distinct tokens do not fit in memory, so the cap is never reached
        let id = u32::try_from(self.ids.len()).unwrap_or(u32::MAX);
        self.ids.insert(token.into(), id);
        id
    }

    /// The tokens by their number.
    pub fn tokens(&self) -> Vec<&str> {
        let mut out = vec![""; self.ids.len()];
        self.ids.iter().for_each(|(token, &id)| out[id as usize] = token);
        out
    }

    /// How many distinct tokens were seen; every number is below it.
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// Whether no token was seen.
    pub fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn word_list(text: &str) -> Vec<&str> {
        words(text).map(|(start, end)| &text[start..end]).collect()
    }

    #[test]
    fn splits_as_the_scorer_does() {
        // expected values are score.py's
        assert_eq!(tokens("Don't STOP_me, 3.5 times"), ["don", "t", "stop_me", "3", "5", "times"]);
        assert_eq!(tokens("Cafe\u{301} \u{130}x"), ["caf\u{e9}", "i", "x"]);
        assert_eq!(tokens("ΟΔΟΣ ²½Ⅳ"), ["οδος", "²½ⅳ"]);
        assert_eq!(tokens("他们abc说、๏฿ok"), ["他", "们", "abc", "说", "๏", "฿", "ok"]);
        assert_eq!(tokens("हिन्दी"), ["ह", "न", "द"]);
        assert!(tokens(" \n—…").is_empty());
    }

    #[test]
    fn words_keep_their_marks() {
        assert_eq!(word_list("Cafe\u{301}s हिन्दी"), ["Cafe\u{301}s", "हिन्दी"]);
        // Thai: a character with its marks at a time
        assert_eq!(word_list("ที่นี่ A1"), ["ที่", "นี่", "A1"]);
        assert!(word_list("\u{301} .").is_empty());
    }

    #[test]
    fn numbers_tokens_densely() {
        let mut interner = Interner::new();
        assert_eq!(interner.encode("the cat, The hat"), [0, 1, 0, 2]);
        assert_eq!(interner.encode("HAT"), [2]);
        assert_eq!(interner.len(), 3);
    }
}

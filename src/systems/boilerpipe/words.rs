//! Words as Boilerpipe counts them.
//!
//! A text is cut at white space, and between a word character and any other sign than `" ' . , ! @ - : ; $ ? ( ) /`. A
//! token is a word if it has a letter or a number.

use crate::text::is_word_char;

/// Signs that belong to the token beside them.
const JOINED: &str = "\"'.,!@-:;$?()/";

/// Tokens of a text: length in characters, whether it is a word, byte at which it begins.
pub(super) fn tokens(text: &str) -> impl Iterator<Item = Token> {
    let mut chars = text.char_indices().peekable();
    std::iter::from_fn(move || {
        while chars.next_if(|(_, c)| c.is_whitespace()).is_some() {}
        let (start, first) = chars.next()?;
        let mut token = Token { start, num_chars: 1, is_word: first.is_alphanumeric() };
        let mut last = first;
        while let Some((_, c)) = chars.next_if(|&(_, c)| !c.is_whitespace() && !is_cut(last, c)) {
            token.num_chars += 1;
            token.is_word |= c.is_alphanumeric();
            last = c;
        }
        Some(token)
    })
}

/// A token of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Token {
    pub start: usize,
    pub num_chars: u32,
    pub is_word: bool,
}

fn is_cut(a: char, b: char) -> bool {
    let sign = match (is_word_char(a), is_word_char(b)) {
        (true, false) => b,
        (false, true) => a,
        _ => return false,
    };
    !JOINED.contains(sign)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_join_or_cut() {
        let cut =
            |text: &str| -> Vec<(u32, bool)> { tokens(text).map(|t| (t.num_chars, t.is_word)).collect() };
        assert_eq!(cut("don't (stop)  it."), [(5, true), (6, true), (3, true)]);
        // `|` cuts from the letters on both sides; alone it is no word
        assert_eq!(cut("a|b | c"), [(1, true), (1, false), (1, true), (1, false), (1, true)]);
        assert_eq!(cut(""), []);
    }
}

//! 64-bit hashes of words and texts, computed eight bytes at a time. Words and texts are compared by their
//! hashes only.

use rustc_hash::FxHasher;
use std::hash::Hasher;
use threshr_html::text;
use threshr_html::text::classes::{LOWERS, NORMAL, NUMERIC, class};
use threshr_html::text::swar::{EACH, lower_case, packed, zero_digits};

/// Returns the hash of a word, as in [`Word::hash`](crate::Word::hash); case is ignored.
pub fn word_hash(word: &str) -> u64 {
    match word.is_ascii() {
        true => hash_of(word.as_bytes(), lower_case),
        false => hash_by_class(word, word.chars().fold(!0, |all, c| all & class(c)), &mut String::new()),
    }
}

/// Returns the hash of a word that is not all ASCII. `all` has the class bits that all its characters share.
pub fn hash_by_class(word: &str, all: u16, scratch: &mut String) -> u64 {
    let mut hasher = FxHasher::default();
    if all & NORMAL != 0 {
        hasher.write(word.as_bytes());
    } else if all & LOWERS != 0 {
        scratch.clear();
        scratch.extend(word.chars().flat_map(char::to_lowercase));
        hasher.write(scratch.as_bytes());
    } else {
        hasher.write(text::normalise(word).as_bytes());
    }
    hasher.finish()
}

/// The bit of each byte that distinguishes lower-case from upper-case letters. In digits, the bit is set.
const CASE: u64 = EACH << 5;

/// Entry `n` masks the lowest `n` bytes.
static LOWEST: [u64; 9] = {
    let mut masks = [!0; 9];
    let mut i = 0;
    while i < 8 {
        masks[i] = (1 << (8 * i)) - 1;
        i += 1;
    }
    masks
};

/// Returns the [`word_hash`] of the first `length` bytes, which must be ASCII letters and digits, and the first
/// eight of these bytes in lower case.
#[inline]
pub fn hash_of_alnum(bytes: &[u8], length: usize) -> (u64, u64) {
    let begin = |from: usize| bytes.get(from..).unwrap_or_default();
    let (first, second) = match bytes.first_chunk::<16>() {
        Some(both) => (packed(&both[..8]), packed(&both[8..])),
        None => (packed(bytes), packed(begin(8))),
    };
    let own = |chunk: u64, from: usize| (chunk | CASE) & LOWEST[length.saturating_sub(from).min(8)];
    let first = own(first, 0);
    let mut hasher = FxHasher::default();
    hasher.write_u64(first);
    // both hashes are computed before the choice, to avoid a branch, because the length of a word cannot be
    // predicted
    let mut longer = hasher.clone();
    longer.write_u64(own(second, 8));
    let mut hash = if length > 8 { longer.finish() } else { hasher.finish() };
    if length > 16 {
        (16..length).step_by(8).for_each(|from| longer.write_u64(own(packed(begin(from)), from)));
        hash = longer.finish();
    }
    (hash, first)
}

/// Returns a hash of a text that ignores the case of ASCII letters and the values of digits, so that texts that
/// differ in dates or counters are equal.
pub fn folded_hash(text: &str) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write_usize(text.len());
    if text.is_ascii() {
        hasher.write_u64(hash_of(text.as_bytes(), |chunk| zero_digits(lower_case(chunk))));
    } else {
        let folded = text.chars().map(|c| if class(c) & NUMERIC != 0 { '0' } else { c.to_ascii_lowercase() });
        folded.for_each(|c| hasher.write_u32(c as u32));
    }
    hasher.finish()
}

/// Returns the hash of bytes. Each chunk of eight bytes is mapped by `fold` first.
#[inline]
pub fn hash_of(bytes: &[u8], fold: impl Fn(u64) -> u64) -> u64 {
    let mut hasher = FxHasher::default();
    let (chunks, rest) = bytes.as_chunks::<8>();
    chunks.iter().for_each(|chunk| hasher.write_u64(fold(u64::from_le_bytes(*chunk))));
    if !rest.is_empty() {
        hasher.write_u64(fold(packed(rest)));
    }
    hasher.finish()
}

/// Returns the hash of a list: `head` is the hash of the list without its last entry (0 if it is empty), `last`
/// is the hash of the last entry.
#[inline]
pub fn chained(head: u64, last: u64) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write_u64(head);
    hasher.write_u64(last);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn case_and_digits_are_ignored() {
        assert_eq!(word_hash("Incomprehensible"), word_hash("incomPREHENSIBLE"));
        assert_ne!(word_hash("a"), word_hash("b"));
        for (word, same) in
            [("ΟΔΟΣ", "οδος"), ("Éte", "e\u{301}te"), ("МИР", "мир"), ("İx", "i\u{307}x"), ("漢a", "漢A")]
        {
            assert_eq!(word_hash(word), word_hash(same), "{word}");
            let mut hasher = FxHasher::default();
            hasher.write(text::normalise(word).as_bytes());
            assert_eq!(word_hash(word), hasher.finish(), "{word}");
        }
        assert_ne!(word_hash("12"), word_hash("13"));
        assert_eq!(folded_hash("On 12 May 2004, Ann"), folded_hash("on 98 may 1997, ann"));
        assert_ne!(folded_hash("on 9 May"), folded_hash("on 12 May"));
        assert_eq!(folded_hash("12 Années"), folded_hash("99 années"));
        assert_ne!(chained(chained(0, 1), 2), chained(chained(0, 2), 1));
    }
}

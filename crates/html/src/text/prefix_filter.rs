//! Rejects words by their first two letters, before they are looked up in a list.

/// The set of two-letter prefixes of the words in some lists. ASCII case is ignored.
pub struct PrefixFilter([bool; 26 * 26]);

impl PrefixFilter {
    /// Creates a filter from the words that begin with two ASCII letters.
    pub const fn new(lists: &[&[&str]]) -> Self {
        let mut begins = [false; 26 * 26];
        let mut list = 0;
        while list < lists.len() {
            let words = lists[list];
            let mut i = 0;
            while i < words.len() {
                let word = words[i].as_bytes();
                if word.len() > 1
                    && let Some(at) = place(word[0], word[1])
                {
                    begins[at] = true;
                }
                i += 1;
            }
            list += 1;
        }
        PrefixFilter(begins)
    }

    /// Returns whether a list contains a word that begins with these letters, in either case.
    pub fn has(&self, first: u8, second: u8) -> bool {
        place(first, second).is_some_and(|at| self.0[at])
    }
}

const fn place(first: u8, second: u8) -> Option<usize> {
    if !first.is_ascii_alphabetic() || !second.is_ascii_alphabetic() {
        return None;
    }
    let (first, second) = (first.to_ascii_lowercase() - b'a', second.to_ascii_lowercase() - b'a');
    Some(first as usize * 26 + second as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compares_two_letters_in_either_case() {
        let begins = PrefixFilter::new(&[&["comment", "x"], &["réponse", "zz"]]);
        assert!(begins.has(b'c', b'o') && begins.has(b'C', b'O') && begins.has(b'z', b'z'));
        assert!(!begins.has(b'o', b'c') && !begins.has(b'x', b' ') && !begins.has(b'r', 0xc3));
    }
}

//! A word of a block.

use std::ops::Range;

/// A word: its range in the text of its block, and its hash.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Word {
    /// First byte.
    start: u32,
    /// Number of bytes; the highest bit is set if all are ASCII letters.
    length: u32,
    /// Hash of the word; case is ignored.
    pub hash: u64,
}

const PLAIN: u32 = 1 << 31;

impl Word {
    /// The word of `length` bytes from `start` on; `is_plain` if all are ASCII letters.
    #[inline]
    pub fn new(start: usize, length: usize, hash: u64, is_plain: bool) -> Self {
        debug_assert!(length < PLAIN as usize, "words have less than 2 GB");
        let plain = if is_plain { PLAIN } else { 0 };
        Word { start: start as u32, length: length as u32 | plain, hash }
    }
    /// Its byte range in the text of its block.
    #[inline]
    pub fn range(&self) -> Range<usize> {
        self.start as usize..self.start as usize + (self.length & !PLAIN) as usize
    }
    /// Whether all its characters are ASCII letters.
    #[inline]
    pub fn is_plain(&self) -> bool {
        self.length & PLAIN != 0
    }
    /// The word itself; `text` is the text of its block.
    pub fn of<'a>(&self, text: &'a str) -> &'a str {
        &text[self.range()]
    }
}

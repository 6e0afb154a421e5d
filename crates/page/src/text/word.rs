//! A word of a block.

use std::ops::Range;

/// A word: its byte range in the text of its block, and its hash.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Word {
    /// Offset of the first byte.
    start: u32,
    /// Number of bytes. The highest bit is set if all bytes are ASCII letters.
    length: u32,
    /// Hash of the word; case is ignored.
    pub hash: u64,
}

const PLAIN: u32 = 1 << 31;

impl Word {
    /// Creates a word of `length` bytes at `start`. `is_plain`: whether all bytes are ASCII letters.
    #[inline]
    pub fn new(start: usize, length: usize, hash: u64, is_plain: bool) -> Self {
        debug_assert!(length < PLAIN as usize, "words have less than 2 GB");
        let plain = if is_plain { PLAIN } else { 0 };
        Word { start: start as u32, length: length as u32 | plain, hash }
    }
    /// Returns the byte range in the text of the block.
    #[inline]
    pub fn range(&self) -> Range<usize> {
        self.start as usize..self.start as usize + (self.length & !PLAIN) as usize
    }
    /// Whether all characters are ASCII letters.
    #[inline]
    pub fn is_plain(&self) -> bool {
        self.length & PLAIN != 0
    }
    /// Returns the word as a string. `text` must be the text of its block.
    pub fn of<'a>(&self, text: &'a str) -> &'a str {
        &text[self.range()]
    }
}

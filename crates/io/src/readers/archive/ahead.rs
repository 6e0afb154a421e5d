//! A stream that is read ahead, up to its next damage.

use crate::readers::packed::BrokenPart;
use std::io::Read;

const CHUNK: usize = 1 << 16;

/// A stream with the bytes that were read ahead.
pub(super) struct Ahead {
    from: Box<dyn Read + Send>,
    /// Bytes that were read ahead; the bytes before `at` are processed.
    ahead: Vec<u8>,
    at: usize,
    /// Number of bytes before `ahead`.
    offset: u64,
    is_at_end: bool,
    /// A read error after the bytes in `ahead`. Reading pauses until it is taken.
    pub damage: Option<std::io::Error>,
}

impl Ahead {
    pub(super) fn new(from: Box<dyn Read + Send>) -> Self {
        Ahead { from, ahead: Vec::new(), at: 0, offset: 0, is_at_end: false, damage: None }
    }

    /// Pauses before damage.
    pub(super) fn pause(&mut self, damage: std::io::Error) {
        self.is_at_end = BrokenPart::of(&damage).is_none();
        self.damage = Some(damage);
    }

    /// The bytes that were read and are not processed.
    pub(super) fn rest(&self) -> &[u8] {
        &self.ahead[self.at..]
    }

    /// Number of processed bytes.
    pub(super) fn position(&self) -> u64 {
        self.offset + self.at as u64
    }

    pub(super) fn skip(&mut self, num_bytes: usize) {
        self.at = self.ahead.len().min(self.at + num_bytes);
    }

    /// Whether `num_bytes` bytes follow before the end or the next damage. Reads them ahead.
    pub(super) fn has(&mut self, num_bytes: usize) -> bool {
        while self.ahead.len() - self.at < num_bytes && !self.is_at_end && self.damage.is_none() {
            // Moving bytes pays only for a large processed part. A wrong length may have filled the buffer.
            if self.at > CHUNK.max(self.ahead.len() / 2) {
                self.offset += self.at as u64;
                self.ahead.drain(..self.at);
                self.at = 0;
            }
            let end = self.ahead.len();
            // Doubling would take twice the memory of the longest record.
            if self.ahead.capacity() < end + CHUNK {
                self.ahead.reserve_exact(CHUNK.max(end / 8));
            }
            self.ahead.resize(end + CHUNK, 0);
            let read = self.from.read(&mut self.ahead[end..]);
            self.ahead.truncate(end + *read.as_ref().unwrap_or(&0));
            match read {
                Ok(0) => self.is_at_end = true,
                Ok(_) => {}
                Err(e) => self.pause(e),
            }
        }
        self.ahead.len() - self.at >= num_bytes
    }

    /// Skips line ends; false at the end, or before damage.
    pub(super) fn skip_line_ends(&mut self) -> bool {
        while self.has(1) {
            let line_ends = self.rest().iter().take_while(|b| b"\r\n".contains(b)).count();
            self.at += line_ends;
            if !self.rest().is_empty() {
                return true;
            }
        }
        false
    }

    /// Whether the file ends inside of a gzip member or zstd frame, after the bytes that were read ahead.
    pub(super) fn is_cut(&self) -> bool {
        self.damage.as_ref().and_then(BrokenPart::of).is_some_and(BrokenPart::is_cut)
    }

    /// What is wrong with the file at the next damage.
    pub(super) fn what_is_wrong(&self) -> &'static str {
        if self.is_cut() { "the file is cut" } else { "the file is damaged" }
    }

    /// Whether the bytes up to `end` are in a damaged part, so that they may be wrong.
    pub(super) fn is_damaged(&self, end: usize) -> bool {
        let part = self.damage.as_ref().and_then(BrokenPart::of);
        // What is there of a part without an end is right.
        part.is_some_and(|part| {
            !part.is_cut() && part.num_read > self.rest().len().saturating_sub(end) as u64
        })
    }
}

//! A read-ahead buffer over a stream. Reading ahead stops at a corrupt part of the stream.

use crate::readers::compressed::BrokenPart;
use std::io::Read;
use threshr_core::{Error, ErrorKind};

const CHUNK: usize = 1 << 16;

/// A stream with a buffer of bytes that were read ahead.
pub(super) struct Ahead {
    from: Box<dyn Read + Send>,
    /// Buffered bytes. The bytes before `at` are already processed.
    ahead: Vec<u8>,
    at: usize,
    /// Number of bytes of the stream before `ahead`.
    offset: u64,
    is_at_end: bool,
    /// The read error after the bytes in `ahead`. Reading pauses until the caller takes the error.
    pub damage: Option<std::io::Error>,
    /// The error that ended the stream early, because its source failed.
    pub failure: Option<std::io::Error>,
}

impl Ahead {
    pub(super) fn new(from: Box<dyn Read + Send>) -> Self {
        Ahead { from, ahead: Vec::new(), at: 0, offset: 0, is_at_end: false, damage: None, failure: None }
    }

    /// Stores a read error. Pauses reading, or ends it if the source of the stream failed.
    pub(super) fn pause(&mut self, error: std::io::Error) {
        self.is_at_end = BrokenPart::in_error(&error).is_none();
        match self.is_at_end {
            true => self.failure = Some(error),
            false => self.damage = Some(error),
        }
    }

    /// Returns the buffered bytes that were not processed yet.
    pub(super) fn rest(&self) -> &[u8] {
        &self.ahead[self.at..]
    }

    /// Returns the number of processed bytes.
    pub(super) fn position(&self) -> u64 {
        self.offset + self.at as u64
    }

    pub(super) fn skip(&mut self, num_bytes: usize) {
        self.at = self.ahead.len().min(self.at + num_bytes);
    }

    /// Reads ahead. Returns whether the stream contains `num_bytes` more bytes before its end and before the
    /// next read error.
    pub(super) fn has(&mut self, num_bytes: usize) -> bool {
        while self.ahead.len() - self.at < num_bytes && !self.is_at_end && self.damage.is_none() {
            // Moving the bytes is worthwhile only if many of them are processed. A wrong record length may
            // have filled the buffer.
            if self.at > CHUNK.max(self.ahead.len() / 2) {
                self.offset += self.at as u64;
                self.ahead.drain(..self.at);
                self.at = 0;
            }
            let end = self.ahead.len();
            // Grows by an eighth, because the default growth would double the buffer.
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

    /// Skips line ends. Returns false at the end of the stream and before a read error.
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

    /// Returns whether the file ends inside a gzip member or zstd frame, after the buffered bytes.
    pub(super) fn is_cut(&self) -> bool {
        self.damage.as_ref().and_then(BrokenPart::in_error).is_some_and(BrokenPart::is_cut)
    }

    /// Describes the next read error.
    pub(super) fn what_is_wrong(&self) -> Error {
        let part = self.damage.as_ref().and_then(BrokenPart::in_error);
        match part {
            Some(part) if part.is_cut() => Error::new(ErrorKind::Truncated, "the file is truncated"),
            Some(part) if part.is_after_last() => {
                Error::data("the file ends with bytes that are not compressed")
            }
            _ => Error::data("the file is corrupt"),
        }
    }

    /// Returns whether the bytes up to `end` belong to a corrupt gzip member or zstd frame, so that they
    /// may be wrong.
    pub(super) fn is_damaged(&self, end: usize) -> bool {
        let part = self.damage.as_ref().and_then(BrokenPart::in_error);
        // If the member or frame is only truncated, its decompressed bytes are correct.
        part.is_some_and(|part| {
            !part.is_cut() && part.num_read > self.rest().len().saturating_sub(end) as u64
        })
    }
}

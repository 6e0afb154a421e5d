//! A buffered reader that can return to a marked position.

use crate::readers::compressed::is_padding;
use memchr::memmem;
use std::io::{self, BufRead, Read};

/// Maximum distance to the mark to which the reader can return, in bytes.
const MAX_REWIND: usize = 1 << 22;
const CHUNK: usize = 1 << 16;

/// A reader that can return to a marked position, up to [`MAX_REWIND`] bytes back.
pub(super) struct Rewind<R> {
    from: R,
    /// Bytes since the mark, and bytes that were read ahead.
    kept: Vec<u8>,
    at: usize,
    /// Number of bytes of the input before `kept`.
    offset: u64,
}

/// The bytes that a search skipped.
pub(super) struct Skipped {
    pub num_bytes: u64,
    /// Whether the bytes are only padding.
    pub is_padding: bool,
}

impl<R: Read> Rewind<R> {
    pub(super) fn new(from: R) -> Self {
        Rewind { from, kept: Vec::new(), at: 0, offset: 0 }
    }

    /// Returns the number of bytes before the current position.
    pub(super) fn position(&self) -> u64 {
        self.offset + self.at as u64
    }

    pub(super) fn mark(&mut self) {
        self.forget(self.at);
    }

    fn forget(&mut self, num_bytes: usize) {
        self.kept.drain(..num_bytes);
        self.at -= num_bytes;
        self.offset += num_bytes as u64;
    }

    /// Returns to the byte after the mark, or to the first byte that is still kept.
    pub(super) fn rewind_past_mark(&mut self) {
        self.at = self.kept.len().min(1);
    }

    /// Returns the last `num_bytes` bytes before the current position, or as many as are kept.
    pub(super) fn last(&self, num_bytes: usize) -> &[u8] {
        &self.kept[self.at.saturating_sub(num_bytes)..self.at]
    }

    /// Returns whether all buffered bytes are consumed.
    pub(super) fn is_empty(&self) -> bool {
        self.at == self.kept.len()
    }

    /// Returns the next bytes without consuming them: at least `num_bytes`, or all up to the end of the
    /// input.
    pub(super) fn peek(&mut self, num_bytes: usize) -> io::Result<&[u8]> {
        while self.kept.len() - self.at < num_bytes && self.read_more()? > 0 {}
        Ok(&self.kept[self.at..])
    }

    /// Skips up to `num_bytes` bytes without keeping them.
    pub(super) fn skip(&mut self, mut num_bytes: u64) -> io::Result<()> {
        while num_bytes > 0 {
            let here = self.fill_buf()?.len().min(usize::try_from(num_bytes).unwrap_or(usize::MAX));
            if here == 0 {
                return Ok(());
            }
            self.consume(here);
            self.mark();
            num_bytes -= here as u64;
        }
        Ok(())
    }

    /// Advances to the next `signature` for which `fits` accepts the bytes after it, or to the end.
    pub(super) fn skip_to(&mut self, signature: &[u8], fits: fn(&[u8]) -> bool) -> io::Result<Skipped> {
        let mut skipped = Skipped { num_bytes: 0, is_padding: true };
        loop {
            let here = &self.kept[self.at..];
            let start =
                memmem::find_iter(here, signature).find(|start| fits(&here[start + signature.len()..]));
            if let Some(start) = start {
                skipped.add(&here[..start]);
                self.at += start;
                return Ok(skipped);
            }
            // The buffer may end inside a signature.
            let over = here.len().saturating_sub(signature.len() - 1);
            skipped.add(&here[..over]);
            self.at += over;
            self.mark();
            if self.read_more()? == 0 {
                skipped.add(&self.kept);
                self.at = self.kept.len();
                return Ok(skipped);
            }
        }
    }

    /// Returns whether the buffered bytes contain `signature` and `fits` accepts the bytes after it.
    pub(super) fn has(&self, signature: &[u8], fits: fn(&[u8]) -> bool) -> bool {
        let here = &self.kept[self.at..];
        memmem::find_iter(here, signature).any(|start| fits(&here[start + signature.len()..]))
    }

    fn read_more(&mut self) -> io::Result<usize> {
        let end = self.kept.len();
        self.kept.resize(end + CHUNK, 0);
        let read = self.from.read(&mut self.kept[end..]);
        self.kept.truncate(end + *read.as_ref().unwrap_or(&0));
        read
    }
}

impl Skipped {
    fn add(&mut self, bytes: &[u8]) {
        self.num_bytes += bytes.len() as u64;
        self.is_padding &= is_padding(bytes);
    }
}

impl<R: Read> Read for Rewind<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let read = self.fill_buf()?.read(out)?;
        self.consume(read);
        Ok(read)
    }
}

impl<R: Read> BufRead for Rewind<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.is_empty() {
            if self.at > MAX_REWIND {
                self.forget(self.at - MAX_REWIND / 2);
            }
            self.read_more()?;
        }
        Ok(&self.kept[self.at..])
    }

    fn consume(&mut self, num_bytes: usize) {
        self.at += num_bytes;
    }
}

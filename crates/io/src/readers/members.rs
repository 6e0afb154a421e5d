//! Gzip files of many members, with recovery after damage.
//!
//! Other WARC readers (fastwarc 2.0, warc 0.4) stop at the first damaged member or record, but most crawls
//! have some. This reader returns one error for a damaged member. It then searches for the start of the next
//! member and goes on there.

use flate2::bufread::GzDecoder;
use memchr::memmem;
use std::fmt;
use std::io::{self, BufRead, Read};

/// Maximum distance to go back towards the start of a damaged member, in compressed bytes.
const MAX_REWIND: usize = 1 << 22;
const CHUNK: usize = 1 << 16;

/// The error for a damaged member. Reading can go on after it.
#[derive(Debug)]
pub(crate) struct BrokenMember {
    /// Number of bytes that were decompressed before the error; they may be wrong too.
    pub num_read: u64,
    cause: io::Error,
}

impl BrokenMember {
    /// The damaged member behind an error of [`Members`]; `None` for an error after which reading cannot go
    /// on.
    pub(super) fn of(error: &io::Error) -> Option<&BrokenMember> {
        error.get_ref()?.downcast_ref()
    }

    fn error(num_read: u64, cause: io::Error) -> io::Error {
        io::Error::new(io::ErrorKind::InvalidData, BrokenMember { num_read, cause })
    }
}

impl fmt::Display for BrokenMember {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a member of the gzip file is damaged: {}", self.cause)
    }
}

impl std::error::Error for BrokenMember {}

/// Reads the decompressed bytes of all members. Each error is returned once; the next read goes on with the
/// next member.
pub(crate) struct Members<R> {
    state: State<R>,
    /// Bytes read from the current member.
    num_read: u64,
    /// Whether a member was read. Then other bytes before the next member are damage.
    has_read_member: bool,
}

enum State<R> {
    Between(Rewind<R>),
    Inside(Box<GzDecoder<Rewind<R>>>),
    /// Placeholder during a change of state.
    Changing,
}

impl<R: Read> Members<R> {
    pub(super) fn new(from: R) -> Self {
        Members {
            state: State::Between(Rewind { from, kept: Vec::new(), at: 0 }),
            num_read: 0,
            has_read_member: false,
        }
    }

    /// Finds the next member; false at the end.
    fn start_member(&mut self, mut raw: Rewind<R>) -> io::Result<bool> {
        let skipped = raw.skip_to_member();
        let found = skipped.as_ref().is_ok_and(|_| !raw.is_at_end());
        if found {
            raw.mark();
            self.num_read = 0;
            self.state = State::Inside(Box::new(GzDecoder::new(raw)));
        } else {
            self.state = State::Between(raw);
        }
        // Bytes after the last member are padding, not damage.
        if skipped? > 0 && found && self.has_read_member {
            let between = io::Error::new(io::ErrorKind::InvalidData, "there are other bytes before it");
            return Err(BrokenMember::error(0, between));
        }
        Ok(found)
    }
}

impl<R: Read> Read for Members<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if out.is_empty() {
            return Ok(0);
        }
        loop {
            match std::mem::replace(&mut self.state, State::Changing) {
                State::Changing => return Ok(0),
                State::Between(raw) => {
                    if !self.start_member(raw)? {
                        return Ok(0);
                    }
                }
                State::Inside(mut decoder) => match decoder.read(out) {
                    Ok(0) => {
                        self.has_read_member = true;
                        self.state = State::Between(decoder.into_inner());
                    }
                    Ok(read) => {
                        self.num_read += read as u64;
                        self.state = State::Inside(decoder);
                        return Ok(read);
                    }
                    Err(e) => {
                        let mut raw = decoder.into_inner();
                        raw.rewind_past_mark();
                        // The bytes that the search skips are part of this damage.
                        self.has_read_member = false;
                        self.state = State::Between(raw);
                        return Err(BrokenMember::error(self.num_read, e));
                    }
                },
            }
        }
    }
}

/// A reader that can go back to a mark, up to [`MAX_REWIND`] bytes.
struct Rewind<R> {
    from: R,
    /// Bytes since the mark, and bytes read ahead.
    kept: Vec<u8>,
    at: usize,
}

impl<R: Read> Rewind<R> {
    fn mark(&mut self) {
        self.kept.drain(..self.at);
        self.at = 0;
    }

    /// Goes back to the byte after the mark, or as far as bytes are kept.
    fn rewind_past_mark(&mut self) {
        self.at = self.kept.len().min(1);
    }

    fn is_at_end(&self) -> bool {
        self.at == self.kept.len()
    }

    /// Goes to the start of the next member, or to the end; returns the number of skipped bytes.
    fn skip_to_member(&mut self) -> io::Result<u64> {
        let mut skipped = 0;
        loop {
            let start = memmem::find_iter(&self.kept[self.at..], b"\x1f\x8b\x08")
                .find(|at| self.kept.get(self.at + at + 3).is_none_or(|flags| flags & 0xe0 == 0));
            if let Some(start) = start {
                self.at += start;
                return Ok(skipped + start as u64);
            }
            // The buffer may end inside the signature of a member.
            let over = (self.kept.len() - self.at).saturating_sub(2);
            self.at += over;
            skipped += over as u64;
            self.mark();
            if self.read_more()? == 0 {
                skipped += self.kept.len() as u64;
                self.at = self.kept.len();
                return Ok(skipped);
            }
        }
    }

    fn read_more(&mut self) -> io::Result<usize> {
        let end = self.kept.len();
        self.kept.resize(end + CHUNK, 0);
        let read = self.from.read(&mut self.kept[end..]);
        self.kept.truncate(end + *read.as_ref().unwrap_or(&0));
        read
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
        if self.is_at_end() {
            if self.at > MAX_REWIND {
                self.kept.drain(..self.at - MAX_REWIND / 2);
                self.at = self.kept.len();
            }
            self.read_more()?;
        }
        Ok(&self.kept[self.at..])
    }

    fn consume(&mut self, num_bytes: usize) {
        self.at += num_bytes;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    fn member(text: &str) -> Vec<u8> {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(text.as_bytes()).expect("written");
        encoder.finish().expect("finished")
    }

    /// The text that was read, with `!` for an error.
    fn read(bytes: &[u8]) -> String {
        let mut members = Members::new(bytes);
        let (mut out, mut buffer) = (String::new(), [0; 100]);
        loop {
            match members.read(&mut buffer) {
                Ok(0) => return out,
                Ok(n) => out.push_str(&String::from_utf8_lossy(&buffer[..n])),
                Err(_) => out.push('!'),
            }
            assert!(out.len() < 1000, "reading does not end: {out}");
        }
    }

    #[test]
    fn all_members_are_read() {
        assert_eq!(read(&[member("one "), member(""), member("two")].concat()), "one two");
        assert_eq!(read(&[member("one"), vec![0; 5000]].concat()), "one");
        assert_eq!(read(b""), "");
    }

    #[test]
    fn damage_loses_one_member() {
        let (one, two, three) = (member("one "), member("two "), member("three"));
        let cut = [&one[..], &two[..two.len() - 9], &three[..]].concat();
        let after = read(&cut);
        assert!(after.starts_with("one ") && after.contains('!') && after.ends_with("three"), "{after}");
        let mut wrong_sum = [&one[..], &two[..], &three[..]].concat();
        wrong_sum[one.len() + two.len() - 6] ^= 1;
        assert_eq!(read(&wrong_sum), "one two !three");
        assert_eq!(read(&[&one[..], b"garbage", &three[..]].concat()), "one !three");
        assert_eq!(read(&one[..one.len() - 3]), "one !");
    }
}

//! Gzip files of many members, read on after damage.
//!
//! The libraries that read WARC (fastwarc 2.0, warc 0.4) stop at the first broken member or record; a crawl has some.
//! Here a broken member is one error, and reading goes on at the next: behind its begin the bytes are searched for
//! the next one's.

use flate2::bufread::GzDecoder;
use memchr::memmem;
use std::fmt;
use std::io::{self, BufRead, Read};

/// How far behind its begin a broken member can be gone back to, in packed bytes.
const KEPT: usize = 1 << 22;
const CHUNK: usize = 1 << 16;

/// What is wrong with a member. Reading can go on after it.
#[derive(Debug)]
pub(crate) struct BrokenMember {
    /// Unpacked bytes that it gave before; they may be wrong, too.
    pub given: u64,
    cause: io::Error,
}

impl BrokenMember {
    /// The broken member that an error of [`Members`] tells of; `None` for an error after which nothing more comes.
    pub fn of(error: &io::Error) -> Option<&BrokenMember> {
        error.get_ref()?.downcast_ref()
    }

    fn error(given: u64, cause: io::Error) -> io::Error {
        io::Error::new(io::ErrorKind::InvalidData, BrokenMember { given, cause })
    }
}

impl fmt::Display for BrokenMember {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a member of the gzip file is broken: {}", self.cause)
    }
}

impl std::error::Error for BrokenMember {}

/// Unpacked bytes of all members. An error is given once; the next read goes on at the next member.
pub(crate) struct Members<R> {
    state: State<R>,
    /// Bytes that the member has given.
    given: u64,
    /// Whether a member has been read, so that what follows must be one too.
    begun: bool,
}

enum State<R> {
    Between(Rewind<R>),
    Inside(Box<GzDecoder<Rewind<R>>>),
    /// For the moment in which one becomes the other.
    Moving,
}

impl<R: Read> Members<R> {
    pub fn new(from: R) -> Self {
        Members { state: State::Between(Rewind { from, kept: Vec::new(), at: 0 }), given: 0, begun: false }
    }

    /// Finds the next member; false at the end.
    fn begin(&mut self, mut raw: Rewind<R>) -> io::Result<bool> {
        let skipped = raw.skip_to_member();
        let found = skipped.as_ref().is_ok_and(|_| !raw.is_at_end());
        if found {
            raw.mark();
            self.given = 0;
            self.state = State::Inside(Box::new(GzDecoder::new(raw)));
        } else {
            self.state = State::Between(raw);
        }
        // what follows the last member is padding, not damage
        if skipped? > 0 && found && self.begun {
            let between = io::Error::new(io::ErrorKind::InvalidData, "other bytes stand before it");
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
            match std::mem::replace(&mut self.state, State::Moving) {
                State::Moving => return Ok(0),
                State::Between(raw) => {
                    if !self.begin(raw)? {
                        return Ok(0);
                    }
                }
                State::Inside(mut decoder) => match decoder.read(out) {
                    Ok(0) => {
                        self.begun = true;
                        self.state = State::Between(decoder.into_inner());
                    }
                    Ok(read) => {
                        self.given += read as u64;
                        self.state = State::Inside(decoder);
                        return Ok(read);
                    }
                    Err(e) => {
                        let mut raw = decoder.into_inner();
                        raw.back_behind_mark();
                        // the search that follows is part of this damage
                        self.begun = false;
                        self.state = State::Between(raw);
                        return Err(BrokenMember::error(self.given, e));
                    }
                },
            }
        }
    }
}

/// A reader that can go back to a mark, unless that is too far behind.
struct Rewind<R> {
    from: R,
    /// Bytes since the mark, and those read ahead.
    kept: Vec<u8>,
    at: usize,
}

impl<R: Read> Rewind<R> {
    fn mark(&mut self) {
        self.kept.drain(..self.at);
        self.at = 0;
    }

    /// Goes to the byte behind the mark, or as far back as is kept.
    fn back_behind_mark(&mut self) {
        self.at = self.kept.len().min(1);
    }

    fn is_at_end(&self) -> bool {
        self.at == self.kept.len()
    }

    /// Goes to the next begin of a member, or the end; gives the number of bytes gone over.
    fn skip_to_member(&mut self) -> io::Result<u64> {
        let mut skipped = 0;
        loop {
            let begin = memmem::find_iter(&self.kept[self.at..], b"\x1f\x8b\x08")
                .find(|at| self.kept.get(self.at + at + 3).is_none_or(|flags| flags & 0xe0 == 0));
            if let Some(begin) = begin {
                self.at += begin;
                return Ok(skipped + begin as u64);
            }
            // a begin may be cut by the end of what is here
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
            if self.at > KEPT {
                self.kept.drain(..self.at - KEPT / 2);
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

    /// What was read, `!` for an error.
    fn read(bytes: &[u8]) -> String {
        let mut members = Members::new(bytes);
        let (mut out, mut buffer) = (String::new(), [0; 100]);
        loop {
            match members.read(&mut buffer) {
                Ok(0) => return out,
                Ok(n) => out.push_str(&String::from_utf8_lossy(&buffer[..n])),
                Err(_) => out.push('!'),
            }
            assert!(out.len() < 1000, "it does not end: {out}");
        }
    }

    #[test]
    fn members_follow_each_other() {
        assert_eq!(read(&[member("one "), member(""), member("two")].concat()), "one two");
        assert_eq!(read(&[member("one"), vec![0; 5000]].concat()), "one");
        assert_eq!(read(b""), "");
    }

    #[test]
    fn damage_costs_one_member() {
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

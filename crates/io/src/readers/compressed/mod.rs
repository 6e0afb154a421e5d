//! Compressed files with many gzip members or zstd frames. Reading continues after a corrupt member or frame.
//!
//! A part is a gzip member or a zstd frame. Most crawls have some corrupt parts, but other WARC readers
//! (fastwarc 2.0, warc 0.4) stop at the first one. This reader returns one error for each corrupt part. It
//! then searches for the signature of the next part and continues there.

mod rewind;
mod zstd;

use self::rewind::Rewind;
use self::zstd::Frames;
use crate::readers::stream::SourceFailure;
use flate2::bufread::GzDecoder;
use std::fmt;
use std::io::{self, Read};

/// First bytes of a gzip member with deflate compression. Source: RFC 1952, 2.3.1.
const GZIP: &[u8] = b"\x1f\x8b\x08";

/// Returns whether the byte after [`GZIP`] can be the flags of a member.
fn has_flags(after: &[u8]) -> bool {
    after.first().is_none_or(|flags| flags & 0xe0 == 0)
}

/// The error for a corrupt or truncated part. Reading can continue after it.
#[derive(Debug)]
pub(crate) struct BrokenPart {
    /// Number of bytes that were decompressed before the error. They may also be wrong.
    pub num_read: u64,
    /// `gzip member` or `zstd frame`.
    kind: &'static str,
    /// Byte offset of the part in the file.
    start: u64,
    /// Whether the file ends inside the part. If so, the decompressed bytes are correct.
    is_cut: bool,
    /// The error of the decoder; `None` if other bytes follow the last part.
    cause: Option<io::Error>,
    /// Number of bytes after the last part that are neither a part nor padding.
    num_after: u64,
}

impl BrokenPart {
    /// Returns the corrupt part that caused an error of [`Parts`]. Returns `None` if reading cannot
    /// continue after the error.
    pub(crate) fn in_error(error: &io::Error) -> Option<&BrokenPart> {
        error.get_ref()?.downcast_ref()
    }

    /// Returns whether other bytes follow the last part.
    pub(crate) fn is_after_last(&self) -> bool {
        self.cause.is_none()
    }

    /// Returns whether the file ends inside the part. If so, the decompressed bytes are correct.
    pub(crate) fn is_cut(&self) -> bool {
        self.is_cut
    }
}

impl fmt::Display for BrokenPart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.cause {
            Some(cause) => {
                write!(f, "the {} at byte {} of the file is corrupt: {cause}", self.kind, self.start)
            }
            None => write!(f, "{}", after_last(self.num_after, self.kind, self.start)),
        }
    }
}

impl std::error::Error for BrokenPart {}

/// Returns the message about bytes after the last part. These bytes are not decompressed. `kind` and `end`
/// are the kind and the end position of the last part.
pub(crate) fn after_last(num_bytes: u64, kind: &str, end: u64) -> String {
    format!("{num_bytes} bytes after the last {kind}, which ends at byte {end}, are not read")
}

/// Returns whether bytes after the last part are padding: zeros, as on tapes, and white space.
pub(crate) fn is_padding(bytes: &[u8]) -> bool {
    bytes.iter().all(|&b| b == 0 || b.is_ascii_whitespace())
}

/// Reads the decompressed bytes of all parts. Each error is returned once; the next read continues with the
/// next part.
pub(crate) struct Parts<R> {
    state: State<R>,
    /// The decoder of a zstd file; `None` for gzip.
    frames: Option<Frames>,
    /// Number of bytes decompressed from the current part.
    num_read: u64,
    /// Byte offset of the current part in the file.
    start: u64,
    /// Whether the previous part was read without an error. If so, unexpected bytes before the next part are
    /// reported as an error.
    has_read_part: bool,
}

enum State<R> {
    Between(Rewind<R>),
    InMember(Box<GzDecoder<Rewind<R>>>),
    InFrame(Rewind<R>),
    /// Placeholder while the state changes.
    Changing,
}

impl<R: Read> Parts<R> {
    pub(super) fn gzip(from: R) -> Self {
        Parts {
            state: State::Between(Rewind::new(from)),
            frames: None,
            num_read: 0,
            start: 0,
            has_read_part: false,
        }
    }

    pub(super) fn zstd(from: R) -> io::Result<Self> {
        Ok(Parts { frames: Some(Frames::new()?), ..Parts::gzip(from) })
    }

    fn kind(&self) -> &'static str {
        if self.frames.is_some() { "zstd frame" } else { "gzip member" }
    }

    fn broken(&self, cause: io::Error, is_cut: bool) -> io::Error {
        let kind = self.kind();
        let (cause, num_after) = (Some(cause), 0);
        let part = BrokenPart { num_read: self.num_read, kind, start: self.start, is_cut, cause, num_after };
        io::Error::new(io::ErrorKind::InvalidData, part)
    }

    /// Finds the next part. Returns false at the end of the file.
    fn start_part(&mut self, mut raw: Rewind<R>) -> io::Result<bool> {
        let signature = if self.frames.is_some() { zstd::SIGNATURE } else { GZIP };
        let skipped = match &mut self.frames {
            None => raw.skip_to(GZIP, has_flags),
            Some(frames) => {
                frames.skip_skippable(&mut raw).and_then(|()| raw.skip_to(zstd::SIGNATURE, |_| true))
            }
        };
        let (skipped, is_padding) = match skipped {
            Ok(skipped) => (Ok(skipped.num_bytes), skipped.is_padding),
            Err(e) => (Err(e), true),
        };
        let found = skipped.as_ref().is_ok_and(|_| !raw.is_empty());
        (self.num_read, self.start) = (0, raw.position());
        // The file ends with an incomplete signature of a part.
        let is_cut = self.has_read_part
            && !found
            && skipped.as_ref().is_ok_and(|&n| {
                (1..signature.len() as u64).contains(&n) && signature.starts_with(raw.last(n as usize))
            });
        if !found {
            self.state = State::Between(raw);
        } else {
            raw.mark();
            if let Some(frames) = &mut self.frames {
                frames.start()?;
                self.state = State::InFrame(raw);
            } else {
                self.state = State::InMember(Box::new(GzDecoder::new(raw)));
            }
        }
        let num_skipped = skipped?;
        if is_cut {
            self.start -= num_skipped;
            return Err(self.broken(io::ErrorKind::UnexpectedEof.into(), true));
        }
        if !found && self.has_read_part && !is_padding {
            let kind = self.kind();
            let start = self.start - num_skipped;
            let part =
                BrokenPart { num_read: 0, kind, start, is_cut: false, cause: None, num_after: num_skipped };
            return Err(io::Error::new(io::ErrorKind::InvalidData, part));
        }
        if num_skipped > 0 && found && self.has_read_part {
            let between = io::Error::new(io::ErrorKind::InvalidData, "other bytes precede the part");
            return Err(self.broken(between, false));
        }
        Ok(found)
    }

    /// Reports a corrupt part, and moves to the second byte of the part, where the search for the next part
    /// starts.
    fn fail(&mut self, mut raw: Rewind<R>, cause: io::Error) -> io::Error {
        if SourceFailure::is_cause(&cause) {
            self.state = State::Between(raw);
            return cause;
        }
        raw.rewind_past_mark();
        // The decoder may have decoded the following parts as a continuation of this part, until the end of
        // the file.
        let is_next = match &self.frames {
            None => raw.has(GZIP, has_flags),
            Some(_) => raw.has(zstd::SIGNATURE, |_| true),
        };
        let is_cut = cause.kind() == io::ErrorKind::UnexpectedEof && !is_next;
        // Bytes that the search skips belong to this error and are not reported again.
        self.has_read_part = false;
        self.state = State::Between(raw);
        self.broken(cause, is_cut)
    }
}

impl<R: Read> Read for Parts<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if out.is_empty() {
            return Ok(0);
        }
        loop {
            let read = match (std::mem::replace(&mut self.state, State::Changing), &mut self.frames) {
                (State::Between(raw), _) => {
                    if !self.start_part(raw)? {
                        return Ok(0);
                    }
                    continue;
                }
                (State::InMember(mut decoder), _) => match decoder.read(out) {
                    Ok(0) => {
                        self.has_read_part = true;
                        self.state = State::Between(decoder.into_inner());
                        0
                    }
                    Ok(read) => {
                        self.state = State::InMember(decoder);
                        read
                    }
                    Err(e) => return Err(self.fail(decoder.into_inner(), e)),
                },
                (State::InFrame(mut raw), Some(frames)) => match frames.read(&mut raw, out) {
                    Ok((read, is_done)) => {
                        self.has_read_part |= is_done;
                        self.state = if is_done { State::Between(raw) } else { State::InFrame(raw) };
                        read
                    }
                    Err(e) => return Err(self.fail(raw, e)),
                },
                // Reached only after an error at the start of a part.
                (State::InFrame(_), None) | (State::Changing, _) => return Ok(0),
            };
            if read > 0 {
                self.num_read += read as u64;
                return Ok(read);
            }
        }
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

    /// The decompressed text, with `!` for each error.
    fn read(bytes: &[u8]) -> String {
        let is_zstd = crate::readers::stream::is_zstd(bytes);
        let mut members = if is_zstd { Parts::zstd(bytes).expect("a decoder") } else { Parts::gzip(bytes) };
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
        assert_eq!(read(&[member("one"), b"\r\n\0".to_vec()].concat()), "one");
        assert_eq!(read(b""), "");
    }

    #[test]
    fn plain_bytes_after_the_last_part_are_told() {
        let frame = ::zstd::encode_all(&b"one"[..], 1).expect("compressed");
        for (part, kind) in [(member("one"), "gzip member"), (frame, "zstd frame")] {
            for after in [&b"{\"id\": 2}\n"[..], b"x", &[&b"\0\0\0\0"[..], &[b'y'; 200_000]].concat()] {
                let file = [&part[..], after].concat();
                assert_eq!(read(&file), "one!");
                let is_zstd = kind == "zstd frame";
                let mut parts =
                    if is_zstd { Parts::zstd(&file[..]).expect("a decoder") } else { Parts::gzip(&file[..]) };
                let error = parts.read_to_end(&mut Vec::new()).expect_err("told");
                let told = format!(
                    "{} bytes after the last {kind}, which ends at byte {}, are not read",
                    after.len(),
                    part.len()
                );
                assert_eq!(error.to_string(), told);
                let part = BrokenPart::in_error(&error).expect("reading can continue");
                assert!(!part.is_cut() && part.num_read == 0);
            }
        }
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
        for length in 1..two.len() {
            let after = read(&[&one[..], &two[..length]].concat());
            assert!(after.starts_with("one ") && after.ends_with('!'), "{length}: {after}");
        }
    }

    #[test]
    fn damage_loses_one_frame() {
        let frame = |text: &str| {
            let mut encoder = ::zstd::stream::write::Encoder::new(Vec::new(), 1).expect("an encoder");
            encoder.include_checksum(true).expect("a setting");
            encoder.write_all(text.as_bytes()).expect("written");
            encoder.finish().expect("finished")
        };
        let (one, two, three) = (frame("one "), frame("two "), frame("three"));
        assert_eq!(read(&[&one[..], &two, &three].concat()), "one two three");
        // a skippable frame
        let size = [0x50, 0x2a, 0x4d, 0x18, 4, 0, 0, 0, 1, 2, 3, 4];
        assert_eq!(read(&[&size[..], &one, &size, &three].concat()), "one three");
        let cut = [&one[..], &two[..two.len() - 5], &three[..]].concat();
        let after = read(&cut);
        assert!(after.starts_with("one ") && after.contains('!') && after.ends_with("three"), "{after}");
        let mut wrong_sum = [&one[..], &two, &three].concat();
        wrong_sum[one.len() + two.len() - 1] ^= 1;
        assert_eq!(read(&wrong_sum), "one !three");
        assert_eq!(read(&[&one[..], b"garbage", &three[..]].concat()), "one !three");
        assert!(read(&one[..one.len() - 5]).ends_with('!'));
        assert_eq!(read(&[0x5d, 0x2a, 0x4d, 0x18, 255, 255, 255, 255, 1]), "");
    }

    #[test]
    fn the_first_frame_may_be_a_dictionary() {
        // A zstd dictionary may be any bytes without the signature of a formatted dictionary.
        let dictionary: Vec<u8> = (0..99)
            .flat_map(|i| format!("a record of the number {i} and of its square {}", i * i).into_bytes())
            .collect();
        let frame = |text: &str| {
            let encoder = ::zstd::stream::write::Encoder::with_dictionary(Vec::new(), 3, &dictionary);
            let mut encoder = encoder.expect("an encoder");
            encoder.write_all(text.as_bytes()).expect("written");
            encoder.finish().expect("finished")
        };
        let frames = [frame("a record of the number 7 "), frame("and of its square 49")].concat();
        let compressed = ::zstd::encode_all(&dictionary[..], 3).expect("compressed");
        for dictionary in [&dictionary, &compressed] {
            let size = u32::try_from(dictionary.len()).expect("small").to_le_bytes();
            let file = [b"\x5d\x2a\x4d\x18", &size[..], dictionary, &frames].concat();
            assert_eq!(read(&file), "a record of the number 7 and of its square 49");
        }
        assert_eq!(read(&frames).replace('!', ""), "", "without the dictionary");
    }
}

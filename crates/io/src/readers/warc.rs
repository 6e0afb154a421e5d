//! WARC files: the responses of a crawl, with recovery after damage.

use crate::http::Head;
use crate::raw_page::{Body, Item, RawPage, Unread};
use crate::readers::members::{BrokenMember, Members};
use crate::readers::{Pages, Reader, stem, stream};
use memchr::memmem;
use std::io::{BufRead, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use threshr_core::{Error, Result};

/// Maximum length of the head of a record, in bytes.
const MAX_HEAD: usize = 1 << 16;
/// Maximum length of the block of a record, in bytes. Longer records are errors.
const MAX_BLOCK: u64 = 1 << 26;
const CHUNK: usize = 1 << 16;
/// Maximum number of damaged parts without a complete record in between.
const MAX_DAMAGES: u32 = 1_000;

/// HTML responses with a 2xx status. Source: ISO 28500:2017, WARC 1.1.
pub(super) static READER: Reader = Reader {
    name: "warc",
    summary: "HTML responses of a WARC file, plain, gz (one or many members) or zst",
    endings: &["warc"],
    open: |path, _, bytes_read: &Arc<AtomicU64>| {
        let mut bytes = stream::raw(path, bytes_read)?;
        let start = bytes.fill_buf().map_err(|e| Error::io(path, e))?;
        let from: Box<dyn Read> = if stream::is_gzip(start) {
            Box::new(Members::new(bytes))
        } else if stream::is_zstd(start) {
            Box::new(zstd::stream::read::Decoder::with_buffer(bytes).map_err(|e| Error::io(path, e))?)
        } else {
            bytes
        };
        Ok(Box::new(Records::new(path, from)))
    },
};

struct Records {
    from: Box<dyn Read>,
    path: PathBuf,
    stem: String,
    /// Bytes that were read ahead; the bytes before `at` are processed.
    ahead: Vec<u8>,
    at: usize,
    /// Number of bytes before `ahead`.
    offset: u64,
    is_at_end: bool,
    /// A read error after the bytes in `ahead`. Reading pauses until it is reported.
    damage: Option<std::io::Error>,
    /// Damaged parts since the last complete record.
    damages_in_row: u32,
}

/// Identification of a record. It may be known even if the block is damaged.
struct RecordId {
    id: String,
    url: Option<String>,
    date: Option<String>,
}

/// The head of a record.
#[derive(Default)]
struct Fields {
    kind: String,
    id: Option<String>,
    url: Option<String>,
    date: Option<String>,
    length: Option<u64>,
    is_http: bool,
    is_truncated: bool,
}

impl Pages for Records {
    fn next(&mut self) -> Result<Option<Item>> {
        loop {
            if self.damages_in_row > MAX_DAMAGES {
                let error = Error::data("too many damaged parts in a row; the rest of the file is not read");
                return Err(error.at_path(&self.path));
            }
            match self.next_record() {
                None => return Ok(None),
                Some(Some(item)) => return Ok(Some(item)),
                Some(None) => {}
            }
        }
    }
}

impl Records {
    fn new(path: &Path, from: Box<dyn Read>) -> Self {
        Records {
            from,
            path: path.to_path_buf(),
            stem: stem(path),
            ahead: Vec::new(),
            at: 0,
            offset: 0,
            is_at_end: false,
            damage: None,
            damages_in_row: 0,
        }
    }

    /// Reads the next record: `Some(None)` for a record of another type, `None` at the end.
    fn next_record(&mut self) -> Option<Option<Item>> {
        if !self.skip_line_ends() {
            self.damage.as_ref()?;
            let position = self.position();
            return Some(Some(self.broken(
                0,
                RecordId::by_position(position),
                Error::data("the file is damaged"),
            )));
        }
        let position = self.position();
        if !self.has(5) || !self.rest().starts_with(b"WARC/") {
            let error = Error::data("there are bytes outside of a record").expected("WARC/1.0 or WARC/1.1");
            return Some(Some(self.broken(0, RecordId::by_position(position), error)));
        }
        let Some(head_length) = self.head_length() else {
            let error = Error::data("the head of the record is incomplete");
            return Some(Some(self.broken(5, RecordId::by_position(position), error)));
        };
        let mut fields = Fields::parse(&self.rest()[..head_length]);
        let record = RecordId {
            id: fields.id.take().unwrap_or(position),
            url: fields.url.take(),
            date: fields.date.take(),
        };
        let Some(length) = fields.length else {
            let error = Error::data("the record has no valid Content-Length");
            return Some(Some(self.broken(head_length, record, error)));
        };
        let is_page = fields.kind == "response" && (fields.is_http || self.is_http_at(head_length));
        if length > MAX_BLOCK {
            // The length may be wrong, and skipped bytes cannot be read again. The next record is searched
            // from here.
            let error = Error::data("the record is too long").expected("at most 64 MB");
            let item = self.broken(head_length, record, error);
            return Some(is_page.then_some(item));
        }
        let end = head_length + length as usize;
        if let Err(why) = self.block_ends_at(end) {
            // The next record may start before `end`.
            return Some(Some(self.broken(head_length, record, Error::data(why))));
        }
        let block = self.rest()[head_length..end].to_vec();
        self.at += end;
        self.damages_in_row = 0;
        Some(match fields.kind.as_str() {
            _ if is_page => Some(self.response(fields, record, block)),
            "response" | "resource" => Some(Item::Skipped("not an HTTP response")),
            _ => None,
        })
    }

    /// Whether an HTTP response starts `from` bytes ahead, independent of the declared type of the record.
    fn is_http_at(&mut self, from: usize) -> bool {
        const START: &[u8] = b"HTTP/";
        self.has(from + START.len()) && self.rest()[from..].starts_with(START)
    }

    /// Converts a complete response to an item.
    fn response(&self, fields: Fields, record: RecordId, mut block: Vec<u8>) -> Item {
        let head = match Head::parse(&block) {
            Ok(head) => head,
            Err(e) => return self.failed(record, e),
        };
        if !(200..300).contains(&head.status) {
            return Item::Skipped("status other than 2xx");
        }
        if !head.is_html() {
            return Item::Skipped("not HTML");
        }
        block.drain(..head.length);
        let body = Body::Encoded { bytes: block, encodings: head.encodings, truncated: fields.is_truncated };
        Item::Page(RawPage { id: record.id, url: record.url, date: record.date, charset: head.charset, body })
    }

    /// Reports a damaged record. Goes to the next record that starts at least `from` bytes ahead, or to the
    /// end.
    fn broken(&mut self, from: usize, record: RecordId, error: Error) -> Item {
        let error = match self.resync(from) {
            Some(damage) => error.because(damage),
            None => error,
        };
        self.failed(record, error)
    }

    fn failed(&self, record: RecordId, error: Error) -> Item {
        let RecordId { id, url, date } = record;
        let error = error.at_path(&self.path).at_page(&id);
        Item::Failed(Unread { id, url, date, error })
    }

    /// An id for records without one: file and byte offset.
    fn position(&self) -> String {
        format!("{}@{}", self.stem, self.offset + self.at as u64)
    }

    fn rest(&self) -> &[u8] {
        &self.ahead[self.at..]
    }

    /// Whether `num_bytes` bytes follow before the end or the next damage. Reads them ahead.
    fn has(&mut self, num_bytes: usize) -> bool {
        while self.ahead.len() - self.at < num_bytes && !self.is_at_end && self.damage.is_none() {
            // Moving bytes pays only for a large processed part. A wrong length may have filled the buffer.
            if self.at > CHUNK.max(self.ahead.len() / 2) {
                self.offset += self.at as u64;
                self.ahead.drain(..self.at);
                self.at = 0;
            }
            let end = self.ahead.len();
            self.ahead.resize(end + CHUNK, 0);
            let read = self.from.read(&mut self.ahead[end..]);
            self.ahead.truncate(end + *read.as_ref().unwrap_or(&0));
            match read {
                Ok(0) => self.is_at_end = true,
                Ok(_) => {}
                Err(e) if e.kind() == std::io::ErrorKind::Interrupted => {}
                Err(e) => {
                    self.is_at_end = BrokenMember::of(&e).is_none();
                    self.damage = Some(e);
                }
            }
        }
        self.ahead.len() - self.at >= num_bytes
    }

    /// Skips the line ends between records; false at the end, or before damage.
    fn skip_line_ends(&mut self) -> bool {
        while self.has(1) {
            let line_ends = self.rest().iter().take_while(|b| b"\r\n".contains(b)).count();
            self.at += line_ends;
            if !self.rest().is_empty() {
                return true;
            }
        }
        false
    }

    /// Length of the head with the empty line at its end.
    fn head_length(&mut self) -> Option<usize> {
        let mut searched = 5;
        loop {
            let rest = self.rest();
            let rest = &rest[..rest.len().min(MAX_HEAD)];
            // A truncated head runs into the next record.
            let next = find_record(&rest[searched..]).map(|at| searched + at);
            let here = &rest[..next.unwrap_or(rest.len())];
            let found =
                memchr::memchr_iter(b'\n', &here[searched..]).map(|at| searched + at).find_map(|at| {
                    let after = &here[at + 1..];
                    if after.starts_with(b"\r\n") {
                        Some(at + 3)
                    } else {
                        after.starts_with(b"\n").then_some(at + 2)
                    }
                });
            if found.is_some() || next.is_some() || rest.len() == MAX_HEAD {
                return found;
            }
            searched = rest.len().saturating_sub(FIRST_LINE).max(5);
            let more = rest.len() + 1;
            if !self.has(more) {
                return None;
            }
        }
    }

    /// Checks that a block ends at `end`: an empty line, the next record or the end of the file follows. Some
    /// writers put only one line end before the next record. Reads past the end, so that the checksum of a
    /// gzip member is verified.
    fn block_ends_at(&mut self, end: usize) -> Result<(), &'static str> {
        if !self.has(end) {
            return Err("the end of the record is missing");
        }
        self.has(end + 7);
        let after = &self.rest()[end..];
        let member = self.damage.as_ref().and_then(BrokenMember::of);
        if member.is_some_and(|m| m.num_read > after.len() as u64) {
            return Err("the bytes of the record are damaged");
        }
        let fits = after.is_empty()
            || [&b"\r\n\r\n"[..], b"\n\n", b"WARC/", b"\r\nWARC/", b"\nWARC/"]
                .iter()
                .any(|start| after.starts_with(start))
            || (after.len() < 5 && after.iter().all(|b| b"\r\n".contains(b)));
        if fits { Ok(()) } else { Err("the Content-Length of the record is wrong") }
    }

    /// Goes to the next record that starts at least `from` bytes ahead, or past the next damage, which is
    /// returned, or to the end.
    fn resync(&mut self, from: usize) -> Option<std::io::Error> {
        self.at += from;
        loop {
            if let Some(at) = find_record(self.rest()) {
                self.at += at;
                return None;
            }
            // The buffer may end inside the first line of a record.
            self.at += self.rest().len().saturating_sub(FIRST_LINE);
            let more = self.rest().len() + 1;
            if !self.has(more) {
                self.at = self.ahead.len();
                self.damages_in_row += u32::from(self.damage.is_some());
                return self.damage.take();
            }
        }
    }
}

/// Length of the first line of a record with its line end.
const FIRST_LINE: usize = 10;

/// Position of the first line of a record: `WARC/1.`, a digit and a line end. No line end is required before
/// it, because a truncated record has none.
fn find_record(bytes: &[u8]) -> Option<usize> {
    memmem::find_iter(bytes, b"WARC/1.").find(|at| {
        let rest = &bytes[at + 7..];
        rest.first().is_some_and(u8::is_ascii_digit)
            && (rest[1..].starts_with(b"\r\n") || rest[1..].starts_with(b"\n"))
    })
}

impl RecordId {
    fn by_position(position: String) -> RecordId {
        RecordId { id: position, url: None, date: None }
    }
}

impl Fields {
    fn parse(head: &[u8]) -> Fields {
        let mut fields = Fields::default();
        for line in head.split(|&b| b == b'\n').skip(1) {
            let line = String::from_utf8_lossy(line);
            let Some((name, value)) = line.split_once(':') else { continue };
            let value = value.trim();
            let bare = || value.trim_start_matches('<').trim_end_matches('>');
            match name.trim().to_ascii_lowercase().as_str() {
                "warc-type" => fields.kind = value.to_ascii_lowercase(),
                "warc-record-id" => {
                    let id = bare();
                    fields.id = Some(id.strip_prefix("urn:uuid:").unwrap_or(id).to_owned());
                }
                "warc-target-uri" => fields.url = Some(bare().to_owned()),
                "warc-date" => fields.date = Some(value.to_owned()),
                "content-length" => fields.length = value.parse().ok(),
                "content-type" => fields.is_http = value.to_ascii_lowercase().starts_with("application/http"),
                "warc-truncated" => fields.is_truncated = true,
                _ => {}
            }
        }
        fields.id = fields.id.filter(|id| !id.is_empty());
        fields
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    fn record(id: &str, kind: &str, block: &str) -> String {
        let length = block.len();
        format!(
            "WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Record-ID: <urn:uuid:{id}>\r\nWARC-Target-URI: http://a/{id}\r\n\
             WARC-Date: 2026-01-01T00:00:00Z\r\nContent-Type: application/http; msgtype={kind}\r\n\
             Content-Length: {length}\r\n\r\n{block}\r\n\r\n"
        )
    }

    fn response(id: &str) -> String {
        record(
            id,
            "response",
            &format!("HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=koi8-r\r\n\r\n<p>{id}"),
        )
    }

    fn member(text: &str) -> Vec<u8> {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(text.as_bytes()).expect("written");
        encoder.finish().expect("finished")
    }

    /// Ids of pages, `!` for failures, `-` for skipped records.
    fn read(bytes: &[u8]) -> String {
        let dir = tempfile::tempdir().expect("a folder");
        let path = dir.path().join("x.warc");
        std::fs::write(&path, bytes).expect("written");
        let mut pages = (READER.open)(&path, &Default::default(), &Arc::default()).expect("opened");
        let mut seen = Vec::new();
        while let Some(item) = pages.next().expect("read") {
            seen.push(match item {
                Item::Page(page) => {
                    assert_eq!(page.url, Some(format!("http://a/{}", page.id)));
                    let (id, charset) = (page.id.clone(), page.charset.clone());
                    assert_eq!(page.load(None).expect("whole").bytes, format!("<p>{id}").as_bytes());
                    assert_eq!(charset.as_deref(), Some("koi8-r"));
                    id
                }
                Item::Failed(unread) => {
                    assert!(unread.error.place.path.is_some());
                    "!".to_owned()
                }
                Item::Skipped(_) => "-".to_owned(),
            });
        }
        seen.join(" ")
    }

    #[test]
    fn html_responses_are_read() {
        let all = [
            record("i", "warcinfo", "software: x"),
            response("a"),
            record("q", "request", "GET / HTTP/1.1\r\n\r\n"),
            record("n", "response", "HTTP/1.1 404 Not Found\r\n\r\n<p>no"),
            record("j", "response", "HTTP/1.1 200 OK\r\nContent-Type: image/png\r\n\r\n<p>"),
            response("b"),
        ];
        assert_eq!(read(all.concat().as_bytes()), "a - - b");
        let members: Vec<u8> = all.iter().flat_map(|r| member(r)).collect();
        assert_eq!(read(&members), "a - - b");
        assert_eq!(read(&member(&all.concat())), "a - - b");
        assert_eq!(read(&zstd::encode_all(all.concat().as_bytes(), 1).expect("zstd")), "a - - b");
        assert_eq!(read(b""), "");
        // a response without a content type is read; a resource is skipped
        let untyped = response("a").replace("Content-Type: application/http; msgtype=response\r\n", "");
        assert_eq!(
            read([untyped, record("r", "resource", "<p>r"), response("b")].concat().as_bytes()),
            "a - b"
        );
        // files of pzstd start with a skippable frame
        let frame = zstd::encode_all(response("a").as_bytes(), 1).expect("zstd");
        assert_eq!(read(&[b"\x50\x2a\x4d\x18\x04\0\0\0size", &frame[..]].concat()), "a");
        // after a truncated frame nothing can be decompressed: one error
        let packed = zstd::encode_all(all.concat().as_bytes(), 1).expect("zstd");
        assert_eq!(read(&packed[..packed.len() - 9]).matches('!').count(), 1);
    }

    #[test]
    fn one_line_end_between_records_is_enough() {
        for line_end in ["\r\n", "\n", ""] {
            let all = ["a", "b", "c"].map(|id| response(id).trim_end().to_owned() + line_end).concat();
            assert_eq!(read(all.as_bytes()), "a b c", "{line_end:?}");
        }
    }

    #[test]
    fn damage_loses_one_record() {
        let (a, b, c) = (response("a"), response("b"), response("c"));
        let change = |from: &str, to: &str| b.replace(from, to);
        let length = format!(
            "Content-Length: {}",
            b.split("\r\n\r\n").skip(1).collect::<Vec<_>>().join("\r\n\r\n").len() - 4
        );
        assert!(b.contains(&length), "{b}");
        for (name, broken) in [
            ("too long", change(&length, "Content-Length: 300")),
            ("far too long", change(&length, "Content-Length: 60000000")),
            ("too short", change(&length, "Content-Length: 20")),
            ("negative", change(&length, "Content-Length: -1")),
            ("none", change(&length, "X: y")),
            ("no http", change("HTTP/1.1", "GARBAGE")),
            ("garbage", "garbage\r\nmore WARC/1.0 garbage\r\n\r\n".to_owned()),
            ("cut head", b[..40].to_owned()),
            ("cut line", b[..4].to_owned()),
            ("cut block", b[..b.len() - 10].to_owned()),
        ] {
            assert_eq!(read([&a[..], &broken, &c].concat().as_bytes()), "a ! c", "{name}");
            assert_eq!(
                read(&[member(&a), member(&broken), member(&c)].concat()),
                "a ! c",
                "{name}, in members"
            );
        }
        // a wrong length loses none of the records that it spans
        let far = change(&length, "Content-Length: 60000000");
        let cut = &member(&b)[..member(&b).len() / 2];
        let many: Vec<u8> = (0..50).flat_map(|_| member(&a)).collect();
        let read_over = read(&[&member(&far)[..], &many, cut, &member(&c)].concat());
        assert_eq!(read_over, format!("!{} ! c", " a".repeat(50)));
        let huge = change("Content-Length: ", "Content-Length: 9999999");
        assert_eq!(read([&a[..], &huge, &c].concat().as_bytes()), "a ! c");
        let (zipped, cut) = ([member(&a), member(&b), member(&c)].concat(), member(&b).len() / 2);
        let start = member(&a).len();
        let without = [&zipped[..start + cut], &zipped[start + member(&b).len()..]].concat();
        assert_eq!(read(&without), "a ! c");
        let mut flipped = zipped.clone();
        flipped[start + member(&b).len() - 5] ^= 0x40;
        assert_eq!(read(&flipped), "a ! c", "a wrong checksum");
        assert_eq!(read(&zipped[..zipped.len() - 20]), "a b !");
        assert_eq!(read(&[a.as_bytes(), &b.as_bytes()[..b.len() - 9]].concat()), "a !");
    }

    #[test]
    fn too_large_lengths_are_errors() {
        let huge = response("a").replacen("Content-Length: ", "Content-Length: 9", 1);
        assert_eq!(read(huge.replace("Content-Length: 9", "Content-Length: 99999999999999").as_bytes()), "!");
    }
}

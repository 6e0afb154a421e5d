//! WARC files: responses of a crawl, read on after damage.

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

/// Longest head of a record, in bytes.
const LONGEST_HEAD: usize = 1 << 16;
/// Longest block of a record that is held in memory, in bytes; longer ones are read over.
const LONGEST_BLOCK: u64 = 1 << 26;
const CHUNK: usize = 1 << 16;
/// Most damages of a file without a whole record in between.
const MOST_DAMAGES: u32 = 1_000;

/// The HTML responses with a status of 2xx. Source: ISO 28500:2017, WARC 1.1.
pub static READER: Reader = Reader {
    name: "warc",
    summary: "HTML responses of a WARC file, plain, gz (also member by member) or zst",
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
    /// Bytes read ahead; those before `at` are done with.
    ahead: Vec<u8>,
    at: usize,
    /// Bytes before `ahead`.
    offset: u64,
    is_at_end: bool,
    /// What is wrong behind what is ahead. Nothing more is read until it has been told.
    damage: Option<std::io::Error>,
    /// Damages without a record in between: of a disk, they would have no end.
    damages_in_row: u32,
}

/// What is known of a record whose block may be lost.
struct Known {
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
            if self.damages_in_row > MOST_DAMAGES {
                let error = Error::data("too much damage in a row; the rest is not read");
                return Err(error.at_path(&self.path));
            }
            match self.record() {
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

    /// The next record: `Some(None)` for one that is none of ours, `None` at the end.
    fn record(&mut self) -> Option<Option<Item>> {
        if !self.skip_line_ends() {
            self.damage.as_ref()?;
            let place = self.place();
            return Some(Some(self.broken(0, Known::by_place(place), Error::data("the file is damaged"))));
        }
        let place = self.place();
        if !self.has(5) || !self.rest().starts_with(b"WARC/") {
            let error =
                Error::data("there are bytes that belong to no record").expected("WARC/1.0 or WARC/1.1");
            return Some(Some(self.broken(0, Known::by_place(place), error)));
        }
        let Some(head_length) = self.head_length() else {
            let error = Error::data("the record's head does not end");
            return Some(Some(self.broken(5, Known::by_place(place), error)));
        };
        let mut fields = Fields::parse(&self.rest()[..head_length]);
        let known =
            Known { id: fields.id.take().unwrap_or(place), url: fields.url.take(), date: fields.date.take() };
        let Some(length) = fields.length else {
            let error = Error::data("the record has no Content-Length that is a number");
            return Some(Some(self.broken(head_length, known, error)));
        };
        let is_page = fields.kind == "response" && (fields.is_http || self.is_http_at(head_length));
        if length > LONGEST_BLOCK {
            // not trusted to say where the next one begins, for nothing that was read over could be gone back to
            let error = Error::data("the record is too long").expected("at most 64 MB");
            let item = self.broken(head_length, known, error);
            return Some(is_page.then_some(item));
        }
        let end = head_length + length as usize;
        if let Err(why) = self.block_ends_at(end) {
            // the next record may begin before `end`
            return Some(Some(self.broken(head_length, known, Error::data(why))));
        }
        let block = self.rest()[head_length..end].to_vec();
        self.at += end;
        self.damages_in_row = 0;
        Some(match fields.kind.as_str() {
            _ if is_page => Some(self.response(fields, known, block)),
            "response" | "resource" => Some(Item::Skipped("not an HTTP response")),
            _ => None,
        })
    }

    /// Whether the bytes so far ahead begin an HTTP response, whatever the record says of its type.
    fn is_http_at(&mut self, from: usize) -> bool {
        const SIGN: &[u8] = b"HTTP/";
        self.has(from + SIGN.len()) && self.rest()[from..].starts_with(SIGN)
    }

    /// A whole response.
    fn response(&self, fields: Fields, known: Known, mut block: Vec<u8>) -> Item {
        let head = match Head::parse(&block) {
            Ok(head) => head,
            Err(e) => return self.failed(known, e),
        };
        if !(200..300).contains(&head.status) {
            return Item::Skipped("status other than 2xx");
        }
        if !head.is_html() {
            return Item::Skipped("not HTML");
        }
        block.drain(..head.length);
        let body = Body::Encoded { bytes: block, encodings: head.encodings, truncated: fields.is_truncated };
        Item::Page(RawPage { id: known.id, url: known.url, date: known.date, charset: head.charset, body })
    }

    /// A record that cannot be read; goes to the next begin of one that is at least `from` bytes ahead, or to the end.
    fn broken(&mut self, from: usize, known: Known, error: Error) -> Item {
        let error = match self.resync(from) {
            Some(damage) => error.because(damage),
            None => error,
        };
        self.failed(known, error)
    }

    fn failed(&self, known: Known, error: Error) -> Item {
        let Known { id, url, date } = known;
        let error = error.at_path(&self.path).at_page(&id);
        Item::Failed(Unread { id, url, date, error })
    }

    /// A name for what has none: file and byte.
    fn place(&self) -> String {
        format!("{}@{}", self.stem, self.offset + self.at as u64)
    }

    fn rest(&self) -> &[u8] {
        &self.ahead[self.at..]
    }

    /// Whether so many bytes follow before the end or the next damage; they are read ahead.
    fn has(&mut self, num_bytes: usize) -> bool {
        while self.ahead.len() - self.at < num_bytes && !self.is_at_end && self.damage.is_none() {
            // not before it is worth it: a wrong length may have had far more read ahead than the next records are long
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

    /// Goes over the empty lines between records; false at the end, or before damage.
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

    /// Bytes of the head with the empty line that ends it.
    fn head_length(&mut self) -> Option<usize> {
        let mut looked = 5;
        loop {
            let rest = self.rest();
            let rest = &rest[..rest.len().min(LONGEST_HEAD)];
            // a head that was cut runs on into the next record's
            let next = find_begin(&rest[looked..]).map(|at| looked + at);
            let here = &rest[..next.unwrap_or(rest.len())];
            let found = memchr::memchr_iter(b'\n', &here[looked..]).map(|at| looked + at).find_map(|at| {
                let after = &here[at + 1..];
                if after.starts_with(b"\r\n") {
                    Some(at + 3)
                } else {
                    after.starts_with(b"\n").then_some(at + 2)
                }
            });
            if found.is_some() || next.is_some() || rest.len() == LONGEST_HEAD {
                return found;
            }
            looked = rest.len().saturating_sub(BEGIN).max(5);
            let more = rest.len() + 1;
            if !self.has(more) {
                return None;
            }
        }
    }

    /// Whether a block that should end there does: an empty line, a record (after a line end, which some write alone) or the end of
    /// the file follow. One byte more is looked at, so that the check sum of a gzip member that ends there has been.
    fn block_ends_at(&mut self, end: usize) -> Result<(), &'static str> {
        if !self.has(end) {
            return Err("the record's end is missing");
        }
        self.has(end + 7);
        let after = &self.rest()[end..];
        let member = self.damage.as_ref().and_then(BrokenMember::of);
        if member.is_some_and(|m| m.given > after.len() as u64) {
            return Err("the record's bytes are damaged");
        }
        let fits = after.is_empty()
            || [&b"\r\n\r\n"[..], b"\n\n", b"WARC/", b"\r\nWARC/", b"\nWARC/"]
                .iter()
                .any(|sign| after.starts_with(sign))
            || (after.len() < 5 && after.iter().all(|b| b"\r\n".contains(b)));
        if fits { Ok(()) } else { Err("the record's Content-Length does not fit") }
    }

    /// Goes to the next begin of a record that is at least `from` bytes ahead, or behind the next damage, which is given,
    /// or to the end.
    fn resync(&mut self, from: usize) -> Option<std::io::Error> {
        self.at += from;
        loop {
            if let Some(at) = find_begin(self.rest()) {
                self.at += at;
                return None;
            }
            // a begin may be cut by the end of what is here
            self.at += self.rest().len().saturating_sub(BEGIN);
            let more = self.rest().len() + 1;
            if !self.has(more) {
                self.at = self.ahead.len();
                self.damages_in_row += u32::from(self.damage.is_some());
                return self.damage.take();
            }
        }
    }
}

/// Bytes of a record's first line, its end included.
const BEGIN: usize = 10;

/// Where the first line of a record is: `WARC/1.` and a digit, alone on the rest of its line. No line end needs to stand before it:
/// a record that is cut has none.
fn find_begin(bytes: &[u8]) -> Option<usize> {
    memmem::find_iter(bytes, b"WARC/1.").find(|at| {
        let rest = &bytes[at + 7..];
        rest.first().is_some_and(u8::is_ascii_digit)
            && (rest[1..].starts_with(b"\r\n") || rest[1..].starts_with(b"\n"))
    })
}

impl Known {
    fn by_place(place: String) -> Known {
        Known { id: place, url: None, date: None }
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

    /// Ids of pages, `!` for failures, `-` for what is skipped.
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
        // a response is one whatever its record's type; what else a page may stand in is counted
        let untyped = response("a").replace("Content-Type: application/http; msgtype=response\r\n", "");
        assert_eq!(
            read([untyped, record("r", "resource", "<p>r"), response("b")].concat().as_bytes()),
            "a - b"
        );
        // pzstd begins with a frame to be skipped
        let frame = zstd::encode_all(response("a").as_bytes(), 1).expect("zstd");
        assert_eq!(read(&[b"\x50\x2a\x4d\x18\x04\0\0\0size", &frame[..]].concat()), "a");
        // nothing can be unpacked behind the end of a frame that is cut, so that is told once
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
    fn damage_costs_one_record() {
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
        // damage is no reason to lose what a wrong length reaches over
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
        assert_eq!(read(&flipped), "a ! c", "a wrong check sum");
        assert_eq!(read(&zipped[..zipped.len() - 20]), "a b !");
        assert_eq!(read(&[a.as_bytes(), &b.as_bytes()[..b.len() - 9]].concat()), "a !");
    }

    #[test]
    fn endless_lengths_end() {
        let huge = response("a").replacen("Content-Length: ", "Content-Length: 9", 1);
        assert_eq!(read(huge.replace("Content-Length: 9", "Content-Length: 99999999999999").as_bytes()), "!");
    }
}

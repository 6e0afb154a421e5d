//! JSON Lines, plain or compressed.

mod row;

use crate::json::without_mark;
use crate::raw_page::{Body, Item, RawPage, Unread};
use crate::readers::packed::BrokenPart;
use crate::readers::{Fields, Pages, Reader, stem, stream};
use row::{Html, Row};
use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use threshr_core::{Error, Result};

/// Maximum length of a line, in bytes.
const MAX_LINE: u64 = 1 << 28;
/// Maximum number of damaged gzip members without a complete line in between. More are reported as one error.
const MAX_DAMAGES: u32 = 1_000;

/// One JSON object per line; [`Fields`] names its fields.
pub(super) static READER: Reader = Reader {
    name: "jsonl",
    summary: "a JSON object per line, plain, gz or zst; the names of the fields can be chosen",
    endings: &["jsonl", "ndjson"],
    open: |path, fields: &Fields, bytes_read: &Arc<AtomicU64>| {
        Ok(Box::new(Lines {
            from: BufReader::new(stream::decoded(path, bytes_read)?),
            path: path.to_path_buf(),
            stem: stem(path),
            fields: fields.clone(),
            line: 0,
            damages_in_row: 0,
            waiting: Some(VecDeque::new()),
            ready: VecDeque::new(),
        }))
    },
};

struct Lines {
    from: BufReader<Box<dyn Read + Send>>,
    path: PathBuf,
    stem: String,
    fields: Fields,
    line: u64,
    damages_in_row: u32,
    /// Pages without the field of the HTML. They wait until a line has it; `None` from then on.
    waiting: Option<VecDeque<Item>>,
    /// Pages to be returned next.
    ready: VecDeque<Item>,
}

/// Number of lines after which a field that no line has is missing.
const ENOUGH: usize = 1_000;

impl Pages for Lines {
    /// Returns pages one by one. If no line has the field of the HTML, that is one error.
    fn next(&mut self) -> Result<Option<Item>> {
        loop {
            if let Some(item) = self.ready.pop_front() {
                return Ok(Some(item));
            }
            let item = self.next_line()?;
            let Some(mut waiting) = self.waiting.take() else { return Ok(item) };
            match item {
                Some(item @ Item::Failed(Unread { error: Error { setting: Some(FIELD), .. }, .. })) => {
                    waiting.push_back(item);
                    if waiting.len() >= ENOUGH {
                        return Err(self.missing(waiting));
                    }
                    self.waiting = Some(waiting);
                }
                Some(item) if self.has_field(&item) => {
                    waiting.push_back(item);
                    self.ready = waiting;
                }
                // damaged lines say nothing of fields
                Some(item) => {
                    if waiting.is_empty() {
                        self.waiting = Some(waiting);
                        return Ok(Some(item));
                    }
                    waiting.push_back(item);
                    if waiting.len() >= ENOUGH {
                        self.ready = waiting;
                    } else {
                        self.waiting = Some(waiting);
                    }
                }
                None if waiting.is_empty() => return Ok(None),
                None => return Err(self.missing(waiting)),
            }
        }
    }
}

/// The setting of the field of the HTML.
const FIELD: &str = "Fields::html";

impl Lines {
    /// Whether the line of an item has the field of the HTML.
    fn has_field(&self, item: &Item) -> bool {
        match item {
            Item::Page(_) => true,
            Item::Failed(unread) => unread.error.place.column.as_ref() == Some(&self.fields.html),
            Item::Skipped(_) => false,
        }
    }

    /// The error for a field that none of the first lines has.
    fn missing(&self, waiting: VecDeque<Item>) -> Error {
        let num = waiting.len();
        let first = waiting.into_iter().find_map(|item| match item {
            Item::Failed(unread) if unread.error.setting == Some(FIELD) => Some(unread.error),
            _ => None,
        });
        let (expected, line) = first.map(|e| (e.expected, e.place.line)).unwrap_or_default();
        let found = match num {
            1 => "the line has no such field".to_owned(),
            _ => format!("none of the first {num} lines has this field, so the rest is not read"),
        };
        Error::data(found)
            .expected(expected.unwrap_or_default())
            .with_setting(FIELD)
            .at_path(&self.path)
            .at_line(line.unwrap_or(1))
            .at_column(&self.fields.html)
    }

    fn next_line(&mut self) -> Result<Option<Item>> {
        loop {
            let mut line = Vec::new();
            let read = (&mut self.from).take(MAX_LINE).read_until(b'\n', &mut line);
            self.line += 1;
            let read = match read {
                Ok(0) => return Ok(None),
                Ok(read) => {
                    self.damages_in_row = 0;
                    read
                }
                Err(e) if BrokenPart::of(&e).is_some() && self.damages_in_row > MAX_DAMAGES => {
                    let error =
                        Error::data("too many damaged parts in a row; the rest of the file is not read")
                            .because(e);
                    return Err(error.at_path(&self.path).at_line(self.line));
                }
                Err(e) if BrokenPart::of(&e).is_some() => {
                    self.damages_in_row += 1;
                    let error = Error::data("the line is in a damaged part of the file").because(e);
                    return Ok(Some(self.unread(error)));
                }
                Err(e) => return Err(Error::io(&self.path, e).at_line(self.line)),
            };
            if read as u64 == MAX_LINE && !line.ends_with(b"\n") {
                let skipped = self.from.skip_until(b'\n');
                skipped.map_err(|e| Error::io(&self.path, e).at_line(self.line))?;
                let error = Error::data("the line is too long").expected("at most 256 MB per line");
                return Ok(Some(self.unread(error)));
            }
            // Files that were joined have marks in other lines than the first.
            let line = without_mark(&line);
            if !line.trim_ascii().is_empty() {
                return Ok(Some(self.page(line)));
            }
        }
    }
}

impl Lines {
    fn id(&self) -> String {
        format!("{}:{}", self.stem, self.line)
    }

    fn unread(&self, error: Error) -> Item {
        let error = error.at_path(&self.path).at_line(self.line);
        Item::Failed(Unread { id: self.id(), url: None, date: None, error })
    }

    fn page(&self, line: &[u8]) -> Item {
        let row = match Row::parse(line, &self.fields) {
            Ok(row) => row,
            Err(e) => {
                let error = Error::data(format!("not a JSON object: {e}"));
                return self.unread(error.expected("one JSON object per line"));
            }
        };
        let (url, date) = (row.url, row.date);
        let id = row.id.unwrap_or_else(|| self.id());
        let error = match row.html {
            Some(Html::Text(html)) => {
                return Item::Page(RawPage {
                    id,
                    url,
                    date,
                    // JSON text is Unicode, whatever charset the page declares.
                    charset: Some("utf-8".to_owned()),
                    body: Body::Bytes(html.into_bytes()),
                    defect: None,
                });
            }
            Some(Html::Other) => Error::data("the field is not a text").expected("a page as JSON text"),
            None => Error::data("the object has no such field")
                .expected(format!("one of {}", row.names.join(", ")))
                .with_setting(FIELD),
        };
        let error = error.at_path(&self.path).at_line(self.line).at_column(&self.fields.html);
        Item::Failed(Unread { id, url, date, error })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    /// Ids of pages, `!` for failures.
    fn read(name: &str, bytes: &[u8]) -> String {
        let dir = tempfile::tempdir().expect("a folder");
        let path = dir.path().join(name);
        std::fs::write(&path, bytes).expect("written");
        let mut pages = (READER.open)(&path, &Fields::default(), &Arc::default()).expect("opened");
        let mut seen = Vec::new();
        loop {
            match pages.next() {
                Ok(Some(Item::Page(page))) => seen.push(page.id),
                Ok(Some(Item::Failed(_))) => seen.push("!".to_owned()),
                Ok(Some(Item::Skipped(why))) => seen.push(why.to_owned()),
                Ok(None) => return seen.join(" "),
                Err(_) => return seen.join(" ") + " stopped",
            }
        }
    }

    #[test]
    fn damage_loses_only_damaged_lines() {
        let line = |id: u32| format!("{{\"id\":{id},\"html\":\"<p>{id}\"}}\n");
        let member = |ids: std::ops::Range<u32>| {
            let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
            gzip.write_all(ids.map(line).collect::<String>().as_bytes()).expect("written");
            gzip.finish().expect("finished")
        };
        let members = [member(0..3), member(3..200), member(200..203)];
        let cut = [&members[0], &members[1][..members[1].len() / 2], &members[2][..]].concat();
        let seen = read("x.jsonl.gz", &cut);
        assert!(seen.starts_with("0 1 2 ") && seen.ends_with(" ! 200 201 202"), "{seen}");
        let end = [&members[0], &members[2][..members[2].len() - 12]].concat();
        assert!(read("x.jsonl.gz", &end).ends_with(" !"));
        assert_eq!(read("x.jsonl", format!("\u{feff}{}", line(7)).as_bytes()), "7");
        let bad = [b"{\"html\":\"\xff\"}\n\0\n".as_slice(), "[".repeat(9_999).as_bytes(), b"\n{}\n"].concat();
        assert_eq!(read("x.jsonl", &[&bad[..], line(8).as_bytes()].concat()), "! ! ! ! 8");
        let zstd = zstd::encode_all((0..9).map(line).collect::<String>().as_bytes(), 1).expect("zstd");
        assert!(read("x.jsonl.zst", &zstd[..zstd.len() - 5]).ends_with('!'));
    }

    #[test]
    fn lines_that_are_no_json_are_mended() {
        let mark = "\u{feff}";
        let lines = [
            r#"{"id":"a","html":"<p>x\udc80"}"#.to_owned(),
            format!(r#"{mark}{{"score":NaN,"id":"b","html":"<p>NaN"}}"#),
            mark.to_owned(),
            r#"{"id":"\ud83d","html":"","x":[-Infinity,Infinity , NaN]}"#.to_owned(),
            r#"{"id":NaN,"html":"\udc80"}"#.to_owned(),
            r#"{"id":NaNa,"html":"d"}"#.to_owned(),
        ];
        assert_eq!(read("x.jsonl", lines.join("\n").as_bytes()), "a b \u{fffd} x:5 !");
    }

    #[test]
    fn ids_stay_as_they_are_written() {
        let ids = ["123456789012345678901234567890", "123456789012345678901234567891", "-0", "1.50", "1e400"];
        let lines: Vec<String> = ids.iter().map(|id| format!(r#"{{"html":"x","id": {id} }}"#)).collect();
        assert_eq!(read("x.jsonl", lines.join("\n").as_bytes()), ids.join(" "));
        let others = r#"{"id":true,"html":"x"}
{"id":null,"html":"x"}
{"id":"","html":"x"}
{"id":[1],"html":"x","y":1e999}
{"id":1,"id":2,"html":"x"}"#;
        assert_eq!(read("x.jsonl", others.as_bytes()), "x:1 x:2 x:3 x:4 2");
    }

    #[test]
    fn lines_are_pages_compressed_or_not() {
        let dir = tempfile::tempdir().expect("a folder");
        let lines = "{\"html\":\"<p>é\",\"id\":7,\"url\":\"http://a/\"}\n\n{\"html\":3,\"id\":\"b\",\"date\":\"2026\"}\nno json\n{\"text\":\"x\"}\n{\"html\":\"\"}";
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        gzip.write_all(lines.as_bytes()).expect("written");
        let members = [gzip.finish().expect("finished"), Vec::new()].concat();
        for (name, bytes) in [
            ("a.jsonl", lines.as_bytes().to_vec()),
            ("a.jsonl.gz", members),
            ("a.jsonl.zst", zstd::encode_all(lines.as_bytes(), 1).expect("zstd")),
        ] {
            let path = dir.path().join(name);
            std::fs::write(&path, bytes).expect("written");
            let mut pages = (READER.open)(&path, &Fields::default(), &Arc::default()).expect("opened");
            let mut seen = Vec::new();
            while let Some(item) = pages.next().expect("read") {
                seen.push(match item {
                    Item::Page(p) => format!("{} {:?}", p.id, p.url),
                    Item::Failed(u) => format!("{} {}{}", u.id, u.date.unwrap_or_default(), u.error.message),
                    Item::Skipped(why) => why.to_owned(),
                });
            }
            assert_eq!(seen.len(), 5, "{seen:?}");
            assert_eq!(seen[0], "7 Some(\"http://a/\")");
            assert_eq!(seen[1], "b 2026the field is not a text");
            assert!(seen[2].starts_with("a:4 not a JSON object"));
            assert_eq!(seen[3], "a:5 the object has no such field");
            assert_eq!(seen[4], "a:6 None");
        }
    }

    #[test]
    fn one_field_may_be_id_and_url() {
        let mut file = tempfile::Builder::new().suffix(".jsonl").tempfile().expect("a file");
        file.write_all(b"{\"html\":\"<p>x\",\"url\":\"http://a/\"}").expect("written");
        let fields = Fields { id: "url".to_owned(), ..Fields::default() };
        let mut pages = (READER.open)(file.path(), &fields, &Arc::default()).expect("opened");
        let Ok(Some(Item::Page(page))) = pages.next() else { panic!("no page") };
        assert_eq!((page.id.as_str(), page.url.as_deref()), ("http://a/", Some("http://a/")));
    }

    #[test]
    fn only_consecutive_damage_is_limited() {
        let member = |text: &str| {
            let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
            gzip.write_all(text.as_bytes()).expect("written");
            gzip.finish().expect("finished")
        };
        let whole = member("{\"id\": \"a\", \"html\": \"<p>a\"}\n");
        let mut broken = whole.clone();
        broken[12] ^= 0x55;
        let num_pages = |bytes: Vec<u8>| {
            let seen = read("a.jsonl.gz", &bytes);
            seen.split(' ').filter(|id| *id == "a").count()
        };
        assert_eq!(num_pages([&whole[..], &broken].concat().repeat(1_500)), 1_500);
    }
}

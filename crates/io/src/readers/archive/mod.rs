//! WARC and ARC files: the responses of a crawl. Reading continues after corrupt parts.

mod ahead;
mod head;
mod response;
#[cfg(test)]
mod tests;

use crate::json::without_mark;
use crate::raw_page::{Item, Unread};
use crate::readers::{Input, Pages, Reader, stem};
use ahead::Ahead;
pub(super) use head::Form;
use head::{Fields, Found, MAX_HEAD};
use response::{Class, classify};
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use threshr_core::{Error, ErrorKind, Result};

/// Maximum length of the block of a page, in bytes. Longer pages are errors.
const MAX_BLOCK: u64 = 1 << 26;
/// Maximum number of corrupt parts of the file without a complete record between them. After more, the rest of
/// the file is not read.
const MAX_DAMAGES: u32 = 1_000;

/// HTML responses with a 2xx status. Source: ISO 28500:2017, WARC 1.1.
pub(super) static WARC: Reader = Reader {
    name: "warc",
    summary: "HTML responses and resources of a WARC file, which may be compressed with gz (one or many members) or zst",
    extensions: &["warc"],
    open: |input| open(input, Form::Warc),
};

/// HTML responses with a 2xx status. Source: "Arc File Format", Internet Archive, 1996.
pub(super) static ARC: Reader = Reader {
    name: "arc",
    summary: "HTML responses of an ARC file of version 1 or 2, which may be compressed with gz or zst",
    extensions: &["arc"],
    open: |input| open(input, Form::Arc),
};

/// Opens an archive. The first bytes determine the archive format if they start a record; otherwise it is
/// `named`.
pub(super) fn open(input: Input<'_>, named: Form) -> Result<Box<dyn Pages>> {
    let path = input.path;
    let mut from = BufReader::new(input.decoded()?);
    let (form, mark, damage, is_empty) = match from.fill_buf() {
        Ok(start) => (Form::detect(start), start.len() - without_mark(start).len(), None, start.is_empty()),
        Err(e) => (None, 0, Some(e), false),
    };
    from.consume(mark);
    let mut ahead = Ahead::new(Box::new(from));
    damage.into_iter().for_each(|damage| ahead.pause(damage));
    Ok(Box::new(Records {
        ahead,
        form: form.unwrap_or(named),
        path: path.to_path_buf(),
        stem: stem(path),
        is_empty,
        number: 0,
        damages_in_row: 0,
    }))
}

/// Returns the reader for a file that starts with these bytes. Returns `None` if it is not an archive.
pub(super) fn reader_of(start: &[u8]) -> Option<&'static Reader> {
    Form::detect(start).map(|form| if form == Form::Warc { &WARC } else { &ARC })
}

struct Records {
    ahead: Ahead,
    form: Form,
    path: PathBuf,
    stem: String,
    /// Whether the file is empty and this error is not reported yet.
    is_empty: bool,
    /// Index of the current record, from 1.
    number: u64,
    /// Number of corrupt parts since the last complete record.
    damages_in_row: u32,
}

/// The block (content) of a record.
struct Block {
    /// End of the block, in bytes from the start of the record.
    end: usize,
    /// The reason why the block may be incomplete.
    defect: Option<Error>,
    /// Whether the file ends inside the block.
    is_cut: bool,
}

impl Pages for Records {
    fn next(&mut self) -> Result<Option<Item>> {
        loop {
            if self.damages_in_row > MAX_DAMAGES {
                let error = Error::data("too many corrupt parts in a row; the rest of the file is not read");
                return Err(error.at_path(&self.path));
            }
            let item = self.next_record();
            // A record that is read to its end is kept, although the bytes after it cannot be read.
            let is_whole = matches!(&item, Some(Some(Item::Page(page))) if page.defect.is_none());
            if let Some(failure) = self.ahead.failure.take_if(|_| !is_whole) {
                return Err(Error::io(&self.path, failure));
            }
            match item {
                None => return Ok(None),
                Some(Some(item)) => return Ok(Some(item)),
                Some(None) => {}
            }
        }
    }
}

impl Records {
    /// Reads the next record. Returns `Some(None)` for a record that is not a page, and `None` at the end
    /// of the file.
    fn next_record(&mut self) -> Option<Option<Item>> {
        if !self.ahead.skip_line_ends() {
            let error = match std::mem::take(&mut self.is_empty) {
                true => truncated("the file is empty").expected(self.form.expected()),
                false => self.ahead.damage.as_ref().map(|_| self.ahead.what_is_wrong())?,
            };
            self.number += 1;
            return Some(Some(self.broken(0, Fields::default(), error)));
        }
        self.number += 1;
        self.ahead.has(self.form.line_length());
        if !self.form.starts(self.ahead.rest()) {
            let what = "there are bytes outside of a record";
            let rest = self.ahead.rest();
            let is_start = rest.starts_with(b"WARC/") || b"WARC/".starts_with(rest);
            let is_cut = self.form == Form::Warc && rest.len() < self.form.line_length() && is_start;
            let error = if is_cut { truncated(what) } else { Error::data(what) };
            let error = error.expected(self.form.expected());
            return Some(Some(self.broken(0, Fields::default(), error)));
        }
        let Some(head_length) = self.head_length() else {
            let what = "the header of the record is incomplete";
            let has_no_end = self.form.head_length(self.ahead.rest()).is_none();
            let is_cut = has_no_end && (self.ahead.damage.is_none() || self.ahead.is_cut());
            let error = if is_cut { truncated(what) } else { Error::data(what) };
            let error = error.expected("header fields and an empty line");
            return Some(Some(self.broken(1, Fields::default(), error)));
        };
        let fields = self.form.parse(&self.ahead.rest()[..head_length]);
        if fields.length.is_some_and(|length| length > MAX_BLOCK) {
            let class = self.peek_class(&fields, head_length);
            if !matches!(class, Class::Page { .. } | Class::Unreadable(_)) {
                let failure = self.skip_long(&fields, head_length);
                let skipped = if let Class::Skipped(why) = class { Some(Item::Skipped(why)) } else { None };
                return Some(failure.or(skipped));
            }
        }
        match self.block(head_length, &fields) {
            Ok(block) => Some(self.record(fields, head_length, block)),
            // The next record may start before the declared end of the block.
            Err(error) => Some(Some(self.broken(head_length, fields, error))),
        }
    }

    /// Converts a record whose end is known to an item.
    fn record(&mut self, fields: Fields, head_length: usize, block: Block) -> Option<Item> {
        let after = &self.ahead.rest()[block.end..];
        let is_cut = self.ahead.is_cut() && after.iter().all(|b| b"\r\n".contains(b));
        let bytes = &self.ahead.rest()[head_length..block.end];
        let item = match classify(&fields, bytes) {
            // Reports an error although the record is not a page, because all records after it are also
            // missing.
            Class::Other | Class::Skipped(_) if block.is_cut => {
                let error = block.defect.unwrap_or_else(|| truncated("the end of the record is missing"));
                Some(self.failed(fields, error))
            }
            Class::Other if fields.length.is_none() => {
                let error = Error::data(format!("the record has no valid {}", self.form.length_name()));
                Some(self.failed(fields, error.expected(self.form.expected_head())))
            }
            Class::Other => None,
            Class::Skipped(why) => Some(Item::Skipped(why)),
            Class::Unreadable(error) => Some(self.failed(fields, error)),
            Class::Page { head_length, head } => {
                let id = self.id(&fields);
                // A truncated file ends inside its last record.
                let cut = self.ahead.damage.as_ref().filter(|_| is_cut).map(ToString::to_string);
                let defect = match (block.defect, cut.map(std::io::Error::other)) {
                    (defect, None) => defect,
                    (None, Some(cut)) => Some(truncated("the file is truncated").because(cut)),
                    (Some(defect), Some(cut)) => Some(defect.because(cut)),
                };
                let defect = defect.map(|e| self.place(&fields, e));
                let unread = (fields.url.clone(), fields.date.clone());
                Some(match response::page(fields, id.clone(), bytes, (head_length, head), defect) {
                    Ok(page) => Item::Page(page),
                    Err(error) => Item::Failed(Unread { id, url: unread.0, date: unread.1, error }),
                })
            }
        };
        // The error of the page already reports that the file is truncated.
        let item = match item {
            Some(Item::Failed(unread)) if is_cut => match self.ahead.damage.take() {
                Some(cut) => Some(Item::Failed(Unread { error: unread.error.because(cut), ..unread })),
                None => Some(Item::Failed(unread)),
            },
            Some(Item::Page(page)) if is_cut => {
                self.ahead.damage = None;
                Some(Item::Page(page))
            }
            item => item,
        };
        self.ahead.skip(block.end);
        self.damages_in_row = 0;
        item
    }

    /// Classifies a record by its header and the first bytes of its block.
    fn peek_class(&mut self, fields: &Fields, head_length: usize) -> Class {
        self.ahead.has(head_length + MAX_HEAD);
        let bytes = &self.ahead.rest()[head_length..];
        classify(fields, &bytes[..bytes.len().min(MAX_HEAD)])
    }

    /// Skips a long record that is not a page. The declared length may be wrong, and skipped bytes cannot
    /// be read again. Therefore, the next record is searched for directly after the header. Returns a
    /// failure if the record is corrupt or its end is missing.
    fn skip_long(&mut self, fields: &Fields, head_length: usize) -> Option<Item> {
        let id = self.id(fields);
        let error = self.place(fields, Error::data("the bytes of the record are corrupt"));
        let cut = self.place(fields, truncated("the end of the record is missing"));
        let length = head_length as u64;
        let end = self.ahead.position().saturating_add(length).saturating_add(fields.length.unwrap_or(0));
        let error = match self.resync(head_length) {
            Some(damage) => error.because(damage),
            None if self.ahead.rest().is_empty() && self.ahead.position() < end => cut,
            None => return None,
        };
        Some(Item::Failed(Unread { id, url: fields.url.clone(), date: fields.date.clone(), error }))
    }

    /// Reports an unreadable record. Advances to the next record that starts at least `from` bytes ahead,
    /// or to the end of the file.
    fn broken(&mut self, from: usize, fields: Fields, error: Error) -> Item {
        // Id and position are computed before the search, because they depend on the current position.
        let (id, error) = (self.id(&fields), self.place(&fields, error));
        let error = match self.resync(from) {
            Some(damage) => error.because(damage),
            None => error,
        };
        Item::Failed(Unread { id, url: fields.url, date: fields.date, error })
    }

    fn failed(&self, fields: Fields, error: Error) -> Item {
        let (id, error) = (self.id(&fields), self.place(&fields, error));
        Item::Failed(Unread { id, url: fields.url, date: fields.date, error })
    }

    /// Returns the id of a record. If it has no id, returns the file name and the byte offset.
    fn id(&self, fields: &Fields) -> String {
        fields.id.clone().unwrap_or_else(|| format!("{}@{}", self.stem, self.ahead.position()))
    }

    /// Adds the file, id, index, byte offset and URL of a record to an error.
    fn place(&self, fields: &Fields, mut error: Error) -> Error {
        let url = fields.url.as_deref().map(|url| format!(", {url}")).unwrap_or_default();
        error.message += &format!(" (record {}, byte {}{url})", self.number, self.ahead.position());
        error.at_path(&self.path).at_page(self.id(fields))
    }

    /// Returns the length of the header, including the empty line after it. Returns `None` if the header
    /// has no end.
    fn head_length(&mut self) -> Option<usize> {
        loop {
            if let Some(length) = self.form.head_length(self.ahead.rest()) {
                return length;
            }
            let more = self.ahead.rest().len() + 1;
            if !self.ahead.has(more) {
                return None;
            }
        }
    }

    /// Finds the end of the block of a record. If the declared length is not followed by a record end, the
    /// block ends at the next record.
    ///
    /// # Errors
    /// If the block is in a corrupt part of the file, or no end is found.
    fn block(&mut self, head_length: usize, fields: &Fields) -> Result<Block> {
        let declared = fields.length.filter(|&length| length <= MAX_BLOCK).map(|l| head_length + l as usize);
        if let Some(end) = declared {
            let is_there = self.ahead.has(end);
            if is_there && self.ends_at(end)? {
                return Ok(Block { end, defect: None, is_cut: false });
            }
        }
        let name = self.form.length_name();
        let (next, is_record) = self.find_next(head_length)?;
        let end = next - trailer(&self.ahead.rest()[head_length..next]);
        if self.ahead.is_damaged(end) {
            return Err(Error::data("the bytes of the record are corrupt"));
        }
        if end == head_length && fields.length.is_none() {
            let error = Error::data(format!("the record has no valid {name} and no content"));
            return Err(error.expected(self.form.expected_head()));
        }
        let is_same = declared.is_some_and(|declared| {
            let bytes = self.ahead.rest();
            let (from, to) = (declared.min(end), declared.max(end).min(bytes.len()));
            bytes[from..to].iter().all(|b| b"\r\n".contains(b)) && declared <= next
        });
        let is_cut = !is_record && fields.length.is_some_and(|length| length > (next - head_length) as u64);
        let what = match fields.length {
            None => format!("the record has no valid {name}"),
            Some(length) if is_cut => {
                format!(
                    "the end of the record is missing: only {} of {length} bytes are in the file",
                    next - head_length
                )
            }
            Some(length) => {
                format!(
                    "the {name} of the record is {length}, but the record has {} bytes",
                    end - head_length
                )
            }
        };
        let error = if is_cut { truncated(what) } else { Error::data(what) };
        let error = error.expected("the number of bytes up to the next record");
        Ok(Block { end, defect: (!is_same).then_some(error), is_cut })
    }

    /// Returns whether a block ends at `end`, which must be followed by an empty line, the next record or
    /// the end of the file. Some writers put only one line end before the next record. Reads beyond `end`,
    /// so that the checksum of a gzip member is verified.
    fn ends_at(&mut self, end: usize) -> Result<bool> {
        self.ahead.has(end + 4 + self.form.line_length());
        if self.ahead.is_damaged(end) {
            return Err(Error::data("the bytes of the record are corrupt"));
        }
        let after = &self.ahead.rest()[end..];
        let line_ends = after.iter().take(4).take_while(|b| b"\r\n".contains(b)).count();
        let is_empty_line = after.starts_with(b"\r\n\r\n") || after.starts_with(b"\n\n");
        Ok(line_ends == after.len()
            || self.form == Form::Warc && is_empty_line
            || line_ends <= 2 && self.form.starts(&after[line_ends..])
            || self.form == Form::Arc && self.form.starts(&after[line_ends..]))
    }

    /// Finds the next record after the header. Returns its position and true, or the end of the file and
    /// false.
    ///
    /// # Errors
    /// If the file is corrupt before the next record, or the next record is too far away.
    fn find_next(&mut self, head_length: usize) -> Result<(usize, bool)> {
        let mut from = head_length;
        // The line end of the header may also be the line end before the next ARC record.
        if self.form == Form::Arc {
            from -= 1;
        }
        loop {
            match self.form.find(&self.ahead.rest()[from..]) {
                Found::At(at) => return Ok((from + at, true)),
                Found::NotBefore(at) => from += at,
            }
            if (from - head_length.min(from)) as u64 > MAX_BLOCK {
                return Err(Error::data("the record is too long").expected("at most 64 MB"));
            }
            let more = self.ahead.rest().len() + 1;
            if !self.ahead.has(more) {
                if self.ahead.damage.is_some() && !self.ahead.is_cut() {
                    return Err(Error::data("the end of the record is missing"));
                }
                return Ok((self.ahead.rest().len(), false));
            }
        }
    }

    /// Advances to the next record that starts at least `from` bytes ahead, or to the end of the file. If a
    /// read error comes first, advances past it and returns the error.
    fn resync(&mut self, from: usize) -> Option<std::io::Error> {
        // The line end before an ARC record must stay in the buffer, because records are found by it.
        self.ahead.skip(from - usize::from(from > 0 && self.form == Form::Arc));
        loop {
            match self.form.find(self.ahead.rest()) {
                Found::At(at) => {
                    self.ahead.skip(at);
                    return None;
                }
                Found::NotBefore(at) => self.ahead.skip(at),
            }
            let more = self.ahead.rest().len() + 1;
            if !self.ahead.has(more) {
                self.ahead.skip(more);
                self.damages_in_row += u32::from(self.ahead.damage.is_some());
                return self.ahead.damage.take();
            }
        }
    }
}

fn truncated(what: impl Into<String>) -> Error {
    Error::new(ErrorKind::Truncated, what)
}

/// Returns the length of the line ends at the end of a block.
fn trailer(block: &[u8]) -> usize {
    let trailers: [&[u8]; 5] = [b"\r\n\r\n", b"\n\r\n", b"\n\n", b"\r\n", b"\n"];
    trailers.iter().find(|t| block.ends_with(t)).map_or(0, |t| t.len())
}

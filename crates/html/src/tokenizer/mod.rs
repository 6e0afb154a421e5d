//! HTML text → tokens, by the rules of the HTML standard (§ 13.2.5).
//!
//! The tokenizer reads each byte a bounded number of times, so its time is linear in the length of any page. It
//! does not report parse errors.

mod declaration;
mod raw;
mod reference;
mod simd_scan;
mod tag;
mod token;
pub(crate) mod xml;

#[cfg(test)]
mod conformance;

pub(crate) use tag::ends_name;
pub(crate) use token::{Content, Doctype, Sink, StartTag};

use memchr::{memchr, memchr_iter, memchr2};
use std::borrow::Cow;
use threshr_core::{Budget, Result};
use token::MAX_BYTES;

/// Reads the tokens of a page and passes them to a [`Sink`].
pub(crate) struct Tokenizer<'s, S> {
    source: &'s str,
    bytes: &'s [u8],
    at: usize,
    content: Content,
    /// Name of the element whose end tag ends the raw text.
    raw_name: String,
    tag: StartTag<'s>,
    max_attributes: usize,
    /// Number of `<` read so far, which determines when the time budget is checked.
    num_markup: usize,
    sink: S,
}

/// Returns the page after the standard's preprocessing, in which every line end is `\n`.
pub(crate) fn normalized(html: &str) -> Cow<'_, str> {
    if memchr(b'\r', html.as_bytes()).is_none() {
        return Cow::Borrowed(html);
    }
    let mut out = String::with_capacity(html.len());
    let mut from = 0;
    for at in memchr_iter(b'\r', html.as_bytes()) {
        out.push_str(&html[from..at]);
        from = at + 1;
        if html.as_bytes().get(from) != Some(&b'\n') {
            out.push('\n');
        }
    }
    out.push_str(&html[from..]);
    Cow::Owned(out)
}

impl<'s, S: Sink> Tokenizer<'s, S> {
    /// Creates a tokenizer of `source`, which must be [`normalized`]. In each tag, attributes after the first
    /// `max_attributes` are ignored.
    pub(crate) fn new(source: &'s str, max_attributes: usize, sink: S) -> Self {
        let source = &source[..source.floor_char_boundary(MAX_BYTES)];
        Tokenizer {
            source,
            bytes: source.as_bytes(),
            at: 0,
            content: Content::Markup,
            raw_name: String::new(),
            tag: StartTag::new(source),
            max_attributes,
            num_markup: 0,
            sink,
        }
    }

    /// Reads all tokens.
    ///
    /// # Errors
    /// If the time budget is exceeded.
    pub(crate) fn run(mut self, budget: &Budget) -> Result<S> {
        while self.at < self.bytes.len() {
            match self.content {
                Content::Markup => self.data(budget)?,
                Content::Rcdata | Content::Rawtext | Content::Script => self.raw_text(),
                Content::Plaintext => self.plaintext(),
            }
        }
        self.sink.at(self.bytes.len()..self.bytes.len());
        self.sink.end();
        Ok(self.sink)
    }

    /// Reads text and markup until the content changes to raw text.
    fn data(&mut self, budget: &Budget) -> Result<()> {
        while self.content == Content::Markup {
            let rest = &self.bytes[self.at..];
            let length = simd_scan::find([b'<', b'&', 0], rest).unwrap_or(rest.len());
            self.emit(self.at, self.at + length);
            self.at += length;
            match self.bytes.get(self.at) {
                None => return Ok(()),
                Some(b'<') => {
                    self.num_markup += 1;
                    budget.check_at(self.num_markup)?;
                    self.markup();
                }
                Some(b'&') => self.at = self.reference(self.at, self.bytes.len()),
                Some(_) => {
                    self.sink.at(self.at..self.at + 1);
                    self.sink.nul();
                    self.at += 1;
                }
            }
        }
        Ok(())
    }

    /// Reads markup that begins with `<`.
    fn markup(&mut self) {
        let open = self.at;
        match self.bytes.get(open + 1) {
            Some(c) if c.is_ascii_alphabetic() => self.start_tag(),
            Some(b'/') => match self.bytes.get(open + 2) {
                Some(c) if c.is_ascii_alphabetic() => self.end_tag(open + 2),
                Some(b'>') => self.at = open + 3,
                Some(_) => self.bogus_comment(open + 2),
                None => {
                    self.emit(open, open + 2);
                    self.at = open + 2;
                }
            },
            Some(b'!') => self.declaration(),
            Some(b'?') => self.bogus_comment(open + 1),
            _ => {
                self.emit(open, open + 1);
                self.at = open + 1;
            }
        }
    }

    /// Emits the character reference at `at`, or `&` if there is none. Reads at most up to `end`. Returns the end
    /// of the emitted source.
    fn reference(&mut self, at: usize, end: usize) -> usize {
        match reference::read(&self.bytes[at..end], false) {
            Some(found) => {
                self.sink.at(at..at + found.length);
                self.sink.text(found.text(&mut [0; 8]));
                at + found.length
            }
            None => {
                self.emit(at, at + 1);
                at + 1
            }
        }
    }

    /// Emits a range of the page that contains no NUL.
    fn emit(&mut self, start: usize, end: usize) {
        if start < end {
            self.sink.at(start..end);
            self.sink.text(&self.source[start..end]);
        }
    }

    /// Emits a range of the page as text, with U+FFFD for NUL.
    fn emit_without_nul(&mut self, mut start: usize, end: usize) {
        while let Some(length) = memchr(0, &self.bytes[start..end]) {
            self.emit(start, start + length);
            self.sink.at(start + length..start + length + 1);
            self.sink.text("\u{fffd}");
            start += length + 1;
        }
        self.emit(start, end);
    }

    /// Emits text with character references decoded and U+FFFD for NUL.
    fn emit_rcdata(&mut self, mut start: usize, end: usize) {
        while let Some(length) = memchr2(b'&', 0, &self.bytes[start..end]) {
            self.emit(start, start + length);
            start += length;
            if self.bytes[start] == 0 {
                self.sink.at(start..start + 1);
                self.sink.text("\u{fffd}");
                start += 1;
            } else {
                start = self.reference(start, end);
            }
        }
        self.emit(start, end);
    }

    fn plaintext(&mut self) {
        let end = self.bytes.len();
        self.emit_without_nul(self.at, end);
        self.at = end;
    }
}

#[cfg(test)]
impl<S> Tokenizer<'_, S> {
    /// Sets the state after a start tag called `raw_name`.
    pub(crate) fn begin(mut self, content: Content, raw_name: &str) -> Self {
        self.content = content;
        raw_name.clone_into(&mut self.raw_name);
        self
    }
}

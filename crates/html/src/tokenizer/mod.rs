//! HTML text → tokens, as the HTML standard's tokenizer reads them (§ 13.2.5), by scanning bytes.
//!
//! A page's signs are looked at a bounded number of times: time is linear in its length whatever it holds. Parse
//! errors are not told apart from what is correct.

mod declaration;
mod raw;
mod reference;
mod simd_scan;
mod tag;
mod token;

#[cfg(test)]
mod conformance;

pub(crate) use token::{Content, Doctype, Sink, StartTag};

use memchr::{memchr, memchr_iter, memchr2};
use std::borrow::Cow;
use threshr_core::{Budget, Result};
use token::MAX_BYTES;

/// Reads a page's tokens into a [`Sink`].
pub(crate) struct Tokenizer<'s, S> {
    source: &'s str,
    bytes: &'s [u8],
    at: usize,
    content: Content,
    /// The element that raw text ends with.
    raw_name: String,
    tag: StartTag<'s>,
    max_attributes: usize,
    /// `<` seen so far, so that the time can be looked at.
    num_markup: usize,
    sink: S,
}

/// The page as the standard's preprocessing leaves it: with `\n` for every line end.
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
    /// A tokenizer of `source`, which is [`normalized`]. Attributes of a tag beyond `max_attributes` are left out.
    pub fn new(source: &'s str, max_attributes: usize, sink: S) -> Self {
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
    /// Where the time is over.
    pub fn run(mut self, budget: &Budget) -> Result<S> {
        while self.at < self.bytes.len() {
            match self.content {
                Content::Markup => self.data(budget)?,
                Content::Rcdata | Content::Rawtext | Content::Script => self.raw_text(),
                Content::Plaintext => self.plaintext(),
            }
        }
        self.sink.end();
        Ok(self.sink)
    }

    /// Text and markup until the content is to be read in another way.
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
                    self.sink.nul();
                    self.at += 1;
                }
            }
        }
        Ok(())
    }

    /// What begins with `<`.
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

    /// Emits the character reference at `at`, or the `&` there; gives where it ends. No sign from `end` on is read.
    fn reference(&mut self, at: usize, end: usize) -> usize {
        match reference::read(&self.bytes[at..end], false) {
            Some(found) => {
                self.sink.text(found.text(&mut [0; 8]));
                at + found.length
            }
            None => {
                self.emit(at, at + 1);
                at + 1
            }
        }
    }

    /// Emits text of the page, which holds no NUL.
    fn emit(&mut self, start: usize, end: usize) {
        if start < end {
            self.sink.text(&self.source[start..end]);
        }
    }

    /// Emits text of the page, U+FFFD for every NUL.
    fn emit_without_nul(&mut self, mut start: usize, end: usize) {
        while let Some(length) = memchr(0, &self.bytes[start..end]) {
            self.emit(start, start + length);
            self.sink.text("\u{fffd}");
            start += length + 1;
        }
        self.emit(start, end);
    }

    /// Emits text with character references, U+FFFD for every NUL.
    fn emit_rcdata(&mut self, mut start: usize, end: usize) {
        while let Some(length) = memchr2(b'&', 0, &self.bytes[start..end]) {
            self.emit(start, start + length);
            start += length;
            if self.bytes[start] == 0 {
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
    /// PrefixFilter as if a start tag called `raw_name` stood before the page.
    pub fn begin(mut self, content: Content, raw_name: &str) -> Self {
        self.content = content;
        raw_name.clone_into(&mut self.raw_name);
        self
    }
}

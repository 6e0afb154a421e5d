//! Markup that begins with `<!`: comments, document types, CDATA sections.

use crate::tokenizer::Tokenizer;
use crate::tokenizer::token::{Doctype, Sink};
use memchr::{memchr, memmem};
use std::borrow::Cow;

impl<S: Sink> Tokenizer<'_, S> {
    /// Reads the declaration at `<!`.
    pub(crate) fn declaration(&mut self) {
        let start = self.at + 2;
        let rest = &self.bytes[start..];
        if rest.starts_with(b"--") {
            self.comment(start + 2);
        } else if rest.get(..7).is_some_and(|word| word.eq_ignore_ascii_case(b"doctype")) {
            self.doctype(start + 7);
        } else if rest.starts_with(b"[CDATA[") && self.sink.is_in_foreign_content() {
            self.cdata(start + 7);
        } else {
            self.bogus_comment(start);
        }
    }

    /// Reads the comment whose text begins at `start`. It ends at `-->` or `--!>`, or with the page.
    fn comment(&mut self, start: usize) {
        let rest = &self.bytes[start..];
        let (end, next) = if rest.starts_with(b">") {
            (start, start + 1)
        } else if rest.starts_with(b"->") {
            (start, start + 2)
        } else {
            let ending = memchr::memchr_iter(b'>', rest).find_map(|at| {
                let text = &rest[..at];
                let text = text.strip_suffix(b"--").or_else(|| text.strip_suffix(b"--!"))?;
                Some((start + text.len(), start + at + 1))
            });
            ending.unwrap_or_else(|| {
                let text = rest.strip_suffix(b"--!").or_else(|| rest.strip_suffix(b"--"));
                let text = text.or_else(|| rest.strip_suffix(b"-")).unwrap_or(rest);
                (start + text.len(), self.bytes.len())
            })
        };
        self.emit_comment(start, end);
        self.at = next;
    }

    /// Reads a bogus comment, whose text begins at `start` and ends at `>`.
    pub(crate) fn bogus_comment(&mut self, start: usize) {
        let end = memchr(b'>', &self.bytes[start..]).map_or(self.bytes.len(), |i| start + i);
        self.emit_comment(start, end);
        self.at = (end + 1).min(self.bytes.len());
    }

    fn emit_comment(&mut self, start: usize, end: usize) {
        self.sink.comment(&without_nul(&self.source[start..end]));
    }

    /// Reads the CDATA section whose text begins at `start`.
    pub(crate) fn cdata(&mut self, mut start: usize) {
        let found = memmem::find(&self.bytes[start..], b"]]>").map(|i| start + i);
        let end = found.unwrap_or(self.bytes.len());
        while let Some(length) = memchr(0, &self.bytes[start..end]) {
            self.emit(start, start + length);
            self.sink.at(start + length..start + length + 1);
            self.sink.nul();
            start += length + 1;
        }
        self.emit(start, end);
        self.at = found.map_or(end, |end| end + 3);
    }

    /// Reads the document type, whose keyword ends at `start`.
    fn doctype(&mut self, start: usize) {
        self.at = start;
        let mut doctype = Doctype::default();
        // a malformed declaration puts the page into quirks mode
        doctype.force_quirks = !self.read_doctype(&mut doctype);
        let rest = &self.bytes[self.at..];
        self.at += memchr(b'>', rest).map_or(rest.len(), |i| i + 1);
        self.sink.doctype(doctype);
    }

    /// Reads name and identifiers. Returns false if the declaration is malformed.
    fn read_doctype(&mut self, doctype: &mut Doctype) -> bool {
        let start = self.skip_space(self.at);
        let is_end = |b: &u8| matches!(b, b'\t' | b'\n' | b'\x0c' | b' ' | b'>');
        let length = self.bytes[start..].iter().position(is_end);
        self.at = start + length.unwrap_or(self.bytes.len() - start);
        if start < self.at {
            doctype.name = Some(without_nul(&self.source[start..self.at]).to_ascii_lowercase());
        }
        if length.is_none() || length == Some(0) {
            return false;
        }
        self.at = self.skip_space(self.at);
        let Some(keyword) = self.bytes.get(self.at..self.at + 6) else {
            return self.bytes.get(self.at) == Some(&b'>');
        };
        if keyword.eq_ignore_ascii_case(b"public") {
            self.at += 6;
            return self.identifier(&mut doctype.public_id)
                && (matches!(self.peek_past_space(), Some(b'>')) || self.system_identifier(doctype));
        }
        if keyword.eq_ignore_ascii_case(b"system") {
            self.at += 6;
            return self.system_identifier(doctype);
        }
        keyword[0] == b'>'
    }

    /// Reads the system identifier. Returns false if it is malformed or the page ends after it.
    fn system_identifier(&mut self, doctype: &mut Doctype) -> bool {
        self.identifier(&mut doctype.system_id) && self.peek_past_space().is_some()
    }

    fn peek_past_space(&self) -> Option<&u8> {
        self.bytes.get(self.skip_space(self.at))
    }

    /// Reads a quoted identifier. Returns false if there is none, or if `>` or the end of the page precedes the
    /// closing quote.
    fn identifier(&mut self, id: &mut Option<String>) -> bool {
        let open = self.skip_space(self.at);
        let Some(&quote @ (b'"' | b'\'')) = self.bytes.get(open) else { return false };
        let rest = &self.bytes[open + 1..];
        let length = rest.iter().position(|&b| b == quote || b == b'>');
        let end = open + 1 + length.unwrap_or(rest.len());
        *id = Some(without_nul(&self.source[open + 1..end]).into_owned());
        let is_closed = self.bytes.get(end) == Some(&quote);
        self.at = end + usize::from(is_closed);
        is_closed
    }
}

/// Returns the text with U+FFFD for NUL.
fn without_nul(text: &str) -> Cow<'_, str> {
    if memchr(0, text.as_bytes()).is_none() {
        Cow::Borrowed(text)
    } else {
        text.replace('\0', "\u{fffd}").into()
    }
}

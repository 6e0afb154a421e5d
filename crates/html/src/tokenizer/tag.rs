//! Reads start and end tags.

use crate::names;
use crate::tokenizer::token::{Content, ReadName, Sink, Slice};
use crate::tokenizer::{Tokenizer, reference, simd_scan};
use memchr::{memchr, memchr2};

const SPACE: u8 = 1;
/// A byte that ends the name of a tag.
const ENDS_NAME: u8 = 2;
/// A byte that ends the name of an attribute.
const ENDS_ATTRIBUTE: u8 = 4;
/// A byte that ends an unquoted value.
const ENDS_VALUE: u8 = 8;
/// A byte that is replaced in a name: an upper-case letter or NUL.
const CHANGED: u8 = 16;

static CLASS: [u8; 256] = {
    let mut class = [0; 256];
    let mut upper = b'A';
    while upper <= b'Z' {
        class[upper as usize] = CHANGED;
        upper += 1;
    }
    class[0] = CHANGED;
    let spaces = b"\t\n\x0c ";
    let mut i = 0;
    while i < spaces.len() {
        class[spaces[i] as usize] = SPACE | ENDS_NAME | ENDS_ATTRIBUTE | ENDS_VALUE;
        i += 1;
    }
    class[b'/' as usize] = ENDS_NAME | ENDS_ATTRIBUTE;
    class[b'>' as usize] = ENDS_NAME | ENDS_ATTRIBUTE | ENDS_VALUE;
    class[b'=' as usize] = ENDS_ATTRIBUTE;
    class
};

impl<S: Sink> Tokenizer<'_, S> {
    /// Reads the start tag at `<`. An unclosed tag is dropped with the rest of the page.
    pub(crate) fn start_tag(&mut self) {
        let open = self.at;
        self.tag.clear();
        self.tag.name = self.name(self.at + 1, 0, ENDS_NAME);
        if !self.attributes() {
            self.at = self.bytes.len();
            return;
        }
        if self.tag.is_cut(self.max_attributes) {
            self.tag.self_closing = false;
        }
        self.sink.at(open..self.at);
        self.tag.end = self.at;
        self.content = self.sink.start_tag(&mut self.tag);
        if self.content != Content::Markup {
            self.raw_name.clear();
            self.raw_name.push_str(self.tag.name().text());
        }
    }

    /// Reads the end tag whose name begins at `start`.
    pub(crate) fn end_tag(&mut self, start: usize) {
        self.tag.clear();
        self.tag.name = self.name(start, 0, ENDS_NAME);
        if self.bytes.get(self.at) == Some(&b'>') {
            self.at += 1;
        } else if !self.attributes() {
            self.at = self.bytes.len();
            return;
        }
        self.content = Content::Markup;
        self.sink.at(start - 2..self.at);
        self.sink.end_tag(self.tag.name());
    }

    /// Reads the attributes up to the tag's `>`. Returns false if the page ends before it.
    fn attributes(&mut self) -> bool {
        loop {
            match self.bytes.get(self.at) {
                None => return false,
                Some(b'>') => {
                    self.at += 1;
                    return true;
                }
                Some(b'/') => {
                    self.at += 1;
                    if self.bytes.get(self.at) == Some(&b'>') {
                        self.tag.self_closing = true;
                    }
                }
                Some(&b) if CLASS[usize::from(b)] & SPACE != 0 => self.at += 1,
                Some(_) => {
                    if !self.attribute() {
                        return false;
                    }
                }
            }
        }
    }

    /// Reads an attribute. Returns false if the page ends before or inside its value.
    fn attribute(&mut self) -> bool {
        // the first character belongs to the name, even `=`
        let name = self.name(self.at, 1, ENDS_ATTRIBUTE);
        let next = self.skip_space(self.at);
        let mut value = Slice::default();
        if self.bytes.get(next) == Some(&b'=') {
            self.at = self.skip_space(next + 1);
            match self.bytes.get(self.at) {
                None => return false,
                Some(&quote @ (b'"' | b'\'')) => match self.quoted(quote) {
                    Some(slice) => value = slice,
                    None => return false,
                },
                Some(b'>') => {}
                Some(_) => {
                    let end = self.scan(self.at, ENDS_VALUE);
                    value = match memchr2(b'&', 0, &self.bytes[self.at..end]) {
                        None => Slice::of_page(self.at..end),
                        Some(_) => self.decoded(self.at, end),
                    };
                    self.at = end;
                }
            }
        }
        self.tag.push_attribute(name, value, self.max_attributes);
        true
    }

    /// Reads the quoted value at the cursor. Returns `None` if its end is missing.
    fn quoted(&mut self, quote: u8) -> Option<Slice> {
        let start = self.at + 1;
        let rest = &self.bytes[start..];
        let first = start + simd_scan::find([quote, b'&', 0], rest)?;
        if self.bytes[first] == quote {
            self.at = first + 1;
            return Some(Slice::of_page(start..first));
        }
        let end = first + memchr(quote, &self.bytes[first..])?;
        self.at = end + 1;
        Some(self.decoded(start, end))
    }

    /// Decodes the character references of a value. Returns the range of the decoded text.
    fn decoded(&mut self, mut start: usize, end: usize) -> Slice {
        let decoded = &mut self.tag.decoded;
        let from = decoded.len();
        while let Some(length) = memchr2(b'&', 0, &self.bytes[start..end]) {
            decoded.push_str(&self.source[start..start + length]);
            start += length;
            if self.bytes[start] == 0 {
                decoded.push('\u{fffd}');
                start += 1;
            } else if let Some(found) = reference::read(&self.bytes[start..end], true) {
                decoded.push_str(found.text(&mut [0; 8]));
                start += found.length;
            } else {
                decoded.push('&');
                start += 1;
            }
        }
        decoded.push_str(&self.source[start..end]);
        Slice::of_decoded(from..decoded.len())
    }

    /// Reads the name that begins at `start`. It ends at the first byte of `class` after at least `least` bytes.
    ///
    /// The result is in lower case, with U+FFFD for NUL. The cursor moves to the end of the name.
    #[inline]
    fn name(&mut self, start: usize, least: usize, class: u8) -> ReadName {
        let rest = self.bytes.get(start..).unwrap_or_default();
        if let Some(window) = rest.first_chunk()
            && let Some(length) = simd_scan::name_length(window, least)
            && CLASS[usize::from(window[length])] & class != 0
            && let Some(number) = names::known_within(&simd_scan::lower_case(window), length)
        {
            self.at = start + length;
            return ReadName::known(number);
        }
        self.any_name(start, least, class)
    }

    fn any_name(&mut self, start: usize, least: usize, class: u8) -> ReadName {
        let rest = self.bytes.get(start..).unwrap_or_default();
        let (mut length, mut seen) = (0, 0);
        for &byte in rest {
            let found = CLASS[usize::from(byte)];
            if found & class != 0 && length >= least {
                break;
            }
            seen |= found;
            length += 1;
        }
        let end = start + length;
        self.at = end;
        let slice = if seen & CHANGED == 0 {
            Slice::of_page(start..end)
        } else {
            let from = self.tag.decoded.len();
            let lower = |c: char| if c == '\0' { '\u{fffd}' } else { c.to_ascii_lowercase() };
            self.tag.decoded.extend(self.source[start..end].chars().map(lower));
            Slice::of_decoded(from..self.tag.decoded.len())
        };
        match names::known(self.tag.str(slice).as_bytes()) {
            Some(number) => ReadName::known(number),
            None => ReadName::other(slice),
        }
    }

    /// Returns the offset of the first byte of `class` at or after `at`.
    fn scan(&self, at: usize, class: u8) -> usize {
        let rest = self.bytes.get(at..).unwrap_or_default();
        rest.iter().position(|&b| CLASS[usize::from(b)] & class != 0).map_or(self.bytes.len(), |i| at + i)
    }

    pub(crate) fn skip_space(&self, at: usize) -> usize {
        let rest = self.bytes.get(at..).unwrap_or_default();
        rest.iter().position(|&b| CLASS[usize::from(b)] & SPACE == 0).map_or(self.bytes.len(), |i| at + i)
    }
}

/// Whether a byte ends a tag's name.
pub(crate) fn ends_name(byte: u8) -> bool {
    CLASS[usize::from(byte)] & ENDS_NAME != 0
}

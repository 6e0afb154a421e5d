//! What the tokenizer hands on, without copying what stands in the page as it is.

use crate::names::{NUM_KNOWN, Name};
use std::collections::HashSet;
use std::ops::Range;

/// How a tag's content is to be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Content {
    /// Tags, text and character references.
    Markup,
    /// Text with character references (`<title>`, `<textarea>`).
    Rcdata,
    /// Text (`<style>`, `<iframe>` …).
    Rawtext,
    /// Text whose comments may hold the end tag (`<script>`).
    Script,
    /// Text up to the end of the page.
    Plaintext,
}

/// Takes tokens.
pub(crate) trait Sink {
    /// Text that is not empty and holds no NUL.
    fn text(&mut self, text: &str);
    /// A NUL where the tree decides what becomes of it.
    fn nul(&mut self);
    /// A start tag; says how what follows is to be read.
    fn start_tag(&mut self, tag: &mut StartTag<'_>) -> Content;
    /// An end tag.
    fn end_tag(&mut self, name: Name<'_>);
    /// A comment, without its delimiters.
    fn comment(&mut self, text: &str);
    /// A document type declaration.
    fn doctype(&mut self, doctype: Doctype);
    /// The end of the page.
    fn end(&mut self);
    /// Whether the innermost open element is of SVG or MathML, where CDATA sections are.
    fn is_in_foreign_content(&self) -> bool;
}

/// A document type declaration.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Doctype {
    pub name: Option<String>,
    pub public_id: Option<String>,
    pub system_id: Option<String>,
    pub force_quirks: bool,
}

/// A stretch of the page, or of [`StartTag::decoded`]: as one number, since what is copied in parts and read as a whole has the
/// processor wait.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Slice(u64);

/// Bits of its length: a name or value of a quarter of a gigabyte is read as an empty one.
const LENGTH_BITS: u32 = 28;
/// Bits of its place: what is decoded may be three times as long as [`MAX_BYTES`].
const PLACE_BITS: u32 = 34;
/// Set where a stretch is one of [`StartTag::decoded`].
const DECODED: u64 = 1 << (LENGTH_BITS + PLACE_BITS);

/// Bytes of a page that are read; the places of a document's text have no more.
pub(crate) const MAX_BYTES: usize = u32::MAX as usize;

impl Slice {
    /// A stretch of the page.
    #[inline]
    pub fn of_page(range: Range<usize>) -> Self {
        let length = range.end - range.start;
        let length = if length >> LENGTH_BITS == 0 { length } else { 0 };
        Slice((range.start as u64) << LENGTH_BITS | length as u64)
    }

    /// A stretch of [`StartTag::decoded`].
    #[inline]
    pub fn of_decoded(range: Range<usize>) -> Self {
        Slice(Self::of_page(range).0 | DECODED)
    }

    #[inline]
    fn range(self) -> Range<usize> {
        let low = |value: u64, bits: u32| (value & ((1 << bits) - 1)) as usize;
        let start = low(self.0 >> LENGTH_BITS, PLACE_BITS);
        start..start + low(self.0, LENGTH_BITS)
    }

    #[inline]
    fn is_decoded(self) -> bool {
        self.0 & DECODED != 0
    }
}

/// A name that was read, as one number like its stretch.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ReadName(u64);

/// Set where a name is a number.
const KNOWN: u64 = 1 << 63;

impl ReadName {
    /// See [`Name::Known`].
    #[inline]
    pub fn known(number: u16) -> Self {
        ReadName(KNOWN | u64::from(number))
    }

    /// Another name.
    #[inline]
    pub fn other(slice: Slice) -> Self {
        ReadName(slice.0)
    }

    /// The number of a known name, else where the name stands.
    #[inline]
    fn number(self) -> Result<u16, Slice> {
        if self.0 & KNOWN != 0 { Ok(self.0 as u16) } else { Err(Slice(self.0)) }
    }
}

/// A start tag: name and attribute names in lower case, no attribute twice.
#[derive(Debug)]
pub(crate) struct StartTag<'s> {
    pub(crate) source: &'s str,
    /// Names and values that do not stand in the page as they are meant.
    pub(crate) decoded: String,
    pub(crate) name: ReadName,
    attributes: Vec<(ReadName, Slice)>,
    /// Which known names are in `attributes`.
    known: [u64; NUM_KNOWN.div_ceil(64)],
    /// Other names in `attributes`, once there are many of them.
    others: HashSet<Box<str>>,
    /// Attributes read, those given twice included.
    num_read: usize,
    pub self_closing: bool,
}

/// Number of attributes up to which a name is sought one by one.
const FEW: usize = 16;

impl<'s> StartTag<'s> {
    pub(crate) fn new(source: &'s str) -> Self {
        StartTag {
            source,
            decoded: String::new(),
            name: ReadName::other(Slice::default()),
            attributes: Vec::new(),
            known: [0; _],
            others: HashSet::new(),
            num_read: 0,
            self_closing: false,
        }
    }

    pub(crate) fn clear(&mut self) {
        self.decoded.clear();
        self.attributes.clear();
        if self.num_read > 0 {
            self.known = [0; _];
            self.others.clear();
        }
        self.num_read = 0;
        self.self_closing = false;
    }

    pub(crate) fn str(&self, slice: Slice) -> &str {
        let text = if slice.is_decoded() { &self.decoded } else { self.source };
        &text[slice.range()]
    }

    fn resolve(&self, name: ReadName) -> Name<'_> {
        match name.number() {
            Ok(number) => Name::Known(number),
            Err(slice) => Name::Other(self.str(slice)),
        }
    }

    pub(crate) fn push_attribute(&mut self, name: ReadName, value: Slice, most: usize) {
        self.num_read += 1;
        if self.num_read > most {
            return;
        }
        let is_new = match name.number() {
            Ok(number) => self.add_known(number),
            Err(slice) => self.add_other(slice),
        };
        if is_new {
            self.attributes.push((name, value));
        }
    }

    /// Whether a known name is a new one of this tag.
    fn add_known(&mut self, number: u16) -> bool {
        let (bits, bit) = (&mut self.known[usize::from(number / 64)], 1 << (number % 64));
        let is_new = *bits & bit == 0;
        *bits |= bit;
        is_new
    }

    /// Whether another name is a new one of this tag.
    fn add_other(&mut self, name: Slice) -> bool {
        let name = self.str(name);
        if self.attributes.len() <= FEW {
            return !self.attributes().any(|a| a.0 == Name::Other(name));
        }
        let name = name.into();
        if self.others.is_empty() {
            let before = self.attributes.iter().filter_map(|a| a.0.number().err());
            let before = before.map(|slice| self.str(slice).into());
            self.others = before.collect();
        }
        self.others.insert(name)
    }

    /// Whether more attributes were read than are kept.
    pub(crate) fn is_cut(&self, most: usize) -> bool {
        self.num_read > most
    }

    /// The name.
    pub fn name(&self) -> Name<'_> {
        self.resolve(self.name)
    }

    /// Names and values of the attributes, in the page's order.
    pub fn attributes(&self) -> impl ExactSizeIterator<Item = (Name<'_>, &str)> {
        self.attributes.iter().map(|&(name, value)| (self.resolve(name), self.str(value)))
    }

    /// The value of the attribute `name`.
    pub fn attribute(&self, name: &str) -> Option<&str> {
        let name = Name::of(name);
        self.attributes().find(|a| a.0 == name).map(|a| a.1)
    }

    /// Leaves out attributes whose name and value `keep` says no to.
    pub fn retain_attributes(&mut self, keep: impl Fn(&str, &str) -> bool) {
        let mut attributes = std::mem::take(&mut self.attributes);
        attributes.retain(|&(name, value)| keep(self.resolve(name).text(), self.str(value)));
        self.attributes = attributes;
    }

    /// Gives the attribute `name`, where the tag has it, another value.
    pub fn set_attribute(&mut self, name: &str, value: &str) {
        let start = self.decoded.len();
        self.decoded.push_str(value);
        let value = Slice::of_decoded(start..self.decoded.len());
        let name = Name::of(name);
        let at = self.attributes().position(|a| a.0 == name);
        if let Some(at) = at {
            self.attributes[at].1 = value;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stretches_are_what_they_were_made_of() {
        let last = 3 * MAX_BYTES;
        for range in [0..0, 0..1, 5..70_000, MAX_BYTES - 9..MAX_BYTES, last - 1..last, 1..1 << LENGTH_BITS] {
            let (page, decoded) = (Slice::of_page(range.clone()), Slice::of_decoded(range.clone()));
            assert_eq!((page.range(), page.is_decoded()), (range.clone(), false));
            assert_eq!((decoded.range(), decoded.is_decoded()), (range.clone(), true));
            let other = ReadName::other(decoded).number();
            assert_eq!(other.map_err(|slice| (slice.range(), slice.is_decoded())), Err((range, true)));
        }
        assert_eq!(Slice::of_page(7..7 + (1 << LENGTH_BITS)).range(), 7..7);
        for number in [0, 1, u16::MAX] {
            assert_eq!(ReadName::known(number).number().ok(), Some(number));
        }
    }
}

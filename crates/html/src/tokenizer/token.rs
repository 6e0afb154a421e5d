//! Tokens. They refer to the page's text; only names and values that differ from it are copied.

use crate::names::{NUM_KNOWN, Name};
use std::collections::HashSet;
use std::ops::Range;

/// How to read the content of an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Content {
    /// Tags, text and character references.
    Markup,
    /// Text with character references (`<title>`, `<textarea>`).
    Rcdata,
    /// Text (`<style>`, `<iframe>` …).
    Rawtext,
    /// Text with comments that may contain the end tag (`<script>`).
    Script,
    /// Text up to the end of the page.
    Plaintext,
}

/// Receives tokens.
pub(crate) trait Sink {
    /// Sets the source range of the next token.
    #[inline]
    fn at(&mut self, _source: Range<usize>) {}
    /// Receives text that is not empty and contains no NUL.
    fn text(&mut self, text: &str);
    /// Receives a NUL, whose handling depends on the tree.
    fn nul(&mut self);
    /// Receives a start tag. Returns how to read the content of the element.
    fn start_tag(&mut self, tag: &mut StartTag<'_>) -> Content;
    /// Receives an end tag.
    fn end_tag(&mut self, name: Name<'_>);
    /// Receives a comment, without its delimiters.
    fn comment(&mut self, text: &str);
    /// Receives a document type declaration.
    fn doctype(&mut self, doctype: Doctype);
    /// Receives the end of the page.
    fn end(&mut self);
    /// Whether the innermost open element is in SVG or MathML, which have CDATA sections.
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

/// A range of the page's text or of [`StartTag::decoded`].
///
/// The fields are packed into one integer, because a processor stalls if it loads the whole value right after
/// storing its fields separately.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Slice(u64);

/// Number of bits of the length. A name or value of 2²⁸ bytes (256 MB) or more is read as empty.
const LENGTH_BITS: u32 = 28;
/// Number of bits of the start. Decoded text may be three times as long as [`MAX_BYTES`].
const START_BITS: u32 = 34;
/// Bit that is set if the range is one of [`StartTag::decoded`].
const DECODED: u64 = 1 << (LENGTH_BITS + START_BITS);

/// Maximum number of bytes of a page that are read, because offsets in a document have 32 bits.
pub(crate) const MAX_BYTES: usize = u32::MAX as usize;

impl Slice {
    /// Creates a range of the page's text.
    #[inline]
    pub(crate) fn of_page(range: Range<usize>) -> Self {
        let length = range.end - range.start;
        let length = if length >> LENGTH_BITS == 0 { length } else { 0 };
        Slice((range.start as u64) << LENGTH_BITS | length as u64)
    }

    /// Creates a range of [`StartTag::decoded`].
    #[inline]
    pub(crate) fn of_decoded(range: Range<usize>) -> Self {
        Slice(Self::of_page(range).0 | DECODED)
    }

    #[inline]
    fn range(self) -> Range<usize> {
        let low = |value: u64, bits: u32| (value & ((1 << bits) - 1)) as usize;
        let start = low(self.0 >> LENGTH_BITS, START_BITS);
        start..start + low(self.0, LENGTH_BITS)
    }

    #[inline]
    fn is_decoded(self) -> bool {
        self.0 & DECODED != 0
    }
}

/// The name of a tag or attribute: the id of a known name, or the [`Slice`] of another name.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ReadName(u64);

/// Bit that is set if the name is a known one.
const KNOWN: u64 = 1 << 63;

impl ReadName {
    /// Creates a known name; see [`Name::Known`].
    #[inline]
    pub(crate) fn known(number: u16) -> Self {
        ReadName(KNOWN | u64::from(number))
    }

    /// Creates another name.
    #[inline]
    pub(crate) fn other(slice: Slice) -> Self {
        ReadName(slice.0)
    }

    /// Returns the id of a known name as `Ok`, or the slice of another name as `Err`.
    #[inline]
    fn number(self) -> Result<u16, Slice> {
        if self.0 & KNOWN != 0 { Ok(self.0 as u16) } else { Err(Slice(self.0)) }
    }
}

/// A start tag. Names are in lower case. No attribute occurs twice.
#[derive(Debug)]
pub(crate) struct StartTag<'s> {
    pub(crate) source: &'s str,
    /// Offset in `source` after the tag.
    pub(crate) end: usize,
    /// Names and values that differ from the page's text.
    pub(crate) decoded: String,
    pub(crate) name: ReadName,
    attributes: Vec<(ReadName, Slice)>,
    /// The known names in `attributes`, as a bit set.
    known: [u64; NUM_KNOWN.div_ceil(64)],
    /// The other names in `attributes`. Empty while there are few attributes.
    others: HashSet<Box<str>>,
    /// Number of attributes read, including duplicates.
    num_read: usize,
    pub self_closing: bool,
}

/// Maximum number of attributes for which a linear search finds duplicates.
const FEW: usize = 16;

impl<'s> StartTag<'s> {
    pub(crate) fn new(source: &'s str) -> Self {
        StartTag {
            source,
            end: 0,
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

    /// Adds a known name. Returns false if the tag already has it.
    fn add_known(&mut self, number: u16) -> bool {
        let (bits, bit) = (&mut self.known[usize::from(number / 64)], 1 << (number % 64));
        let is_new = *bits & bit == 0;
        *bits |= bit;
        is_new
    }

    /// Adds another name. Returns false if the tag already has it.
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

    /// Whether attributes after the first `most` were ignored.
    pub(crate) fn is_cut(&self, most: usize) -> bool {
        self.num_read > most
    }

    /// Returns the name of the tag.
    pub(crate) fn name(&self) -> Name<'_> {
        self.resolve(self.name)
    }

    /// Returns the names and values of the attributes in source order.
    pub(crate) fn attributes(&self) -> impl ExactSizeIterator<Item = (Name<'_>, &str)> {
        self.attributes.iter().map(|&(name, value)| (self.resolve(name), self.str(value)))
    }

    /// Returns the value of the attribute `name`.
    pub(crate) fn attribute(&self, name: &str) -> Option<&str> {
        let name = Name::new(name);
        self.attributes().find(|a| a.0 == name).map(|a| a.1)
    }

    /// Keeps the attributes for whose name and value `keep` holds.
    pub(crate) fn retain_attributes(&mut self, keep: impl Fn(&str, &str) -> bool) {
        let mut attributes = std::mem::take(&mut self.attributes);
        attributes.retain(|&(name, value)| keep(self.resolve(name).text(), self.str(value)));
        self.attributes = attributes;
    }

    /// Changes the value of the attribute `name`, if the tag has it.
    pub(crate) fn set_attribute(&mut self, name: &str, value: &str) {
        let start = self.decoded.len();
        self.decoded.push_str(value);
        let value = Slice::of_decoded(start..self.decoded.len());
        let name = Name::new(name);
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
    fn slices_give_back_their_range() {
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

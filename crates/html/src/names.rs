//! Numeric ids of element and attribute names.
//!
//! A static table contains common names. Each document assigns ids to its other names.

use crate::tag::{NAMES, Tag};
use crate::text::swar::packed;
use rustc_hash::FxHashMap;

/// Common attribute names that are not also names of known elements. Their ids begin at [`Tag::NUM_KNOWN`].
const ATTRIBUTES: [&str; 125] = [
    "accept-charset",
    "accesskey",
    "action",
    "align",
    "alink",
    "allowfullscreen",
    "allowtransparency",
    "alt",
    "aria-controls",
    "aria-current",
    "aria-describedby",
    "aria-expanded",
    "aria-haspopup",
    "aria-hidden",
    "aria-label",
    "aria-labelledby",
    "aria-live",
    "as",
    "async",
    "autocomplete",
    "background",
    "bgcolor",
    "border",
    "bordercolor",
    "cellpadding",
    "cellspacing",
    "charset",
    "checked",
    "class",
    "classid",
    "clear",
    "clip-rule",
    "codebase",
    "color",
    "cols",
    "colspan",
    "content",
    "coords",
    "crossorigin",
    "cx",
    "cy",
    "d",
    "data",
    "data-action",
    "data-href",
    "data-id",
    "data-size",
    "data-src",
    "data-srcset",
    "data-target",
    "data-testid",
    "data-title",
    "data-toggle",
    "data-type",
    "data-url",
    "datetime",
    "decoding",
    "defer",
    "face",
    "fetchpriority",
    "fill",
    "fill-rule",
    "for",
    "frameborder",
    "height",
    "hidden",
    "href",
    "hreflang",
    "hspace",
    "http-equiv",
    "id",
    "integrity",
    "itemid",
    "itemprop",
    "itemscope",
    "itemtype",
    "lang",
    "language",
    "leftmargin",
    "loading",
    "marginheight",
    "marginwidth",
    "maxlength",
    "media",
    "method",
    "name",
    "nowrap",
    "onblur",
    "onchange",
    "onclick",
    "onfocus",
    "onload",
    "onmouseout",
    "onmouseover",
    "onsubmit",
    "placeholder",
    "points",
    "popover",
    "profile",
    "property",
    "r",
    "rel",
    "role",
    "rows",
    "rowspan",
    "scrolling",
    "shape",
    "size",
    "sizes",
    "src",
    "srcset",
    "stroke",
    "stroke-width",
    "tabindex",
    "target",
    "text",
    "topmargin",
    "transform",
    "type",
    "usemap",
    "valign",
    "value",
    "viewbox",
    "vspace",
    "width",
];

/// Number of names in the table.
pub const NUM_KNOWN: usize = Tag::NUM_KNOWN + ATTRIBUTES.len();

/// A slot of the hash table.
#[derive(Clone, Copy)]
struct Slot {
    key: u64,
    length: u16,
    /// The id of the name plus one; 0 if the slot is free.
    number: u16,
}

const SLOT_BITS: u32 = 10;

/// The hash table of the known names, with linear probing.
static SLOTS: [Slot; 1 << SLOT_BITS] = {
    let mut slots = [Slot { key: 0, length: 0, number: 0 }; 1 << SLOT_BITS];
    let mut i = 0;
    while i < NUM_KNOWN {
        let name = name_of(i).as_bytes();
        let key = key(name);
        let mut at = place(key);
        while slots[at].number > 0 {
            at = (at + 1) % slots.len();
        }
        slots[at] = Slot { key, length: name.len() as u16, number: i as u16 + 1 };
        i += 1;
    }
    slots
};

/// Returns the hash key of a name: its bytes if it has fewer than eight, otherwise a mix of its first and last
/// eight bytes.
#[inline]
const fn key(name: &[u8]) -> u64 {
    match name.last_chunk() {
        None => packed(name),
        Some(last) => packed(name) ^ u64::from_le_bytes(*last).rotate_left(29),
    }
}

const fn place(key: u64) -> usize {
    (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - SLOT_BITS)) as usize
}

/// Returns the id of a name in the table, for use in constants.
///
/// # Panics
/// If the table does not contain the name. In a constant this is a compile error.
pub const fn known_number(name: &str) -> u16 {
    let mut i = 0;
    while !is_same(name_of(i).as_bytes(), name.as_bytes()) {
        i += 1;
    }
    i as u16
}

const fn is_same(a: &[u8], b: &[u8]) -> bool {
    let mut i = 0;
    while i < a.len() && i < b.len() && a[i] == b[i] {
        i += 1;
    }
    i == a.len() && i == b.len()
}

const fn name_of(number: usize) -> &'static str {
    if number < NAMES.len() { NAMES[number] } else { ATTRIBUTES[number - NAMES.len()] }
}

/// Returns the id of a lower-case name, if the table contains it.
#[inline]
pub(crate) fn known(name: &[u8]) -> Option<u16> {
    find(key(name), name)
}

/// Returns the id of the lower-case name in the first `length` bytes of `window`, if the table contains it.
#[inline]
pub(crate) fn known_within(window: &[u8; 16], length: usize) -> Option<u16> {
    if length >= 8 {
        return known(&window[..length]);
    }
    let [low, _] = window.as_chunks::<8>().0 else { return None };
    let key = u64::from_le_bytes(*low) & ((1 << (8 * length)) - 1);
    find(key, &window[..length])
}

#[inline]
fn find(key: u64, name: &[u8]) -> Option<u16> {
    let mut at = place(key);
    loop {
        let slot = SLOTS[at];
        let number = slot.number.checked_sub(1)?;
        let same = || name.len() < 8 || name_of(usize::from(number)).as_bytes() == name;
        if slot.key == key && usize::from(slot.length) == name.len() && same() {
            return Some(number);
        }
        at = (at + 1) % SLOTS.len();
    }
}

/// A name of an element or attribute, in lower case.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Name<'s> {
    /// The id of a name in the table.
    Known(u16),
    /// A name that is not in the table.
    Other(&'s str),
}

impl<'s> Name<'s> {
    /// Creates a name from lower-case text.
    pub(crate) fn new(text: &'s str) -> Self {
        known(text.as_bytes()).map_or(Name::Other(text), Name::Known)
    }

    /// Returns the name as a string.
    pub(crate) fn text(self) -> &'s str {
        match self {
            Name::Known(number) => name_of(number.into()),
            Name::Other(text) => text,
        }
    }
}

/// The names of a document that are not in the table.
#[derive(Debug, Clone, Default)]
pub(crate) struct Names {
    list: Vec<Box<str>>,
    index: FxHashMap<Box<str>, u16>,
}

impl Names {
    /// Returns the id of `name`. A new name gets a new id.
    #[inline]
    pub(crate) fn number(&mut self, name: Name<'_>) -> u16 {
        match name {
            Name::Known(number) => number,
            Name::Other(text) => self.number_of_other(text),
        }
    }

    /// Returns the id of a name that is not in the table. If a document has more than about 65,000 such names, the
    /// rest of them share the last id.
    fn number_of_other(&mut self, name: &str) -> u16 {
        if let Some(&number) = self.index.get(name) {
            return number;
        }
        let number = u16::try_from(NUM_KNOWN + self.list.len()).unwrap_or(u16::MAX);
        if number < u16::MAX {
            self.list.push(name.into());
            self.index.insert(name.into(), number);
        }
        number
    }

    /// Returns the tag called `name` in this document.
    #[inline]
    pub(crate) fn tag(&mut self, name: Name<'_>) -> Tag {
        Tag(self.number(name))
    }

    /// Returns the id of `name`, if the table or the document contains it.
    pub(crate) fn find(&self, name: &str) -> Option<u16> {
        known(name.as_bytes()).or_else(|| self.index.get(name).copied())
    }

    /// Returns the name that has an id in this document.
    pub(crate) fn name(&self, number: u16) -> &str {
        match usize::from(number).checked_sub(NUM_KNOWN) {
            None => name_of(number.into()),
            Some(at) => self.list.get(at).map_or("unknown", |s| s),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn table_contains_each_name_once() {
        for number in 0..NUM_KNOWN {
            let name = name_of(number);
            assert_eq!(known(name.as_bytes()).map(usize::from), Some(number), "{name}");
            let mut window = *b"=> for what ends";
            if let Some(begin) = window.get_mut(..name.len()) {
                begin.copy_from_slice(name.as_bytes());
                assert_eq!(known_within(&window, name.len()).map(usize::from), Some(number), "{name}");
            }
        }
        assert!(ATTRIBUTES.is_sorted());
        let others =
            ["", "\0", "p\0", "hre", "hreff", "clas\0", "stroke-lwidth", "blockquotes", "aria-labeledby"];
        assert!(others.iter().all(|name| known(name.as_bytes()).is_none()));
    }

    #[test]
    fn document_numbers_its_own_names() {
        let mut names = Names::default();
        let own = names.number(Name::new("data-own"));
        assert_eq!(usize::from(own), NUM_KNOWN);
        assert_eq!(names.number(Name::new("data-own")), own);
        assert_eq!(Some(names.number(Name::new("href"))), known(b"href"));
        assert_eq!((names.name(own), names.name(Tag::P.0), names.find("x-y")), ("data-own", "p", None));
    }
}

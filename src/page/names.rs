//! Names of elements and attributes as numbers: a table has those that most pages have, a document its other ones.

use super::tag::{NAMES, Tag};
use crate::text::eights::packed;
use rustc_hash::FxHashMap;

/// Names that attributes often have and known elements never; numbered from [`Tag::NUM_KNOWN`].
const ATTRIBUTES: [&str; 124] = [
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

const NUM_KNOWN: usize = Tag::NUM_KNOWN + ATTRIBUTES.len();

/// A place of the table.
#[derive(Clone, Copy)]
struct Slot {
    key: u64,
    length: u16,
    /// Number of the name, plus one; 0 where there is none.
    number: u16,
}

const SLOT_BITS: u32 = 10;

/// Each name at the place that its key gives, or at the next free one.
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

/// A name of at most eight bytes itself, or some of its bytes.
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

const fn name_of(number: usize) -> &'static str {
    if number < NAMES.len() { NAMES[number] } else { ATTRIBUTES[number - NAMES.len()] }
}

/// The number of a name (in lower case) that the table has.
#[inline]
pub(super) fn known(name: &str) -> Option<u16> {
    let key = key(name.as_bytes());
    let mut at = place(key);
    loop {
        let slot = SLOTS[at];
        let number = slot.number.checked_sub(1)?;
        let same = || name.len() < 8 || name_of(usize::from(number)) == name;
        if slot.key == key && usize::from(slot.length) == name.len() && same() {
            return Some(number);
        }
        at = (at + 1) % SLOTS.len();
    }
}

/// Names of elements and attributes of a document that the table does not have.
#[derive(Debug, Clone, Default)]
pub(crate) struct Names {
    list: Vec<Box<str>>,
    index: FxHashMap<Box<str>, u16>,
}

impl Names {
    /// The number of `name`. A document that has over 65,000 unknown names (no real one has) shares the last.
    pub fn number(&mut self, name: &str) -> u16 {
        if let Some(number) = self.find(name) {
            return number;
        }
        let number = u16::try_from(NUM_KNOWN + self.list.len()).unwrap_or(u16::MAX);
        if number < u16::MAX {
            self.list.push(name.into());
            self.index.insert(name.into(), number);
        }
        number
    }

    /// The tag called `name` in this document.
    pub fn tag(&mut self, name: &str) -> Tag {
        Tag(self.number(name))
    }

    /// The number of `name`, if the table or the document has it.
    pub fn find(&self, name: &str) -> Option<u16> {
        known(name).or_else(|| self.index.get(name).copied())
    }

    /// The name with a number of this document's.
    pub fn name(&self, number: u16) -> &str {
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
    fn the_table_has_each_name_once() {
        for number in 0..NUM_KNOWN {
            assert_eq!(known(name_of(number)).map(usize::from), Some(number), "{}", name_of(number));
        }
        assert!(ATTRIBUTES.is_sorted());
        let others =
            ["", "\0", "p\0", "hre", "hreff", "clas\0", "stroke-lwidth", "blockquotes", "aria-labeledby"];
        assert!(others.iter().all(|name| known(name).is_none()));
    }

    #[test]
    fn a_document_numbers_the_names_that_it_meets() {
        let mut names = Names::default();
        let own = names.number("data-own");
        assert_eq!(usize::from(own), NUM_KNOWN);
        assert_eq!((names.number("href"), names.number("data-own")), (known("href").unwrap_or(0), own));
        assert_eq!((names.name(own), names.name(Tag::P.0), names.find("x-y")), ("data-own", "p", None));
    }
}

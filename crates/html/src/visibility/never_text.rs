//! Rule: the content of some elements is never shown as text.

use crate::tag::Tag;
use crate::tree::Document;
use crate::visibility::element::Element;
use crate::visibility::{NOT_TEXT, Walk};

/// The tags whose content is never text, by number.
static NEVER: [bool; Tag::NUM_KNOWN] = {
    let tags = [
        Tag::SCRIPT,
        Tag::STYLE,
        Tag::NOSCRIPT,
        Tag::TEMPLATE,
        Tag::SVG,
        Tag::TITLE,
        Tag::TEXTAREA,
        Tag::IFRAME,
        Tag::NOEMBED,
        Tag::NOFRAMES,
        Tag::HEAD,
    ];
    let mut never = [false; Tag::NUM_KNOWN];
    let mut i = 0;
    while i < tags.len() {
        never[tags[i].0 as usize] = true;
        i += 1;
    }
    never
};

pub(crate) fn apply(walk: &mut Walk<'_>, element: &Element<'_>, flags: u8) -> u8 {
    if applies(walk.doc, element.tag) { flags | NOT_TEXT } else { flags }
}

/// Whether the rule applies to elements with this tag.
pub(crate) fn applies(doc: &Document, tag: Tag) -> bool {
    is_never_text(tag) && !(doc.shows_noscript && tag == Tag::NOSCRIPT)
}

/// Whether the content of elements with this tag is never text.
pub(crate) fn is_never_text(tag: Tag) -> bool {
    NEVER.get(usize::from(tag.0)) == Some(&true)
}

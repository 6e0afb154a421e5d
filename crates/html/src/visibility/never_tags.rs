//! Tags of elements whose content is never shown as text.

use crate::tag::Tag;
use crate::tree::Document;

/// For each known tag, whether its content is never text.
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

/// Whether the content of elements with this tag is excluded from the text of the page.
pub(crate) fn is_left_out(doc: &Document, tag: Tag) -> bool {
    is_never_text(tag) && !(doc.shows_noscript && tag == Tag::NOSCRIPT)
}

/// Whether the content of elements with this tag is never text.
pub(crate) fn is_never_text(tag: Tag) -> bool {
    NEVER.get(usize::from(tag.0)) == Some(&true)
}

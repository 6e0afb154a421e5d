//! Rule: the content of some elements is never shown as text.

use crate::visibility::element::Element;
use crate::visibility::{NOT_TEXT, Walk, never_tags};

pub(crate) fn apply(walk: &mut Walk<'_>, element: &Element<'_>, flags: u8) -> u8 {
    if never_tags::is_left_out(walk.doc, element.tag) { flags | NOT_TEXT } else { flags }
}

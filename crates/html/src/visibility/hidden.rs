//! Rule: the attribute `hidden` and inline styles hide an element.

use crate::visibility::element::Element;
use crate::visibility::{HIDDEN, Walk, style};

pub(crate) fn apply(_: &mut Walk<'_>, element: &Element<'_>, flags: u8) -> u8 {
    let by_attribute = || {
        element.hidden.is_some_and(|value| !value.eq_ignore_ascii_case("until-found"))
            && !element.id.is_some_and(is_streamed)
    };
    if element.style.is_some_and(style::hides) || by_attribute() { flags | HIDDEN } else { flags }
}

/// Whether an id is that of a fragment that React streams hidden and a script moves into place (`S:1f`).
fn is_streamed(id: &str) -> bool {
    let number = id.strip_prefix("S:");
    number.is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_hexdigit()))
}

//! Rule: visual copies of a text are excluded.
//!
//! A visual copy is an element with `aria-hidden`, next to an element with the same text for screen readers. Animations
//! often split the visual copy into single letters.

use crate::tree::{Document, Kind, NodeId};
use crate::visibility::element::Element;
use crate::visibility::style::{self, Shown};
use crate::visibility::{EXCLUDED, Walk};

/// Maximum number of characters of a copy that are compared.
const MAX_CHARS: usize = 2000;
/// Minimum number of characters of a copy. Shorter texts are symbols and numbers.
const MIN_CHARS: usize = 3;

pub(crate) fn apply(walk: &mut Walk<'_>, element: &Element<'_>, flags: u8) -> u8 {
    let is_hidden = element.aria_hidden.is_some_and(|value| value.trim().eq_ignore_ascii_case("true"));
    if is_hidden && !element.contains_page() && is_copy(walk.doc, element.node) {
        flags | EXCLUDED
    } else {
        flags
    }
}

/// Whether an element has the same characters as the element before or after it. That element must not have
/// `aria-hidden`, and must be shown.
fn is_copy(doc: &Document, node: NodeId) -> bool {
    if chars(doc, node).nth(MIN_CHARS - 1).is_none() {
        return false;
    }
    let is_element = |&n: &NodeId| doc.kind(n) == Kind::Element;
    let is_blank = |n: NodeId| doc.text(n).trim().is_empty();
    let beside = |step: fn(&Document, NodeId) -> Option<NodeId>| {
        let near = step(doc, node)?;
        let next = if doc.kind(near) == Kind::Text && is_blank(near) { step(doc, near)? } else { near };
        Some(next).filter(is_element)
    };
    let sides = [beside(Document::previous_sibling), beside(Document::next_sibling)];
    sides.into_iter().flatten().any(|side| {
        doc.attribute(side, "aria-hidden").is_none()
            && doc.attribute(side, "hidden").is_none()
            && doc.attribute(side, "style").is_none_or(|style| is_shown(style::read(style).0))
            && chars(doc, side).take(MAX_CHARS).eq(chars(doc, node).take(MAX_CHARS))
    })
}

/// Whether an element is read. A copy that is only for screen readers is not.
fn is_shown(shown: Shown) -> bool {
    matches!(shown, Shown::Yes | Shown::Visible)
}

/// Returns the characters of an element without white space.
fn chars(doc: &Document, node: NodeId) -> impl Iterator<Item = char> {
    let texts = doc.descendants(node).map(|n| doc.text(n));
    texts.flat_map(str::chars).filter(|c| !c.is_whitespace())
}

#[cfg(test)]
mod tests {
    use crate::tests::text;

    #[test]
    fn copies_for_the_eye_are_excluded() {
        let letters: String = "Night boat".chars().map(|c| format!("<i>{c}</i>")).collect();
        for (html, shown) in [
            (format!("<p><b class=sr>Night boat</b> <u aria-hidden=true>{letters}</u>."), "Night boat ."),
            (format!("<p><u aria-hidden=true>{letters}</u><b>Night boat</b>."), "Night boat."),
            (
                format!("<p><b style='clip:rect(0 0 0 0)'>Night boat</b><u aria-hidden=true>{letters}</u>."),
                "Night boat.",
            ),
            (format!("<p><b hidden>Night boat</b><u aria-hidden=true>{letters}</u>."), "Night boat."),
            (format!("<p>Night <u aria-hidden=true>{letters}</u> boat"), "Night Night boat boat"),
            ("<p><b>Night</b><u aria-hidden=true>Day</u>".to_owned(), "NightDay"),
            ("<p><b>5</b><u aria-hidden=true>5</u>".to_owned(), "55"),
            ("<p><b aria-hidden=true>Night</b><u aria-hidden=true>Night</u>".to_owned(), "NightNight"),
            ("<p><b>Night</b><u aria-hidden=false>Night</u>".to_owned(), "NightNight"),
        ] {
            assert_eq!(text(&html), shown, "{html}");
        }
    }
}

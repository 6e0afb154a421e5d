//! Rule: tool marks are excluded. Tool marks are user-interface elements that tools add next to headings, code and
//! images, such as permalinks and line numbers.

use crate::structure::names::{Role, has_role};
use crate::tag::Tag;
use crate::tree::{Document, NodeId};
use crate::visibility::container_names::{ContainerName, MarkText};
use crate::visibility::element::Element;
use crate::visibility::{EXCLUDED, Walk};

/// Maximum number of nodes of a tool mark that are read.
const MAX_NODES: usize = 64;
/// Maximum number of characters of a tool mark that are read, and maximum number of bytes of the text of a bar.
const MAX_CHARS: usize = 256;

pub(crate) fn apply(walk: &mut Walk<'_>, element: &Element<'_>, flags: u8) -> u8 {
    // a bar with the file name and size of an image in a lightbox
    let is_bar = element.tag == Tag::DIV
        && walk
            .doc
            .parent(element.node)
            .is_some_and(|n| walk.doc.tag(n) == Tag::A && has_role(walk.doc, n, Role::Lightbox));
    if is_bar && is_short(walk.doc, element.node) {
        return flags | EXCLUDED;
    }
    let Some(ContainerName::Mark(text)) = element.name else { return flags };
    if !element.contains_page() && is_mark(walk.doc, element.node, text) { flags | EXCLUDED } else { flags }
}

/// Whether an element has no image and at most `MAX_CHARS` bytes of text.
fn is_short(doc: &Document, node: NodeId) -> bool {
    let mut bytes = 0;
    doc.descendants(node).take(MAX_NODES).all(|n| {
        bytes += doc.text(n).len();
        bytes <= MAX_CHARS && !matches!(doc.tag(n), Tag::IMG | Tag::PICTURE)
    })
}

/// Whether the first characters of an element match the text of a tool mark.
fn is_mark(doc: &Document, node: NodeId, expected: MarkText) -> bool {
    let texts = doc.descendants(node).take(MAX_NODES).map(|n| doc.text(n));
    let mut chars = texts.flat_map(str::chars).take(MAX_CHARS).filter(|c| c.is_alphanumeric());
    match expected {
        MarkText::Anything => true,
        MarkText::Sign => chars.nth(1).is_none(),
        MarkText::Numbers => chars.all(char::is_numeric),
    }
}

#[cfg(test)]
mod tests {
    use crate::tests::text;

    #[test]
    fn bars_below_pictures_are_left_out() {
        let bar = "<div class=meta><span>drum</span> 251 KB</div>";
        assert_eq!(text(&format!("<a class=lightbox href=/a.png><img src=b.png>{bar}</a>c")), "c");
        assert_eq!(text(&format!("<a class=other href=/a.png><img src=b.png>{bar}</a>c")), "drum 251 KBc");
        let long = format!("<div>{}</div>", "word ".repeat(100));
        assert_ne!(text(&format!("<a class=lightbox href=/a.png>{long}</a>")), "");
    }
}

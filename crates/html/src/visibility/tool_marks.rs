//! Rule: marks that tools add beside headings and code are no part of the text.

use crate::tree::{Document, NodeId};
use crate::visibility::container_names::{ContainerName, MarkText};
use crate::visibility::element::Element;
use crate::visibility::{EXCLUDED, Walk};

/// Nodes and characters of a mark that are read.
const MAX_NODES: usize = 64;
const MAX_CHARS: usize = 256;

pub(crate) fn apply(walk: &mut Walk<'_>, element: &Element<'_>, flags: u8) -> u8 {
    let Some(ContainerName::Mark(text)) = element.name else { return flags };
    if !element.contains_page() && is_mark(walk.doc, element.node, text) { flags | EXCLUDED } else { flags }
}

/// Whether an element contains only the text of a mark.
fn is_mark(doc: &Document, node: NodeId, expected: MarkText) -> bool {
    let texts = doc.descendants(node).take(MAX_NODES).map(|n| doc.text(n));
    let mut chars = texts.flat_map(str::chars).take(MAX_CHARS).filter(|c| c.is_alphanumeric());
    match expected {
        MarkText::Anything => true,
        MarkText::Sign => chars.nth(1).is_none(),
        MarkText::Numbers => chars.all(char::is_numeric),
    }
}

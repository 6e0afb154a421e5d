//! Reveals hidden text that is most of a page, because a script or `<noscript>` probably shows it.

use crate::tree::{Document, NodeId};
use crate::visibility::{CLOSED, EXCLUDED, Flagged, HIDDEN, NOT_TEXT, letters, mark_below};

/// Maximum number of elements that are revealed.
const MAX_REVEALED: usize = 4;

/// Removes hidden elements with more text than the visible page from `flagged`, and marks the document's nodes
/// again.
pub(crate) fn reveal(doc: &mut Document, flagged: &mut Vec<Flagged>) {
    for _ in 0..MAX_REVEALED {
        // the outermost elements that attributes hide
        let is_outermost = |f: &&Flagged| {
            f.flags == HIDDEN
                && doc.parent(f.node).is_some_and(|p| doc.nodes[p as usize].hidden == 0)
                && is_attached(doc, f.node)
        };
        let hidden = flagged.iter().filter(is_outermost);
        let most = hidden
            .map(|f| (revealed_letters(doc, f.node), f.node))
            .max_by_key(|&(n, node)| (n, std::cmp::Reverse(node)));
        match most {
            Some((letters, node)) if shows_fewer(doc, letters) => flagged.retain(|f| f.node != node),
            _ => break,
        }
        doc.nodes.iter_mut().for_each(|n| n.hidden = 0);
        mark_below(doc, flagged);
    }
}

/// Whether the `noscript` elements contain more text than the visible page. If so, the page is parsed again without
/// scripting.
///
/// The document must be parsed with scripting, so that the elements contain their markup as text.
pub(crate) fn is_mostly_in_noscript(doc: &Document, noscript: &[NodeId]) -> bool {
    let attached = noscript.iter().copied().filter(|&n| is_attached(doc, n));
    let inside: usize =
        attached.flat_map(|n| doc.descendants(n)).map(|n| letters::outside_tags(doc.text(n))).sum();
    inside > 0 && shows_fewer(doc, inside)
}

/// Whether a node is still in the tree. A `<frameset>` detaches the content before it.
fn is_attached(doc: &Document, node: NodeId) -> bool {
    doc.ancestors_and_self(node).last() == Some(doc.root())
}

/// Returns the number of letters that become visible if a hidden element is revealed.
fn revealed_letters(doc: &Document, node: NodeId) -> usize {
    let is_text = |n: &NodeId| doc.nodes[*n as usize].hidden & (NOT_TEXT | EXCLUDED | CLOSED) == 0;
    doc.descendants(node).filter(is_text).map(|n| letters::of_node(doc, n)).sum()
}

/// Whether the visible page has fewer than `letters` letters.
fn shows_fewer(doc: &Document, letters: usize) -> bool {
    let mut left = letters;
    for node in doc.descendants(0).filter(|&n| doc.is_visible(n)) {
        match left.checked_sub(letters::of_node(doc, node)) {
            Some(n) if n > 0 => left = n,
            _ => return false,
        }
    }
    left > 0
}

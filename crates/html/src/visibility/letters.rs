//! Counts letters. In this module and its users, a letter is any byte that is not ASCII white space.

use crate::tree::{Document, NodeId};
use crate::visibility::never_tags::is_never_text;

/// Returns the number of letters in a text node.
pub(crate) fn of_node(doc: &Document, node: NodeId) -> usize {
    doc.text(node).bytes().filter(|b| !b.is_ascii_whitespace()).count()
}

/// Returns the number of letters below a node, without scripts and other content that is never text.
pub(crate) fn below(doc: &Document, node: NodeId) -> usize {
    of_nodes(doc, node).sum()
}

/// Whether [`below`] is less than `limit`, which is at least 1. Reads no more nodes than needed.
pub(crate) fn are_fewer(doc: &Document, node: NodeId, limit: usize) -> bool {
    let mut sum = 0;
    of_nodes(doc, node).all(|letters| {
        sum += letters;
        sum < limit
    })
}

fn of_nodes(doc: &Document, node: NodeId) -> impl Iterator<Item = usize> {
    let is_text = |&n: &NodeId| !doc.parent(n).is_some_and(|p| is_never_text(doc.tag(p)));
    doc.descendants(node).filter(is_text).map(|n| of_node(doc, n))
}

/// Returns the number of letters in `markup` outside its tags.
pub(crate) fn outside_tags(markup: &str) -> usize {
    let mut inside_tag = false;
    let letter = |b: u8| {
        inside_tag = b == b'<' || (inside_tag && b != b'>');
        usize::from(!inside_tag && b != b'>' && !b.is_ascii_whitespace())
    };
    markup.bytes().map(letter).sum()
}

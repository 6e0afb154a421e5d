//! Where units come from: their element, their place in the page, and their text among that of the blocks.

use crate::units::Unit;
use crate::units::builder::Builder;
use crate::units::context::Context;
use crate::units::leaf::Leaf;
use std::ops::Range;
use threshr_html::{Document, NodeId, Tag};

impl Builder<'_> {
    /// The node of a line, where it is in the page, and its text among that of the blocks. The node is an element that
    /// has only this line, else its first text.
    pub(super) fn provenance(&self, leaf: &Leaf) -> (NodeId, Option<Range<usize>>, Range<u32>) {
        let Context { doc, blocks, .. } = &self.context;
        let spans = leaf.block.zip(leaf.spans()).and_then(|(block, range)| blocks.spans(block).get(range));
        let (Some(block), Some(spans)) = (leaf.block, spans) else { return (leaf.node, None, 0..0) };
        let (Some(first), Some(last)) = (spans.first(), spans.last()) else { return (leaf.node, None, 0..0) };
        let text = first.text.start..last.text.end;
        let element = blocks.get(block).map(|block| block.node).filter(|&element| {
            spans.len() == blocks.spans(block).len()
                && blocks.extent(element).blocks.len() == 1
                && !matches!(doc.tag(element), Tag::HTML | Tag::BODY)
                && !self.open.iter().any(|open| open.node == element)
        });
        if let Some(element) = element {
            return (element, doc.source_of(element), text);
        }
        let places = spans.iter().filter_map(|span| doc.source_of_text(&trimmed(doc, &span.source)));
        (first.node, places.reduce(|a, b| cover(&a, &b)), text)
    }
}

/// Extends the text and the blocks of a unit by those of a unit inside it.
pub(super) fn include(unit: &mut Unit, child: &Unit) {
    unit.kept |= child.kept;
    unit.text = cover(&unit.text, &child.text);
    unit.blocks = cover(&unit.blocks, &child.blocks);
}

/// The smallest range around two ranges. Empty ones do not count.
pub(super) fn cover<T: Ord + Copy>(a: &Range<T>, b: &Range<T>) -> Range<T> {
    match (a.is_empty(), b.is_empty()) {
        (true, _) => b.clone(),
        (_, true) => a.clone(),
        _ => a.start.min(b.start)..a.end.max(b.end),
    }
}

/// A range of the document's text without the white space around it.
fn trimmed(doc: &Document, range: &Range<u32>) -> Range<u32> {
    let text = &doc.source_text()[range.start as usize..range.end as usize];
    let start = range.start + (text.len() - text.trim_start().len()) as u32;
    start..start.max(range.end - (text.len() - text.trim_end().len()) as u32)
}

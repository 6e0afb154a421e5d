//! Provenance of units: their element and their byte range in the page.

use crate::units::Unit;
use crate::units::builder::Builder;
use crate::units::context::Context;
use crate::units::leaf::Leaf;
use std::ops::Range;
use threshr_html::{Document, NodeId, Tag};

impl Builder<'_> {
    /// Returns the node of a line and its byte range in the page. The node is the element that contains only this
    /// line, otherwise the first text node of the line.
    pub(super) fn provenance(&self, leaf: &Leaf) -> (NodeId, Option<Range<usize>>) {
        let Context { doc, blocks, .. } = &self.context;
        let spans = leaf.block.zip(leaf.spans()).and_then(|(block, range)| blocks.spans(block).get(range));
        let (Some(block), Some(spans)) = (leaf.block, spans) else { return (leaf.node, None) };
        let Some(first) = spans.first() else { return (leaf.node, None) };
        let element = blocks.get(block).map(|block| block.node).filter(|&element| {
            spans.len() == blocks.spans(block).len()
                && blocks.extent(element).blocks.len() == 1
                && !matches!(doc.tag(element), Tag::HTML | Tag::BODY)
                && !self.open.iter().any(|open| open.node == element)
        });
        if let Some(element) = element {
            return (element, doc.source_of(element));
        }
        let places = spans.iter().filter_map(|span| doc.source_of_text(&trimmed(doc, &span.source)));
        (first.node, places.reduce(|a, b| cover(&a, &b)))
    }
}

/// Extends the blocks of a unit by those of a child, and marks the unit as kept if the child is kept.
pub(super) fn include(unit: &mut Unit, child: &Unit) {
    unit.kept |= child.kept;
    unit.blocks = cover(&unit.blocks, &child.blocks);
}

/// Returns the smallest range that contains both ranges. Empty ranges are ignored.
pub(super) fn cover(a: &Range<usize>, b: &Range<usize>) -> Range<usize> {
    match (a.is_empty(), b.is_empty()) {
        (true, _) => b.clone(),
        (_, true) => a.clone(),
        _ => a.start.min(b.start)..a.end.max(b.end),
    }
}

/// Returns a range of the document's text without leading and trailing white space.
fn trimmed(doc: &Document, range: &Range<u32>) -> Range<u32> {
    let text = &doc.source_text()[range.start as usize..range.end as usize];
    let start = range.start + (text.len() - text.trim_start().len()) as u32;
    start..start.max(range.end - (text.len() - text.trim_end().len()) as u32)
}

//! Segmentation: [`Document`] → [`Blocks`], text blocks that get one label each.
//!
//! A *segmentation* determines where blocks end. Each segmentation is one file and one line in [`REGISTRY`]. They
//! share one walk over the tree (`walk.rs`), which collapses white space and writes the text into one string
//! (arena).
//!
//! # How to add a segmentation
//!
//! Write `NAME.rs` with a `static SEGMENTATION: Segmentation`. Its `breaks` returns whether a block ends at a given
//! point of the page. Add it to [`REGISTRY`].

mod boxes;
mod crowding;
mod paragraph;
mod pieces;
mod target_node;
mod text_node;
mod walk;
mod word_boundary;

use crate::blocks::boxes::Boxes;
use crate::structure::{Group, groups};
use crate::{Document, NodeId, Tag, Visibility};
use std::ops::Range;
use threshr_core::registry;
use threshr_core::{Budget, Result};

pub use threshr_core::ParagraphClass;
pub use walk::Break;

/// All segmentations. The first one is the default.
pub static REGISTRY: &[&Segmentation] =
    &[&paragraph::SEGMENTATION, &text_node::SEGMENTATION, &target_node::SEGMENTATION];

/// A rule for where blocks end.
#[derive(Debug)]
pub struct Segmentation {
    /// The name on the command line and in recipes.
    pub name: &'static str,
    /// One line for help texts and tables.
    pub summary: &'static str,
    /// The publication that describes the segmentation.
    pub source: &'static str,
    /// Returns whether a block ends at a point of the page.
    pub breaks: fn(Break) -> bool,
}

/// Returns the segmentation called `name`.
///
/// # Errors
/// If there is no such segmentation. The error lists all names.
pub fn by_name(name: &str) -> Result<&'static Segmentation> {
    registry::find(REGISTRY, "segmentation", name, |entry| entry.name)
}

/// A block. Its ranges refer to the arenas of [`Blocks`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block {
    /// The range of the block's text in [`Blocks::text`]'s arena.
    pub text: Range<u32>,
    /// The range of the block's spans in [`Blocks::spans`].
    pub spans: Range<u32>,
    /// The innermost element around the block whose tags end blocks: in the default segmentation a block-level
    /// element, in segmentation `text-node` the parent of the text node.
    pub node: NodeId,
    /// The innermost table among `node` and its four innermost ancestors. If there is none, the parent of `node`,
    /// or `node` itself at the root. Stored here because later stages run without the document.
    pub around: NodeId,
    /// The parent of the block's first text node.
    pub leaf: NodeId,
    /// Number of start tags inside the block.
    pub num_tags: u32,
    /// Number of start and end tags between the previous block and this one.
    pub gap_tags: u32,
    /// Number of `<br>` between the previous block and this one.
    pub gap_br: u32,
    /// Numbers of tags by kind between the previous block and this one.
    pub gap: Gap,
    /// Number of bytes in the tags of the block and in the tags since the previous block, including attributes.
    pub markup: u32,
}

/// Numbers of tags between two blocks by kind, including the tags that end the first block and begin the second.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Gap {
    /// Start and end tags of `<p>`.
    pub p: u32,
    /// `<br>`, including the `<br>` that end the first block, which `gap_br` does not count.
    pub br: u32,
    /// `<hr>`.
    pub hr: u32,
    /// Start and end tags of inline elements other than `<br>`.
    pub inline: u32,
    /// Start and end tags of block-level elements.
    pub block: u32,
}

impl Gap {
    /// Returns the number of tags of all kinds.
    pub fn all(self) -> u32 {
        // <p> and <hr> are block-level
        self.br + self.inline + self.block
    }
}

/// The part of a block that comes from one text node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Span {
    /// The range of the span's text, with collapsed white space, in [`Blocks::text`]'s arena.
    pub text: Range<u32>,
    /// The range of the original text in [`Document::source_text`].
    pub source: Range<u32>,
    /// The text node from which the span comes.
    pub node: NodeId,
    /// The link that contains the text: an `<a href>`, or any `<a>` if no `<a>` on the page has attributes.
    pub link: Option<NodeId>,
}

/// The blocks of a page, in document order.
#[derive(Debug, Clone, Default)]
pub struct Blocks {
    /// The text of all blocks, without separators between them.
    pub text: String,
    /// The blocks.
    pub blocks: Vec<Block>,
    pub(crate) spans: Vec<Span>,
    pub(crate) elements: Vec<NodeId>,
    pub(crate) extents: Vec<Extent>,
    pub(crate) groups: Vec<Group>,
    /// Whether blocks are merged because the page has too many.
    pub(crate) is_crowded: bool,
    /// The elements for which the tag does not say whether they are block-level.
    pub(crate) boxes: Boxes,
}

/// The index ranges of the blocks and elements inside a node.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Extent {
    /// Range of indices of blocks.
    pub blocks: Range<u32>,
    /// Range of indices in [`Blocks::elements`]. The range of an element begins with the element itself.
    pub elements: Range<u32>,
}

impl Blocks {
    /// Whether an element is block-level: lines end before and after it. Its tag determines this, unless its style or
    /// the text around it says otherwise.
    pub fn is_block_level(&self, doc: &Document, node: NodeId) -> bool {
        self.boxes.is_block_level(node, doc.tag(node))
    }

    /// Splits a document into blocks.
    pub fn new(doc: &Document, segmentation: &Segmentation, visibility: Visibility) -> Blocks {
        Self::within(doc, segmentation, visibility, &Budget::UNLIMITED)
            .unwrap_or_else(|e| unreachable!("without a limit: {e}"))
    }

    /// Splits a document into blocks, within a time budget.
    ///
    /// # Errors
    /// If the time budget is exceeded.
    pub fn within(
        doc: &Document,
        segmentation: &Segmentation,
        visibility: Visibility,
        budget: &Budget,
    ) -> Result<Blocks> {
        let mut blocks = walk::Walk::new(doc, segmentation, visibility).run(budget)?;
        blocks.groups = groups::groups(doc, &blocks);
        Ok(blocks)
    }
    /// Returns the number of bytes that the blocks occupy in memory.
    pub fn size(&self) -> usize {
        self.text.capacity()
            + self.blocks.capacity() * size_of::<Block>()
            + self.spans.capacity() * size_of::<Span>()
            + self.elements.capacity() * size_of::<NodeId>()
            + self.extents.capacity() * size_of::<Extent>()
    }
    /// Returns the groups of blocks that are kept or dropped together, in order: code, data tables, terms
    /// with their definitions, display formulas, embedded posts. Groups do not overlap.
    pub fn groups(&self) -> &[Group] {
        &self.groups
    }
    /// Returns whether a block-level element lies inside a block. This happens only on pages with too many blocks,
    /// where merged blocks extend across the boundaries of elements.
    pub fn has_inside(&self, element: NodeId) -> bool {
        self.is_crowded && self.extents.get(element as usize).is_some_and(|e| e.blocks.is_empty())
    }
    /// Returns the number of blocks.
    pub fn len(&self) -> usize {
        self.blocks.len()
    }
    /// Returns whether the page has no blocks.
    pub fn is_empty(&self) -> bool {
        self.blocks.is_empty()
    }
    /// Returns the block at `index`.
    pub fn get(&self, index: usize) -> Option<&Block> {
        self.blocks.get(index)
    }
    /// Returns an iterator over all blocks.
    pub fn iter(&self) -> std::slice::Iter<'_, Block> {
        self.blocks.iter()
    }
    /// Returns the text of the block at `index` with collapsed white space. A `\n` represents a `<br>` or a
    /// line end in `<pre>`.
    pub fn text(&self, index: usize) -> &str {
        self.blocks.get(index).map_or("", |b| self.slice(&b.text))
    }
    /// Returns the number of characters in the block at `index` that are not white space.
    pub fn num_chars(&self, index: usize) -> usize {
        let text = self.text(index);
        if text.is_ascii() {
            // sums of bytes are vectorised
            let is_shown = |b: &u8| u8::from(!matches!(b, b'\t'..=b'\r' | b' '));
            let parts = text.as_bytes().chunks(u8::MAX.into());
            return parts.map(|part| usize::from(part.iter().map(is_shown).sum::<u8>())).sum();
        }
        text.chars().filter(|c| !c.is_whitespace()).count()
    }
    /// Returns whether `wanted` holds for one of the four innermost elements around the start of a block.
    pub fn is_in(&self, doc: &Document, index: usize, wanted: fn(Tag) -> bool) -> bool {
        self.get(index).is_some_and(|b| doc.ancestors_and_self(b.leaf).take(4).any(|n| wanted(doc.tag(n))))
    }
    /// Returns the text at `range` of the arena.
    pub fn slice(&self, range: &Range<u32>) -> &str {
        &self.text[range.start as usize..range.end as usize]
    }
    /// Returns the spans of the block at `index`.
    pub fn spans(&self, index: usize) -> &[Span] {
        self.blocks.get(index).map_or(&[], |b| &self.spans[b.spans.start as usize..b.spans.end as usize])
    }
    /// Returns the byte range of the block at `index` in the page, from its first to its last span. Offsets are
    /// those of [`Document::source_of`]. Returns `None` if the document has no source map.
    pub fn source(&self, doc: &Document, index: usize) -> Option<Range<usize>> {
        let parts = self.spans(index).iter().filter_map(|span| doc.source_of_text(&span.source));
        parts.reduce(|a, b| a.start.min(b.start)..a.end.max(b.end))
    }
    /// Returns the elements that are visible under the visibility setting, in document order.
    pub fn elements(&self) -> &[NodeId] {
        &self.elements
    }
    /// Returns the index of an element in [`Blocks::elements`], or `None` for other nodes and for elements that are
    /// not kept.
    pub fn element_index(&self, node: NodeId) -> Option<usize> {
        let index = self.extents.get(node as usize)?.elements.start as usize;
        (self.elements.get(index) == Some(&node)).then_some(index)
    }
    /// Returns the index range of the blocks inside `node`.
    pub fn inside(&self, node: NodeId) -> Range<usize> {
        let range = &self.extents[node as usize].blocks;
        range.start as usize..range.end as usize
    }
    /// Returns the index ranges of the blocks and elements inside `node`.
    pub fn extent(&self, node: NodeId) -> &Extent {
        &self.extents[node as usize]
    }
    /// Frees elements, extents, spans and spare capacity. Feature extraction needs them; later stages do not.
    pub fn forget_tree(&mut self) {
        (self.elements, self.extents, self.spans) = (Vec::new(), Vec::new(), Vec::new());
        self.blocks.shrink_to_fit();
        self.text.shrink_to_fit();
    }
    /// Returns the text of the blocks for which `keep` holds, one block per line.
    pub fn join(&self, mut keep: impl FnMut(usize) -> bool) -> String {
        let mut out = String::new();
        for index in (0..self.len()).filter(|&i| keep(i)) {
            if !out.is_empty() {
                out.push('\n');
            }
            out.push_str(self.text(index));
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse_str;

    fn texts(html: &str, name: &str) -> Vec<String> {
        let blocks = Blocks::new(&parse_str(html), by_name(name).expect("it exists"), Visibility::Visible);
        (0..blocks.len()).map(|i| blocks.text(i).to_owned()).collect()
    }

    #[test]
    fn paragraphs_end_at_block_tags_and_double_br() {
        let html = "<div>a <b>b</b>\n <a href=x>c</a><p>d<br>e<br> <br>f</p>g<ul><li>h<li>i</ul></div>";
        assert_eq!(texts(html, "paragraph"), ["a b c", "d\ne", "f", "g", "h", "i"]);
        assert_eq!(texts("<td>x</td><pre>a\n  b</pre>", "paragraph"), ["x", "a\nb"]);
        assert_eq!(texts("a<!-- c -->b<script>x</script>c &nbsp; d", "paragraph"), ["abc d"]);
    }

    #[test]
    fn gaps_count_tags_by_kind() {
        let doc = parse_str("<p class=x>a<b>b</b></p><hr><div><p><i></i>c<br><br>d");
        let blocks = Blocks::new(&doc, REGISTRY[0], Visibility::Visible);
        let gaps: Vec<_> =
            blocks.iter().map(|b| (b.gap.p, b.gap.br, b.gap.hr, b.gap.inline, b.gap.block)).collect();
        // </p> <hr> <div> <p>, then <i> </i>
        assert_eq!(gaps[1..], [(2, 0, 1, 2, 4), (0, 2, 0, 0, 0)]);
        // <html><body><p class="x"><b></b></p>, then <hr><div><p><i></i><br><br>, then </p>
        let markup: Vec<_> = blocks.iter().map(|b| b.markup).collect();
        assert_eq!(markup, [6 + 6 + 13 + 3 + 4 + 4, 4 + 5 + 3 + 3 + 4 + 4 + 4, 4]);
    }

    #[test]
    fn text_nodes_end_at_every_tag() {
        assert_eq!(texts("<p>a <b>b</b>c<br>d <i> </i>", "text-node"), ["a", "b", "c", "d"]);
    }

    #[test]
    fn target_nodes_have_text_only_in_child_text_nodes() {
        // b is a target node; p and span are not, and i has no text
        let html = "<p>a<span>b<b>c</b>d</span>e<i></i>f<br>g</p><ul><li>h<li><a href=x>i</a></ul>j";
        assert_eq!(texts(html, "target-node"), ["ab", "c", "def", "g", "h", "i", "j"]);
        // em is a target node; b and a have text in elements below them
        assert_eq!(
            texts("<p><a href=x>a<b><em>b</em></b></a> c<script>d</script>", "target-node"),
            ["a", "b", "c"]
        );
    }

    #[test]
    fn spans_and_extents_point_at_text_and_elements() {
        let doc = parse_str("<div><p>one <a href=x>two  three</a></p><p>four</p></div><p>five");
        let blocks = Blocks::new(&doc, REGISTRY[0], Visibility::Visible);
        let links: Vec<_> =
            blocks.spans(0).iter().filter(|s| s.link.is_some()).map(|s| blocks.slice(&s.text)).collect();
        assert_eq!(links, ["two three"]);
        let num_links = |html: &str| {
            let blocks = Blocks::new(&parse_str(html), REGISTRY[0], Visibility::Visible);
            blocks.spans(0).iter().filter(|s| s.link.is_some()).count()
        };
        // `<a name>` is not a link; if no `<a>` has an attribute, all are links
        let counts = [
            "<p><a name=x>a</a> <a href=x>b</a> <a>c</a>",
            "<p><a name=x>a</a> <a>b</a>",
            "<p><a>a</a> <a>b</a> c",
        ];
        assert_eq!(counts.map(num_links), [1, 0, 2]);
        let source: Vec<_> = blocks
            .spans(0)
            .iter()
            .map(|s| &doc.source_text()[s.source.start as usize..s.source.end as usize])
            .collect();
        assert_eq!(source, ["one ", "two  three"]);
        let div = doc.descendants(0).find(|&n| doc.path(n) == "html>body>div").expect("a div");
        assert_eq!(blocks.extent(div).blocks, 0..2);
        assert_eq!(blocks.extent(div).elements.len(), 4);
        assert_eq!(blocks.join(|i| i != 1), "one two three\nfive");
    }
}

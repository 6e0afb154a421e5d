//! One walk over the tree that splits it into blocks.

use crate::blocks::boxes::Boxes;
use crate::blocks::crowding::{LONG_BLOCK, MAX_BLOCKS, most_short_blocks};
use crate::blocks::pieces::pieces;
use crate::blocks::word_boundary::{WordBoundary, is_code};
use crate::blocks::{Block, Blocks, Extent, Gap, Segmentation, Span};
use crate::{Document, Kind, NodeId, Tag, Visibility, known_number};
use threshr_core::{Budget, Result};

/// A point of a page where a block may end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Break {
    /// Start or end of a block-level element.
    BlockTag,
    /// Start or end of an inline element.
    InlineTag,
    /// Start or end of an inline element whose text is all in its child text nodes.
    TargetTag,
    /// A `<br>`.
    Br,
    /// The second of two `<br>` with only white space between them.
    DoubleBr,
}

/// All variants of [`Break`], in order.
const BREAKS: [Break; 5] = [Break::BlockTag, Break::InlineTag, Break::TargetTag, Break::Br, Break::DoubleBr];
const _: () = {
    let mut i = 0;
    while i < BREAKS.len() {
        assert!(BREAKS[i] as usize == i);
        i += 1;
    }
};

pub(crate) struct Walk<'a> {
    doc: &'a Document,
    /// Whether a block ends, for each variant of [`Break`].
    breaks: [bool; BREAKS.len()],
    visibility: Visibility,
    /// Which nodes are target nodes. Empty if the segmentation does not use them.
    targets: Vec<bool>,
    out: Blocks,
    /// Stack of the open elements whose tags end blocks.
    containers: Vec<NodeId>,
    /// Stack of the open elements that keep or fold line ends, as `<pre>` does.
    lines: Vec<(NodeId, bool)>,
    /// Whether every `<a>` is a link because no `<a>` has attributes.
    has_bare_links: bool,
    /// Stack of the open links.
    links: Vec<NodeId>,
    /// Number of open code elements (see [`is_code`]).
    num_code: u32,
    /// Number of blocks beyond which only long blocks end.
    most_short_blocks: usize,
    /// Start of the open block's text and spans.
    text_start: usize,
    span_start: usize,
    leaf: Option<NodeId>,
    /// White space to write before the next text.
    space: Option<char>,
    boundary: WordBoundary,
    /// Whether the last text written is code.
    was_code: bool,
    num_br: u32,
    num_tags: u32,
    gap_tags: u32,
    gap_br: u32,
    gap: Gap,
    markup: u32,
    at_end: bool,
}

/// Maximum number of elements that are searched for a table, from a block's element upwards.
const TABLE_LEVELS: usize = 5;

/// Id of the attribute that makes an `<a>` a link.
const HREF: u16 = known_number("href");

/// Length of `<br>` in bytes.
const BR_LENGTH: u32 = 4;

impl<'a> Walk<'a> {
    pub(super) fn new(doc: &'a Document, segmentation: &Segmentation, visibility: Visibility) -> Self {
        Walk {
            doc,
            breaks: BREAKS.map(segmentation.breaks),
            visibility,
            targets: Vec::new(),
            out: Blocks {
                extents: vec![Extent::default(); doc.num_nodes()],
                boxes: Boxes::new(doc, visibility),
                ..Blocks::default()
            },
            containers: vec![doc.root()],
            lines: Vec::new(),
            has_bare_links: doc.has_bare_links(),
            links: Vec::new(),
            num_code: 0,
            most_short_blocks: most_short_blocks(doc),
            text_start: 0,
            span_start: 0,
            leaf: None,
            space: None,
            boundary: WordBoundary::None,
            was_code: false,
            num_br: 0,
            num_tags: 0,
            gap_tags: 0,
            gap_br: 0,
            gap: Gap::default(),
            markup: 0,
            at_end: false,
        }
    }

    /// Walks over the tree and returns its blocks.
    ///
    /// # Errors
    /// If the time budget is exceeded.
    pub(super) fn run(mut self, budget: &Budget) -> Result<Blocks> {
        if self.breaks_at(Break::TargetTag) != self.breaks_at(Break::InlineTag) {
            self.find_targets();
        }
        let root = self.doc.root();
        let mut at = Some(root);
        while let Some(node) = at {
            budget.check_at(node as usize)?;
            let shown = self.shows(node);
            let child = if shown {
                self.enter(node).then(|| self.doc.first_child(node)).flatten()
            } else {
                // an image is visible, so the texts before and after it are separate words
                if self.doc.tag(node) == Tag::SVG {
                    self.boundary = WordBoundary::Separated;
                }
                None
            };
            if child.is_some() {
                at = child;
                continue;
            }
            if shown {
                self.leave(node);
            }
            at = self.after(node, root);
        }
        Ok(self.out)
    }

    /// Whether the chosen visibility keeps a node.
    fn shows(&self, node: NodeId) -> bool {
        self.doc.is_shown(node, self.visibility)
    }

    /// Finds the target nodes, whose visible text is all in their child text nodes.
    fn find_targets(&mut self) {
        #[derive(Clone, Copy, PartialEq)]
        enum Text {
            None,
            Own,
            Below,
        }
        let mut found = vec![Text::None; self.doc.num_nodes()];
        for node in self.doc.descendants(self.doc.root()) {
            let is_text = self.doc.kind(node) == Kind::Text && !self.doc.text(node).trim().is_empty();
            if !is_text || !self.shows(node) {
                continue;
            }
            let mut around = self.doc.ancestors(node);
            if let Some(parent) = around.next().filter(|&p| found[p as usize] == Text::None) {
                found[parent as usize] = Text::Own;
            }
            // the ancestors of a node with `Below` already have it
            for ancestor in around {
                if found[ancestor as usize] == Text::Below {
                    break;
                }
                found[ancestor as usize] = Text::Below;
            }
        }
        self.targets = found.into_iter().map(|t| t == Text::Own).collect();
    }

    /// Returns the next node in document order after the subtree of `node`. Leaves the ancestors that end with
    /// `node`.
    fn after(&mut self, mut node: NodeId, root: NodeId) -> Option<NodeId> {
        while node != root {
            if let Some(next) = self.doc.next_sibling(node) {
                return Some(next);
            }
            node = self.doc.parent(node)?;
            self.leave(node);
        }
        None
    }

    /// Enters a node. Returns whether to visit its children.
    fn enter(&mut self, node: NodeId) -> bool {
        let index = self.out.elements.len() as u32;
        self.out.extents[node as usize].elements = index..index;
        match self.doc.kind(node) {
            Kind::Text => {
                self.add_text(node);
                return false;
            }
            Kind::Document => {}
            Kind::Element => {
                self.out.elements.push(node);
                self.start_tag(node);
            }
        }
        let next = self.out.blocks.len() as u32;
        self.out.extents[node as usize].blocks = next..next;
        true
    }

    fn leave(&mut self, node: NodeId) {
        match self.doc.kind(node) {
            Kind::Text => return,
            Kind::Document => {
                self.at_end = true;
                self.end_block();
            }
            Kind::Element => self.end_tag(node),
        }
        let extent = &mut self.out.extents[node as usize];
        extent.elements.end = self.out.elements.len() as u32;
        extent.blocks.end = self.out.blocks.len() as u32;
    }

    fn start_tag(&mut self, node: NodeId) {
        let tag = self.doc.tag(node);
        if tag == Tag::BR {
            return self.line_break();
        }
        self.count_tag();
        self.num_code += u32::from(is_code(tag));
        if self.break_for(node, tag) {
            self.end_block();
            self.containers.push(node);
        } else if self.leaf.is_some() {
            self.num_tags += 1;
            let is_field = tag == Tag::INPUT
                && !self.doc.attribute(node, "type").is_some_and(|t| t.eq_ignore_ascii_case("hidden"));
            self.boundary = if is_field { WordBoundary::Separated } else { self.boundary.at_start(tag) };
        }
        self.count_gap(tag);
        self.markup = self.markup.saturating_add(self.doc.markup_length(node));
        if self.is_link(node) {
            self.links.push(node);
        }
        let keeps_lines = self.doc.layout(node).keeps_lines;
        if let Some(keeps) = keeps_lines.or_else(|| (tag == Tag::PRE).then_some(true)) {
            self.lines.push((node, keeps));
        }
    }

    fn is_link(&self, node: NodeId) -> bool {
        let has_address = || self.doc.numbered_attribute(node, HREF).is_some();
        self.doc.tag(node) == Tag::A && (self.has_bare_links || has_address())
    }

    fn end_tag(&mut self, node: NodeId) {
        let tag = self.doc.tag(node);
        if tag == Tag::BR {
            return;
        }
        self.count_tag();
        self.num_code -= u32::from(is_code(tag));
        if !tag.is_void() {
            self.markup = self.markup.saturating_add(self.doc.name(node).len() as u32 + 3);
        }
        if self.break_for(node, tag) {
            self.end_block();
            self.containers.pop();
        } else {
            self.boundary = self.boundary.at_end(tag);
        }
        if !tag.is_void() {
            self.count_gap(tag);
        }
        if self.links.last() == Some(&node) {
            self.links.pop();
        }
        if self.lines.last().is_some_and(|open| open.0 == node) {
            self.lines.pop();
        }
    }

    fn breaks_at(&self, at: Break) -> bool {
        self.breaks[at as usize]
    }

    fn break_for(&self, node: NodeId, tag: Tag) -> bool {
        self.breaks_at(if self.out.boxes.is_block_level(node, tag) {
            Break::BlockTag
        } else if self.targets.get(node as usize) == Some(&true) {
            Break::TargetTag
        } else {
            Break::InlineTag
        })
    }

    fn count_tag(&mut self) {
        if self.leaf.is_none() {
            self.gap_tags += 1;
        }
    }

    /// Counts a tag by kind if no block is open.
    fn count_gap(&mut self, tag: Tag) {
        if self.leaf.is_some() {
            return;
        }
        self.gap.p += u32::from(tag == Tag::P);
        self.gap.hr += u32::from(tag == Tag::HR);
        let kind = if tag.is_block_level() { &mut self.gap.block } else { &mut self.gap.inline };
        *kind += 1;
    }

    fn line_break(&mut self) {
        self.num_br += 1;
        self.markup = self.markup.saturating_add(BR_LENGTH);
        if self.leaf.is_none() {
            self.gap_br += 1;
            self.gap.br += 1;
            return;
        }
        self.space = Some('\n');
        if self.breaks_at(if self.num_br == 1 { Break::Br } else { Break::DoubleBr }) {
            let num_br = self.num_br;
            self.end_block();
            self.gap.br = num_br;
            self.gap_br = self.num_br;
        }
    }

    fn keeps_lines(&self) -> bool {
        self.lines.last().is_some_and(|open| open.1)
    }

    fn add_text(&mut self, node: NodeId) {
        let range = self.doc.text_range(node);
        let source = self.doc.text(node);
        let keeps_lines = self.keeps_lines();
        let start = self.out.text.len();
        let mut first_piece = start;
        // white space between pieces is collapsed to one character
        for (piece, gap) in pieces(source) {
            if piece.is_empty() {
                self.add_space(gap, keeps_lines);
                continue;
            }
            let is_code = self.num_code > 0;
            let stays_as_it_is = keeps_lines || is_code && self.was_code || self.space.is_some();
            let before = &self.out.text[self.text_start..];
            if !stays_as_it_is && self.boundary.separates(before, piece) {
                self.space = Some(' ');
            }
            (self.boundary, self.was_code) = (WordBoundary::None, is_code);
            if let Some(space) = self.space.take().filter(|_| self.leaf.is_some()) {
                self.out.text.push(space);
                if self.out.text.len() == start + 1 {
                    first_piece = start + 1;
                }
            }
            if self.leaf.is_none() {
                self.leaf = self.doc.parent(node);
            }
            self.num_br = 0;
            self.out.text.push_str(piece);
            self.add_space(gap, keeps_lines);
        }
        if self.out.text.len() > first_piece {
            let text = first_piece as u32..self.out.text.len() as u32;
            self.out.spans.push(Span { text, source: range, node, link: self.links.last().copied() });
        }
    }

    fn add_space(&mut self, gap: &str, keeps_lines: bool) {
        if gap.is_empty() || self.space == Some('\n') {
            return;
        }
        let newline = keeps_lines && gap.contains('\n');
        self.space = Some(if newline { '\n' } else { ' ' });
    }

    /// Returns the value of [`Block::around`] for a block in `container`.
    fn around(&self, container: NodeId) -> NodeId {
        let mut innermost = self.doc.ancestors_and_self(container).take(TABLE_LEVELS);
        innermost
            .find(|&n| self.doc.tag(n) == Tag::TABLE)
            .unwrap_or_else(|| self.doc.parent(container).unwrap_or(container))
    }

    /// Whether the open block may end although the page has too many blocks.
    fn is_long(&self) -> bool {
        self.out.text.len() - self.text_start >= LONG_BLOCK && self.out.blocks.len() + 1 < MAX_BLOCKS
    }

    fn end_block(&mut self) {
        if self.out.blocks.len() >= self.most_short_blocks && !self.at_end && !self.is_long() {
            self.space = Some('\n');
            self.out.is_crowded = true;
            return;
        }
        self.space = None;
        self.num_br = 0;
        let Some(leaf) = self.leaf.take() else { return };
        let container = self.containers.last().copied().unwrap_or(0);
        self.out.blocks.push(Block {
            text: self.text_start as u32..self.out.text.len() as u32,
            spans: self.span_start as u32..self.out.spans.len() as u32,
            node: container,
            around: self.around(container),
            leaf,
            num_tags: std::mem::take(&mut self.num_tags),
            gap_tags: std::mem::take(&mut self.gap_tags),
            gap_br: std::mem::take(&mut self.gap_br),
            gap: std::mem::take(&mut self.gap),
            markup: std::mem::take(&mut self.markup),
        });
        self.text_start = self.out.text.len();
        self.span_start = self.out.spans.len();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::blocks::REGISTRY;
    use crate::parse_str;

    #[test]
    fn hidden_parts_of_a_line_are_left_out() {
        let doc = parse_str(
            "<section>a<span hidden>b</span>c<span style='display:none'>d<div>e</div>f</span>g\
             <x-tab hidden>h</x-tab></section>\
             <div hidden><span>i</span></div>and more than what is hidden",
        );
        let texts = |visibility| {
            let blocks = Blocks::new(&doc, REGISTRY[0], visibility);
            (0..blocks.len()).map(|i| blocks.text(i).to_owned()).collect::<Vec<_>>().join("|")
        };
        assert_eq!(texts(Visibility::Visible), "acg|and more than what is hidden");
        assert_eq!(texts(Visibility::WithHidden), "abcd|e|fgh|i|and more than what is hidden");
    }
}

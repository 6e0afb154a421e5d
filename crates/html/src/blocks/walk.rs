//! One pass over the tree that cuts it into blocks.

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
    /// Start or end of an inline element with text right below it and none in elements below it.
    TargetTag,
    /// A `<br>`.
    Br,
    /// The second `<br>` in a row, with nothing but white space between.
    DoubleBr,
}

/// All of them, in order.
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
    /// By [`Break`].
    breaks: [bool; BREAKS.len()],
    visibility: Visibility,
    /// Which nodes are hidden within a line, where hidden text is weighed; else empty.
    left_out: Vec<bool>,
    /// Which nodes are target nodes; empty where the segmentation does not ask.
    targets: Vec<bool>,
    out: Blocks,
    /// Innermost element whose tags break blocks, and whether it is `<pre>`.
    containers: Vec<(NodeId, bool)>,
    /// Whether every `<a>` is a link, since the page has lost its attributes.
    has_bare_links: bool,
    /// Links that are open.
    links: Vec<NodeId>,
    /// Elements with code that are open.
    num_code: u32,
    /// Where the open block's text and spans begin.
    text_start: usize,
    span_start: usize,
    leaf: Option<NodeId>,
    /// White space to be written before the next text.
    space: Option<char>,
    seam: WordBoundary,
    /// Whether the last text is code.
    was_code: bool,
    num_br: u32,
    num_tags: u32,
    gap_tags: u32,
    gap_br: u32,
    gap: Gap,
    markup: u32,
    at_end: bool,
}

/// Most blocks of a page: what follows joins the last one. A block's features take some kilobytes; pages that people
/// read have thousands.
const MAX_BLOCKS: usize = 1 << 18;

/// How far up from a block's element a table is looked for.
const TABLE_LEVELS: usize = 5;

/// Number of the attribute that makes an `<a>` a link.
const HREF: u16 = known_number("href");

/// Bytes of `<br>`.
const BR_LENGTH: u32 = 4;

impl<'a> Walk<'a> {
    /// # Errors
    /// Where the time is over.
    pub fn new(
        doc: &'a Document,
        segmentation: &Segmentation,
        visibility: Visibility,
        budget: &Budget,
    ) -> Result<Self> {
        let left_out =
            if visibility == Visibility::Weighed { hidden_within_lines(doc, budget)? } else { Vec::new() };
        Ok(Walk {
            doc,
            breaks: BREAKS.map(segmentation.breaks),
            visibility,
            left_out,
            targets: Vec::new(),
            out: Blocks { extents: vec![Extent::default(); doc.num_nodes()], ..Blocks::default() },
            containers: vec![(doc.root(), false)],
            has_bare_links: doc.has_bare_links(),
            links: Vec::new(),
            num_code: 0,
            text_start: 0,
            span_start: 0,
            leaf: None,
            space: None,
            seam: WordBoundary::None,
            was_code: false,
            num_br: 0,
            num_tags: 0,
            gap_tags: 0,
            gap_br: 0,
            gap: Gap::default(),
            markup: 0,
            at_end: false,
        })
    }

    /// # Errors
    /// Where the time is over.
    pub fn run(mut self, budget: &Budget) -> Result<Blocks> {
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
                // a drawing, which a reader sees
                if self.doc.tag(node) == Tag::SVG {
                    self.seam = WordBoundary::Parted;
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

    /// Whether a node is looked at.
    fn shows(&self, node: NodeId) -> bool {
        self.doc.is_shown(node, self.visibility) && self.left_out.get(node as usize) != Some(&true)
    }

    /// Whether what hides a node begins with it, where hidden text is weighed: such stands in blocks of its own.
    fn begins_hidden(&self, node: NodeId) -> bool {
        self.visibility == Visibility::Weighed && begins_hidden(self.doc, node)
    }

    /// For each node whether it has text of its own that is shown, and none in elements below.
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
            // ancestors of a node with text below are marked already
            for ancestor in around {
                if found[ancestor as usize] == Text::Below {
                    break;
                }
                found[ancestor as usize] = Text::Below;
            }
        }
        self.targets = found.into_iter().map(|t| t == Text::Own).collect();
    }

    /// The next node in document order after the subtree of `node`, leaving those ancestors that end with it.
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

    /// Whether the node's children are to be visited.
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
            self.containers.push((node, tag == Tag::PRE || self.in_pre()));
        } else if self.leaf.is_some() {
            self.num_tags += 1;
            let is_field = tag == Tag::INPUT
                && !self.doc.attribute(node, "type").is_some_and(|t| t.eq_ignore_ascii_case("hidden"));
            self.seam = if is_field { WordBoundary::Parted } else { self.seam.at_start(tag) };
        }
        self.count_gap(tag);
        self.markup = self.markup.saturating_add(self.doc.markup_length(node));
        if self.is_link(node) {
            self.links.push(node);
        }
    }

    fn is_link(&self, node: NodeId) -> bool {
        let has_address = || self.doc.numbered_attributes(node).any(|(number, _)| number == HREF);
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
            self.seam = self.seam.at_end(tag);
        }
        if !tag.is_void() {
            self.count_gap(tag);
        }
        if self.links.last() == Some(&node) {
            self.links.pop();
        }
    }

    fn breaks_at(&self, at: Break) -> bool {
        self.breaks[at as usize]
    }

    fn break_for(&self, node: NodeId, tag: Tag) -> bool {
        if self.begins_hidden(node) {
            return true;
        }
        self.breaks_at(if tag.is_block_level() {
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

    /// Counts a tag by kind where no block is open.
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

    fn in_pre(&self) -> bool {
        self.containers.last().is_some_and(|c| c.1)
    }

    fn add_text(&mut self, node: NodeId) {
        let range = self.doc.text_range(node);
        let source = self.doc.text(node);
        let in_pre = self.in_pre();
        let start = self.out.text.len();
        let mut first_piece = start;
        // white space between pieces is folded to one character
        for (piece, gap) in pieces(source) {
            if piece.is_empty() {
                self.add_space(gap, in_pre);
                continue;
            }
            let is_code = self.num_code > 0;
            let stays_as_it_is = in_pre || is_code && self.was_code || self.space.is_some();
            let before = &self.out.text[self.text_start..];
            if !stays_as_it_is && self.seam.parts(before, piece) {
                self.space = Some(' ');
            }
            (self.seam, self.was_code) = (WordBoundary::None, is_code);
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
            self.add_space(gap, in_pre);
        }
        if self.out.text.len() > first_piece {
            let text = first_piece as u32..self.out.text.len() as u32;
            self.out.spans.push(Span { text, source: range, node, link: self.links.last().copied() });
        }
    }

    fn add_space(&mut self, gap: &str, in_pre: bool) {
        if gap.is_empty() || self.space == Some('\n') {
            return;
        }
        let newline = in_pre && gap.contains('\n');
        self.space = Some(if newline { '\n' } else { ' ' });
    }

    /// [`Block::around`].
    fn around(&self, container: NodeId) -> NodeId {
        let mut near = self.doc.ancestors_and_self(container).take(TABLE_LEVELS);
        near.find(|&n| self.doc.tag(n) == Tag::TABLE)
            .unwrap_or_else(|| self.doc.parent(container).unwrap_or(container))
    }

    fn end_block(&mut self) {
        if self.out.blocks.len() + 1 >= MAX_BLOCKS && !self.at_end {
            self.space = Some('\n');
            return;
        }
        self.space = None;
        self.num_br = 0;
        let Some(leaf) = self.leaf.take() else { return };
        let container = self.containers.last().map_or(0, |c| c.0);
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

/// Whether an element is hidden and what it stands in is not.
fn begins_hidden(doc: &Document, node: NodeId) -> bool {
    doc.kind(node) == Kind::Element
        && !doc.is_visible(node)
        && doc.parent(node).is_some_and(|p| doc.is_visible(p))
}

/// For each node whether an inline element hides it that holds no block-level one: a part of a line, which is no part of a
/// block that can be seen. Elements of an author's own (`<x-panel>`) may be anything.
fn hidden_within_lines(doc: &Document, budget: &Budget) -> Result<Vec<bool>> {
    let mut left_out = vec![false; doc.num_nodes()];
    let is_inline = |n: NodeId| {
        doc.kind(n) != Kind::Element || !(doc.tag(n).is_block_level() || doc.name(n).contains('-'))
    };
    let elements = doc.descendants(doc.root()).filter(|&n| is_inline(n) && begins_hidden(doc, n));
    for node in elements {
        budget.check_at(node as usize)?;
        if doc.descendants(node).all(is_inline) {
            left_out[node as usize] = true;
            doc.descendants(node).for_each(|n| left_out[n as usize] = true);
        }
    }
    Ok(left_out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::blocks::REGISTRY;
    use crate::parse_str;

    #[test]
    fn what_is_hidden_within_a_line_is_no_part_of_it() {
        let doc = parse_str(
            "<section>a<span hidden>b</span>c<span style='display:none'>d<div>e</div>f</span>g<x-tab hidden>h</x-tab></section>\
             <div hidden><span>i</span></div>and more than what is hidden",
        );
        let texts = |visibility| {
            let blocks = Blocks::of(&doc, REGISTRY[0], visibility);
            (0..blocks.len()).map(|i| blocks.text(i).to_owned()).collect::<Vec<_>>().join("|")
        };
        assert_eq!(texts(Visibility::Visible), "acg|and more than what is hidden");
        assert_eq!(texts(Visibility::Weighed), "ac|d|e|f|g|h|i|and more than what is hidden");
        assert_eq!(texts(Visibility::WithHidden), "abcd|e|fgh|i|and more than what is hidden");
    }
}

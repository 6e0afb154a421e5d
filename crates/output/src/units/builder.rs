//! Document, blocks and labels → units, in one walk over the tree.

use crate::units::context::Context;
use crate::units::inline::{AtomKind, Inlines, Link, Style};
use crate::units::leaf::Leaf;
use crate::units::lists::Numbers;
use crate::units::provenance::{cover, include};
use crate::units::raw_tex::mark_formulas;
use crate::units::ruby;
use crate::units::{Kind, Unit};
use rustc_hash::FxHashMap;
use std::rc::Rc;
use threshr_core::{Budget, Result};
use threshr_html::blocks::Blocks;
use threshr_html::structure::formulas::{Found, formula};
use threshr_html::structure::names::Roles;
use threshr_html::{Document, Kind as NodeKind, NodeId, Tag};
use threshr_page::address::Base;
use threshr_page::metadata::Post;

/// The page of which units are built.
#[derive(Debug, Clone, Copy)]
pub struct Source<'a> {
    /// Its document.
    pub doc: &'a Document,
    /// Its blocks.
    pub blocks: &'a Blocks,
    /// Whether each block is kept.
    pub kept: &'a [bool],
    /// The score of each block.
    pub scores: &'a [f32],
    /// Its address, if known.
    pub url: Option<&'a str>,
    /// Whether links and images are wanted. Without them, the tree has the same text.
    pub has_addresses: bool,
    /// Its posts. They become units.
    pub posts: &'a [Post],
}

/// The units of a page: those that are kept, or all.
///
/// # Errors
/// [`ErrorKind::Timeout`](threshr_core::ErrorKind::Timeout) if the budget is used up.
pub fn tree(source: &Source<'_>, all: bool, budget: &Budget) -> Result<Vec<Unit>> {
    let &Source { doc, blocks, kept, scores, url, has_addresses, posts } = source;
    if !all && !kept.contains(&true) {
        return Ok(Vec::new());
    }
    let context = Context::new(doc, blocks, kept, scores, has_addresses.then(|| Base::of(doc, url)));
    let mut builder = Builder {
        context,
        all,
        open: vec![Open {
            node: doc.root(),
            unit: container(Kind::Paragraph, doc.root()),
            cells: FxHashMap::default(),
        }],
        leaf: None,
        style: Style::default(),
        link: None,
        styles: Vec::new(),
        numbers: Numbers::default(),
        next_block: 0,
        rows: Vec::new(),
        ruby: None,
        ruby_start: None,
        posts: posts.iter().map(|post| (post.node, post)).collect(),
    };
    let root = doc.root();
    let mut at = Some(root);
    while let Some(node) = at {
        budget.check_at(node as usize)?;
        let enters = builder.enter(node);
        if enters && let Some(child) = doc.first_child(node) {
            at = Some(child);
            continue;
        }
        if enters {
            builder.leave(node);
        }
        let mut last = node;
        at = loop {
            if last == root {
                break None;
            }
            if let Some(next) = doc.next_sibling(last) {
                break Some(next);
            }
            let Some(parent) = doc.parent(last) else { break None };
            last = parent;
            builder.leave(last);
        };
    }
    Ok(builder.finish())
}

/// An empty unit.
pub(super) fn container(kind: Kind, node: NodeId) -> Unit {
    Unit {
        kind,
        inlines: Inlines::default(),
        children: Vec::new(),
        node,
        source: None,
        text: 0..0,
        blocks: 0..0,
        score: None,
        kept: false,
    }
}

/// A unit that is being built.
pub(super) struct Open {
    pub(super) node: NodeId,
    pub(super) unit: Unit,
    /// The places of the cells of a table.
    pub(super) cells: FxHashMap<NodeId, Kind>,
}

pub(super) struct Builder<'a> {
    pub(super) context: Context<'a>,
    pub(super) all: bool,
    /// The open units, outermost first. The first one is the page.
    pub(super) open: Vec<Open>,
    pub(super) leaf: Option<Leaf>,
    pub(super) style: Style,
    pub(super) link: Option<Rc<Link>>,
    /// The elements that changed style or link, with what was before.
    pub(super) styles: Vec<(NodeId, Style, Option<Rc<Link>>)>,
    pub(super) numbers: Numbers,
    /// The number of the next block.
    pub(super) next_block: usize,
    /// Rows of layout tables inside a cell, with the number of units before them.
    pub(super) rows: Vec<(NodeId, usize)>,
    /// The last ruby text, and whether its readings are in parentheses on the page.
    pub(super) ruby: Option<(NodeId, bool)>,
    /// The open ruby element, and the length of the line before it.
    pub(super) ruby_start: Option<(NodeId, usize)>,
    /// The posts by element.
    posts: FxHashMap<NodeId, &'a Post>,
}

impl Builder<'_> {
    /// Begins a node. Returns whether its children are read.
    fn enter(&mut self, node: NodeId) -> bool {
        let doc = self.context.doc;
        match doc.kind(node) {
            NodeKind::Text => {
                self.text(node);
                return false;
            }
            NodeKind::Document => return true,
            NodeKind::Element => {}
        }
        let tag = doc.tag(node);
        if tag.is_block_level() && self.context.blocks.has_inside(node) {
            return true;
        }
        let roles = Roles::of(doc, node);
        match formula(doc, node, roles) {
            Some(Found::Formula(formula)) => {
                self.formula(node, formula);
                return false;
            }
            Some(Found::OtherForm) => return false,
            None => {}
        }
        if tag.is_block_level() {
            self.close_leaf();
            if !self.all && self.is_dropped(node) && tag != Tag::FIGURE {
                self.next_block = self.context.blocks.extent(node).blocks.end as usize;
                return false;
            }
        }
        if self.atom(node, tag, roles) {
            return false;
        }
        if tag == Tag::TR && matches!(self.innermost(), Kind::Cell { .. }) {
            self.rows.push((node, self.open.last().map_or(0, |open| open.unit.children.len())));
        }
        self.begin_post(node, tag, false);
        let has_room = self.has_room();
        if has_room && let Some(kind) = self.container_of(node, tag, roles) {
            self.close_leaf();
            self.open.push(Open { node, unit: container(kind, node), cells: FxHashMap::default() });
        } else if has_room
            && tag == Tag::TABLE
            && let Some((kind, cells)) = self.table(node)
        {
            self.close_leaf();
            self.open.push(Open { node, unit: container(kind, node), cells });
        }
        self.begin_post(node, tag, true);
        if !tag.is_block_level() {
            self.inline_element(node, tag);
        }
        true
    }

    /// Whether a unit may begin here. Units that are nested too deeply become part of the unit around them.
    fn has_room(&self) -> bool {
        self.open.len() < MAX_DEPTH || matches!(self.innermost(), Kind::Table { .. })
    }

    fn leave(&mut self, node: NodeId) {
        let doc = self.context.doc;
        if doc.kind(node) != NodeKind::Element {
            return;
        }
        let tag = doc.tag(node);
        match tag {
            Tag::Q => self.push_after(if self.is_inner_quotation(node) { "’" } else { "”" }),
            Tag::RT if !self.has_parentheses(node) => self.push_after(")"),
            Tag::RUBY => {
                let start = self.ruby_start.take().filter(|start| start.0 == node);
                if let (Some((_, start)), Some(leaf)) = (start, &mut self.leaf) {
                    ruby::mark(&mut leaf.inlines, start);
                }
            }
            _ => {}
        }
        let ends_line = tag.is_block_level() && !self.context.blocks.has_inside(node);
        if ends_line || self.open.last().is_some_and(|open| open.node == node) {
            self.close_leaf();
        }
        if let Some((_, first)) = self.rows.pop_if(|row| row.0 == node) {
            self.join_row(first);
        }
        while self.open.len() > 1 && self.open.last().is_some_and(|open| open.node == node) {
            self.close_unit();
        }
        while let Some((_, style, link)) = self.styles.pop_if(|saved| saved.0 == node) {
            (self.style, self.link) = (style, link);
        }
    }

    /// Begins the unit of a post: outside the unit of its element, or inside the unit of an item or a definition.
    fn begin_post(&mut self, node: NodeId, tag: Tag, is_inside: bool) {
        let is_part = matches!(tag, Tag::LI | Tag::DD);
        let in_table = matches!(self.innermost(), Kind::Table { .. });
        let begins = is_part == is_inside && !in_table && self.has_room();
        let Some(post) = self.posts.get(&node).filter(|_| begins) else {
            return;
        };
        let kind = Kind::Post { author: post.author.clone(), date: post.date.clone() };
        self.close_leaf();
        self.open.push(Open { node, unit: container(kind, node), cells: FxHashMap::default() });
    }

    /// The kind of the innermost open unit.
    fn innermost(&self) -> &Kind {
        self.open.last().map_or(&Kind::Paragraph, |open| &open.unit.kind)
    }

    /// Joins the cells of a row of a layout table inside a cell to one line.
    fn join_row(&mut self, first: usize) {
        let Some(open) = self.open.last_mut() else { return };
        let row = &mut open.unit.children;
        if row.len() < first + 2 || row[first..].iter().any(|unit| unit.kind != Kind::Paragraph) {
            return;
        }
        let mut cells = row.split_off(first).into_iter();
        let Some(mut line) = cells.next() else { return };
        for cell in cells {
            include(&mut line, &cell);
            line.source = match (line.source.take(), &cell.source) {
                (Some(own), Some(other)) => Some(cover(&own, other)),
                (own, _) => own,
            };
            line.inlines.append(cell.inlines, " ");
        }
        row.push(line);
    }

    fn finish(mut self) -> Vec<Unit> {
        self.close_leaf();
        while self.open.len() > 1 {
            self.close_unit();
        }
        self.open.pop().map(|page| page.unit.children).unwrap_or_default()
    }

    /// Whether an element has blocks and none is kept.
    pub(super) fn is_dropped(&self, node: NodeId) -> bool {
        let blocks = self.context.blocks.extent(node).blocks.clone();
        !blocks.is_empty() && !self.context.kept[blocks.start as usize..blocks.end as usize].contains(&true)
    }

    /// The open line; a new one if there is none.
    pub(super) fn leaf_at(&mut self, node: NodeId) -> &mut Leaf {
        let next = self.next_block;
        self.leaf.get_or_insert_with(|| Leaf::new(node, next))
    }

    fn text(&mut self, node: NodeId) {
        let Some((block, number)) = self.context.span(node) else { return };
        self.next_block = block + 1;
        if !self.all && !self.context.kept[block] {
            return self.close_leaf();
        }
        self.begin_leaf(node, block);
        let is_code = |tag: Tag| matches!(tag, Tag::CODE | Tag::SAMP | Tag::TT | Tag::KBD);
        let doc = self.context.doc;
        let code = self.styles.iter().rev().map(|saved| saved.0).find(|&n| is_code(doc.tag(n)));
        if let Some(leaf) = &mut self.leaf {
            leaf.push_span(&self.context, (block, number), self.style, self.link.as_ref(), code);
        }
    }

    /// Opens a line for the text of a block, unless the open line has text of this block or none.
    pub(super) fn begin_leaf(&mut self, node: NodeId, block: usize) {
        if self.leaf.as_ref().is_some_and(|leaf| leaf.block.is_some_and(|own| own != block)) {
            self.close_leaf();
        }
        self.leaf.get_or_insert_with(|| Leaf::new(node, block));
    }

    fn push_after(&mut self, text: &str) {
        let (style, link) = (self.style, self.link.clone());
        if let Some(leaf) = &mut self.leaf {
            leaf.push_after(text, style, link.as_ref());
        }
    }

    /// A unit with the mean score of its blocks, and whether one of them is kept.
    pub(super) fn with_score(&self, mut unit: Unit) -> Unit {
        let Context { blocks, scores, kept, .. } = &self.context;
        let weight = |i: usize| blocks.text(i).len().max(1) as f64;
        let weights: f64 = unit.blocks.clone().map(weight).sum();
        let sum: f64 = unit.blocks.clone().map(|i| weight(i) * f64::from(scores[i])).sum();
        unit.score = (weights > 0.0).then(|| (sum / weights) as f32);
        unit.kept = unit.blocks.clone().any(|i| kept[i]);
        unit
    }

    /// Ends the open line.
    pub(super) fn close_leaf(&mut self) {
        let Some(mut leaf) = self.leaf.take() else { return };
        self.ruby_start = None;
        leaf.finish();
        if leaf.shows_nothing() {
            return;
        }
        if memchr::memchr2(b'$', b'\\', leaf.inlines.text.as_bytes()).is_some() {
            mark_formulas(&mut leaf.inlines, self.context.typesets_text());
        }
        let mut unit = container(Kind::Paragraph, leaf.node);
        (unit.node, unit.source, unit.text) = self.provenance(&leaf);
        unit.blocks = leaf.block.map_or(0..0, |block| block..block + 1);
        unit = self.with_score(unit);
        if leaf.block.is_none() {
            unit.kept = self.context.follows_kept_text(leaf.node, leaf.next);
        }
        if !self.all && !unit.kept {
            return;
        }
        if let [atom] = &leaf.inlines.atoms[..]
            && let AtomKind::Math { tex, display: true } = &atom.kind
            && atom.text == (0..leaf.inlines.text.len())
        {
            unit.kind = Kind::Math;
            unit.inlines = Inlines::plain(tex.clone());
        } else {
            unit.inlines = leaf.inlines;
        }
        self.add(unit);
    }

    pub(super) fn add(&mut self, mut unit: Unit) {
        let last = self.open.last().and_then(|open| open.unit.children.last());
        if unit.kind == Kind::Rule && last.is_some_and(|last| last.kind == Kind::Rule) {
            return;
        }
        unit.source = unit.source.or_else(|| self.context.doc.source_of(unit.node));
        if unit.text.is_empty() && !unit.blocks.is_empty() {
            let block =
                |index: usize| self.context.blocks.get(index).map_or(0..0, |block| block.text.clone());
            unit.text = block(unit.blocks.start).start..block(unit.blocks.end - 1).end;
        }
        if let Some(open) = self.open.last_mut() {
            open.unit.children.push(unit);
        }
    }

    /// Ends the innermost unit.
    fn close_unit(&mut self) {
        let Some(Open { mut unit, .. }) = self.open.pop() else { return };
        let mut below = Vec::new();
        if unit.kind.is_line() {
            let mut children = std::mem::take(&mut unit.children);
            if matches!(unit.kind, Kind::Heading { .. }) {
                below = paragraphs_of(&mut children);
            }
            for child in children {
                include(&mut unit, &child);
                match child.kind {
                    Kind::Paragraph => unit.inlines.append(child.inlines, "\n"),
                    _ => unit.children.push(child),
                }
            }
        } else {
            let children = std::mem::take(&mut unit.children);
            children.iter().for_each(|child| include(&mut unit, child));
            unit.children = children;
        }
        // an empty cell keeps its place in the row
        let is_empty_cell = |unit: &Unit| matches!(unit.kind, Kind::Cell { .. }) && unit.children.is_empty();
        if unit.inlines.is_empty() && unit.children.iter().all(is_empty_cell) && !is_empty_cell(&unit) {
            return;
        }
        let kept = unit.kept;
        if !unit.blocks.is_empty() {
            unit = self.with_score(unit);
            unit.kept = kept;
        }
        let is_note = |unit: &Unit| matches!(unit.kind, Kind::FootnoteDefinition { .. });
        if matches!(unit.kind, Kind::List { .. }) && unit.children.iter().all(is_note) {
            unit.children.into_iter().for_each(|note| self.add(note));
        } else {
            self.add(unit);
        }
        below.into_iter().for_each(|paragraph| self.add(paragraph));
    }
}

/// Most units around a unit. Readers of JSON such as `serde_json` accept 128 levels, and a unit takes two.
const MAX_DEPTH: usize = 50;

/// Most characters of a heading that has several lines.
const MAX_HEADING: usize = 200;

/// Takes the paragraphs out of a heading that is not closed on the page: all but the first line, if they are long.
fn paragraphs_of(children: &mut Vec<Unit>) -> Vec<Unit> {
    let lengths = || children.iter().skip(1).map(|child| child.inlines.text.chars().count());
    if lengths().sum::<usize>() > MAX_HEADING { children.split_off(1) } else { Vec::new() }
}

//! Document, blocks and labels → units, in one walk over the tree.

use crate::units::containers;
use crate::units::context::Context;
use crate::units::equations;
use crate::units::figures;
use crate::units::inline::{AtomKind, Inlines, Link, Style};
use crate::units::leaf::Leaf;
use crate::units::lists::{self, Numbers};
use crate::units::notes::InlineNotes;
use crate::units::provenance::include;
use crate::units::raw_tex::mark_formulas;
use crate::units::ruby;
use crate::units::{AboutPost, Kind, Unit};
use rustc_hash::FxHashMap;
use std::rc::Rc;
use threshr_core::{Budget, Result};
use threshr_html::blocks::Blocks;
use threshr_html::structure::formulas::{Found, formula};
use threshr_html::structure::mail::hidden_address;
use threshr_html::structure::names::{Role, Roles};
use threshr_html::structure::notes::Notes;
use threshr_html::structure::tables::is_table;
use threshr_html::{Document, Kind as NodeKind, NodeId, Tag};
use threshr_page::metadata::Post;

/// The input from which units are built.
#[derive(Debug, Clone, Copy)]
pub struct Source<'a> {
    /// The page's document.
    pub doc: &'a Document,
    /// The page's blocks.
    pub blocks: &'a Blocks,
    /// Whether each block is kept.
    pub kept: &'a [bool],
    /// The score of each block.
    pub scores: &'a [f32],
    /// The URL of the page, if known.
    pub url: Option<&'a str>,
    /// Whether links and images are built. The text of the tree does not depend on this option.
    pub has_addresses: bool,
    /// The posts of the page. Each becomes a unit.
    pub posts: &'a [Post],
    /// The footnotes of the page. If `None`, they are found in the document.
    pub notes: Option<&'a Notes>,
}

/// Builds all units of a page, or only the kept units.
///
/// # Errors
/// [`ErrorKind::Timeout`](threshr_core::ErrorKind::Timeout) if the budget is exceeded.
pub fn tree(source: &Source<'_>, all: bool, budget: &Budget) -> Result<Vec<Unit>> {
    if !all && !source.kept.contains(&true) {
        return Ok(Vec::new());
    }
    let mut builder = Builder::new(Context::new(source, source.kept), all);
    builder.posts =
        source.posts.iter().enumerate().map(|(number, post)| (post.node, (number, post))).collect();
    builder.walk(source.doc.root(), budget)?;
    Ok(builder.finish())
}

/// Builds the units of the text of each post of a page, whether the text is kept or not.
///
/// # Errors
/// [`ErrorKind::Timeout`](threshr_core::ErrorKind::Timeout) if the budget is exceeded.
pub fn trees_of_posts(source: &Source<'_>, budget: &Budget) -> Result<Vec<Vec<Unit>>> {
    let &Source { blocks, posts, .. } = source;
    let none = vec![false; blocks.len()];
    let mut builder = Builder::new(Context::new(source, &none), false);
    let mut trees = Vec::with_capacity(posts.len());
    for post in posts {
        builder.context.set_kept(&post.blocks, true);
        builder.next_block = blocks.extent(post.node).blocks.start as usize;
        builder.walk_neighbours(post.node, post.last, budget)?;
        trees.push(builder.finish());
        builder.context.set_kept(&post.blocks, false);
        builder = Builder::new(builder.context, false);
    }
    Ok(trees)
}

/// Creates a unit without text and children.
pub(super) fn container(kind: Kind, node: NodeId) -> Unit {
    Unit {
        kind,
        inlines: Inlines::default(),
        children: Vec::new(),
        node,
        source: None,
        blocks: 0..0,
        score: None,
        kept: false,
    }
}

/// A unit whose element is not closed yet.
pub(super) struct Open {
    pub(super) node: NodeId,
    pub(super) unit: Unit,
    /// If the unit is a table: the kind of each of its cells, by element.
    pub(super) cells: FxHashMap<NodeId, Kind>,
}

pub(super) struct Builder<'a> {
    pub(super) context: Context<'a>,
    pub(super) all: bool,
    /// The open units, outermost first. The first one represents the page.
    pub(super) open: Vec<Open>,
    pub(super) leaf: Option<Leaf>,
    pub(super) style: Style,
    pub(super) link: Option<Rc<Link>>,
    /// The open elements that changed the style or link, each with the previous style and link.
    pub(super) styles: Vec<(NodeId, Style, Option<Rc<Link>>)>,
    pub(super) numbers: Numbers,
    /// Index of the next block.
    pub(super) next_block: usize,
    /// Open rows of layout tables inside a cell, each with the number of child units before it.
    pub(super) rows: Vec<(NodeId, usize)>,
    /// The last ruby element that was read, and whether it has `<rp>` elements, which contain parentheses
    /// around pronunciations.
    pub(super) ruby: Option<(NodeId, bool)>,
    /// The open ruby element, and the length in bytes of the line before it.
    pub(super) ruby_start: Option<(NodeId, usize)>,
    /// The last cell of the row of equations whose formula is already written.
    pub(super) joined: NodeId,
    /// Notes inside a line.
    pub(super) inline_notes: InlineNotes,
    /// Number and post, by the first element of the post.
    posts: FxHashMap<NodeId, (usize, &'a Post)>,
}

impl<'a> Builder<'a> {
    fn new(context: Context<'a>, all: bool) -> Self {
        let root = context.doc.root();
        let unit = container(Kind::Paragraph, root);
        Builder {
            context,
            all,
            open: vec![Open { node: root, unit, cells: FxHashMap::default() }],
            leaf: None,
            style: Style::default(),
            link: None,
            styles: Vec::new(),
            numbers: Numbers::default(),
            next_block: 0,
            rows: Vec::new(),
            ruby: None,
            ruby_start: None,
            joined: 0,
            inline_notes: InlineNotes::default(),
            posts: FxHashMap::default(),
        }
    }

    /// Walks over a node and its descendants.
    fn walk(&mut self, root: NodeId, budget: &Budget) -> Result<()> {
        let doc = self.context.doc;
        let mut at = Some(root);
        while let Some(node) = at {
            budget.check_at(node as usize)?;
            let enters = self.enter(node);
            if enters && let Some(child) = doc.first_child(node) {
                at = Some(child);
                continue;
            }
            if enters {
                self.leave(node);
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
                self.leave(last);
            };
        }
        Ok(())
    }

    /// Walks over the sibling nodes from `first` to `last` and the text after them. Applies the styles and
    /// links of their ancestors.
    fn walk_neighbours(&mut self, first: NodeId, last: NodeId, budget: &Budget) -> Result<()> {
        let doc = self.context.doc;
        let around: Vec<NodeId> = doc.ancestors(first).collect();
        let mut entered = around.iter().rev().take_while(|&&node| self.enter(node)).count();
        if entered == around.len() {
            let (mut at, mut is_behind) = (Some(first), false);
            while let Some(node) = at.filter(|&node| !is_behind || doc.kind(node) != NodeKind::Element) {
                self.walk(node, budget)?;
                is_behind |= node == last;
                at = doc.next_sibling(node);
            }
        }
        while entered > 0 {
            self.leave(around[around.len() - entered]);
            entered -= 1;
        }
        Ok(())
    }

    /// Enters a node. Returns whether to visit its children.
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
        if tag == Tag::TD && node <= self.joined {
            return false;
        }
        let is_block = self.context.blocks.is_block_level(doc, node);
        if is_block && tag.is_block_level() && self.context.blocks.has_inside(node) {
            return true;
        }
        let roles = Roles::new(doc, node);
        if matches!(tag, Tag::A | Tag::SPAN)
            && let Some(address) = hidden_address(doc, node)
        {
            self.mail(node, &address);
            return false;
        }
        match formula(doc, node, roles) {
            Some(Found::Formula(formula)) => {
                self.formula(node, formula);
                return false;
            }
            Some(Found::OtherForm) => return false,
            None => {}
        }
        if is_block {
            self.close_leaf();
            if !self.all && self.is_dropped(node) && tag != Tag::FIGURE && !self.context.may_show_figure(node)
            {
                self.next_block = self.context.blocks.extent(node).blocks.end as usize;
                return false;
            }
        }
        self.begin_next_note(node);
        if self.atom(node, tag, roles) {
            return false;
        }
        if roles.has(Role::InlineNote) && self.begin_inline_note(node, tag) {
            return true;
        }
        if tag == Tag::TR {
            self.equation_row(node);
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
            && is_table(doc, node)
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

    /// Whether a unit may begin here. At the maximum depth, text becomes part of the enclosing unit.
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
            // phpBB: the author, then the quoted text
            Tag::CITE if containers::begins_quote(doc, node) => self.close_leaf(),
            Tag::RT if !self.has_parentheses(node) => self.push_after(")"),
            Tag::RUBY => {
                let start = self.ruby_start.take().filter(|start| start.0 == node);
                if let (Some((_, start)), Some(leaf)) = (start, &mut self.leaf) {
                    ruby::mark(&mut leaf.inlines, start);
                }
            }
            _ => {}
        }
        let is_block = self.context.blocks.is_block_level(doc, node);
        let ends_line = is_block && !self.context.blocks.has_inside(node);
        if ends_line || self.open.last().is_some_and(|open| open.node == node) {
            self.close_leaf();
        }
        if let Some((_, first)) = self.rows.pop_if(|row| row.0 == node) {
            self.join_row(first);
        }
        while self.open.len() > 1 && self.open.last().is_some_and(|open| open.node == node) {
            self.close_unit();
        }
        self.end_inline_note(node);
        while let Some((_, style, link)) = self.styles.pop_if(|saved| saved.0 == node) {
            (self.style, self.link) = (style, link);
        }
    }

    /// Begins the unit of a post. The post contains the unit of its element. Exception: list items and
    /// definitions contain the unit of the post.
    fn begin_post(&mut self, node: NodeId, tag: Tag, is_inside: bool) {
        let Some(&(number, post)) = self.posts.get(&node) else { return };
        // the unit of a post with several elements contains all of them
        let is_part = matches!(tag, Tag::LI | Tag::DD) && post.last == node;
        let in_table = matches!(self.innermost(), Kind::Table { .. });
        let begins = is_part == is_inside && !in_table && self.has_room();
        if begins {
            let kind = Kind::Post(Box::new(AboutPost::new(post, number)));
            self.close_leaf();
            self.open.push(Open {
                node: post.last,
                unit: container(kind, node),
                cells: FxHashMap::default(),
            });
        }
    }

    /// The kind of the innermost open unit.
    pub(super) fn innermost(&self) -> &Kind {
        self.open.last().map_or(&Kind::Paragraph, |open| &open.unit.kind)
    }

    fn finish(&mut self) -> Vec<Unit> {
        self.close_leaf();
        while self.open.len() > 1 {
            self.close_unit();
        }
        self.open.pop().map(|page| page.unit.children).unwrap_or_default()
    }

    /// Whether an element contains blocks, and none of them is kept.
    pub(super) fn is_dropped(&self, node: NodeId) -> bool {
        let blocks = self.context.blocks.extent(node).blocks.clone();
        !blocks.is_empty() && !self.context.kept[blocks.start as usize..blocks.end as usize].contains(&true)
    }

    /// Returns the open line, or begins one.
    pub(super) fn leaf_at(&mut self, node: NodeId) -> &mut Leaf {
        let next = self.next_block;
        self.leaf.get_or_insert_with(|| Leaf::new(node, next))
    }

    fn text(&mut self, node: NodeId) {
        let Some((block, number)) = self.context.span(node) else { return };
        self.begin_next_note(node);
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

    /// Begins a line for the text of a block, unless the open line is empty or has text of the same block.
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

    /// Sets the score of a unit to the mean score of its blocks, weighted by length, and marks the unit as kept if
    /// one of the blocks is kept.
    pub(super) fn with_score(&self, mut unit: Unit) -> Unit {
        let Context { blocks, scores, kept, .. } = &self.context;
        let weight = |i: usize| blocks.text(i).len().max(1) as f64;
        let weights: f64 = unit.blocks.clone().map(weight).sum();
        let sum: f64 = unit.blocks.clone().map(|i| weight(i) * f64::from(scores[i])).sum();
        unit.score = (weights > 0.0).then(|| (sum / weights) as f32);
        unit.kept = unit.blocks.clone().any(|i| kept[i]);
        unit
    }

    /// Ends the open line and adds it as a unit, if it has visible text.
    pub(super) fn close_leaf(&mut self) {
        let Some(mut leaf) = self.leaf.take() else { return };
        self.ruby_start = None;
        leaf.finish();
        if leaf.shows_nothing() {
            return;
        }
        if memchr::memchr3(b'$', b'\\', b'[', leaf.inlines.text.as_bytes()).is_some()
            || has_pair_of_signs(&leaf.inlines.text)
        {
            let len = leaf.inlines.text.len();
            mark_formulas(&mut leaf.inlines, self.context.delimiters());
            if leaf.inlines.text.len() < len && leaf.shows_nothing() {
                return;
            }
        }
        let number = equations::take_number(&mut leaf.inlines);
        let mut unit = container(Kind::Paragraph, leaf.node);
        (unit.node, unit.source) = self.provenance(&leaf);
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
        equations::with_number(unit, number).into_iter().for_each(|unit| self.add(unit));
        self.add_inline_notes();
    }

    pub(super) fn add(&mut self, mut unit: Unit) {
        let last = self.open.last().and_then(|open| open.unit.children.last());
        if unit.kind == Kind::Rule && last.is_some_and(|last| last.kind == Kind::Rule) {
            return;
        }
        unit.source = unit.source.or_else(|| self.context.doc.source_of(unit.node));
        let doc = self.context.doc;
        if let Some(open) = self.open.last_mut() {
            let in_list = matches!(open.unit.kind, Kind::List { .. });
            lists::add(doc, &mut open.unit.children, unit, in_list);
        }
    }

    /// Ends the innermost open unit.
    pub(super) fn close_unit(&mut self) {
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
        // an empty cell is kept, because it determines the columns of the next cells
        let is_empty_cell = |unit: &Unit| matches!(unit.kind, Kind::Cell { .. }) && unit.children.is_empty();
        if unit.inlines.is_empty() && unit.children.iter().all(is_empty_cell) && !is_empty_cell(&unit) {
            return;
        }
        let kept = unit.kept;
        if !unit.blocks.is_empty() {
            unit = self.with_score(unit);
            unit.kept = kept;
        }
        if self.inline_notes.is_open(unit.node) {
            return self.inline_notes.push(unit);
        }
        let is_list = matches!(unit.kind, Kind::List { .. });
        let is_note = |unit: &Unit| matches!(unit.kind, Kind::FootnoteDefinition { .. });
        let is_post = |unit: &Unit| unit.children.iter().any(|inner| matches!(inner.kind, Kind::Post(_)));
        if (is_list || unit.kind == Kind::Definitions) && unit.children.iter().all(is_note) {
            unit.children.into_iter().for_each(|note| self.add(note));
        } else if is_list && unit.children.iter().all(is_post) {
            // the posts of a thread are not list items
            unit.children.into_iter().flat_map(|item| item.children).for_each(|inner| self.add(inner));
        } else {
            if is_list {
                lists::nest_by_level(self.context.doc, &mut unit);
            }
            if unit.kind == Kind::Figure {
                figures::drop_same_images(&mut unit.children);
            }
            self.add(unit);
        }
        below.into_iter().for_each(|paragraph| self.add(paragraph));
        self.add_inline_notes();
    }
}

/// Returns whether a text contains two equal punctuation characters in a row, which may be the delimiter of a
/// formula. Periods do not count.
fn has_pair_of_signs(text: &str) -> bool {
    text.as_bytes()
        .windows(2)
        .any(|pair| pair[0] == pair[1] && pair[0].is_ascii_punctuation() && pair[0] != b'.')
}

/// Maximum number of enclosing units. JSON parsers such as `serde_json` accept 128 levels, and each unit takes two.
const MAX_DEPTH: usize = 50;

/// Maximum number of characters in the lines of a heading after its first line.
const MAX_HEADING: usize = 200;

/// Splits a heading whose element is not closed on the page. If the lines after the first line are long, they
/// become paragraphs.
fn paragraphs_of(children: &mut Vec<Unit>) -> Vec<Unit> {
    let lengths = || children.iter().skip(1).map(|child| child.inlines.text.chars().count());
    if lengths().sum::<usize>() > MAX_HEADING { children.split_off(1) } else { Vec::new() }
}

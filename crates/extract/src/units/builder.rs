//! Document, blocks and labels → units, in one walk over the tree.

use crate::units::context::Context;
use crate::units::inline::{AtomKind, Inlines, Link, Script, Style};
use crate::units::leaf::Leaf;
use crate::units::lists::Numbers;
use crate::units::raw_tex::mark_formulas;
use crate::units::{Kind, Unit};
use rustc_hash::FxHashMap;
use std::rc::Rc;
use threshr_core::{Budget, Result};
use threshr_html::blocks::Blocks;
use threshr_html::structure::code;
use threshr_html::structure::formulas::{Formula, Found, formula};
use threshr_html::structure::images;
use threshr_html::structure::names::{Role, Roles, has_role};
use threshr_html::structure::style::is_one_of;
use threshr_html::structure::tables::{self, Alignment, Grid};
use threshr_html::{Document, Kind as NodeKind, NodeId, Tag};

/// Most blocks inside an inline element whose style holds for them. An element with more is never closed on the page.
const MAX_STYLED: usize = 3;

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
}

/// The units of a page: those that are kept, or all.
///
/// # Errors
/// [`ErrorKind::Timeout`](threshr_core::ErrorKind::Timeout) if the budget is used up.
pub fn tree(source: &Source<'_>, all: bool, budget: &Budget) -> Result<Vec<Unit>> {
    let &Source { doc, blocks, kept, scores, url } = source;
    if !all && !kept.contains(&true) {
        return Ok(Vec::new());
    }
    let context = Context::new(doc, blocks, kept, scores, url);
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
fn container(kind: Kind, node: NodeId) -> Unit {
    Unit {
        kind,
        inlines: Inlines::default(),
        children: Vec::new(),
        node,
        blocks: 0..0,
        score: None,
        kept: false,
    }
}

/// A unit that is being built.
struct Open {
    node: NodeId,
    unit: Unit,
    /// The places of the cells of a table.
    cells: FxHashMap<NodeId, Kind>,
}

struct Builder<'a> {
    context: Context<'a>,
    all: bool,
    /// The open units, outermost first. The first one is the page.
    open: Vec<Open>,
    leaf: Option<Leaf>,
    style: Style,
    link: Option<Rc<Link>>,
    /// The elements that changed style or link, with what was before.
    styles: Vec<(NodeId, Style, Option<Rc<Link>>)>,
    numbers: Numbers,
    /// The number of the next block.
    next_block: usize,
    /// Rows of layout tables inside a cell, with the number of units before them.
    rows: Vec<(NodeId, usize)>,
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
        if let Some(kind) = self.container_of(node, tag, roles) {
            self.close_leaf();
            let cells = if tag == Tag::TABLE { self.cells_of(node) } else { FxHashMap::default() };
            self.open.push(Open { node, unit: container(kind, node), cells });
        }
        if !tag.is_block_level() {
            self.inline_element(node, tag);
        }
        true
    }

    fn leave(&mut self, node: NodeId) {
        let doc = self.context.doc;
        if doc.kind(node) != NodeKind::Element {
            return;
        }
        let tag = doc.tag(node);
        match tag {
            Tag::Q => self.push_after(if self.is_inner_quotation(node) { "’" } else { "”" }),
            Tag::RT if !has_parentheses(doc, node) => self.push_after(")"),
            _ => {}
        }
        if tag.is_block_level() || self.open.last().is_some_and(|open| open.node == node) {
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
    fn is_dropped(&self, node: NodeId) -> bool {
        let blocks = self.context.blocks.extent(node).blocks.clone();
        !blocks.is_empty() && !self.context.kept[blocks.start as usize..blocks.end as usize].contains(&true)
    }

    /// The open line; a new one if there is none.
    fn leaf_at(&mut self, node: NodeId) -> &mut Leaf {
        let next = self.next_block;
        self.leaf.get_or_insert_with(|| Leaf::new(node, next))
    }

    fn text(&mut self, node: NodeId) {
        let Some((block, number)) = self.context.span(node) else { return };
        self.next_block = block + 1;
        if !self.all && !self.context.kept[block] {
            return self.close_leaf();
        }
        if self.leaf.as_ref().is_some_and(|leaf| leaf.block.is_some_and(|own| own != block)) {
            self.close_leaf();
        }
        let leaf = self.leaf.get_or_insert_with(|| Leaf::new(node, block));
        leaf.push_span(&self.context, (block, number), self.style, self.link.as_ref());
    }

    fn push_after(&mut self, text: &str) {
        let (style, link) = (self.style, self.link.clone());
        if let Some(leaf) = &mut self.leaf {
            leaf.push_after(text, style, link.as_ref());
        }
    }

    /// Writes an element that is no container. Returns whether it is one.
    fn atom(&mut self, node: NodeId, tag: Tag, roles: Roles) -> bool {
        let doc = self.context.doc;
        match tag {
            Tag::IMG => self.image(node),
            Tag::HR => {
                let next = self.next_block;
                if doc.is_visible(node) && (self.all || self.context.follows_kept_text(node, next)) {
                    let kept = self.context.follows_kept_text(node, next);
                    self.add(Unit { kept, ..container(Kind::Rule, node) });
                }
            }
            Tag::INPUT => self.check_box(node),
            Tag::IFRAME | Tag::VIDEO | Tag::AUDIO | Tag::EMBED => {
                self.media(node);
                // The text inside is for browsers that do not show it.
                return tag == Tag::IFRAME || tag == Tag::EMBED;
            }
            Tag::A if self.is_mark(node) => {}
            Tag::A => return self.note_reference(node),
            Tag::SPAN | Tag::I if roles.has(Role::Icon) => {}
            Tag::PRE | Tag::XMP | Tag::LISTING | Tag::CODE | Tag::TABLE if code::is_code_block(doc, node) => {
                self.code(node);
            }
            _ => return false,
        }
        true
    }

    /// Whether a link belongs to a tool: it leads to the heading itself, or back from a note.
    fn is_mark(&self, link: NodeId) -> bool {
        let doc = self.context.doc;
        if self.context.notes.is_back_link(doc, link) {
            return true;
        }
        let Some(open) = self.open.last().filter(|open| matches!(open.unit.kind, Kind::Heading { .. }))
        else {
            return false;
        };
        let is_local = doc.attribute(link, "href").is_some_and(|href| href.contains('#'));
        let text: String = doc.descendants(link).map(|n| doc.text(n).trim()).collect();
        let is_sign = text.chars().all(|c| !c.is_alphanumeric());
        // A heading that is a link to itself keeps its text.
        is_local
            && (is_sign || has_role(doc, link, Role::Permalink) && text.chars().count() <= 2)
            && open.node != link
    }

    fn code(&mut self, node: NodeId) {
        let doc = self.context.doc;
        self.close_leaf();
        let text = code::verbatim(doc, node);
        let blocks = self.context.blocks.extent(node).blocks.clone();
        let (start, mut end) = (blocks.start as usize, blocks.end as usize);
        // The block of an inline element may be open.
        if start == end && doc.descendants(node).any(|n| self.context.span(n).is_some_and(|s| s.0 == start)) {
            end += 1;
        }
        let end = end.min(self.context.blocks.len());
        self.next_block = self.next_block.max(end);
        if text.is_empty() || !self.all && !self.context.kept[start..end].contains(&true) {
            return;
        }
        let language = code::language(doc, node).to_owned();
        let mut unit = container(Kind::Code { language }, node);
        unit.inlines = Inlines::plain(text);
        unit.blocks = start..end;
        self.add(self.with_score(unit));
    }

    /// A unit with the mean score of its blocks, and whether one of them is kept.
    fn with_score(&self, mut unit: Unit) -> Unit {
        let Context { blocks, scores, kept, .. } = &self.context;
        let weight = |i: usize| blocks.text(i).len().max(1) as f64;
        let weights: f64 = unit.blocks.clone().map(weight).sum();
        let sum: f64 = unit.blocks.clone().map(|i| weight(i) * f64::from(scores[i])).sum();
        unit.score = (weights > 0.0).then(|| (sum / weights) as f32);
        unit.kept = unit.blocks.clone().any(|i| kept[i]);
        unit
    }

    fn formula(&mut self, node: NodeId, found: Formula) {
        let doc = self.context.doc;
        let Formula { tex, is_display } = found;
        let mut spans =
            std::iter::once(node).chain(doc.descendants(node)).filter_map(|n| self.context.span(n));
        let first = spans.next();
        let last = spans.filter(|s| Some(s.0) == first.map(|f| f.0)).last().or(first);
        let block = first.map(|f| f.0);
        self.next_block = block.map_or(self.next_block, |block| block + 1);
        if let Some(block) = block.filter(|&b| !self.all && !self.context.kept[b]) {
            debug_assert!(block < self.context.kept.len());
            return;
        }
        if is_display {
            self.close_leaf();
            let next = self.next_block;
            let kept = match block {
                Some(block) => self.context.kept[block],
                None => self.context.follows_kept_text(node, next),
            };
            if kept || self.all {
                let mut unit = container(Kind::Math, node);
                unit.inlines = Inlines::plain(tex);
                unit.blocks = block.map_or(0..0, |b| b..b + 1);
                unit = self.with_score(unit);
                unit.kept = kept;
                self.add(unit);
            }
            if let Some(block) = block {
                let mut leaf = Leaf::new(node, block);
                leaf.continue_after(block);
                self.leaf = Some(leaf);
            }
            return;
        }
        let plain = tex.clone();
        let kind = AtomKind::Math { tex, display: false };
        if let (Some((block, number)), Some((_, end))) = (first, last) {
            if self.leaf.as_ref().is_some_and(|leaf| leaf.block.is_some_and(|own| own != block)) {
                self.close_leaf();
            }
            let leaf = self.leaf.get_or_insert_with(|| Leaf::new(node, block));
            leaf.push_atom_of_spans(&self.context, block, (number, end), &plain, kind);
        } else {
            let has_space = space_before(doc, node);
            self.leaf_at(node).push_atom(&plain, kind, None, has_space);
        }
    }

    fn image(&mut self, node: NodeId) {
        let doc = self.context.doc;
        if !doc.is_visible(node) {
            return;
        }
        let has_space = space_before(doc, node);
        if images::is_character(doc, node) {
            let alt = doc.attribute(node, "alt").unwrap_or_default().to_owned();
            return self.leaf_at(node).push_text(&alt, has_space);
        }
        let Some(image) = images::image(doc, node) else { return };
        let Some(url) = self.context.address(image.address) else { return };
        let kind = AtomKind::Image { url, alt: one_line(image.alt), title: one_line(image.title) };
        let link = self.link.clone();
        self.leaf_at(node).push_atom("", kind, link.as_ref(), has_space);
    }

    fn check_box(&mut self, node: NodeId) {
        let doc = self.context.doc;
        let is_box = doc.attribute(node, "type").is_some_and(|t| t.eq_ignore_ascii_case("checkbox"));
        let item = self.open.iter_mut().rev().map(|open| &mut open.unit).next();
        if let Some(Unit { kind: Kind::Item { checked, .. }, .. }) =
            item.filter(|_| is_box && self.leaf.is_none())
        {
            *checked = Some(doc.attribute(node, "checked").is_some());
        }
    }

    fn media(&mut self, node: NodeId) {
        let doc = self.context.doc;
        let own = ["src", "data-src", "data-lazy-src"].iter().find_map(|name| doc.attribute(node, name));
        let is_source = |&n: &NodeId| doc.kind(n) == NodeKind::Element && doc.tag(n) == Tag::SOURCE;
        let of_source = || doc.children(node).find(is_source).and_then(|n| doc.attribute(n, "src"));
        let url = own.or_else(of_source).and_then(|address| self.context.address(address));
        let next = self.next_block;
        let kept = doc.is_visible(node) && self.context.follows_kept_text(node, next);
        let Some(url) = url.filter(|_| kept || self.all) else { return };
        let title = doc.attribute(node, "title").map(one_line).unwrap_or_default();
        self.close_leaf();
        self.add(Unit { kept, ..container(Kind::Media { url, title }, node) });
    }

    /// Writes a reference to a note that is kept.
    fn note_reference(&mut self, link: NodeId) -> bool {
        let doc = self.context.doc;
        let Some(label) = self.context.notes.reference(link).map(str::to_owned) else { return false };
        let note = self.context.notes.note(&label);
        if note.is_none_or(|note| self.is_dropped(note)) {
            return false;
        }
        let mut spans = doc.descendants(link).filter_map(|n| self.context.span(n));
        let Some((block, number)) = spans.next() else { return false };
        let end = spans.filter(|s| s.0 == block).last().map_or(number, |s| s.1);
        if !self.all && !self.context.kept[block] {
            return true;
        }
        if self.leaf.as_ref().is_some_and(|leaf| leaf.block.is_some_and(|own| own != block)) {
            self.close_leaf();
        }
        let plain: String = (number..=end)
            .map(|number| self.context.blocks.slice(&self.context.blocks.spans(block)[number].text))
            .collect();
        let leaf = self.leaf.get_or_insert_with(|| Leaf::new(link, block));
        let kind = AtomKind::FootnoteReference { label };
        leaf.push_atom_of_spans(&self.context, block, (number, end), &plain, kind);
        true
    }

    /// The kind of the container that an element is.
    fn container_of(&mut self, node: NodeId, tag: Tag, roles: Roles) -> Option<Kind> {
        let doc = self.context.doc;
        if let Some(label) = self.context.notes.definition(node) {
            return Some(Kind::FootnoteDefinition { label: label.to_owned() });
        }
        Some(match tag {
            tag if tag.is_heading() => Kind::Heading { level: (tag.0 - Tag::H1.0 + 1) as u8 },
            Tag::UL | Tag::MENU | Tag::DIR => Kind::List { ordered: false },
            Tag::OL => Kind::List { ordered: true },
            Tag::LI => Kind::Item { number: self.numbers.of(doc, node), checked: None },
            Tag::DL => Kind::Definitions,
            Tag::DT => Kind::Term,
            Tag::DD => Kind::Definition,
            Tag::BLOCKQUOTE => {
                Kind::Quote { cite: doc.attribute(node, "cite").and_then(|cite| self.context.address(cite)) }
            }
            Tag::DETAILS => Kind::Details,
            Tag::SUMMARY => Kind::Summary,
            Tag::FIGURE => Kind::Figure,
            Tag::FIGCAPTION | Tag::CAPTION => Kind::Caption,
            Tag::TABLE if tables::is_data_table(doc, node) => self.table(node),
            Tag::TD | Tag::TH => {
                let cell = |open: &Open| open.cells.get(&node).cloned();
                return self.open.iter().rev().find_map(cell);
            }
            Tag::DIV | Tag::ASIDE | Tag::SECTION | Tag::P => return self.box_of(node, roles),
            _ => return None,
        })
    }

    /// The kind of a box: a heading by its role, advice, or its title.
    fn box_of(&self, node: NodeId, roles: Roles) -> Option<Kind> {
        let doc = self.context.doc;
        if doc.attribute(node, "role") == Some("heading") {
            let level = doc.attribute(node, "aria-level").and_then(|level| level.trim().parse().ok());
            return Some(Kind::Heading { level: level.unwrap_or(2u8).clamp(1, 6) });
        }
        if roles == Roles::default() {
            return None;
        }
        let in_callout = || self.open.iter().any(|open| open.unit.kind == Kind::Callout);
        if roles.has(Role::CalloutTitle) && in_callout() {
            return Some(Kind::CalloutTitle);
        }
        (roles.has(Role::Callout) && !in_callout()).then_some(Kind::Callout)
    }

    fn table(&self, node: NodeId) -> Kind {
        let doc = self.context.doc;
        let grid = Grid::of(doc, node);
        let is_head = |cell: &tables::GridCell| {
            doc.tag(cell.node) == Tag::TH
                || doc.ancestors(cell.node).take(2).any(|n| doc.tag(n) == Tag::THEAD)
        };
        let rows = grid.cells.chunk_by(|a, b| a.row == b.row);
        let head_rows = rows.take_while(|row| row.iter().all(is_head)).count();
        let mut alignment = vec![Alignment::None; grid.num_columns];
        for cell in grid.cells.iter().filter(|c| c.column_span == 1) {
            if let Some(own) = alignment.get_mut(cell.column).filter(|own| **own == Alignment::None) {
                *own = tables::alignment(doc, cell.node);
            }
        }
        Kind::Table { head_rows, rows: grid.num_rows, columns: grid.num_columns, alignment }
    }

    fn cells_of(&self, table: NodeId) -> FxHashMap<NodeId, Kind> {
        let doc = self.context.doc;
        if !tables::is_data_table(doc, table) {
            return FxHashMap::default();
        }
        let cell = |c: tables::GridCell| {
            let head = doc.tag(c.node) == Tag::TH;
            let tables::GridCell { node, row, column, row_span, column_span } = c;
            (node, Kind::Cell { row, column, row_span, column_span, head })
        };
        Grid::of(doc, table).cells.into_iter().map(cell).collect()
    }

    /// Begins the style or the link of an inline element.
    fn inline_element(&mut self, node: NodeId, tag: Tag) {
        let doc = self.context.doc;
        let saved = (node, self.style, self.link.clone());
        let mut style = self.style;
        match tag {
            // Code has no other markup.
            Tag::STRONG | Tag::B | Tag::EM | Tag::I | Tag::SUP | Tag::SUB if style.code => return,
            Tag::STRONG | Tag::B => style.strong = true,
            Tag::EM | Tag::I => style.emphasis = true,
            Tag::DEL | Tag::S | Tag::STRIKE => style.strike = true,
            Tag::INS => style.insert = true,
            Tag::MARK => style.mark = true,
            Tag::CODE | Tag::SAMP | Tag::TT => style.code = true,
            Tag::KBD => style.keyboard = true,
            Tag::SUP => style.script = Some(Script::Sup),
            Tag::SUB => style.script = Some(Script::Sub),
            Tag::SPAN | Tag::FONT if doc.attribute(node, "style").is_some() => {
                let heavy = ["bold", "600", "700", "800", "900"];
                style.strong |= is_one_of(doc, node, "font-weight", &heavy);
                style.emphasis |= is_one_of(doc, node, "font-style", &["italic", "oblique"]);
            }
            Tag::Q => {
                let sign = if self.is_inner_quotation(node) { "‘" } else { "“" };
                self.leaf_at(node).push_pending(sign);
            }
            Tag::RT if !has_parentheses(doc, node) => self.leaf_at(node).push_pending("("),
            Tag::A => {
                let address = doc.attribute(node, "href").and_then(|href| self.context.address(href));
                let title = doc.attribute(node, "title").map(one_line).unwrap_or_default();
                self.link = address.map(|url| Rc::new(Link { url, title }));
                self.styles.push(saved);
                return;
            }
            _ => return,
        }
        if style != self.style && self.context.blocks.extent(node).blocks.len() <= MAX_STYLED {
            self.style = style;
            self.styles.push(saved);
        }
    }

    /// Whether a quotation is inside another one.
    fn is_inner_quotation(&self, node: NodeId) -> bool {
        let doc = self.context.doc;
        doc.ancestors(node).take(16).filter(|&n| doc.tag(n) == Tag::Q).count() % 2 == 1
    }

    /// Ends the open line.
    fn close_leaf(&mut self) {
        let Some(mut leaf) = self.leaf.take() else { return };
        leaf.inlines.trim_end();
        if leaf.inlines.is_empty() {
            return;
        }
        if leaf.inlines.text.contains(['$', '\\']) {
            mark_formulas(&mut leaf.inlines, self.context.typesets_text());
        }
        let mut unit = container(Kind::Paragraph, leaf.node);
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

    fn add(&mut self, unit: Unit) {
        if let Some(open) = self.open.last_mut() {
            open.unit.children.push(unit);
        }
    }

    /// Ends the innermost unit.
    fn close_unit(&mut self) {
        let Some(Open { mut unit, .. }) = self.open.pop() else { return };
        if unit.kind.is_line() {
            let children = std::mem::take(&mut unit.children);
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
        if unit.inlines.is_empty() && unit.children.is_empty() {
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
    }
}

/// Extends the blocks of a unit by those of a unit inside it.
fn include(unit: &mut Unit, child: &Unit) {
    unit.kept |= child.kept;
    if child.blocks.is_empty() {
        return;
    }
    unit.blocks = if unit.blocks.is_empty() {
        child.blocks.clone()
    } else {
        unit.blocks.start.min(child.blocks.start)..unit.blocks.end.max(child.blocks.end)
    };
}

/// Whether the readings of a ruby text are in parentheses on the page.
fn has_parentheses(doc: &Document, reading: NodeId) -> bool {
    let is_rp = |n: NodeId| doc.kind(n) == NodeKind::Element && doc.tag(n) == Tag::RP;
    doc.parent(reading).is_some_and(|ruby| doc.children(ruby).any(is_rp))
}

/// Whether white space is directly before an element.
fn space_before(doc: &Document, node: NodeId) -> bool {
    let before = doc.previous_sibling(node).filter(|&n| doc.kind(n) == NodeKind::Text);
    before.is_some_and(|n| doc.text(n).ends_with(char::is_whitespace))
}

/// A text with folded white space.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

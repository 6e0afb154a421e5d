//! Elements that become one unit or one atom: code, formulas, images, note references, media.

use crate::units::builder::{Builder, container};
use crate::units::inline::{AtomKind, Inlines, Link};
use crate::units::leaf::{Leaf, Spans};
use crate::units::{Kind, MediaKind, Unit};
use std::rc::Rc;
use threshr_html::structure::formulas::Formula;
use threshr_html::structure::names::{Role, Roles, has_role};
use threshr_html::structure::{code, images};
use threshr_html::{Document, Kind as NodeKind, NodeId, Tag};

impl Builder<'_> {
    /// Writes an element that is not a container. Returns whether the element was handled.
    pub(super) fn atom(&mut self, node: NodeId, tag: Tag, roles: Roles) -> bool {
        let doc = self.context.doc;
        match tag {
            Tag::IMG => self.image(node),
            Tag::HR => {
                let kept = self.context.follows_kept_text(node, self.next_block);
                if doc.is_visible(node) && (self.all || kept) {
                    self.add(Unit { kept, ..container(Kind::Rule, node) });
                }
            }
            Tag::INPUT => self.check_box(node),
            Tag::IFRAME | Tag::VIDEO | Tag::AUDIO | Tag::EMBED => {
                self.media(node);
                // The content of the element is a fallback for browsers without support.
                return tag == Tag::IFRAME || tag == Tag::EMBED;
            }
            Tag::A if self.is_mark(node) => {}
            Tag::A | Tag::SUP if self.note_reference(node) => {}
            Tag::A => return false,
            _ if roles.has(Role::NoteMark) => self.note_mark(node),
            Tag::SPAN | Tag::SUP | Tag::DIV if roles.has(Role::BackLink) && self.is_mark(node) => {}
            tag if (tag.is_heading() || matches!(tag, Tag::DT | Tag::TD))
                && self.context.notes.is_number(node)
                && self.has_note_below(node) =>
            {
                self.next_block = self.next_block.max(self.context.blocks.extent(node).blocks.end as usize);
            }
            Tag::DT if doc.parent(node).is_some_and(|n| has_role(doc, n, Role::CodeBox)) => {
                self.next_block = self.next_block.max(self.context.blocks.extent(node).blocks.end as usize);
            }
            Tag::SPAN | Tag::I if roles.has(Role::Icon) => {}
            tag if tag != Tag::IMG && images::is_picture(doc, node) => self.image(node),
            Tag::PRE | Tag::XMP | Tag::LISTING | Tag::CODE | Tag::TABLE | Tag::DIV | Tag::OL
                if code::is_code_block(doc, node) =>
            {
                self.code(node);
            }
            _ => return false,
        }
        true
    }

    /// Whether a link is navigation only: a permalink of a heading, or a link from a note back to its reference.
    pub(super) fn is_mark(&self, link: NodeId) -> bool {
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
        // If the link is the heading element itself, its text is the text of the heading.
        is_local
            && (is_sign || has_role(doc, link, Role::Permalink) && text.chars().count() <= 2)
            && open.node != link
    }

    pub(super) fn code(&mut self, node: NodeId) {
        let doc = self.context.doc;
        self.close_leaf();
        let text = code::verbatim(doc, node);
        let blocks = self.context.blocks.extent(node).blocks.clone();
        let (start, mut end) = (blocks.start as usize, blocks.end as usize);
        // An inline element may belong to the open block.
        if start == end && doc.descendants(node).any(|n| self.context.span(n).is_some_and(|s| s.0 == start)) {
            end += 1;
        }
        let end = end.min(self.context.blocks.len());
        self.next_block = self.next_block.max(end);
        if text.is_empty()
            || code::is_prompt(&text)
            || !self.all && !self.context.kept[start..end].contains(&true)
        {
            return;
        }
        let language = code::language(doc, node).to_owned();
        // The name of the language before the code is its title.
        if let Some(open) = self.open.last_mut() {
            let is_title = |unit: &mut Unit| {
                unit.kind == Kind::Paragraph
                    && !language.is_empty()
                    && unit.inlines.text.eq_ignore_ascii_case(&language)
            };
            open.unit.children.pop_if(is_title);
        }
        let mut unit = container(Kind::Code { language }, node);
        unit.inlines = Inlines::plain(text);
        unit.blocks = start..end;
        self.add(self.with_score(unit));
    }

    pub(super) fn formula(&mut self, node: NodeId, found: Formula) {
        let doc = self.context.doc;
        let Formula { tex, is_display } = found;
        let spans = self.spans_below(node);
        let block = spans.map(|spans| spans.block);
        self.next_block = block.map_or(self.next_block, |block| block + 1);
        if block.is_some_and(|block| !self.all && !self.context.kept[block]) {
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
        if let Some(spans) = spans {
            self.begin_leaf(node, spans.block);
            if let Some(leaf) = &mut self.leaf {
                leaf.push_atom_of_spans(&self.context, spans, &plain, kind);
            }
        } else {
            let has_space = space_before(doc, node);
            self.leaf_at(node).push_atom(&plain, kind, None, has_space);
        }
    }

    pub(super) fn image(&mut self, node: NodeId) {
        let doc = self.context.doc;
        if !doc.is_visible(node) {
            return;
        }
        let has_space = space_before(doc, node);
        if images::is_character(doc, node) {
            let alt = doc.attribute(node, "alt").unwrap_or_default().to_owned();
            return self.leaf_at(node).push_text(&alt, has_space);
        }
        // an image of the buttons of code, or the icon of an admonition
        let is_icon = |n: NodeId| {
            has_role(doc, n, Role::Toolbar)
                || self.is_in_callout() && doc.attribute(n, "class").is_some_and(|class| class == "icon")
        };
        if doc.ancestors(node).take(3).any(is_icon) {
            return;
        }
        let Some(image) = images::image(doc, node) else { return };
        let Some(url) = self.context.address(&image.address) else { return };
        let kind = AtomKind::Image { url, alt: one_line(&image.alt), title: one_line(&image.title) };
        let link = self.link.clone();
        self.leaf_at(node).push_atom("", kind, link.as_ref(), has_space);
    }

    /// Writes a mail address in place of the text that obfuscates it.
    pub(super) fn mail(&mut self, node: NodeId, address: &str) {
        let Some(spans) = self.spans_below(node) else { return };
        self.next_block = spans.block + 1;
        if !self.all && !self.context.kept[spans.block] {
            return;
        }
        let target = || self.context.address(&format!("mailto:{address}"));
        let link = self.link.clone().or_else(|| Some(Rc::new(Link { url: target()?, title: String::new() })));
        self.begin_leaf(node, spans.block);
        let style = self.style;
        if let Some(leaf) = &mut self.leaf {
            leaf.push_text_of_spans(&self.context, spans, address, style, link.as_ref());
        }
    }

    pub(super) fn check_box(&mut self, node: NodeId) {
        let doc = self.context.doc;
        let is_box = doc.attribute(node, "type").is_some_and(|t| t.eq_ignore_ascii_case("checkbox"));
        let item = self.open.last_mut().map(|open| &mut open.unit);
        if let Some(Unit { kind: Kind::Item { checked, .. }, .. }) =
            item.filter(|_| is_box && self.leaf.is_none())
        {
            *checked = Some(doc.attribute(node, "checked").is_some());
        }
    }

    pub(super) fn media(&mut self, node: NodeId) {
        let doc = self.context.doc;
        let own = ["src", "data-src", "data-lazy-src"].iter().find_map(|name| doc.attribute(node, name));
        let is_source = |&n: &NodeId| doc.kind(n) == NodeKind::Element && doc.tag(n) == Tag::SOURCE;
        let of_source = || doc.children(node).find(is_source).and_then(|n| doc.attribute(n, "src"));
        let url = own.or_else(of_source).and_then(|address| self.context.address(address));
        let next = self.next_block;
        let kept = doc.is_visible(node) && self.context.follows_kept_text(node, next);
        let Some(url) = url.filter(|_| kept || self.all) else { return };
        let title = doc.attribute(node, "title").map(one_line).unwrap_or_default();
        let media_kind = media_kind(doc, node);
        self.close_leaf();
        self.add(Unit { kept, ..container(Kind::Media { media_kind, url, title }, node) });
    }

    /// Writes a reference to a note, if the note is kept. Returns whether the element was handled.
    pub(super) fn note_reference(&mut self, link: NodeId) -> bool {
        let Some(label) = self.context.notes.reference(link).map(str::to_owned) else { return false };
        let note = self.context.notes.note(&label);
        if note.is_none_or(|note| self.is_dropped(note)) {
            return false;
        }
        let Some(spans) = self.spans_below(link) else { return false };
        if !self.all && !self.context.kept[spans.block] {
            return true;
        }
        self.begin_leaf(link, spans.block);
        let blocks = self.context.blocks;
        let own = &blocks.spans(spans.block)[spans.first..=spans.last];
        let plain: String = own.iter().map(|span| blocks.slice(&span.text)).collect();
        if let Some(leaf) = &mut self.leaf {
            leaf.push_atom_of_spans(&self.context, spans, &plain, AtomKind::FootnoteReference { label });
        }
        true
    }

    /// Whether the note below a heading is kept.
    fn has_note_below(&self, heading: NodeId) -> bool {
        let doc = self.context.doc;
        let mut after = doc.next_siblings(heading);
        after.find(|&n| doc.kind(n) == NodeKind::Element).is_some_and(|note| !self.is_dropped(note))
    }

    /// Returns the spans inside an element that belong to the same block as the first span.
    pub(super) fn spans_below(&self, node: NodeId) -> Option<Spans> {
        let mut spans = self.context.doc.descendants(node).filter_map(|n| self.context.span(n));
        let (block, first) = spans.next()?;
        let last = spans.filter(|span| span.0 == block).last().map_or(first, |span| span.1);
        Some(Spans { block, first, last })
    }
}

/// Returns the kind of a media element.
fn media_kind(doc: &Document, node: NodeId) -> MediaKind {
    let mime_type = doc.attribute(node, "type").map(str::to_ascii_lowercase).unwrap_or_default();
    match doc.tag(node) {
        Tag::VIDEO => MediaKind::Video,
        Tag::AUDIO => MediaKind::Audio,
        Tag::EMBED if mime_type.starts_with("video/") => MediaKind::Video,
        Tag::EMBED if mime_type.starts_with("audio/") => MediaKind::Audio,
        _ => MediaKind::Frame,
    }
}

/// Maximum number of nodes before a node that are searched for white space.
const MAX_BEFORE: usize = 6;

/// Whether the text directly before an element in its line ends in white space. Elements that show nothing are skipped.
fn space_before(doc: &Document, node: NodeId) -> bool {
    let shows_nothing = |n| !doc.is_visible(n) || has_role(doc, n, Role::RenderedFormula);
    follows_space(doc, node, shows_nothing)
}

/// Whether the text directly before a node in its line ends in white space. Elements for which `is_skipped` holds are
/// skipped.
pub(super) fn follows_space(doc: &Document, node: NodeId, is_skipped: impl Fn(NodeId) -> bool) -> bool {
    let mut at = node;
    for _ in 0..MAX_BEFORE {
        let before = doc.previous_sibling(at);
        at = match before {
            Some(n) if doc.kind(n) == NodeKind::Text => match doc.text(n).chars().next_back() {
                Some(c) => return c.is_whitespace(),
                None => n,
            },
            Some(n) if is_skipped(n) => n,
            Some(_) => return false,
            None => match doc.parent(at) {
                Some(n) if doc.kind(n) == NodeKind::Element && !doc.tag(n).is_block_level() => n,
                _ => return false,
            },
        };
    }
    false
}

/// Collapses white space to single spaces.
pub(super) fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

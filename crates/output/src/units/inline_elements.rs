//! Inline elements: styles, links, quotations and ruby pronunciations.

use crate::units::atoms::one_line;
use crate::units::builder::Builder;
use crate::units::inline::{Link, Script};
use std::rc::Rc;
use threshr_html::structure::mail::hidden_target;
use threshr_html::style::is_one_of;
use threshr_html::{Kind as NodeKind, NodeId, Tag};

/// Maximum number of blocks to which an inline element applies its style. If there are more, the element is
/// probably not closed on the page.
const MAX_STYLED: usize = 3;

impl Builder<'_> {
    /// Begins the style or the link of an inline element.
    pub(super) fn inline_element(&mut self, node: NodeId, tag: Tag) {
        let doc = self.context.doc;
        let saved = (node, self.style, self.link.clone());
        let mut style = self.style;
        match tag {
            // Text inside code has no other style.
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
            Tag::RUBY => {
                let start = self.leaf.as_ref().map_or(0, |leaf| leaf.inlines.text.len());
                self.ruby_start = Some((node, start));
                return;
            }
            Tag::RT if !self.has_parentheses(node) => self.leaf_at(node).push_pending("("),
            Tag::A => {
                let mail = hidden_target(doc, node).map(|address| format!("mailto:{address}"));
                let href = mail.as_deref().or_else(|| doc.attribute(node, "href"));
                let address = href.and_then(|href| self.context.address(href));
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

    /// Returns whether a `<q>` is nested. A nested `<q>` has single quotation marks.
    pub(super) fn is_inner_quotation(&self, node: NodeId) -> bool {
        let doc = self.context.doc;
        doc.ancestors(node).take(16).filter(|&n| doc.tag(n) == Tag::Q).count() % 2 == 1
    }

    /// Returns whether the ruby element of a reading has `<rp>` elements. In this case, the text already
    /// contains parentheses.
    pub(super) fn has_parentheses(&mut self, reading: NodeId) -> bool {
        let doc = self.context.doc;
        let Some(ruby) = doc.parent(reading) else { return false };
        let is_rp = |n: NodeId| doc.kind(n) == NodeKind::Element && doc.tag(n) == Tag::RP;
        if self.ruby.is_none_or(|(known, _)| known != ruby) {
            self.ruby = Some((ruby, doc.children(ruby).any(is_rp)));
        }
        self.ruby.is_some_and(|(_, has)| has)
    }
}

//! Which nodes a reader does not see.

use super::tag::Tag;
use super::tree::{Document, Kind, NodeId};

/// Set on nodes below an element whose content is never shown as text (script, style, …).
const NOT_TEXT: u8 = 1;
/// Set on nodes below an element hidden by its attributes.
const HIDDEN: u8 = 2;

/// Which nodes are left out of the blocks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Visibility {
    /// What a reader sees: no scripts, and nothing hidden by `hidden` or an inline style.
    #[default]
    Visible,
    /// Hidden elements' text too.
    WithHidden,
}

impl Document {
    /// Whether a reader sees `node`.
    pub fn is_visible(&self, node: NodeId) -> bool {
        self.is_shown(node, Visibility::Visible)
    }
    /// Whether `node` is kept under `visibility`.
    pub fn is_shown(&self, node: NodeId, visibility: Visibility) -> bool {
        let mask = match visibility {
            Visibility::Visible => NOT_TEXT | HIDDEN,
            Visibility::WithHidden => NOT_TEXT,
        };
        self.nodes[node as usize].hidden & mask == 0
    }
}

/// Marks every node with what hides it, itself or through an ancestor.
pub(crate) fn mark(doc: &mut Document) {
    let mut at = doc.first_child(0);
    while let Some(node) = at {
        let inherited = doc.parent(node).map_or(0, |p| doc.nodes[p as usize].hidden);
        let own = if doc.kind(node) == Kind::Element { of_element(doc, node) } else { 0 };
        doc.nodes[node as usize].hidden = inherited | own;
        at = doc.first_child(node).or_else(|| doc.next_outside(node, 0));
    }
}

fn of_element(doc: &Document, node: NodeId) -> u8 {
    const NEVER: [Tag; 11] = [
        Tag::SCRIPT,
        Tag::STYLE,
        Tag::NOSCRIPT,
        Tag::TEMPLATE,
        Tag::SVG,
        Tag::TITLE,
        Tag::TEXTAREA,
        Tag::IFRAME,
        Tag::NOEMBED,
        Tag::NOFRAMES,
        Tag::HEAD,
    ];
    if NEVER.contains(&doc.tag(node)) {
        return NOT_TEXT;
    }
    let hidden = doc.attribute(node, "hidden").is_some_and(|v| !v.eq_ignore_ascii_case("until-found"));
    let styled = doc.attribute(node, "style").is_some_and(style_hides);
    if hidden || styled { HIDDEN } else { 0 }
}

/// Whether an inline style says `display:none` or `visibility:hidden` (or `collapse`).
fn style_hides(style: &str) -> bool {
    style.split(';').any(|declaration| {
        let Some((property, value)) = declaration.split_once(':') else { return false };
        let value = value.trim().split('!').next().unwrap_or("").trim();
        let is = |word: &str| value.eq_ignore_ascii_case(word);
        match property.trim() {
            p if p.eq_ignore_ascii_case("display") => is("none"),
            p if p.eq_ignore_ascii_case("visibility") => is("hidden") || is("collapse"),
            _ => false,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::style_hides;

    #[test]
    fn reads_inline_styles() {
        assert!(style_hides("color:red;display: NONE !important"));
        assert!(style_hides("visibility:hidden"));
        assert!(!style_hides("display:block;overflow:hidden"));
        assert!(!style_hides("x-display:none"));
    }
}

//! Reveals hidden elements that continue the visible text next to them, because a script probably shows them. Examples
//! are collapsed sections, the rest of a text behind `Read more`, and paragraphs that appear on scrolling.

use crate::tag::Tag;
use crate::tree::{Document, Kind, NodeId};
use crate::visibility::reveal::{element_before, is_hidden_by_attribute};
use crate::visibility::{APART, Flagged, letters};
use rustc_hash::FxHashMap;

/// Minimum number of letters of a paragraph.
const PARAGRAPH: usize = 60;
/// Maximum number of nodes of an element that are read.
const MAX_NODES: usize = 2000;
/// Maximum number of siblings that are read.
const MAX_SIBLINGS: usize = 24;
/// Minimum number of collapsed sections of a page whose visible part is empty.
const MIN_SECTIONS: usize = 3;
/// Maximum number of nodes of a label that are read.
const MAX_LABEL_NODES: usize = 12;

/// Why a hidden element may continue the visible text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Reason {
    /// A heading is before it: a collapsed section.
    Section,
    /// It is one of several like siblings. The first of them is visible.
    Sibling(NodeId, Tag),
    /// A control is before it, which opens it: an item of an accordion. The node contains all items, and the tags are
    /// those of the control and of the hidden element.
    Item(NodeId, Tag, Tag),
    /// It contains paragraphs after a visible paragraph, or the place that it leaves empty is visible.
    Alone,
}

/// Returns the hidden elements of `flagged` that continue the visible text next to them.
pub(super) fn find(doc: &Document, flagged: &[Flagged]) -> Vec<NodeId> {
    let mut found: Vec<(NodeId, Reason)> = Vec::new();
    let mut counts: FxHashMap<Reason, usize> = FxHashMap::default();
    let mut has_text_before = false;
    for f in flagged {
        if !is_hidden_by_attribute(f)
            || f.flags & APART != 0
            || !doc.parent(f.node).is_some_and(|parent| doc.is_visible(parent))
        {
            continue;
        }
        let Some(reason) = reason(doc, f) else { continue };
        has_text_before = has_text_before || reason == Reason::Section && is_beside_text(doc, f.node);
        *counts.entry(reason).or_default() += 1;
        found.push((f.node, reason));
    }
    let is_continued = |reason: Reason| match reason {
        Reason::Section => has_text_before || counts[&reason] >= MIN_SECTIONS,
        Reason::Sibling(..) | Reason::Item(..) => counts[&reason] > 1,
        Reason::Alone => true,
    };
    found.retain(|&(_, reason)| is_continued(reason));
    found.into_iter().map(|(node, _)| node).collect()
}

fn reason(doc: &Document, hidden: &Flagged) -> Option<Reason> {
    let (node, tag) = (hidden.node, doc.tag(hidden.node));
    if tag == Tag::SPAN {
        return is_end_of_paragraph(doc, node).then_some(Reason::Alone);
    }
    let is_box = matches!(tag, Tag::DIV | Tag::SECTION | Tag::ARTICLE);
    if !is_box && !matches!(tag, Tag::P | Tag::DD | Tag::UL | Tag::OL | Tag::BLOCKQUOTE) {
        return None;
    }
    let num = paragraphs(doc, node)?;
    let before = element_before(doc, node);
    if tag != Tag::P && before.is_some_and(|before| is_heading(doc, before)) {
        return Some(Reason::Section);
    }
    if let Some(control) = before.filter(|&before| doc.is_visible(before) && is_control(doc, before)) {
        return Some(Reason::Item(items_of(doc, node), doc.tag(control), tag));
    }
    if hidden.is_invisible() {
        // an element with visible elements inside is visible, too
        return (!doc.is_visible(node) && has_like_sibling(doc, node)).then_some(Reason::Alone);
    }
    let is_like = |before: NodeId| doc.tag(before) == tag && paragraphs(doc, before).is_some();
    let is_tab =
        || doc.attribute(node, "role").is_some() || doc.attribute(node, "id").is_some() && tag == Tag::DIV;
    if matches!(tag, Tag::P | Tag::SECTION | Tag::ARTICLE) && !is_tab() {
        let mut siblings =
            doc.previous_siblings(node).filter(|&n| doc.kind(n) == Kind::Element).take(MAX_SIBLINGS);
        let is_shown = siblings.find(|&n| doc.is_visible(n)).is_some_and(is_like);
        return is_shown.then(|| Reason::Sibling(doc.parent(node).unwrap_or(0), tag));
    }
    let follows = || {
        before.is_some_and(|n| leading(doc, n) == Tag::P && doc.is_visible(n) && paragraphs(doc, n).is_some())
    };
    (is_box && num > 1 && leading(doc, node) == Tag::P && doc.attribute(node, "lang").is_none() && follows())
        .then_some(Reason::Alone)
}

/// Returns the number of paragraphs in an element. Returns `None` if there is no paragraph, or if the element
/// contains a form or a dialog.
fn paragraphs(doc: &Document, top: NodeId) -> Option<usize> {
    let mut num = 0;
    let mut paragraph = (None, 0);
    for node in std::iter::once(top).chain(doc.descendants(top)).take(MAX_NODES) {
        match doc.kind(node) {
            Kind::Text => {
                let in_link = doc.ancestors(node).take(2).any(|n| doc.tag(n) == Tag::A);
                let block = doc.ancestors(node).find(|&n| doc.tag(n).is_block_level());
                if paragraph.0 != block {
                    paragraph = (block, 0);
                }
                let before = paragraph.1;
                paragraph.1 += if in_link { 0 } else { letters::of_node(doc, node) };
                num += usize::from(before < PARAGRAPH && paragraph.1 >= PARAGRAPH);
            }
            _ if matches!(
                doc.tag(node),
                Tag::FORM | Tag::INPUT | Tag::TEXTAREA | Tag::DIALOG | Tag::SELECT
            ) =>
            {
                return None;
            }
            _ => {}
        }
    }
    (num > 0).then_some(num)
}

/// Whether an element is a visible heading, or an element whose only text is a heading.
fn is_heading(doc: &Document, node: NodeId) -> bool {
    doc.is_visible(node) && is_only(doc, node, MAX_SIBLINGS, |node| doc.tag(node).is_heading())
}

/// Whether an element is a control that opens the element after it, or contains nothing but such a control. Also the
/// term of a list of questions.
fn is_control(doc: &Document, node: NodeId) -> bool {
    is_only(doc, node, MAX_LABEL_NODES, |node| {
        let is_here = |address: &str| address.starts_with('#') || address.starts_with("javascript:");
        match doc.tag(node) {
            Tag::BUTTON | Tag::DT => true,
            Tag::A if doc.attribute(node, "href").is_none_or(is_here) => true,
            _ => {
                doc.attribute(node, "role").is_some_and(|role| role.eq_ignore_ascii_case("button"))
                    || doc.attribute(node, "aria-expanded").is_some()
                    || doc.attribute(node, "aria-controls").is_some()
            }
        }
    })
}

/// Whether an element has text and satisfies `is_own`, or all its text is in elements that do. Reads `limit` nodes.
fn is_only(doc: &Document, node: NodeId, limit: usize, is_own: impl Fn(NodeId) -> bool) -> bool {
    let mut texts = doc.descendants(node).take(limit).filter(|&n| has_words(doc, n)).peekable();
    texts.peek().is_some()
        && (is_own(node) || texts.all(|text| doc.ancestors(text).take_while(|&n| n != node).any(&is_own)))
}

/// Whether a node is text, and not white space only.
fn has_words(doc: &Document, node: NodeId) -> bool {
    !doc.text(node).trim().is_empty()
}

/// Returns the element that contains the items of an accordion. Each item is a control and the hidden element `node`,
/// or an element with only these two.
fn items_of(doc: &Document, node: NodeId) -> NodeId {
    let parent = doc.parent(node).unwrap_or(0);
    let has_two = doc.children(parent).filter(|&n| doc.kind(n) == Kind::Element).nth(2).is_none();
    doc.parent(parent).filter(|_| has_two).unwrap_or(parent)
}

/// Whether a hidden element is the end of a paragraph whose start is visible. Only a control may follow.
fn is_end_of_paragraph(doc: &Document, node: NodeId) -> bool {
    doc.parent(node).is_some_and(|parent| doc.tag(parent) == Tag::P)
        && doc.previous_siblings(node).take(MAX_SIBLINGS).any(|n| letters::of_node(doc, n) >= PARAGRAPH)
        && !doc.next_siblings(node).take(MAX_SIBLINGS).any(|n| has_words(doc, n))
        && paragraphs(doc, node).is_some()
}

/// Returns the tag of the innermost first child of boxes.
fn leading(doc: &Document, node: NodeId) -> Tag {
    let is_element = |&n: &NodeId| doc.kind(n) == Kind::Element;
    let mut at = node;
    while matches!(doc.tag(at), Tag::DIV | Tag::SECTION | Tag::ARTICLE)
        && let Some(first) = doc.children(at).find(is_element)
    {
        at = first;
    }
    doc.tag(at)
}

/// Whether an element begins with `<p>`, and a visible sibling also does and contains a paragraph.
fn has_like_sibling(doc: &Document, node: NodeId) -> bool {
    let siblings = doc.previous_siblings(node).chain(doc.next_siblings(node));
    let mut elements =
        siblings.filter(|&n| doc.kind(n) == Kind::Element && doc.is_visible(n)).take(MAX_SIBLINGS);
    leading(doc, node) == Tag::P
        && elements.any(|n| leading(doc, n) == Tag::P && paragraphs(doc, n).is_some())
}

/// Whether a paragraph is visible in the element around the section of a node, or in the element around that.
fn is_beside_text(doc: &Document, node: NodeId) -> bool {
    let around = doc.ancestors(node).take(3).filter(|&n| !matches!(doc.tag(n), Tag::BODY | Tag::HTML));
    around.flat_map(|n| doc.descendants(n).take(MAX_NODES)).any(|n| {
        let is_text = doc.kind(n) == Kind::Text && doc.is_visible(n) && letters::of_node(doc, n) >= PARAGRAPH;
        is_text && !doc.ancestors(n).take(2).any(|above| doc.tag(above) == Tag::A)
    })
}

#[cfg(test)]
mod tests {
    use crate::tests::text;

    const LONG: &str =
        "The keeper opens the lower gates when the first of the coal barges comes up from the sea.";

    fn twice(html: &str) -> String {
        html.replace("HERE", "") + html
    }

    fn shows(html: &str) -> bool {
        let menu = "<nav><a href=/>Canals and boats of the old country</a></nav>".repeat(40);
        text(&format!("{menu}<div>{html}</div>")).contains("HERE")
    }

    #[test]
    fn continuations_are_revealed() {
        let none = "style='display:none'";
        let section = |id: &str| format!("<h2>Part</h2><section id=s {none}><p>{id}{LONG}</p></section>");
        let hidden = |tag: &str, id: &str| format!("<{tag} {none}>{id}{LONG}</{tag}>");
        for page in [
            format!("<section><p>{LONG}</p></section>{}{}", section(""), section("HERE")),
            format!("<p>{LONG}<div><h3>Part</h3><div {none}><p>HERE{LONG}</p></div></div>"),
            format!("<p>{LONG}<div><div><h3>Part</h3></div><div {none}><p>HERE{LONG}</p></div></div>"),
            format!(
                "<h3>A</h3><div {none}>{LONG}</div><h3>B</h3><div {none}>{LONG}</div><h3>C</h3><div {none}>HERE{LONG}</div>"
            ),
            format!(
                "<p>{LONG}</p><div id=rest {none}><p>HERE{LONG}</p><p>{LONG}</p></div><a href=#>More</a>"
            ),
            format!("<p>{LONG}</p>{}{}", hidden("p", ""), hidden("p", "HERE")),
            format!("<p>{LONG}</p><div class=fade style='visibility:hidden'><p>HERE{LONG}</p></div>"),
            format!("<p>{LONG}</p><p style='visibility:hidden'>HERE{LONG}</p>"),
            format!(
                "<p>{LONG}<span id=dots>…</span><span id=more {none}>HERE{LONG}</span> <a href=#>More</a></p>"
            ),
            twice(&format!("<button aria-expanded=false>Q</button><div {none}><p>HERE{LONG}</p></div>")),
            twice(&format!(
                "<div><div role=button tabindex=0><b>Q</b></div><div role=region hidden>HERE{LONG}</div></div>"
            )),
            twice(&format!("<div><div><button>Q</button></div><div {none}>HERE{LONG}</div></div>")),
            twice(&format!(
                "<button>Q</button><div style='height:0;visibility:hidden'><p>HERE{LONG}</p></div>"
            )),
            twice(&format!("<li><a href=#>Q</a><div {none}>HERE{LONG}</div></li>")),
            format!("<dl>{}</dl>", twice(&format!("<dt>Q</dt><dd {none}>HERE{LONG}</dd>"))),
        ] {
            assert!(shows(&page), "{page}");
        }
    }

    #[test]
    fn many_invisible_elements_take_linear_time() {
        let hidden = format!("<div style='visibility:hidden'>{LONG}</div>").repeat(4000);
        let shown = "<i style='visibility:visible'>x</i>".repeat(4000);
        assert!(shows(&format!("{}<b>HERE</b>{hidden}{shown}", "<div>".repeat(400))));
    }

    #[test]
    fn other_hidden_elements_stay_hidden() {
        let none = "style='display:none'";
        for page in [
            format!("<p>{LONG}</p><div id=login {none}><h4>Log in</h4><p>HERE{LONG}</p></div><p>{LONG}</p>"),
            format!("<p>{LONG}</p><div {none}><p>HERE{LONG}</p></div>"),
            format!("<p>{LONG}</p><div {none}><p>HERE{LONG}</p><p>{LONG}</p><form><input></form></div>"),
            format!("<p>{LONG}</p><div lang=de {none}><p>HERE{LONG}</p><p>{LONG}</p></div>"),
            format!("<p>{LONG}</p><p {none}>HERE{LONG}</p>"),
            format!("<p>{LONG}</p><div style='visibility:hidden;position:absolute'><p>HERE{LONG}</p></div>"),
            format!(
                "<p>{LONG}</p><div style='visibility:hidden'><p style='visibility:visible'>{LONG}</p><p>HERE{LONG}</p></div>"
            ),
            format!("<h4>Links</h4><ul {none}><li><a href=/>HERE{LONG}</a></ul>"),
            format!("<h3>Part</h3><div {none}>HERE{LONG}</div>"),
            format!("<p>{LONG}</p><button>Terms</button><div {none}><p>HERE{LONG}</p></div>"),
            format!("<p>{LONG}<span {none}>HERE{LONG}</span> and the rest of the paragraph.</p>"),
            twice(&format!("<button>Menu</button><ul {none}><li><a href=/>HERE{LONG}</a></ul>")),
            twice(&format!("<a href=/part>Part</a><div {none}>HERE{LONG}</div>")),
            twice(&format!("<button>Write</button><div {none}>HERE{LONG}<input name=mail></div>")),
        ] {
            assert!(!shows(&page), "{page}");
        }
    }
}

//! Reveals hidden text if it is more than the visible text of the page, because a script probably shows it. Also
//! detects pages that have most of their text in `<noscript>`.

use crate::tag::Tag;
use crate::tree::{Document, Kind, NodeId};
use crate::visibility::{
    APART, CLOSED, EXCLUDED, Flagged, HIDDEN, INHERITED, NOT_TEXT, letters, mark_again, notices,
};
use rustc_hash::FxHashMap;
use std::cmp::Reverse;

/// Maximum number of candidates that are revealed.
const MAX_REVEALED: usize = 4;

/// Minimum number of letters of running text. Shorter texts may be labels or items of a menu.
const RUNNING_TEXT: usize = 20;

/// Hidden elements that a script may show together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Candidate {
    Element(NodeId),
    /// The running text in hidden child elements of a node, such as the sections of an article. The child
    /// elements have this tag.
    Children(NodeId, Tag),
    /// The running text in all elements directly after a heading: collapsed sections.
    BelowHeadings,
    /// The running text in all elements with `visibility: hidden`. Scroll animations hide elements in this way.
    Invisible,
}

/// Reveals hidden elements that contain more text than the visible page: removes them from `flagged`, and marks
/// again which nodes are hidden.
pub(crate) fn reveal(doc: &mut Document, flagged: &mut Vec<Flagged>, visible: &[NodeId]) {
    for _ in 0..MAX_REVEALED {
        // for each candidate, its number of letters and its first element
        let mut candidates: FxHashMap<Candidate, (usize, NodeId)> = FxHashMap::default();
        for f in flagged.iter().filter(|f| is_hidden_by_attribute(f) && is_outermost(doc, f.node)) {
            let (all, running) = revealed_letters(doc, f.node);
            candidates.insert(Candidate::Element(f.node), (all, f.node));
            if let Some(group) = group(doc, f) {
                candidates.entry(group).or_insert((0, f.node)).0 += running;
            }
        }
        let is_element = |candidate| matches!(candidate, Candidate::Element(_));
        let rank = |&(candidate, (letters, first)): &_| (letters, is_element(candidate), Reverse(first));
        let Some((candidate, (letters, _))) = candidates.into_iter().max_by_key(rank) else { break };
        if !shows_fewer(doc, letters) {
            break;
        }
        let is_revealed = |f: &Flagged| match candidate {
            Candidate::Element(node) => f.node == node,
            together => {
                let is_in =
                    is_hidden_by_attribute(f) && group(doc, f) == Some(together) && is_outermost(doc, f.node);
                is_in && revealed_letters(doc, f.node).1 > 0
            }
        };
        flagged.retain(|f| !is_revealed(f));
        mark_again(doc, flagged, visible);
    }
}

pub(super) fn is_hidden_by_attribute(flagged: &Flagged) -> bool {
    flagged.flags & INHERITED == HIDDEN
}

/// Returns the group of elements that a script shows together with a hidden element. Returns `None` if the
/// script shows only this element, such as a `<div>` with an id, which is often one of several tabs.
fn group(doc: &Document, flagged: &Flagged) -> Option<Candidate> {
    if flagged.is_invisible() {
        return Some(Candidate::Invisible);
    }
    if flagged.flags & APART == 0 && is_below_heading(doc, flagged.node) {
        return Some(Candidate::BelowHeadings);
    }
    let tag = doc.tag(flagged.node);
    let is_section = match tag {
        Tag::SECTION | Tag::ARTICLE | Tag::DD => true,
        Tag::DIV => doc.attribute(flagged.node, "id").is_none(),
        _ => false,
    };
    (is_section && flagged.flags & APART == 0)
        .then(|| Candidate::Children(doc.parent(flagged.node).unwrap_or(0), tag))
}

/// Returns whether a hidden element directly follows a heading. A `<p>` is excluded, because it is not a
/// collapsed section.
fn is_below_heading(doc: &Document, node: NodeId) -> bool {
    doc.tag(node) != Tag::P && element_before(doc, node).is_some_and(|element| doc.tag(element).is_heading())
}

/// Returns the element directly before a node. White space may separate the two.
pub(super) fn element_before(doc: &Document, node: NodeId) -> Option<NodeId> {
    doc.previous_siblings(node).take(2).find(|&n| doc.kind(n) == Kind::Element)
}

/// Whether all ancestors of a hidden element are visible.
fn is_outermost(doc: &Document, node: NodeId) -> bool {
    doc.parent(node).is_some_and(|p| doc.nodes[p as usize].hidden == 0) && is_attached(doc, node)
}

/// Whether the `noscript` elements contain more text than the visible page. If true, the caller parses the
/// page again without scripting.
///
/// The document must be parsed with scripting, so that the elements contain their markup as text.
pub(crate) fn is_mostly_in_noscript(doc: &Document, noscript: &[NodeId]) -> bool {
    let attached = noscript.iter().copied().filter(|&n| is_attached(doc, n));
    let texts = attached.flat_map(|n| doc.descendants(n)).map(|n| doc.text(n));
    let inside: usize = texts.filter(|text| !notices::is_notice(doc, text)).map(letters::outside_tags).sum();
    inside > 0 && shows_fewer(doc, inside)
}

/// Whether a node is still in the tree. A `<frameset>` detaches the content before it.
fn is_attached(doc: &Document, node: NodeId) -> bool {
    doc.ancestors_and_self(node).last() == Some(doc.root())
}

/// Returns two numbers of letters that become visible if a hidden element is revealed: the number of all letters,
/// and the number of letters of running text outside links.
fn revealed_letters(doc: &Document, top: NodeId) -> (usize, usize) {
    let (mut all, mut running) = (0, 0);
    let mut at = Some(top);
    // inside a link: the first node after the link
    let mut after_link = None;
    while let Some(node) = at {
        if after_link == Some(at) {
            after_link = None;
        }
        let is_text = doc.nodes[node as usize].hidden & (NOT_TEXT | EXCLUDED | CLOSED) == 0;
        let letters = if is_text { letters::of_node(doc, node) } else { 0 };
        all += letters;
        if letters >= RUNNING_TEXT && after_link.is_none() {
            running += letters;
        }
        if doc.kind(node) == Kind::Element && doc.tag(node) == Tag::A && after_link.is_none() {
            after_link = Some(doc.next_outside(node, top));
        }
        at = doc.first_child(node).or_else(|| doc.next_outside(node, top));
    }
    (all, running)
}

/// Whether the visible text of the page has fewer than `letters` letters.
fn shows_fewer(doc: &Document, letters: usize) -> bool {
    let mut left = letters;
    for node in doc.descendants(0).filter(|&n| doc.is_visible(n)) {
        match left.checked_sub(letters::of_node(doc, node)) {
            Some(n) if n > 0 => left = n,
            _ => return false,
        }
    }
    left > 0
}

#[cfg(test)]
mod tests {
    use crate::tests::text;

    #[test]
    fn hidden_siblings_are_judged_together() {
        let section =
            |text: &str| format!("<section style='display:none'>{text} of the canal and its boats</section>");
        let two = section("Early years") + &section("Later years");
        let page = |lead: &str, rest: &str| text(&format!("<main><p>{lead}</p>{rest}</main>"));
        let lead = "The canal joins the town and the sea, and the sea the world";
        assert!(page(lead, &two).ends_with("its boatsLater years of the canal and its boats"));
        assert_eq!(page(&lead.repeat(2), &two), lead.repeat(2));
        assert_eq!(page(lead, &two.replace("section", "p")), lead);
        assert_eq!(page(lead, &two.replace("none'", "none; position: absolute'")), lead);
        let tabs = two.replace("section", "div").replace("<div", "<div id=tab");
        assert_eq!(page(lead, &tabs), lead);
        // each element below a separate heading
        let folded =
            two.replace("<section", "<div><h2>Years</h2> <ul id=x").replace("</section>", "</ul></div>");
        assert!(page(lead, &folded).ends_with("its boatsYears Later years of the canal and its boats"));
        // different parents, links, and labels are not revealed
        let places = two.replace("<section", "<div><section").replace("</section", "</section></div");
        assert_eq!(page(lead, &places), lead);
        let links = two.replace("of the", "<a href=/>of the").replace("boats<", "boats</a><");
        assert_eq!(page(lead, &links), lead);
        assert_eq!(page(lead, &"<i hidden>Menu</i>".repeat(20)), lead);
    }

    #[test]
    fn elements_that_appear_on_scrolling_are_judged_together() {
        let part = |text: &str| {
            format!("<div><p style='visibility:hidden'>{text} of the canal and its boats</p></div>")
        };
        let page = format!(
            "<p>The canal joins the town and the sea</p>{}{}",
            part("Early years"),
            part("Later years")
        );
        assert!(text(&page).ends_with("its boatsLater years of the canal and its boats"));
    }
}

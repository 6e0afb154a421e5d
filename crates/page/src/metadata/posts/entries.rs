//! Excludes elements that are named like posts but are not: entries in lists of articles, and cards about an
//! author.

use super::{Candidate, Owners, PostKind};
use crate::metadata::element_names::{self as names, has};
use rustc_hash::FxHashMap;
use threshr_html::{Document, Kind, NodeId, Tag};

/// Maximum number of headings that are read per page.
const MAX_HEADINGS: usize = 20_000;

/// Returns for each candidate whether it is an entry of a list: its headline links to another page, or the
/// candidate is inside a link. Headlines of thread posts link to a fragment of the thread or to a member page.
/// An `<h1>` is ignored, because the headline of a page may link to the page itself.
pub(super) fn entries(doc: &Document, owners: &Owners, candidates: &[Candidate]) -> Vec<bool> {
    let is_link = |n: NodeId| doc.tag(n) == Tag::A && doc.attribute(n, "href").is_some();
    let is_post = |c: &Candidate| c.kind == PostKind::Post;
    let in_link = |c: &Candidate| is_post(c) && doc.ancestors(c.node).any(is_link);
    let mut entries: Vec<bool> = candidates.iter().map(in_link).collect();
    let elements = doc.descendants(doc.root()).filter(|&n| doc.kind(n) == Kind::Element);
    for heading in elements.filter(|&n| doc.tag(n).is_heading() && doc.tag(n) != Tag::H1).take(MAX_HEADINGS) {
        let Some(owner) = owners.get(heading) else { continue };
        entries[owner] |= is_post(&candidates[owner]) && leads_away(doc, heading);
    }
    entries
}

/// Whether the whole text of a headline is one link to another page that is not a member page.
pub fn leads_away(doc: &Document, heading: NodeId) -> bool {
    let is_link = |&n: &NodeId| doc.kind(n) == Kind::Element && doc.tag(n) == Tag::A;
    let inside = doc.descendants(heading).find(is_link);
    let around = || doc.ancestors(heading).take(2).find(is_link);
    let Some(link) = inside.or_else(around) else { return false };
    let leads = doc.attribute(link, "href").is_some_and(|href| !href.is_empty() && !href.contains('#'));
    let named = [heading, link];
    leads
        && !names::leads_to(doc, link, &names::POST_AUTHOR_PAGE)
        && !named.iter().any(|&n| has(doc, n, &names::POST_AUTHOR))
        && doc.descendants(heading).all(|n| {
            let is_text = !doc.text(n).trim().is_empty();
            !is_text || inside.is_none() || doc.ancestors(n).any(|around| around == link)
        })
}

/// Returns the selected candidates without a date whose tag and class occur only once: cards about an author.
pub(super) fn alone(doc: &Document, candidates: &[Candidate]) -> Vec<usize> {
    let form = |c: &Candidate| (doc.tag(c.node), doc.attribute(c.node, "class").unwrap_or_default());
    let mut nums: FxHashMap<(Tag, &str), usize> = FxHashMap::default();
    candidates.iter().filter(|c| c.is_post).for_each(|c| *nums.entry(form(c)).or_default() += 1);
    let is_alone = |c: &Candidate| {
        let may_be_card = c.is_part || c.kind == PostKind::Comment;
        c.is_post && may_be_card && c.dates.is_empty() && nums.get(&form(c)) == Some(&1)
    };
    (0..candidates.len()).filter(|&index| is_alone(&candidates[index])).collect()
}

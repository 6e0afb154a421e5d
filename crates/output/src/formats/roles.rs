//! Determines the roles of blocks on a page: content, headline, byline, captions, comments, teasers.

use crate::formats::PageOutput;
use rustc_hash::FxHashMap;
use serde::Serialize;
use std::borrow::Cow;
use threshr_html::{Document, Kind, NodeId, Tag};
use threshr_page::PageFacts;
use threshr_page::metadata::{Post, PostKind, leads_away};

/// The role of a unit on the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Role {
    /// Kept content that has no other role.
    Main,
    Headline,
    Byline,
    Caption,
    Comment,
    /// A teaser of another page in a list: a linked headline with a short text.
    Teaser,
    /// Boilerplate that has no other role.
    Other,
}

/// Returns the role of each block of a page.
pub(super) fn roles(page: &PageOutput<'_>, posts: &[Post]) -> Vec<Role> {
    let mut roles: Vec<Role> =
        page.kept.iter().map(|&kept| if kept { Role::Main } else { Role::Other }).collect();
    for teaser in teasers(page) {
        let extent = &page.blocks.extent(teaser).blocks;
        roles[extent.start as usize..extent.end as usize].fill(Role::Teaser);
    }
    for post in posts.iter().filter(|post| post.kind == PostKind::Comment) {
        let extent = &page.blocks.extent(post.node).blocks;
        roles[extent.start as usize..extent.end as usize].fill(Role::Comment);
    }
    let article = match page.known.article {
        Some(article) => Cow::Borrowed(article),
        None => Cow::Owned(PageFacts::without_words(page.doc, page.blocks).article_metadata().clone()),
    };
    for &(block, property) in article.iter() {
        roles[block as usize] = match property.name {
            "title" => Role::Headline,
            "byline" => Role::Byline,
            _ => Role::Caption,
        };
    }
    roles
}

/// Minimum number of teasers in a list.
const MIN_TEASERS: usize = 3;
/// Maximum number of bytes of text in a teaser.
const MAX_TEASER: u32 = 800;

/// Returns the elements that are teasers. The teasers of a list are siblings with the same tag and class. Each has
/// one linked headline and a short text.
fn teasers(page: &PageOutput<'_>) -> Vec<NodeId> {
    let doc = page.doc;
    let elements = doc.descendants(doc.root()).filter(|&n| doc.kind(n) == Kind::Element && doc.is_visible(n));
    let headings = elements.filter(|&n| doc.tag(n).is_heading() && leads_away(doc, n));
    // for each element, the number of linked headings inside it
    let mut num_inside: FxHashMap<NodeId, usize> = FxHashMap::default();
    let headings: Vec<NodeId> = headings.collect();
    for &heading in &headings {
        // counting stops at an element with two headings, because a teaser contains only one
        for around in doc.ancestors(heading) {
            let num = num_inside.entry(around).or_default();
            *num += 1;
            if *num > 2 {
                break;
            }
        }
    }
    let mut lists: FxHashMap<(NodeId, Tag, &str), Vec<NodeId>> = FxHashMap::default();
    for &heading in &headings {
        let is_single = |n: &NodeId| num_inside.get(n) == Some(&1);
        let Some(record) = doc.ancestors(heading).take_while(is_single).last() else { continue };
        let Some(list) = doc.parent(record) else { continue };
        if has_short_text(page, record, heading) {
            lists.entry((list, doc.tag(record), first_class(doc, record))).or_default().push(record);
        }
    }
    lists.into_values().filter(|records| records.len() >= MIN_TEASERS).flatten().collect()
}

/// Returns whether an element has a short text in addition to its headline.
fn has_short_text(page: &PageOutput<'_>, record: NodeId, heading: NodeId) -> bool {
    let (all, own) = (page.blocks.extent(record), page.blocks.extent(heading));
    let num_bytes: u32 = all.blocks.clone().map(|b| page.blocks.text(b as usize).len() as u32).sum();
    all.blocks.len() > own.blocks.len() && num_bytes <= MAX_TEASER
}

fn first_class(doc: &Document, node: NodeId) -> &str {
    doc.attribute(node, "class").and_then(|class| class.split_ascii_whitespace().next()).unwrap_or_default()
}

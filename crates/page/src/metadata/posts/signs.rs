//! Finds the author and date elements of posts, and counts their letters.

use super::{Candidate, MAX_CHARS, Owners};
use crate::metadata::element_names::{self as names, any_word, has};
use threshr_html::blocks::Blocks;
use threshr_html::{Document, Kind, NodeId, Tag};

/// Finds the innermost elements that hold authors and dates, and the input fields.
pub(super) fn find(doc: &Document, owners: &Owners, candidates: &mut [Candidate]) {
    for candidate in candidates.iter_mut() {
        candidate.parent = doc.parent(candidate.node).and_then(|parent| owners.get(parent));
    }
    let all: Vec<NodeId> = doc.descendants(doc.root()).collect();
    // in reverse document order, so that descendants come first
    let mut holds_sign = vec![false; doc.num_nodes()];
    let mut num_chars = vec![0usize; doc.num_nodes()];
    for &node in all.iter().rev() {
        let index = node as usize;
        if doc.kind(node) == Kind::Text && doc.is_visible(node) {
            num_chars[index] = doc.text(node).trim().len();
        }
        if let Some(parent) = doc.parent(node) {
            num_chars[parent as usize] += num_chars[index];
        }
        if doc.kind(node) != Kind::Element {
            continue;
        }
        let Some(candidate) = owners.get(node).map(|index| &mut candidates[index]) else { continue };
        candidate.has_field |= is_field(doc, node);
        let is_short = (1..=MAX_CHARS).contains(&num_chars[index]);
        if holds_sign[index] || node == candidate.node || !is_short || !doc.is_visible(node) {
            continue;
        }
        if is_date(doc, node) {
            candidate.dates.push(node);
        } else if is_author(doc, node) {
            candidate.authors.push(node);
        } else {
            continue;
        }
        for around in doc.ancestors(node).take_while(|&n| n != candidate.node) {
            if std::mem::replace(&mut holds_sign[around as usize], true) {
                break;
            }
        }
    }
    for candidate in candidates {
        candidate.authors.reverse();
        candidate.dates.reverse();
    }
}

/// Whether an element is an input field for a text or an e-mail address.
fn is_field(doc: &Document, node: NodeId) -> bool {
    let is_email = || {
        let says =
            |name: &&str| doc.attribute(node, name).is_some_and(|v| any_word(v, |word| word == "email"));
        ["type", "name"].iter().any(says)
    };
    let tag = doc.tag(node);
    (tag == Tag::TEXTAREA || tag == Tag::INPUT && is_email()) && doc.is_visible(node)
}

fn is_author(doc: &Document, node: NodeId) -> bool {
    let is_property = |value: &str| matches!(value, "author" | "creator");
    let is_name = || doc.attribute(node, "class").is_some_and(|class| class.trim() == "name");
    (has(doc, node, &names::POST_AUTHOR)
        || doc.attribute(node, "itemprop").is_some_and(is_property)
        || is_name())
        && !has(doc, node, &names::NOT_AUTHOR)
        && !has(doc, node, &names::NOT_POST_AUTHOR)
}

fn is_date(doc: &Document, node: NodeId) -> bool {
    let is_property = |value: &str| matches!(value, "datePublished" | "dateCreated" | "commentTime");
    (doc.tag(node) == Tag::TIME
        || has(doc, node, &names::POST_DATE)
        || doc.attribute(node, "itemprop").is_some_and(is_property))
        && !has(doc, node, &names::NOT_POST_DATE)
}

/// Counts the letters and digits of each candidate, without those of inner candidates. For a component such as
/// `post-body`, the author name and the date are not counted.
pub(super) fn count_letters(doc: &Document, blocks: &Blocks, owners: &Owners, candidates: &mut [Candidate]) {
    let mut in_sign = vec![false; doc.num_nodes()];
    for candidate in candidates.iter().filter(|candidate| candidate.is_part) {
        candidate.authors.iter().chain(&candidate.dates).for_each(|&n| in_sign[n as usize] = true);
    }
    for node in doc.descendants(doc.root()) {
        in_sign[node as usize] |= doc.parent(node).is_some_and(|parent| in_sign[parent as usize]);
    }
    for index in 0..blocks.len() {
        for span in blocks.spans(index) {
            let Some(owner) = owners.get(span.node) else { continue };
            if !(candidates[owner].is_part && in_sign[span.node as usize]) {
                candidates[owner].letters +=
                    blocks.slice(&span.text).chars().filter(|c| c.is_alphanumeric()).count();
            }
        }
    }
}

//! Finds the first post if its structure differs from that of the other posts.

use super::assemble::Reading;
use super::series::Record;
use super::signs::Signs;
use super::tree::{Tree, without_digits};
use crate::names::element_names::ITEMTYPE;
use threshr_html::Tag;

/// Number of ancestors of the first record that are searched.
const MAX_LEVELS: usize = 8;
/// Maximum number of preceding elements that are tried on each level.
const MAX_BEFORE: usize = 40;
/// Minimum number of bytes of text outside links and headings.
const MIN_BYTES: u32 = 40;
/// Minimum number of bytes of an article, and the minimum ratio of its length to the mean length of the other
/// texts.
const MIN_ARTICLE: usize = 1500;
const LONGER: usize = 8;
/// Minimum share of an element's text, in percent, that a child must contain to replace the element.
const MOST_PERCENT: u32 = 90;

/// Returns the nearest preceding element that may be the first post. It has text, and a date or a name.
pub(super) fn find(tree: &Tree<'_>, signs: &Signs, first: &Record) -> Option<Record> {
    let mut at = first.elements.start;
    for _ in 0..MAX_LEVELS {
        let parent = tree.parent(at)?;
        if tree.tag(parent) == Tag::HTML {
            return None;
        }
        let before: Vec<u32> = tree.children(parent).take_while(|&child| child < at).collect();
        if let Some(&lead) = before.iter().rev().take(MAX_BEFORE).find(|&&e| may_be_post(tree, signs, e)) {
            return Some(Record::new(tree, narrowed(tree, signs, lead)));
        }
        at = parent;
    }
    None
}

fn may_be_post(tree: &Tree<'_>, signs: &Signs, e: u32) -> bool {
    let is_other = matches!(tree.tag(e), Tag::NAV | Tag::ASIDE | Tag::FOOTER | Tag::FORM | Tag::THEAD);
    !is_other && text_bytes(tree, e) >= MIN_BYTES && has_sign(tree, signs, e)
}

/// Returns the number of bytes of text of an element outside links and headings.
fn text_bytes(tree: &Tree<'_>, e: u32) -> u32 {
    let of = |e: u32| {
        let inside = tree.inside(e);
        tree.bytes(&inside) - tree.link_bytes(&inside)
    };
    let headings = (e..tree.end(e)).filter(|&inner| tree.tag(inner).is_heading());
    of(e).saturating_sub(headings.map(of).sum())
}

fn has_sign(tree: &Tree<'_>, signs: &Signs, e: u32) -> bool {
    let inside = e..tree.end(e);
    let named = signs.named.partition_point(|&named| named < e);
    signs.named.get(named).is_some_and(|named| inside.contains(named))
        || signs.dates.iter().any(|date| inside.contains(&date.at))
}

/// Returns the innermost element with most of the text and a date or name.
fn narrowed(tree: &Tree<'_>, signs: &Signs, mut e: u32) -> u32 {
    loop {
        let all = text_bytes(tree, e);
        let holds = |&child: &u32| {
            100 * u64::from(text_bytes(tree, child)) >= u64::from(MOST_PERCENT) * u64::from(all)
                && has_sign(tree, signs, child)
        };
        match tree.children(e).find(holds) {
            Some(child) => e = child,
            None => return e,
        }
    }
}

/// Returns whether the first record is a post like the other records, and not an article. It is a post if it
/// has the type of a post, if its author has a member page like the other authors, or if its text is in an
/// element of the same form.
pub(super) fn is_post(tree: &Tree<'_>, records: &[Record], reading: &Reading, names_comments: bool) -> bool {
    let is_typed = tree.around(records[0].elements.start).take(3).chain(inner(tree, &records[0])).any(|e| {
        let kind = tree.named(e, ITEMTYPE).unwrap_or_default();
        kind.ends_with("Question") || kind.ends_with("DiscussionForumPosting")
    });
    let shape = |member: usize| address_shape(reading.authors[member].as_ref()?.url.as_deref()?);
    let is_member = || shape(0).is_some_and(|own| (1..records.len()).any(|r| shape(r) == Some(own)));
    let form = |member: usize| body_form(tree, &records[member], &reading.bodies[member]);
    let is_alike = || form(0).is_some_and(|own| (1..records.len()).any(|r| form(r) == Some(own)));
    let bytes = |member: usize| reading.bodies[member].iter().map(|&p| tree.text(p).len()).sum::<usize>();
    let others: usize = (1..records.len()).map(bytes).sum();
    let is_article = bytes(0) >= MIN_ARTICLE && bytes(0) * (records.len() - 1) > LONGER * others;
    is_typed || (is_member() || !names_comments && is_alike()) && !is_article
}

fn inner(tree: &Tree<'_>, record: &Record) -> impl Iterator<Item = u32> {
    let start = record.elements.start;
    start..tree.end(start).min(start + 3)
}

/// Hash of an address without digits and without its last part. Only the digits and the last part differ
/// between the pages of members.
fn address_shape(url: &str) -> Option<u64> {
    let url = url.split_once("://").map_or(url, |(_, rest)| rest).trim_end_matches('/');
    let end = url.rfind(['/', '=']).filter(|&at| at > 0)?;
    Some(without_digits(&url[..=end], 0))
}

/// Returns the form of the innermost element of the record that has a class and contains the whole text.
fn body_form(tree: &Tree<'_>, record: &Record, body: &[u32]) -> Option<u64> {
    let (first, last) = (*body.first()?, *body.last()?);
    let start = tree.pieces[first as usize].parent;
    let around = tree.around(start).take_while(|&e| e > record.elements.start);
    let mut holding = around.filter(|&e| tree.inside(e).contains(&last) && !tree.classes(e).is_empty());
    holding.next().map(|e| tree.form(e))
}

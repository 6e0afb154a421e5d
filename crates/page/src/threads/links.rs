//! Permalinks, replies and scores of records.

use super::series::{self, Record};
use super::signs::Date;
use super::tree::Tree;
use super::words::{List, leads_to_action};
use crate::metadata::text::has_digit;
use crate::names::element_names::{ID, ITEMPROP};
use rustc_hash::FxHashSet;
use threshr_html::{NodeId, Tag};

/// Maximum number of elements around a date that are searched for a link.
const AROUND_DATE: usize = 3;
/// Maximum number of bytes of a text with the number of a post, or with its score.
const MAX_NUMBER: usize = 10;
/// Minimum number of digits of a post number in a URL.
const MIN_DIGITS: usize = 3;
/// Maximum number of elements of a record that are searched.
const MAX_ELEMENTS: usize = 400;

/// Returns the URL of a record as written in the page: a link at its date, a link with its number, a link to
/// an anchor, or the id of the record.
pub(super) fn permalink(
    tree: &Tree<'_>,
    records: &[Record],
    index: usize,
    date: Option<&Date>,
    body: &FxHashSet<NodeId>,
) -> Option<String> {
    let own: Vec<u32> = own_elements(tree, records, index, body);
    let href = |e: u32| {
        let href = tree.attribute(e, "href").filter(|_| tree.tag(e) == Tag::A)?.trim();
        let is_place =
            !href.is_empty() && href != "#" && !href.starts_with("javascript") && !href.starts_with("mailto");
        (is_place && !leads_to_action(href)).then_some(href)
    };
    let at_date = || {
        let date = date?;
        let inside = || (date.at..tree.end(date.at)).find_map(href).filter(|h| has_number(h));
        let around = || tree.around(date.at).take(AROUND_DATE).find_map(href).filter(|h| has_number(h));
        inside().or_else(around)
    };
    let numbered = || {
        own.iter().copied().find_map(|e| {
            let inside = tree.inside(e);
            if inside.is_empty() || tree.bytes(&inside) as usize > MAX_NUMBER {
                return None;
            }
            let text = tree.joined(inside);
            let digits = text.trim_start_matches(['#', 'N', 'n', 'r', 'o', '.', '°', ' ']);
            let is_number = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
            href(e).filter(|_| is_number)
        })
    };
    let in_page = || own.iter().copied().find_map(|e| href(e).filter(|h| fragment_number(h)));
    let named = || {
        let names = |e: u32| {
            let name = tree.attribute(e, "name").filter(|_| tree.tag(e) == Tag::A);
            name.into_iter().chain(tree.named(e, ID))
        };
        let all = || own.iter().copied().flat_map(names).filter(|id| !id.contains(char::is_whitespace));
        let found = all().find(|id| has_number(id)).or_else(|| all().find(|id| has_digit(id)));
        found.map(|id| format!("#{id}"))
    };
    let found = at_date().or_else(numbered).or_else(in_page).map(str::to_owned);
    found.or_else(named)
}

/// Returns the elements of a record outside its text.
fn own_elements(tree: &Tree<'_>, records: &[Record], index: usize, body: &FxHashSet<NodeId>) -> Vec<u32> {
    let mut text_end = 0;
    let is_outside = |&e: &u32| {
        if e >= text_end && body.contains(&tree.node(e)) {
            text_end = tree.end(e);
        }
        e >= text_end
    };
    series::own_elements(records, index).filter(is_outside).take(MAX_ELEMENTS).collect()
}

fn has_number(href: &str) -> bool {
    let mut digits = 0;
    let is_long = href.bytes().any(|b| {
        digits = if b.is_ascii_digit() { digits + 1 } else { 0 };
        digits >= MIN_DIGITS
    });
    is_long || fragment_number(href)
}

fn fragment_number(href: &str) -> bool {
    href.split_once('#').is_some_and(|(_, fragment)| has_digit(fragment))
}

/// Returns the votes for a record.
pub(super) fn score(
    tree: &Tree<'_>,
    records: &[Record],
    index: usize,
    body: &FxHashSet<NodeId>,
) -> Option<i64> {
    own_elements(tree, records, index, body).into_iter().find_map(|e| {
        let is_score =
            tree.said(e).is(List::Score) || tree.named(e, ITEMPROP).is_some_and(|p| p == "upvoteCount");
        let inside = tree.inside(e);
        if !is_score || inside.is_empty() || tree.bytes(&inside) as usize > 2 * MAX_NUMBER {
            return None;
        }
        let text = tree.joined(inside).replace(['−', '–'], "-").replace(',', "");
        text.split_whitespace().next()?.trim_start_matches('+').parse().ok()
    })
}

//! Decides whether records are posts, and not teasers, topics, products or versions.

use super::assemble::Reading;
use super::series::{Record, Series};
use super::signs::Signs;
use super::slots::{self, Author};
use super::tree::{NONE, Tree, without_digits};
use super::words;
use crate::metadata::leads_away;
use crate::metadata::text::has_digit;
use rustc_hash::FxHashSet;
use threshr_html::Tag;

/// Minimum number of dates of a thread.
pub(super) const MIN_DATES: usize = 2;
/// At least this share of the records must have an author, or at least this share must have a date. Also the
/// minimum of [`Reading::alike`] for threads that cover little of the page.
const MOST: f64 = 0.8;
/// Minimum of each of these two shares, and of other shares. Also the maximum share of records that are links to
/// other pages, or teasers.
const HALF: f64 = 0.5;
/// Minimum share of records with a date, and minimum share of records with a name, in the cheap test
/// [`may_pass`].
const FEW: f64 = 0.25;
/// Replaces [`FEW`] if there are few records.
const MANY: f64 = 0.66;
/// Minimum of three shares of the records in the strict test, which is mainly used for few records: the
/// shares with a date, with an author that has evidence, and with the date in the most frequent slot.
const NEARLY_ALL: f64 = 0.9;
/// Minimum share of the non-link text of the page that is in records.
const MIN_COVERAGE: f64 = 0.25;
/// Minimum share of the non-link text if author, date and text of nearly all records are in the same slots.
const MIN_SMALL: f64 = 0.03;
/// Minimum number of records, if no name or type identifies them as posts.
const MIN_UNNAMED: usize = 4;
/// Minimum mean number of bytes of a text.
const MIN_MEAN: usize = 20;
/// Minimum number of bytes of a title.
const MIN_TITLE: usize = 12;
/// Maximum number of bytes of a text that counts as a teaser because it consists mostly of links.
const MAX_SHORT: u32 = 400;

/// Whether records may be posts, by their share of the page, their dates and their names. This cheap test runs before the
/// texts and authors of the records are read.
pub(super) fn may_pass(tree: &Tree<'_>, series: &Series) -> bool {
    let may_be_small = series.is_named && series.elsewhere == 0.0 && series.coverage >= MIN_SMALL;
    let num = series.records.len();
    let is_short = num == 2 || num < MIN_UNNAMED && !series.is_named;
    let least = if is_short { MANY } else { FEW };
    let has_authors = || {
        series.is_named && !is_short
            || series.with_name >= least
            || series.records.iter().take(2).any(|record| slots::states_author(tree, record))
    };
    (may_be_small || series.coverage >= MIN_COVERAGE) && series.dated >= least && has_authors()
}

/// Whether enough of `num` records have their date in the most frequent slot. `regular` is their share.
pub(super) fn is_regular(num: usize, regular: f64) -> bool {
    regular >= if num == 2 { NEARLY_ALL } else { HALF }
}

/// Returns the confidence that records are posts, from 0 to 1. `None` if they are not posts.
pub(super) fn confidence(
    tree: &Tree<'_>,
    signs: &Signs,
    series: &Series,
    records: &[Record],
    reading: &Reading,
) -> Option<f64> {
    let with_text: Vec<usize> = (0..records.len()).filter(|&r| !reading.bodies[r].is_empty()).collect();
    let num = with_text.len();
    if num < 2 {
        return None;
    }
    let share =
        |has: &dyn Fn(usize) -> bool| with_text.iter().filter(|&&r| has(r)).count() as f64 / num as f64;
    let dated = share(&|r| reading.dates[r].is_some());
    let named = share(&|r| reading.authors[r].is_some());
    let proven = share(&|r| reading.authors[r].as_ref().is_some_and(|author| author.has_evidence));
    let mut names: Vec<&str> =
        with_text.iter().filter_map(|&r| Some(reading.authors[r].as_ref()?.name.as_str())).collect();
    names.sort_unstable();
    names.dedup();
    let regular = reading.regular;
    let is_sure = dated >= 0.99 && proven >= NEARLY_ALL && series.coverage >= HALF;
    let is_whole = dated >= NEARLY_ALL && proven >= NEARLY_ALL && regular >= NEARLY_ALL;
    let is_known = match num {
        2 => {
            is_whole
                && names.len() > 1
                && reading.alike >= 0.99
                && (series.is_named || series.coverage >= HALF)
        }
        _ => series.is_named || num >= MIN_UNNAMED || is_sure,
    };
    let is_small = num > 2 && series.is_named && is_whole && reading.alike >= MOST && series.elsewhere == 0.0;
    let passes = dated.max(named) >= MOST
        && dated.min(named) >= HALF
        && series.coverage >= if is_small { MIN_SMALL } else { MIN_COVERAGE }
        && is_known
        && regular >= HALF
        && (proven >= HALF || series.is_named)
        && (reading.alike >= HALF || series.is_named);
    let dates: FxHashSet<u32> = signs.dates.iter().map(|date| date.piece).collect();
    // A title may be at the position of a name, so only authors with evidence count.
    let author = |r: usize| reading.authors[r].as_ref().filter(|author| author.has_evidence);
    let shapes: Vec<Option<u64>> = with_text
        .iter()
        .map(|&r| first_link(tree, &records[r], author(r), &dates).map(address_shape))
        .collect();
    // Links that differ only in their numbers are permalinks of the posts.
    let is_own = shapes.iter().flatten().next().is_some_and(|first| {
        let same = shapes.iter().flatten().filter(|shape| *shape == first).count();
        num > 2 && 2 * same > num
    });
    let first_links = if is_own { 0.0 } else { shapes.iter().flatten().count() as f64 / num as f64 };
    let leads = share(&|r| leads_elsewhere(tree, &records[r], author(r))).max(first_links);
    let bytes: usize = reading.bodies.iter().flatten().map(|&piece| tree.text(piece).len()).sum();
    let teases = share(&|r| is_teaser(tree, &reading.bodies[r]));
    if !passes || bytes < MIN_MEAN * num || leads > HALF || teases > HALF {
        return None;
    }
    Some((dated.min(named) * series.coverage.sqrt()).min(1.0))
}

/// Returns whether a record is a link to another page: a heading in the record is a link, or the record is
/// inside a link.
fn leads_elsewhere(tree: &Tree<'_>, record: &Record, author: Option<&Author>) -> bool {
    let start = record.elements.start;
    let is_link = |e: u32| tree.tag(e) == Tag::A && tree.attribute(e, "href").is_some();
    let name = author.and_then(|author| author.piece);
    let is_title =
        |&e: &u32| tree.tag(e).is_heading() && !name.is_some_and(|name| tree.inside(e).contains(&name));
    tree.around(start).any(is_link)
        || record.elements.clone().filter(is_title).any(|e| leads_away(tree.doc, tree.node(e)))
}

/// Returns the target of the link in the first words of a record, unless it is an anchor or the page of the author.
fn first_link<'d>(
    tree: &Tree<'d>,
    record: &Record,
    author: Option<&Author>,
    dates: &FxHashSet<u32>,
) -> Option<&'d str> {
    let mut others = record.pieces.clone().filter(|piece| !dates.contains(piece));
    let first = others.find(|&p| tree.text(p).len() >= MIN_TITLE)?;
    let href = tree.doc.attribute(tree.pieces[first as usize].span.link?, "href")?;
    let is_author =
        author.is_some_and(|author| author.piece == Some(first) || author.url.as_deref() == Some(href));
    let is_page = !href.is_empty() && !href.contains('#') && !href.starts_with("javascript");
    (is_page && !is_author && !words::leads_to_member(href)).then_some(href)
}

/// Hash of an address without its digits. An address without digits has a hash that no other address has.
fn address_shape(href: &str) -> u64 {
    without_digits(href, if has_digit(href) { 1 } else { 2 })
}

/// Whether a text is short and mostly links, or ends with an ellipsis in brackets.
fn is_teaser(tree: &Tree<'_>, body: &[u32]) -> bool {
    let bytes = |is: &dyn Fn(u32) -> bool| -> u32 {
        body.iter().filter(|&&p| is(p)).map(|&p| tree.text(p).len() as u32).sum()
    };
    let all = bytes(&|_| true);
    let links =
        bytes(&|p| tree.pieces[p as usize].span.link.is_some() && tree.pieces[p as usize].parent != NONE);
    let last = body.last().map_or("", |&p| tree.text(p)).trim_end();
    all <= MAX_SHORT && 2 * links > all || last.ends_with("[…]") || last.ends_with("[...]")
}

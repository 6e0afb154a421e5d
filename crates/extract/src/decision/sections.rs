//! Rule for short sections: a short section is kept if its heading and the text around it are kept.
//!
//! The text of a section such as "Notes" is short, so its score is unreliable.

use crate::filters::Page;
use std::cell::LazyCell;
use std::ops::Range;
use threshr_html::Tag;

/// Maximum numbers of blocks and characters of a short section.
const MAX_BLOCKS: usize = 3;
const MAX_CHARS: usize = 300;
/// Minimum share of the characters of the element around the section that are in kept blocks.
const MIN_SHARE: f64 = 0.75;

/// Keeps the section of each kept heading under three conditions:
///
/// - The section is short and contains no kept block and no links.
/// - Most of the text of the element around it is kept.
/// - Kept text precedes the heading.
///
/// `inside` marks the blocks that the caller selected; other blocks are never kept.
pub(super) fn decide(page: &Page<'_>, inside: Option<&[bool]>, keep: &mut [bool]) {
    // training drops the tree of a page if no filter reads it
    if page.blocks.elements().is_empty() {
        return;
    }
    let is_heading = |i: usize| page.blocks.is_in(page.doc, i, Tag::is_heading);
    let Some(first_text) = (0..keep.len()).find(|&i| keep[i] && !is_heading(i)) else { return };
    // headings without a kept section are rare
    let before = keep.to_vec();
    let chars = LazyCell::new(|| num_chars_before(page, &before));
    for heading in first_text..keep.len() {
        if !keep[heading] || keep.get(heading + 1) != Some(&false) || !is_heading(heading) {
            continue;
        }
        if let Some(section) = short_section(page, heading, keep, &chars) {
            section.for_each(|i| keep[i] = inside.is_none_or(|inside| inside[i]));
        }
    }
}

/// Drops each kept heading whose section is a list or links, of which nothing is kept.
///
/// `inside` marks the blocks that the caller selected; a section with other blocks is not empty. The headline of a page is
/// never dropped.
pub(super) fn drop_empty(page: &Page<'_>, inside: Option<&[bool]>, keep: &mut [bool]) {
    // training drops the tree of a page if no filter reads it
    if page.blocks.elements().is_empty() {
        return;
    }
    let in_list = |i: usize| {
        page.blocks.is_in(page.doc, i, |tag| tag == Tag::LI)
            || page.blocks.spans(i).iter().all(|span| span.link.is_some())
    };
    for heading in 1..keep.len() {
        let is_dropped = |i: usize| keep.get(i) == Some(&false) && inside.is_none_or(|inside| inside[i]);
        if !keep[heading] || !is_dropped(heading + 1) || !in_list(heading + 1) {
            continue;
        }
        let Some(level) = level_of(page, heading).filter(|&level| level > 0) else { continue };
        let after = (heading + 1..keep.len()).find(|&i| keep[i]);
        if after.is_none_or(|after| level_of(page, after).is_some_and(|next| next <= level)) {
            keep[heading] = false;
        }
    }
}

/// The level of the heading that contains a block.
fn level_of(page: &Page<'_>, block: usize) -> Option<u16> {
    let leaf = page.blocks.get(block)?.leaf;
    let mut around = page.doc.ancestors_and_self(leaf).take(4).map(|n| page.doc.tag(n));
    around.find(|tag| tag.is_heading()).map(|tag| tag.0 - Tag::H1.0)
}

/// Returns for each block, and for the end of the page, two numbers: the characters of all blocks before it,
/// and the characters of the kept blocks among them.
fn num_chars_before(page: &Page<'_>, keep: &[bool]) -> Vec<(usize, usize)> {
    let mut sums = vec![(0, 0)];
    let (mut all, mut of_kept) = (0, 0);
    for (i, &kept) in keep.iter().enumerate() {
        let num = page.blocks.num_chars(i);
        all += num;
        of_kept += if kept { num } else { 0 };
        sums.push((all, of_kept));
    }
    sums
}

/// Returns the blocks of the section of a heading, if the first two conditions of [`decide`] hold. `chars` is the
/// result of [`num_chars_before`].
fn short_section(
    page: &Page<'_>,
    heading: usize,
    keep: &[bool],
    chars: &[(usize, usize)],
) -> Option<Range<usize>> {
    let blocks = page.blocks;
    let is_heading = |&i: &usize| blocks.is_in(page.doc, i, Tag::is_heading);
    let element =
        page.doc.ancestors_and_self(blocks.get(heading)?.leaf).find(|&n| page.doc.tag(n).is_heading())?;
    let around = blocks.inside(page.doc.parent(element)?);
    let start = heading + 1;
    // one block more than the maximum is enough to reject longer sections
    let most = (start + MAX_BLOCKS + 1).min(around.end);
    let end = (start..most).find(is_heading).unwrap_or(most);
    let section = start..end;
    let is_link = |i: usize| blocks.spans(i).iter().any(|span| span.link.is_some());
    let num_chars = |range: &Range<usize>| chars[range.end].0 - chars[range.start].0;
    let fits = !section.is_empty()
        && section.len() <= MAX_BLOCKS
        && !keep[section.clone()].contains(&true)
        && num_chars(&section) <= MAX_CHARS
        && !section.clone().any(is_link);
    let kept = chars[around.end].1 - chars[around.start].1;
    (fits && kept as f64 >= MIN_SHARE * num_chars(&around) as f64).then_some(section)
}

#[cfg(test)]
mod tests {
    use crate::decision::tests;

    #[test]
    fn headings_of_dropped_lists_are_dropped() {
        let of = |before| {
            let html = "<p>a<h3>See also</h3><ul><li>b<li>c</ul><h3>More</h3><p>d";
            tests::decided(super::drop_empty, html, before, None)
        };
        assert_eq!(of("++--++"), "+---++");
        assert_eq!(of("++-+++"), "++-+++");
        assert_eq!(of("++---+"), "++---+", "text of the section follows the list");
        assert_eq!(of("++----"), "+-----");
        let selected = |inside: &[bool]| {
            tests::decided(super::drop_empty, "<p>a<h3>See also</h3><ul><li>b</ul>", "++-", Some(inside))
        };
        assert_eq!(selected(&[true, true, true]), "+--");
        assert_eq!(selected(&[true, true, false]), "++-");
        assert_eq!(tests::decided(super::drop_empty, "<p>a<h1>b</h1><ul><li>c</ul>", "++-", None), "++-");
    }

    fn decided(html: &str, before: &str) -> String {
        tests::decided(super::decide, html, before, None)
    }

    #[test]
    fn short_sections_inside_kept_text_are_kept() {
        let page = "<main><p>It rained on all days of the week, and the river rose over the old bridge<h3>Notes</h3><p>Snow is rare<h3>Trains</h3><p>None</main><p>Menu";
        assert_eq!(decided(page, "++-++-"), "+++++-");
        assert_eq!(decided(page, "++-+--"), "+++++-");
        assert_eq!(decided(page, "+---+-"), "+---+-", "no heading is kept");
        assert_eq!(decided(page, "-+-++-"), "-+-++-", "the heading is the first text");
        let long = page.replace("Snow is rare", &"Snow is rare and cold. ".repeat(20));
        assert_eq!(decided(&long, "++-++-"), "++-++-");
        let link = page.replace("Snow", "<a href=/>Snow</a>");
        assert_eq!(decided(&link, "++-++-"), "++-++-");
    }
}

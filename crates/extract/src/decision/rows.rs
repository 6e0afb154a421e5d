//! Rule for lists: all rows of a list are kept, or all are dropped.
//!
//! Such lists contain ingredients, steps, product features, or pairs of label and value. A row has few words, so its
//! score is unreliable: without this rule, "2 eggs" may be dropped and "3 spoons of flour" kept.

use crate::decision::groups::{is_kept_at, kept_weight, weight};
use crate::filters::Page;
use std::ops::Range;
use threshr_html::{Kind, NodeId, Tag};

/// Minimum number of rows of a list.
const MIN_ROWS: usize = 3;
/// Maximum number of blocks per row. An element with more blocks is a section and not a row.
const MAX_BLOCKS: usize = 8;
/// Minimum share of the characters of a list that are in kept blocks. A list with a smaller share is dropped.
const MIN_SHARE: f64 = 0.5;
/// Maximum mean number of characters per block of a list that is kept because of the heading before it.
const MAX_ROW: usize = 80;

/// Maximum number of characters of the label and of the value in a pair.
const MAX_LABEL: usize = 40;
const MAX_VALUE: usize = 80;
/// Minimum number of bytes of the text before a specification, because scripts without spaces need fewer characters.
const MIN_TEXT: usize = 60;
/// Minimum share of the pairs of a specification that have a number.
const MIN_NUMBERS: f64 = 0.4;
/// Maximum number of elements around a text and a specification that are searched for the section of both.
const MAX_SECTION_LEVELS: usize = 4;

/// Drops all rows of a list if less than half of its characters are in kept blocks. Otherwise, keeps all rows if a kept
/// block is directly before or after the list. A list of short rows between a kept heading and a kept block is always
/// kept. A specification after kept text is also kept: pairs of label and value, many of them with numbers.
///
/// A list away from kept blocks is not dropped if it has most of the kept text of the page. `inside` marks the blocks
/// that the caller selected; other blocks are never kept.
pub(super) fn decide(page: &Page<'_>, inside: Option<&[bool]>, keep: &mut [bool]) {
    let is_mixed =
        |blocks: &[bool]| blocks.len() >= MIN_ROWS && blocks.contains(&true) && blocks.contains(&false);
    let mut of_page = None;
    for list in all_lists(page, true) {
        if is_whole_section(page, &list, keep) || is_specification(page, &list, keep) {
            list.for_each(|i| keep[i] = inside.is_none_or(|inside| inside[i]));
            continue;
        }
        if !is_mixed(&keep[list.clone()]) {
            continue;
        }
        let is_beside = is_kept_at(keep, list.start.checked_sub(1)) || is_kept_at(keep, Some(list.end));
        let all: f64 = list.clone().map(|i| weight(page.blocks, i)).sum();
        let kept = kept_weight(page.blocks, list.clone(), keep);
        let is_kept = kept >= MIN_SHARE * all;
        let mut has_most = || {
            let of_page = *of_page.get_or_insert_with(|| kept_weight(page.blocks, 0..keep.len(), keep));
            2.0 * kept > of_page
        };
        if is_beside || !is_kept && !has_most() {
            list.for_each(|i| keep[i] = is_kept && inside.is_none_or(|inside| inside[i]));
        }
    }
}

/// Returns the block ranges of the lists of a page. A list inside the row of another list may follow it.
/// `with_pairs` adds the lists of other elements whose rows are pairs of label and value.
fn all_lists(page: &Page<'_>, with_pairs: bool) -> impl Iterator<Item = Range<usize>> {
    let elements = page.blocks.elements().iter();
    let may_be_list = move |element: &&NodeId| page.blocks.inside(**element).len() >= MIN_ROWS;
    elements.filter(may_be_list).flat_map(move |&element| lists(page, element, with_pairs))
}

/// Returns the block ranges of the lists of a page, in order. They do not overlap: a list inside the row of another list
/// is part of it.
pub(crate) fn outermost(page: &Page<'_>) -> Vec<Range<usize>> {
    let mut end = 0;
    let is_outside = |list: &Range<usize>| {
        let is_outside = end <= list.start;
        end = end.max(list.end);
        is_outside
    };
    all_lists(page, false).filter(is_outside).collect()
}

/// Whether a list is the whole section of a kept heading: the heading is directly before the list, a kept block is
/// directly after it, the rows are short, and no block is only a link.
fn is_whole_section(page: &Page<'_>, list: &Range<usize>, keep: &[bool]) -> bool {
    let blocks = page.blocks;
    let Some(heading) = list.start.checked_sub(1).filter(|&i| keep[i]) else { return false };
    let is_link = |i: usize| blocks.spans(i).iter().all(|span| span.link.is_some());
    blocks.is_in(page.doc, heading, Tag::is_heading)
        && is_kept_at(keep, Some(list.end))
        && !list.clone().any(is_link)
        && list.clone().map(|i| blocks.num_chars(i)).sum::<usize>() <= MAX_ROW * list.len()
}

/// Whether an element is a pair of label and value: two child elements with short texts, and no other text.
fn is_pair(page: &Page<'_>, element: NodeId, blocks: &Range<usize>) -> bool {
    if blocks.len() > 2
        || blocks.clone().map(|i| page.blocks.num_chars(i)).sum::<usize>() > MAX_LABEL + MAX_VALUE
    {
        return false;
    }
    let doc = page.doc;
    let is_blank = |&n: &NodeId| doc.kind(n) == Kind::Text && doc.text(n).trim().is_empty();
    let mut children = doc.children(element).filter(|n| !is_blank(n));
    let parts = [children.next(), children.next()];
    let is_part =
        |part: &Option<NodeId>| part.is_some_and(|n| doc.kind(n) == Kind::Element && doc.tag(n) != Tag::BR);
    let chars = |part: Option<NodeId>| -> usize {
        let texts =
            part.into_iter().flat_map(|n| doc.descendants(n)).map(|n| doc.text(n).trim().chars().count());
        texts.sum()
    };
    children.next().is_none()
        && parts.iter().all(is_part)
        && (1..=MAX_LABEL).contains(&chars(parts[0]))
        && (1..=MAX_VALUE).contains(&chars(parts[1]))
}

/// Whether a list is a specification after kept text: pairs of label and value, many of them with numbers, and no
/// links. Between the text and the list may be a heading. The list is not in a footer or next to the content.
fn is_specification(page: &Page<'_>, list: &Range<usize>, keep: &[bool]) -> bool {
    let (blocks, doc) = (page.blocks, page.doc);
    let Some(node) = blocks.get(list.start).map(|block| block.node) else { return false };
    if keep[list.clone()].iter().all(|&kept| kept) {
        return false;
    }
    let has_link = |i: usize| blocks.spans(i).iter().any(|span| span.link.is_some());
    let is_long = |i: usize| blocks.num_chars(i) > MAX_VALUE;
    if list.clone().any(|i| has_link(i) || is_long(i)) {
        return false;
    }
    let is_pairs = match doc.tag(node) {
        Tag::DT | Tag::DD => true,
        Tag::LI => list.clone().all(|i| {
            let text = blocks.text(i);
            let colon = text.char_indices().take(MAX_LABEL).find(|(_, c)| matches!(c, ':' | '：'));
            colon.is_some_and(|(at, colon)| at > 0 && at + colon.len_utf8() < text.trim_end().len())
        }),
        _ => doc.ancestors_and_self(node).take(2).any(|n| is_pair(page, n, &blocks.inside(n))),
    };
    let is_one_block = doc.tag(node) == Tag::LI || is_pair(page, node, &blocks.inside(node));
    let num_rows = if is_one_block { list.len() } else { list.len().div_ceil(2) };
    let num_numbers = list.clone().filter(|&i| blocks.text(i).contains(char::is_numeric)).count();
    if !is_pairs || (num_numbers as f64) < MIN_NUMBERS * num_rows as f64 {
        return false;
    }
    let is_apart =
        |n: NodeId| matches!(doc.tag(n), Tag::FOOTER | Tag::ASIDE | Tag::NAV | Tag::FORM | Tag::HEADER);
    let before = |i: usize| i.checked_sub(1);
    let is_heading = |i: &usize| blocks.is_in(doc, *i, Tag::is_heading);
    let first = before(list.start);
    let text = first.filter(is_heading).map_or(first, before);
    let is_paragraph = |i: usize| keep[i] && blocks.text(i).len() > MIN_TEXT;
    // the text is in the same section of the page
    let is_near = |i: usize| {
        let around: Vec<NodeId> = doc.ancestors(node).take(MAX_SECTION_LEVELS).collect();
        blocks.get(i).is_some_and(|block| {
            doc.ancestors(block.node).take(MAX_SECTION_LEVELS).any(|n| around.contains(&n))
        })
    };
    text.is_some_and(|i| is_paragraph(i) && is_near(i)) && !doc.ancestors(node).any(is_apart)
}

/// Returns the block range of each list whose rows are children of an element. The rows are adjacent list items,
/// adjacent terms and definitions, or, with `with_pairs`, adjacent pairs of label and value.
fn lists(page: &Page<'_>, element: NodeId, with_pairs: bool) -> Vec<Range<usize>> {
    let mut lists: Vec<(usize, Range<usize>)> = Vec::new();
    let mut is_open = None;
    for child in page.doc.children(element).filter(|&child| page.blocks.element_index(child).is_some()) {
        let blocks = page.blocks.inside(child);
        if blocks.is_empty() {
            continue;
        }
        let form = match page.doc.tag(child) {
            Tag::LI => Some(Tag::LI),
            Tag::DT | Tag::DD => Some(Tag::DD),
            Tag::DIV if with_pairs && is_pair(page, child, &blocks) => Some(Tag::DIV),
            _ => None,
        };
        let form = form.filter(|_| blocks.len() <= MAX_BLOCKS);
        match lists.last_mut() {
            Some((rows, list)) if form.is_some() && form == is_open && list.end == blocks.start => {
                *rows += 1;
                list.end = blocks.end;
            }
            _ if form.is_some() => lists.push((1, blocks)),
            _ => {}
        }
        is_open = form;
    }
    lists.into_iter().filter(|(rows, _)| *rows >= MIN_ROWS).map(|(_, list)| list).collect()
}

#[cfg(test)]
mod tests {
    use crate::decision::tests;

    fn decided(html: &str, before: &str, inside: Option<&[bool]>) -> String {
        tests::decided(super::decide, html, before, inside)
    }

    #[test]
    fn rows_beside_kept_text_share_their_fate() {
        let list = "<p>You need<ul><li>2 eggs<li>3 spoons of flour<li>200 g sugar</ul><p>Mix it";
        assert_eq!(decided(list, "+-+++", None), "+++++");
        assert_eq!(decided(list, "++--+", None), "+---+");
        assert_eq!(decided(list, "--++-", None), "--++-");
        let inside = [true, true, true, false, true];
        assert_eq!(decided(list, "+-+-+", Some(&inside)), "+++-+");
        let pairs = "<p>Facts<dl><dt>Width<dd>20 centimetres<dt>Height<dd>30 centimetres</dl>";
        assert_eq!(decided(pairs, "+-+-+", None), "+++++");
    }

    #[test]
    fn a_list_is_what_its_heading_announces() {
        let page = "<h3>You need</h3><ul><li>2 eggs<li>3 spoons of flour<li>200 g sugar</ul><h3>Do this</h3>";
        assert_eq!(decided(page, "+---+", None), "+++++");
        assert_eq!(decided(page, "+---+", Some(&[true, true, false, true, true])), "++-++");
        for other in [
            page.replace("h3", "p"),
            page.replace("<li>", "<li><a href=/>").replace("<ul>", "<ul class=links>"),
            page.replace("2 eggs", &"2 eggs and more ".repeat(20)),
        ] {
            assert_eq!(decided(&other, "+---+", None), "+---+", "{other}");
        }
        assert_eq!(decided(page, "+----", None), "+----");
        assert_eq!(decided(page, "----+", None), "----+");
    }

    #[test]
    fn a_few_rows_away_from_kept_text_are_dropped() {
        let list =
            "<p>News<ul><li>2 eggs<li>3 spoons of flour<li>200 g sugar</ul><p>Menu<p>It rained all day";
        assert_eq!(decided(list, "-+---+", None), "-----+");
        assert_eq!(decided(list, "-++--+", None), "-++--+", "most of the list is kept");
        assert_eq!(decided(list, "-+----", None), "-+----", "no other text is kept");
    }

    #[test]
    fn specifications_after_text_are_kept() {
        let text = format!("<p>{}</p>", "A boat with two owners. ".repeat(5));
        let rows = [("Length", "12,4 m"), ("Hull", "Steel"), ("Built", "1987")];
        let of = |row: fn(&str, &str) -> String| rows.map(|(a, b)| row(a, b)).concat();
        let divs = of(|a, b| format!("<div><div>{a}</div><div>{b}</div></div>"));
        let page = format!("<main>{text}<div><h2>Data</h2>{divs}</div></main>");
        assert_eq!(decided(&page, "++------", None), "++++++++");
        assert_eq!(decided(&page, "--------", None), "--------");
        let spans = of(|a, b| format!("<div><span>{a}</span> <b>{b}</b></div>"));
        assert_eq!(decided(&format!("{text}<section>{spans}</section>"), "+---", None), "++++");
        let items = of(|a, b| format!("<li>{a}: {b}</li>"));
        assert_eq!(decided(&format!("{text}<ul>{items}</ul>"), "+---", None), "++++");
        let terms = of(|a, b| format!("<dt>{a}<dd>{b}"));
        assert_eq!(decided(&format!("{text}<dl>{terms}</dl>"), "+------", None), "+++++++");
        for other in [
            format!("{text}<footer>{divs}</footer>"),
            format!("{text}<div>{}</div>", divs.replace("<div>Length", "<div><a href=/>Length</a>")),
            format!("{text}<div>{}</div>", divs.replace("12,4 m", "long").replace("1987", "late")),
        ] {
            assert_eq!(decided(&other, "+------", None), "+------", "{other}");
        }
    }

    #[test]
    fn two_rows_sections_and_other_elements_are_no_list() {
        assert_eq!(decided("<p>a<ul><li>b<li>c</ul>", "++-", None), "++-");
        assert_eq!(decided("<p>a<div>b</div><div>c</div><div>d</div>", "++-+", None), "++-+");
        let section = "<p>b".repeat(9);
        let sections = format!("<p>a<ul><li>{section}<li>{section}<li>{section}</ul>");
        let before = format!("++{}", "-".repeat(26));
        assert_eq!(decided(&sections, &before, None), before);
    }
}

//! Visible facts: headline, byline, `<time>`, and dates near the headline.

use super::authors;
use super::bylines::with_unlinked;
use super::date_labels;
use super::dates::{self, DateStyle, Found};
use super::element_names::{self as names, has, is_elsewhere};
use super::teasers::Teasers;
use super::text::{folded, key, mended, of_node};
use crate::PageFacts;
use rustc_hash::FxHashSet;
use threshr_html::{Document, Kind, NodeId, Tag};

/// Maximum number of elements that are searched for authors and dates.
const MAX_CANDIDATES: usize = 400;
/// Maximum number of characters of an element that holds an author or a date.
const MAX_CHARS: usize = 200;
/// Maximum number of different authors in elements of one class. If there are more, the elements are a list
/// and not the authors of the page.
const MAX_OF_KIND: usize = 3;
/// Number of blocks from the headline on in which links to author pages are searched.
const NEAR_LINKS: usize = 12;
/// Maximum number of words of a person's full name.
const MAX_NAME_WORDS: usize = 4;
/// Number of blocks before and after the headline that are searched for dates.
const NEAR_BEFORE: usize = 4;
const NEAR_AFTER: usize = 8;
/// Maximum number of blocks between a block that is only a date label and the block with the date.
const MAX_AFTER_LABEL: usize = 2;
/// Maximum number of words of a block near the headline that is searched for authors and dates.
const MAX_WORDS: usize = 30;

/// Facts found in the visible page, the most reliable first.
#[derive(Debug, Default)]
pub(super) struct Visible {
    /// The text of the headline.
    pub headline: Option<String>,
    /// Whether the headline is in an `<h1>`.
    pub is_h1: bool,
    /// The text of the `<h1>`, if there is only one.
    pub only_h1: Option<String>,
    /// Authors in the byline.
    pub byline: Vec<String>,
    /// Authors in elements whose names contain a word for author, such as `class="author"`.
    pub named: Vec<String>,
    /// Authors in lines such as `By Ann Miller` near the headline.
    pub labelled: Vec<String>,
    /// Authors whose names link to an author page.
    pub linked: Vec<String>,
    /// Authors in lines such as `Written by Ann Miller` anywhere.
    pub signed: Vec<String>,
    /// Dates in the byline.
    pub byline_dates: Vec<Found>,
    /// Dates in `<time>` and in elements whose names contain a word for date.
    pub element_dates: Vec<Found>,
    /// Dates in the text near the headline.
    pub near_dates: Vec<Found>,
    /// Dates after words such as "published" anywhere on the page.
    pub labelled_dates: Vec<Found>,
}

/// Reads the visible facts. `url` is the URL of the page. If `is_forum` is true, elements with the authors of
/// posts are read as authors.
pub(super) fn read(page: &PageFacts<'_>, style: DateStyle<'_>, url: Option<&str>, is_forum: bool) -> Visible {
    let doc = page.doc;
    let headline = page.headline();
    let node = headline.and_then(|i| page.blocks.get(i)).map(|b| b.leaf);
    let text = |i: usize| mended(page.blocks.text(i));
    let teasers = Teasers::new(doc, node, url);
    let is_teaser = |i: usize| {
        let link = page.blocks.spans(i).first().and_then(|span| span.link);
        let Some(leaf) = page.blocks.get(i).map(|block| block.leaf) else { return false };
        // the link is inside the block, or the block is inside the link
        let inner = link.filter(|&link| !doc.ancestors_and_self(leaf).any(|n| n == link));
        teasers.hold(inner.unwrap_or(leaf), &text(i))
    };
    let mut visible = Visible {
        headline: headline.map(text).filter(|t| !t.is_empty()),
        is_h1: headline.is_some_and(|i| page.is_in(i, |tag| tag == Tag::H1)),
        only_h1: only_h1(doc),
        ..Visible::default()
    };
    let bylines: Vec<usize> = page
        .article_metadata()
        .iter()
        .filter(|(_, property)| property.name == "byline")
        .map(|(i, _)| *i as usize)
        .collect();
    for &i in &bylines {
        let own = text(i);
        if visible.byline.is_empty() {
            visible.byline = byline_names(page, i);
            if visible.byline.is_empty()
                && i > 0
                && authors::is_label(&text(i - 1))
                && authors::looks_like_name(&own)
            {
                visible.byline = authors::shown(&own);
            }
        }
        if !is_teaser(i) {
            visible.byline_dates.extend(dates::find_all(&own, style));
        }
    }
    let elements = elements(doc, node);
    visible.named = named_authors(doc, &elements, node, is_forum);
    visible.element_dates = element_dates(doc, &elements, style, &teasers);
    if let Some(headline) = headline {
        let near = headline.saturating_sub(NEAR_BEFORE)..(headline + NEAR_AFTER).min(page.len());
        for i in near.filter(|&i| i != headline) {
            let own = text(i);
            if own.split(' ').count() <= MAX_WORDS {
                if visible.labelled.is_empty() && i > headline {
                    visible.labelled = byline_names(page, i);
                }
                let found = dates::find_all(&own, style);
                if !found.is_empty() && !is_teaser(i) {
                    visible.near_dates.extend(found);
                }
            }
        }
    }
    visible.linked = linked_authors(page, headline, node);
    visible.signed = signed(page, node);
    visible.labelled_dates = labelled_dates(page, style);
    visible
}

/// Returns the first name near the headline that links to an author page, and the other names that are listed
/// in the same block. If there are many such names, returns nothing.
fn linked_authors(page: &PageFacts<'_>, block: Option<usize>, headline: Option<NodeId>) -> Vec<String> {
    let doc = page.doc;
    let near = block.map_or(0..NEAR_LINKS, |i| i..i + NEAR_LINKS);
    let block_of = |n: NodeId| page.blocks.extent(n).blocks.start as usize;
    let is_link = |&n: &NodeId| names::leads_to(doc, n, &names::AUTHOR_PAGE);
    let links = doc.elements_with(|tag| tag == Tag::A).filter(is_link).take(MAX_CANDIDATES);
    let links = links
        .filter(|&n| near.contains(&block_of(n)) && doc.is_visible(n) && !is_elsewhere(doc, n, headline));
    let texts = links.map(|n| (block_of(n), of_node(doc, n))).filter(|(_, t)| is_full_name(t));
    let found: Vec<(usize, String)> =
        texts.flat_map(|(block, t)| authors::shown(&t).into_iter().map(move |name| (block, name))).collect();
    let Some(&(first, _)) = found.first() else { return Vec::new() };
    let mut all: Vec<&String> = found.iter().map(|(_, name)| name).collect();
    all.sort_unstable();
    all.dedup();
    if all.len() > MAX_OF_KIND {
        return Vec::new();
    }
    let linked = found.into_iter().filter(|(block, _)| *block == first).map(|(_, name)| name).collect();
    let text = mended(page.blocks.text(first));
    if text.len() > MAX_CHARS { linked } else { with_unlinked(&text, linked) }
}

/// Whether a text looks like a first name and a family name.
fn is_full_name(text: &str) -> bool {
    let words = text.split(' ').count();
    (2..=MAX_NAME_WORDS).contains(&words) && text.split(' ').all(|w| w.starts_with(char::is_uppercase))
}

/// Returns the names after an author label of two or more words, such as `Written by`. The label must start a
/// short block; the names follow in that block or in the next.
fn signed(page: &PageFacts<'_>, headline: Option<NodeId>) -> Vec<String> {
    for i in 0..page.len() {
        let text = page.blocks.text(i);
        if text.len() > MAX_CHARS {
            continue;
        }
        let text = folded(text);
        let name = match authors::after_long_label(&text) {
            Some("") => page.blocks.get(i + 1).map(|_| folded(page.blocks.text(i + 1))),
            Some(rest) => Some(rest.to_owned()),
            None => None,
        };
        let here = || page.blocks.get(i).is_some_and(|b| !is_elsewhere(page.doc, b.leaf, headline));
        let names = name.map(|name| authors::shown(&name)).unwrap_or_default();
        if !names.is_empty() && names.iter().all(|name| is_full_name(name)) && here() {
            return names;
        }
    }
    Vec::new()
}

fn only_h1(doc: &Document) -> Option<String> {
    let mut all = doc.elements_with(|tag| tag == Tag::H1).filter(|&n| doc.is_visible(n));
    let first = all.next()?;
    let text = of_node(doc, first);
    (all.next().is_none() && !text.is_empty()).then_some(text)
}

/// Returns the elements named after authors or dates and the `<time>` elements, in document order. Elements in
/// comments and lists are excluded.
fn elements(doc: &Document, headline: Option<NodeId>) -> Vec<NodeId> {
    let is_named = |n: NodeId| {
        doc.kind(n) == Kind::Element
            && (doc.tag(n) == Tag::TIME
                || has(doc, n, &names::AUTHOR)
                || has(doc, n, &names::FORUM_AUTHOR)
                || has(doc, n, &names::DATE))
    };
    let found = doc.descendants(doc.root()).filter(|&n| is_named(n)).take(MAX_CANDIDATES);
    found.filter(|&n| doc.is_visible(n) && !is_elsewhere(doc, n, headline)).collect()
}

/// Returns the authors in elements named after authors: in the first element after the headline, or else in
/// the last element before it.
fn named_authors(
    doc: &Document,
    elements: &[NodeId],
    headline: Option<NodeId>,
    is_forum: bool,
) -> Vec<String> {
    let words = if is_forum { &names::FORUM_AUTHOR } else { &names::AUTHOR };
    let mut found: Vec<(NodeId, &str, Vec<String>)> = Vec::new();
    for &node in elements.iter().filter(|&&n| has(doc, n, words) && !has(doc, n, &names::NOT_AUTHOR)) {
        let text = of_node(doc, node);
        if text.is_empty() || text.chars().count() > MAX_CHARS {
            continue;
        }
        let names = names_in(doc, node, is_forum);
        let class = doc.attribute(node, "class").or(doc.attribute(node, "rel")).unwrap_or_default();
        if !names.is_empty() {
            found.push((node, class, names));
        }
    }
    let after = found.iter().find(|f| headline.is_none_or(|h| f.0 > h));
    let Some(best) = after.or(found.last()) else { return Vec::new() };
    let of_kind = || found.iter().filter(|f| f.1 == best.1);
    let kinds: FxHashSet<String> = of_kind().map(|f| key(&f.2.join(" "))).collect();
    if !is_forum && kinds.len() > MAX_OF_KIND {
        return Vec::new();
    }
    // adjacent elements of the same kind are one byline
    let parent = doc.parent(best.0);
    let beside = of_kind().filter(|f| f.0 == best.0 || !is_forum && doc.parent(f.0) == parent);
    let mut names: Vec<String> = Vec::new();
    for name in beside.flat_map(|f| &f.2) {
        if !names.iter().any(|known| key(known) == key(name)) {
            names.push(name.clone());
        }
    }
    names
}

/// Returns the names in an element named after authors: the names in its links and the names listed next to
/// them, or else the names after a label, or else the names in its first text.
pub(super) fn names_in(doc: &Document, node: NodeId, is_forum: bool) -> Vec<String> {
    let is_name = |text: &String| {
        let is_one = is_forum && !text.contains(' ');
        (is_one || authors::looks_like_name(text)) && dates::find(text, DateStyle::default()).is_none()
    };
    let of_texts = |texts: Vec<String>| -> Vec<String> {
        texts.iter().filter(|t| is_name(t)).flat_map(|t| authors::shown(t)).collect()
    };
    let inside = || std::iter::once(node).chain(doc.descendants(node).take(MAX_CANDIDATES));
    let links = inside().filter(|&n| doc.kind(n) == Kind::Element && doc.tag(n) == Tag::A);
    let mut names = of_texts(links.map(|n| of_node(doc, n)).collect());
    names.dedup_by_key(|name| key(name));
    let text = of_node(doc, node);
    if !names.is_empty() {
        return if is_forum { names } else { with_unlinked(&text, names) };
    }
    let labelled = authors::labelled(&text);
    if !labelled.is_empty() {
        return labelled;
    }
    let texts = inside().filter(|&n| doc.kind(n) == Kind::Text).map(|n| folded(doc.text(n)));
    let mut texts = texts.filter(|t| !t.is_empty() && !authors::is_label(t));
    texts.next().map(|first| of_texts(vec![first])).unwrap_or_default()
}

/// Returns the names in a byline. If the byline text contains the names in its links, returns these names and
/// the names listed next to them. Otherwise, returns the names in the text.
fn byline_names(page: &PageFacts<'_>, index: usize) -> Vec<String> {
    let text = mended(page.blocks.text(index));
    let names = authors::labelled(&text);
    if names.is_empty() {
        return names;
    }
    let mut links: Vec<NodeId> = page.blocks.spans(index).iter().filter_map(|span| span.link).collect();
    links.dedup();
    let texts = links.into_iter().map(|link| of_node(page.doc, link)).filter(|t| authors::looks_like_name(t));
    let linked: Vec<String> = texts.flat_map(|t| authors::shown(&t)).collect();
    // links whose text is not in the byline are not links of authors
    let byline = key(&names.join(" "));
    let linked: Vec<String> = linked.into_iter().filter(|name| byline.contains(&key(name))).collect();
    if linked.is_empty() { names } else { with_unlinked(&text, linked) }
}

/// Returns the dates in `<time>` and in elements named after dates, except the dates of teasers.
fn element_dates(
    doc: &Document,
    elements: &[NodeId],
    style: DateStyle<'_>,
    teasers: &Teasers<'_>,
) -> Vec<Found> {
    let mut found = Vec::new();
    for &node in elements {
        let is_time = doc.tag(node) == Tag::TIME;
        if !is_time && !has(doc, node, &names::DATE) {
            continue;
        }
        let text = of_node(doc, node);
        if text.chars().count() > MAX_CHARS || teasers.hold(node, &text) {
            continue;
        }
        let shown = dates::find_all(&text, style);
        let value = ["datetime", "content", "data-datetime", "data-time", "title"]
            .iter()
            .find_map(|a| doc.attribute(node, a));
        let iso = value.and_then(|v| dates::parse(v, style));
        let around = doc
            .parent(node)
            .map(|p| of_node(doc, p))
            .filter(|t| t.chars().count() <= MAX_CHARS)
            .unwrap_or_default();
        let is_modified = names_change(doc, node) || date_labels::is_after_modified(&around, &text);
        match iso {
            Some(iso) => found.push(Found {
                iso,
                is_modified: is_modified || shown.first().is_some_and(|f| f.is_modified),
            }),
            None => found
                .extend(shown.into_iter().map(|f| Found { is_modified: f.is_modified || is_modified, ..f })),
        }
    }
    found
}

fn names_change(doc: &Document, node: NodeId) -> bool {
    let class = doc.attribute(node, "class").unwrap_or_default();
    names::any_word(class, |word| matches!(word, "updated" | "modified"))
        && !names::any_word(class, |word| word == "published")
}

/// Returns the dates after words such as "published" in short blocks.
fn labelled_dates(page: &PageFacts<'_>, style: DateStyle<'_>) -> Vec<Found> {
    let mut found = Vec::new();
    // the latest block that is only a date label: its index and text
    let mut label: Option<(usize, String)> = None;
    for i in 0..page.len() {
        let text = page.blocks.text(i);
        if text.len() > MAX_CHARS {
            continue;
        }
        let text = folded(text);
        let has_digit =
            text.chars().any(|c| c.is_ascii_digit() || crate::dates::months::ascii_digit(c).is_some());
        if has_digit && date_labels::has_label(&text) {
            found.extend(dates::find_all(&text, style));
        } else if has_digit {
            let label = label.take().filter(|(at, _)| i - at <= MAX_AFTER_LABEL);
            let text = label.map(|(_, label)| format!("{label} {text}"));
            found.extend(text.and_then(|text| dates::find_all(&text, style).into_iter().next()));
        } else if date_labels::is_label(&text) {
            label = Some((i, text));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use threshr_html::blocks::{Blocks, REGISTRY};
    use threshr_html::{Visibility, parse_str};

    fn visible(html: &str, is_forum: bool) -> Visible {
        let doc = parse_str(html);
        let blocks = Blocks::new(&doc, REGISTRY[0], Visibility::Visible);
        read(&PageFacts::new(&doc, &blocks), DateStyle::default(), None, is_forum)
    }

    const HEAD: &str = "<title>Rain in the north</title><h1>Rain in the north</h1>";

    #[test]
    fn named_elements_give_authors_and_dates() {
        let html = format!(
            "<ul><li class=comment><b class=author>Cy Young</b></ul>{HEAD}<div class=post-author>\
             <a href=/a>Ann Miller</a> Senior Editor</div><span class=post-date>3 May 2024</span>\
             <time class=updated datetime=2024-05-04>today</time>"
        );
        let found = visible(&html, false);
        assert_eq!(found.headline.as_deref(), Some("Rain in the north"));
        assert_eq!(found.named, ["Ann Miller"]);
        let dates: Vec<_> = found.element_dates.iter().map(|f| (f.iso.as_str(), f.is_modified)).collect();
        assert_eq!(dates, [("2024-05-03", false), ("2024-05-04", true)]);
        let list: String =
            (0..5).map(|i| format!("<b class=author>Ann Miller {}</b>", "x".repeat(i + 1))).collect();
        assert!(visible(&format!("{HEAD}{list}"), false).named.is_empty());
        let post = format!("{HEAD}<a class=username>rain_cat</a><p>Text<a class=username>bo</a>");
        assert_eq!(visible(&post, true).named, ["rain_cat"]);
    }

    #[test]
    fn labels_before_dates_may_be_blocks() {
        let far = "<p>It rained all day in the north.</p>".repeat(12);
        let dates = |html: &str| {
            let found = visible(&format!("{HEAD}{far}{html}"), false);
            found.labelled_dates.into_iter().map(|f| (f.iso, f.is_modified)).collect::<Vec<_>>()
        };
        assert_eq!(
            dates(
                "<h4>Published</h4><div>July 8, 2025</div><h4>Updated on:</h4><p>July 9, 2025<p>July 10, 2025"
            ),
            [("2025-07-08".to_owned(), false), ("2025-07-09".to_owned(), true)]
        );
        assert_eq!(dates("<h4>Veröffentlicht</h4><b>8. Juli 2025</b>").len(), 1);
        let apart = format!("<h4>Published</h4>{}<p>July 8, 2025", "<p>Rain</p>".repeat(3));
        assert!(dates(&apart).is_empty() && dates("<h4>Events</h4><p>July 8, 2025").is_empty());
    }

    #[test]
    fn links_and_signatures_give_authors() {
        let text = "<p>It rained all day in the north of the country, and rivers rose.</p>".repeat(9);
        let linked = visible(&format!("{HEAD}<a href=/people/ann-miller/>Ann Miller</a>{text}"), false);
        assert_eq!(linked.linked, ["Ann Miller"]);
        assert!(
            visible(&format!("{HEAD}{text}{text}<a href=/people/ann>Ann Miller</a>"), false)
                .linked
                .is_empty()
        );
        assert_eq!(
            visible(&format!("{HEAD}{text}<h3>Written by Ann Miller</h3>"), false).signed,
            ["Ann Miller"]
        );
        assert_eq!(
            visible(&format!("{HEAD}{text}<h3>Geschrieben von</h3><p>Anna Müller"), false).signed,
            ["Anna Müller"]
        );
        assert!(visible(&format!("{HEAD}{text}<p>Written by the sea"), false).signed.is_empty());
    }
}

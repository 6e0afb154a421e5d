//! Visible facts: headline, byline, `<time>`, and dates near the headline.

use super::authors;
use super::bylines::with_unlinked;
use super::date_labels;
use super::dates::{self, DateStyle, Found};
use super::element_names::{self as names, has, is_elsewhere};
use super::page::Page;
use super::teasers::Teasers;
use super::text::{folded, has_digit, key, mended, of_node, short_of_node};
use rustc_hash::FxHashSet;
use std::borrow::Cow;
use std::cell::OnceCell;
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

/// Facts found in the visible page. A fact is searched when it is first needed.
pub(super) struct Visible<'p> {
    page: &'p Page<'p>,
    /// The text of the headline.
    pub headline: Option<String>,
    /// Whether the headline is in an `<h1>`.
    pub is_h1: bool,
    byline: OnceCell<Vec<String>>,
    named: OnceCell<Vec<String>>,
    labelled: OnceCell<Vec<String>>,
    linked: OnceCell<Vec<String>>,
    signed: OnceCell<Vec<String>>,
    byline_dates: OnceCell<Vec<Found>>,
    element_dates: OnceCell<Vec<Found>>,
    near_dates: OnceCell<Vec<Found>>,
    labelled_dates: OnceCell<Vec<Found>>,
    elements: OnceCell<Vec<NodeId>>,
    near: OnceCell<Vec<(usize, String)>>,
}

impl<'p> Visible<'p> {
    pub(super) fn new(page: &'p Page<'p>) -> Self {
        let headline = page.headline();
        Visible {
            page,
            headline: headline.map(|i| mended(page.blocks.text(i))).filter(|t| !t.is_empty()),
            is_h1: headline.is_some_and(|i| page.blocks.is_in(page.doc, i, |tag| tag == Tag::H1)),
            byline: OnceCell::new(),
            named: OnceCell::new(),
            labelled: OnceCell::new(),
            linked: OnceCell::new(),
            signed: OnceCell::new(),
            byline_dates: OnceCell::new(),
            element_dates: OnceCell::new(),
            near_dates: OnceCell::new(),
            labelled_dates: OnceCell::new(),
            elements: OnceCell::new(),
            near: OnceCell::new(),
        }
    }

    /// The text of the `<h1>`, if there is only one.
    pub(super) fn only_h1(&self) -> Option<String> {
        let doc = self.page.doc;
        let mut all = doc.elements_with(|tag| tag == Tag::H1).filter(|&n| doc.is_visible(n));
        let first = all.next()?;
        let text = of_node(doc, first);
        (all.next().is_none() && !text.is_empty()).then_some(text)
    }

    /// Authors in the byline.
    pub(super) fn byline(&self) -> &[String] {
        self.byline.get_or_init(|| {
            let names = self.page.bylines().map(|i| {
                let names = byline_names(self.page, i);
                let own = || self.text(i);
                let is_after_label = || i > 0 && authors::is_label(&self.text(i - 1));
                if names.is_empty() && is_after_label() && authors::looks_like_name(&own()) {
                    return authors::shown(&own());
                }
                names
            });
            names.into_iter().find(|names| !names.is_empty()).unwrap_or_default()
        })
    }

    /// Authors in elements whose names contain a word for author, such as `class="author"`.
    pub(super) fn named(&self) -> &[String] {
        self.named.get_or_init(|| {
            named_authors(self.page.doc, self.elements(), self.headline_node(), self.page.is_forum)
        })
    }

    /// Authors in lines such as `By Ann Miller` near the headline.
    pub(super) fn labelled(&self) -> &[String] {
        self.labelled.get_or_init(|| {
            let below = self.near().iter().filter(|(i, _)| self.page.headline().is_some_and(|h| *i > h));
            let names = below.map(|(i, _)| byline_names(self.page, *i));
            names.into_iter().find(|names| !names.is_empty()).unwrap_or_default()
        })
    }

    /// Authors whose names link to an author page.
    pub(super) fn linked(&self) -> &[String] {
        self.linked.get_or_init(|| linked_authors(self.page, self.headline_node()))
    }

    /// Authors in lines such as `Written by Ann Miller` anywhere.
    pub(super) fn signed(&self) -> &[String] {
        self.signed.get_or_init(|| signed(self.page, self.headline_node()))
    }

    /// Dates in the byline.
    pub(super) fn byline_dates(&self) -> &[Found] {
        self.byline_dates.get_or_init(|| self.dates_of(self.page.bylines().map(|i| (i, self.text(i)))))
    }

    /// Dates in `<time>` and in elements whose names contain a word for date.
    pub(super) fn element_dates(&self) -> &[Found] {
        self.element_dates
            .get_or_init(|| element_dates(self.page.doc, self.elements(), self.page.style(), &self.teasers()))
    }

    /// Dates in the text near the headline.
    pub(super) fn near_dates(&self) -> &[Found] {
        self.near_dates.get_or_init(|| self.dates_of(self.near().iter().cloned()))
    }

    /// Dates after words such as "published" anywhere on the page.
    pub(super) fn labelled_dates(&self) -> &[Found] {
        self.labelled_dates.get_or_init(|| labelled_dates(self.page))
    }

    fn headline_node(&self) -> Option<NodeId> {
        self.page.headline().and_then(|i| self.page.blocks.get(i)).map(|b| b.leaf)
    }

    fn text(&self, block: usize) -> String {
        mended(self.page.blocks.text(block))
    }

    fn elements(&self) -> &[NodeId] {
        self.elements.get_or_init(|| elements(self.page.doc, self.headline_node()))
    }

    /// The short blocks near the headline, with their texts.
    fn near(&self) -> &[(usize, String)] {
        self.near.get_or_init(|| {
            let Some(headline) = self.page.headline() else { return Vec::new() };
            let blocks = self.page.blocks;
            let near = headline.saturating_sub(NEAR_BEFORE)..(headline + NEAR_AFTER).min(blocks.len());
            // a text in ASCII has as many words before it is mended
            let may_be_short = |&i: &usize| {
                let text = blocks.text(i);
                !text.is_ascii() || text.split_whitespace().nth(MAX_WORDS).is_none()
            };
            let texts = near.filter(|&i| i != headline).filter(may_be_short).map(|i| (i, self.text(i)));
            texts.filter(|(_, text)| text.split(' ').count() <= MAX_WORDS).collect()
        })
    }

    fn teasers(&self) -> Teasers<'p> {
        Teasers::new(self.page.doc, self.headline_node(), self.page.url)
    }

    /// Returns the dates in blocks, except dates of teasers. `blocks` has the index and the text of each block.
    fn dates_of(&self, blocks: impl Iterator<Item = (usize, String)>) -> Vec<Found> {
        let style = self.page.style();
        let dated = blocks.map(|(i, text)| (i, dates::find_all(&text, style), text));
        let mut dated = dated.filter(|(_, found, _)| !found.is_empty()).peekable();
        if dated.peek().is_none() {
            return Vec::new();
        }
        let teasers = self.teasers();
        dated
            .filter(|(i, found, text)| {
                let spans = self.page.blocks.spans(*i).iter().map(|span| span.node);
                !self.is_teaser(*i, text, &teasers) && !teasers.hold_dates(spans, found.len())
            })
            .flat_map(|(_, found, _)| found)
            .collect()
    }

    fn is_teaser(&self, block: usize, text: &str, teasers: &Teasers<'_>) -> bool {
        let (doc, blocks) = (self.page.doc, self.page.blocks);
        let link = blocks.spans(block).first().and_then(|span| span.link);
        let Some(leaf) = blocks.get(block).map(|block| block.leaf) else { return false };
        // a link in the block, or the block in a link
        let inner = link.filter(|&link| !doc.ancestors_and_self(leaf).any(|n| n == link));
        teasers.hold(inner.unwrap_or(leaf), text)
    }
}

/// Returns the first name near the headline that links to an author page, and the names that the same block lists beside
/// it. If there are many such names, returns nothing.
fn linked_authors(page: &Page<'_>, headline: Option<NodeId>) -> Vec<String> {
    let doc = page.doc;
    let near = page.headline().map_or(0..NEAR_LINKS, |i| i..i + NEAR_LINKS);
    let block_of = |n: NodeId| page.blocks.extent(n).blocks.start as usize;
    let is_link = |&n: &NodeId| names::leads_to(doc, n, &names::AUTHOR_PAGE);
    let is_near = |&n: &NodeId| near.contains(&block_of(n)) && doc.is_visible(n);
    let links = doc.elements_with(|tag| tag == Tag::A).filter(is_near).filter(is_link).take(MAX_CANDIDATES);
    let links = links.filter(|&n| !is_elsewhere(doc, n, headline));
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
fn signed(page: &Page<'_>, headline: Option<NodeId>) -> Vec<String> {
    for i in 0..page.blocks.len() {
        let text = page.blocks.text(i);
        if text.len() > MAX_CHARS || !authors::may_have_long_label(text) {
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

/// Returns the elements named after authors or dates and the `<time>` elements, in document order. Elements in
/// comments and lists are excluded.
fn elements(doc: &Document, headline: Option<NodeId>) -> Vec<NodeId> {
    let found = names::of_authors_and_dates(doc).take(MAX_CANDIDATES);
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
        if short_of_node(doc, node, MAX_CHARS).is_none_or(|text| text.is_empty()) {
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

/// Returns the names in a byline: the names in its links and the names that the text lists beside them, or else the
/// names in its text. Links whose text is not in the byline do not count.
fn byline_names(page: &Page<'_>, index: usize) -> Vec<String> {
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
        let Some(text) = short_of_node(doc, node, MAX_CHARS).filter(|text| !teasers.hold(node, text)) else {
            continue;
        };
        let shown = dates::find_all(&text, style);
        let value = ["datetime", "content", "data-datetime", "data-time", "title"]
            .iter()
            .find_map(|a| doc.attribute(node, a));
        let iso = value.and_then(|v| dates::parse(v, style));
        let around = doc.parent(node).and_then(|p| short_of_node(doc, p, MAX_CHARS)).unwrap_or_default();
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
fn labelled_dates(page: &Page<'_>) -> Vec<Found> {
    let style = page.style();
    let mut found = Vec::new();
    // the latest block that is only a date label: its index and text
    let mut label: Option<(usize, String)> = None;
    for i in 0..page.blocks.len() {
        let text = page.blocks.text(i);
        if text.len() > MAX_CHARS {
            continue;
        }
        let is_digit = |c: char| c.is_ascii_digit() || crate::dates::months::ascii_digit(c).is_some();
        let has_digit = has_digit(text) || !text.is_ascii() && text.chars().any(is_digit);
        // white space does not matter for labels, so texts without invisible characters need not be folded
        let text = if has_digit || !text.is_ascii() { Cow::Owned(folded(text)) } else { Cow::Borrowed(text) };
        if has_digit && date_labels::has_label(&text) {
            found.extend(dates::find_all(&text, style));
        } else if has_digit {
            let label = label.take().filter(|(at, _)| i - at <= MAX_AFTER_LABEL);
            let text = label.map(|(_, label)| format!("{label} {text}"));
            found.extend(text.and_then(|text| dates::find_all(&text, style).into_iter().next()));
        } else if date_labels::is_label(&text) {
            label = Some((i, folded(&text)));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Known;
    use threshr_html::blocks::{Blocks, REGISTRY};
    use threshr_html::{Visibility, parse_str};

    fn visible<T>(html: &str, is_forum: bool, read: impl Fn(&Visible<'_>) -> T) -> T {
        let doc = parse_str(html);
        let blocks = Blocks::new(&doc, REGISTRY[0], Visibility::Visible);
        let mut page = Page::new(&doc, &blocks, None, Known::default());
        page.is_forum = is_forum;
        read(&Visible::new(&page))
    }

    fn names(html: &str, read: impl Fn(&'_ Visible<'_>) -> Vec<String>) -> Vec<String> {
        visible(html, false, read)
    }

    const HEAD: &str = "<title>Rain in the north</title><h1>Rain in the north</h1>";

    #[test]
    fn named_elements_give_authors_and_dates() {
        let html = format!(
            "<ul><li class=comment><b class=author>Cy Young</b></ul>{HEAD}<div class=post-author>\
             <a href=/a>Ann Miller</a> Senior Editor</div><span class=post-date>3 May 2024</span>\
             <time class=updated datetime=2024-05-04>today</time>"
        );
        visible(&html, false, |found| {
            assert_eq!(found.headline.as_deref(), Some("Rain in the north"));
            assert_eq!(found.named(), ["Ann Miller"]);
            let dates: Vec<_> =
                found.element_dates().iter().map(|f| (f.iso.as_str(), f.is_modified)).collect();
            assert_eq!(dates, [("2024-05-03", false), ("2024-05-04", true)]);
        });
        let list: String =
            (0..5).map(|i| format!("<b class=author>Ann Miller {}</b>", "x".repeat(i + 1))).collect();
        assert!(names(&format!("{HEAD}{list}"), |v| v.named().to_vec()).is_empty());
        let post = format!("{HEAD}<a class=username>rain_cat</a><p>Text<a class=username>bo</a>");
        assert_eq!(visible(&post, true, |v| v.named().to_vec()), ["rain_cat"]);
    }

    #[test]
    fn labels_before_dates_may_be_blocks() {
        let far = "<p>It rained all day in the north.</p>".repeat(12);
        let dates = |html: &str| {
            let found = visible(&format!("{HEAD}{far}{html}"), false, |v| v.labelled_dates().to_vec());
            found.into_iter().map(|f| (f.iso, f.is_modified)).collect::<Vec<_>>()
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
        let linked = |html: &str| names(&format!("{HEAD}{html}"), |v| v.linked().to_vec());
        assert_eq!(linked(&format!("<a href=/people/ann-miller/>Ann Miller</a>{text}")), ["Ann Miller"]);
        assert!(linked(&format!("{text}{text}<a href=/people/ann>Ann Miller</a>")).is_empty());
        let signed = |html: &str| names(&format!("{HEAD}{text}{html}"), |v| v.signed().to_vec());
        assert_eq!(signed("<h3>Written by Ann Miller</h3>"), ["Ann Miller"]);
        assert_eq!(signed("<h3>Geschrieben von</h3><p>Anna Müller"), ["Anna Müller"]);
        assert!(signed("<p>Written by the sea").is_empty());
    }
}

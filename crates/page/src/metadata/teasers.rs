//! Determines whether a date belongs to a teaser: a link to another page, or a card with such a link.

use super::date_labels;
use super::element_names::{self as names, has};
use super::text::{has_digit, of_node};
use super::{leads_away, url};
use crate::address::Base;
use rustc_hash::FxHashSet;
use threshr_html::{Document, Kind, NodeId, Tag};

/// Maximum number of ancestors that are searched for a link, and for a card.
const MAX_AROUND: usize = 12;
const MAX_CARD: usize = 4;
/// Maximum number of elements between a text and its `<time>`.
const MAX_TIME_LEVELS: usize = 3;
/// Maximum number of nodes of a link or a card that are read.
const MAX_INSIDE: usize = 200;
/// Maximum number of letters next to the date in a link that shows only a date: `10:20 Uhr`.
const MAX_BESIDE: usize = 4;
/// Maximum number of words without a digit in a link that is only a date: `Friday, 3 May 2024 at 10:20 am`.
const MAX_DATE_WORDS: usize = 5;
/// Maximum number of characters without a digit in such a link, for scripts without spaces: `2024年5月3日 星期五
/// 下午`.
const MAX_DATE_SIGNS: usize = 8;
const FIRST_UNSPACED: char = '\u{2e80}';

/// Finds the teasers of a page.
pub(super) struct Teasers<'d> {
    doc: &'d Document,
    base: Base,
    url: Option<&'d str>,
    /// The headline and the elements that contain it. These elements are never teasers.
    around_headline: FxHashSet<NodeId>,
}

impl<'d> Teasers<'d> {
    /// `url` is the URL of the page.
    pub(super) fn new(doc: &'d Document, headline: Option<NodeId>, url: Option<&'d str>) -> Self {
        let around_headline = headline.map(|n| doc.ancestors_and_self(n).collect()).unwrap_or_default();
        Teasers { doc, base: Base::new(doc, url), url, around_headline }
    }

    /// Returns whether a node is in a teaser. `text` is the text of the node that contains the date.
    pub(super) fn hold(&self, node: NodeId, text: &str) -> bool {
        let doc = self.doc;
        let around = || doc.ancestors_and_self(node).take_while(|n| !self.around_headline.contains(n));
        around().take(MAX_AROUND).any(|n| self.leads_away(n) && self.has_more(n, text))
            || !self.around_headline.is_empty() && around().take(MAX_CARD).any(|n| self.is_card(n, node))
    }

    /// Whether all `num_dates` dates in some text nodes are in `<time>` elements of teasers.
    pub(super) fn hold_dates(&self, texts: impl Iterator<Item = NodeId>, num_dates: usize) -> bool {
        let doc = self.doc;
        let time = |node| doc.ancestors(node).take(MAX_TIME_LEVELS).find(|&n| doc.tag(n) == Tag::TIME);
        let mut times: Vec<NodeId> = texts.filter_map(time).collect();
        times.dedup();
        !times.is_empty()
            && times.len() >= num_dates
            && times.iter().all(|&time| self.hold(time, &of_node(doc, time)))
    }

    /// Returns whether an element is a link to another page. Pages about authors do not count.
    fn leads_away(&self, node: NodeId) -> bool {
        let doc = self.doc;
        let href = if doc.tag(node) == Tag::A { doc.attribute(node, "href") } else { None };
        let Some(href) = href.map(str::trim).filter(|href| !href.is_empty() && !href.starts_with('#')) else {
            return false;
        };
        let is_own = || {
            let to = self.base.resolve(href);
            to.zip(self.url).is_some_and(|(to, url)| url::is_same_page(to.as_str(), url))
        };
        !names::leads_to(doc, node, &names::AUTHOR_PAGE) && !has(doc, node, &names::AUTHOR) && !is_own()
    }

    /// Returns whether a link shows more than a date. A link that shows only the date leads to the same page,
    /// or to the list of pages of this day. `text` is the text in the link that contains the date.
    fn has_more(&self, link: NodeId, text: &str) -> bool {
        let shown = of_node(self.doc, link);
        let Some((before, after)) = shown.split_once(text) else { return false };
        let beside = format!("{before} {after}");
        let words = text.split(' ').filter(|word| !has_digit(word) && word.contains(char::is_alphabetic));
        let num_unspaced = text.chars().filter(|&c| c >= FIRST_UNSPACED).count();
        beside.chars().filter(|c| c.is_alphabetic()).count() > MAX_BESIDE && !date_labels::has_label(&beside)
            || words.count() > MAX_DATE_WORDS
            || num_unspaced > MAX_DATE_SIGNS
    }

    /// Returns whether an element is a card: its heading, before the date, is a link to another page, or it and an
    /// adjacent sibling both have such a heading, or both are list items with such a link and a date.
    fn is_card(&self, node: NodeId, date: NodeId) -> bool {
        let doc = self.doc;
        let inside =
            |n: NodeId| doc.descendants(n).take(MAX_INSIDE).filter(|&n| doc.kind(n) == Kind::Element);
        let has_title = |n: NodeId| {
            let title = inside(n).find(|&n| doc.tag(n).is_heading() && leads_away(doc, n));
            title.map(|title| title < date)
        };
        let is_item = |n: NodeId| {
            doc.tag(n) == Tag::LI
                && inside(n).any(|n| self.leads_away(n) && of_node(doc, n).chars().count() > MAX_BESIDE)
                && inside(n).any(|n| doc.tag(n) == Tag::TIME)
        };
        if doc.kind(node) != Kind::Element {
            return false;
        }
        let (title, is_own_item) = (has_title(node), is_item(node));
        if title == Some(true) && node != date {
            return true;
        }
        let Some(parent) = doc.parent(node).filter(|_| title.is_some() || is_own_item) else { return false };
        let siblings: Vec<NodeId> = doc.children(parent).filter(|&n| doc.kind(n) == Kind::Element).collect();
        let Some(at) = siblings.iter().position(|&n| n == node) else { return false };
        let beside =
            [at.checked_sub(1), Some(at + 1)].into_iter().flatten().filter_map(|at| siblings.get(at));
        let is_like = |n: NodeId| title.is_some() && has_title(n).is_some() || is_own_item && is_item(n);
        beside.copied().any(|n| doc.tag(n) == doc.tag(node) && is_like(n))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use threshr_html::parse_str;

    /// Whether the first `<time>` of a page is in a teaser.
    fn holds(html: &str, url: Option<&str>) -> bool {
        let doc = parse_str(&format!("<main><article><h1>Rain in the north</h1></article>{html}</main>"));
        let first = |tag| doc.elements_with(|t| t == tag).next().expect("it is there");
        let time = first(Tag::TIME);
        Teasers::new(&doc, Some(first(Tag::H1)), url).hold(time, &of_node(&doc, time))
    }

    #[test]
    fn links_to_other_pages_and_cards_are_teasers() {
        let url = Some("https://a.example.com/news/rain?id=3");
        for html in [
            "<a href=/news/snow>Snow in the south <time>3 May 2024</time></a>",
            "<ul><li><a href='rain?id=4'><div>Schnee im Süden</div><p><time>3. Mai 2024</time></p></a></ul>",
            "<a href=https://b.example.com/><time>2024年5月3日</time><p>北京今天下大雪</p></a>",
            "<div><h3><a href=/news/snow>Снег на юге</a></h3><p><time>3 мая 2024</time></p></div>\
             <div><h3><a href=/news/hail>Град</a></h3></div>",
            "<div><h3><a href=/news/snow>雪</a></h3><time>2024-05-03</time></div>",
            "<ul><li><time>2024.05.03</time><a href=/n/1>新しい橋が開通</a><li><time>2024.05.02</time><a href=/n/2>市民プール</a></ul>",
            "<p>See <a href=/news/fire>the fire of <time>4 August 2019</time></a> for more.</p>",
            "<ul><li><a href=/news/snow><h4>Neige au sud</h4></a><time>3 mai 2024</time><li><h4><a href=/x>Grêle</a></h4></ul>",
        ] {
            assert!(holds(html, url) && holds(html, None), "{html}");
        }
        for html in [
            "<p><time>3 May 2024</time></p>",
            "<a href=#top>Rain in the north <time>3 May 2024</time></a>",
            "<a href=/news/rain?id=3#x>Rain in the north <time>3 May 2024</time></a>",
            "<a href=/2024/05/03/ rel=bookmark><time>3 May 2024</time> 10:20 Uhr</a>",
            "<a href=/2024/05/03/>Veröffentlicht am <time>3. Mai 2024</time></a>",
            "<a href=/author/ann>Ann Miller <time>3 May 2024</time></a>",
            "<div><time>3 May 2024</time><h3><a href=/news/snow>Snow</a></h3><p>It snowed.</div>",
            "<div><h3>Snow</h3><a href=/topics/snow>More about snow</a> <time>3 May 2024</time></div>",
        ] {
            assert!(!holds(html, url), "{html}");
        }
    }
}

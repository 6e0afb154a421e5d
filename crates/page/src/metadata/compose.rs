//! Combines the facts from all sources into the metadata of a page.

use super::authors::MAX_AUTHORS;
use super::dates::{self, DateStyle, Found};
use super::element_names::FORUM_ADDRESS;
use super::first_poster;
use super::text::{folded, key};
use super::titles::{self, SiteNames};
use super::visible::{self, Visible};
use super::{Facts, Metadata, Source, Sourced, date_order, json_ld, meta_tags, microdata, open_graph, url};
use crate::PageFacts;
use crate::address::Base;
use crate::threads::Finding;
use threshr_html::Document;
use threshr_html::blocks::Blocks;

/// Number of visible author sources, at the start of their list, that need no evidence that the page is an
/// article: byline, elements named after authors, and author labels.
const NUM_SURE: usize = 3;
/// Maximum number of tags, and maximum number of characters of a tag.
const MAX_TAGS: usize = 50;
const MAX_TAG_CHARS: usize = 60;

/// Facts from all sources of a page.
pub(super) struct Sources {
    pub work: Facts,
    pub page: Facts,
    pub graph: Facts,
    pub meta: Facts,
    pub micro: Facts,
    pub visible: Visible,
    pub canonical: Option<String>,
    pub licence: Option<String>,
    pub title: String,
    /// The program that generated the page, as stated in the page.
    pub generator: Option<String>,
    pub url: Option<String>,
    pub is_article: bool,
    pub is_offer: bool,
    pub is_forum: bool,
    /// The author of the first post. The outer `None` means that the page is not a thread; the inner `None`
    /// means that the author is unknown.
    pub first_poster: Option<Option<String>>,
}

/// Returns the metadata of a page. `url` is the URL of the page; if it is `None`, the URL in the HTML is
/// used. `thread` is the result of an earlier search for a thread on the page, if any.
///
/// Time and memory are linear in the size of the page.
pub fn of(doc: &Document, blocks: &Blocks, url: Option<&str>, thread: Option<&Finding>) -> Metadata {
    let url = url.map(str::to_owned).or_else(|| doc.url());
    let month_first = date_order::is_month_first(doc, blocks, url.as_deref());
    let style = DateStyle { language: primary_language(doc), month_first };
    let sources = sources(doc, blocks, url, style, thread);
    compose(doc, &sources, style)
}

pub(super) fn sources(
    doc: &Document,
    blocks: &Blocks,
    url: Option<String>,
    style: DateStyle<'_>,
    thread: Option<&Finding>,
) -> Sources {
    let page = PageFacts::new(doc, blocks);
    let metas = meta_tags::metas(doc);
    let is_forum = is_forum(url.as_deref());
    let visible = visible::read(&page, style, url.as_deref(), is_forum);
    let graph = open_graph::read(&metas);
    let title = doc.title();
    let titles = [visible.headline.as_deref(), graph.title.as_deref(), Some(title.as_str())];
    let words = titles.into_iter().flatten().collect::<Vec<_>>().join(" \n ");
    let json_ld = json_ld::read(doc, url.as_deref(), &words);
    let (canonical, licence) = meta_tags::links(doc);
    let is_type =
        metas.iter().any(|m| m.name == "og:type" && m.content.to_ascii_lowercase().contains("article"));
    Sources {
        is_article: json_ld.is_article || is_type,
        is_offer: json_ld.is_offer,
        is_forum,
        work: json_ld.work,
        page: json_ld.page,
        graph,
        meta: meta_tags::read(&metas),
        micro: microdata::read(doc, &words),
        visible,
        canonical,
        licence,
        title,
        generator: metas.iter().find(|m| m.name == "generator").map(|m| m.content.to_owned()),
        first_poster: first_poster::find(&page, url.as_deref(), thread),
        url,
    }
}

/// Returns the primary language subtag that the page declares. It is used to parse dates.
fn primary_language(doc: &Document) -> Option<&str> {
    doc.language().and_then(|tag| tag.split(['-', '_']).next())
}

/// Returns whether a URL has the form of a forum URL.
fn is_forum(url: Option<&str>) -> bool {
    let Some(url) = url else { return false };
    super::element_names::any_word(url, |word| FORUM_ADDRESS.contains(word))
}

fn sourced(value: impl Into<String>, source: Source) -> Sourced {
    Sourced { value: value.into(), source }
}

fn compose(doc: &Document, s: &Sources, style: DateStyle<'_>) -> Metadata {
    let base = &Base::new(doc, s.url.as_deref());
    let site_name = [
        (&s.graph.site_name, Source::OpenGraph),
        (&s.page.site_name, Source::JsonLd),
        (&s.meta.site_name, Source::Meta),
    ];
    let site_name = site_name
        .into_iter()
        .find_map(|(name, source)| Some(sourced(name.clone().filter(|n| !n.is_empty())?, source)));
    let names = [&s.graph.site_name, &s.page.site_name, &s.work.site_name, &s.meta.site_name];
    let site = SiteNames::new(names.into_iter().filter_map(|n| n.as_deref()), s.url.as_deref())
        .with_platform(s.generator.as_deref().unwrap_or_default());
    let date_published = published(s, style);
    Metadata {
        title: title(s, &site, date_published.is_some()),
        authors: authors(s, &site, date_published.is_some()),
        date_modified: modified(s, style, date_published.as_ref()),
        date_published,
        site_name,
        description: by_priority(s, |f| f.description.clone().filter(|d| !d.is_empty())),
        image: by_priority(s, |f| url::resolve(f.image.as_deref()?, base)),
        language: language(doc, s),
        tags: tags(s),
        licence: licence(s, base),
        canonical_url: canonical(s, base),
    }
}

/// Returns the first value, in the order JSON-LD work, Open Graph, `<meta>`, microdata, JSON-LD page.
fn by_priority(s: &Sources, value: impl Fn(&Facts) -> Option<String>) -> Option<Sourced> {
    let order = [
        (&s.work, Source::JsonLd),
        (&s.graph, Source::OpenGraph),
        (&s.meta, Source::Meta),
        (&s.micro, Source::Microdata),
        (&s.page, Source::JsonLd),
    ];
    order.into_iter().find_map(|(facts, source)| Some(sourced(value(facts)?, source)))
}

/// Selects the title by a weighted vote of the sources. Headlines have more weight on article pages.
fn title(s: &Sources, site: &SiteNames, is_dated: bool) -> Option<Sourced> {
    let is_article = s.is_article || s.is_forum || is_dated && !s.is_offer;
    let v = &s.visible;
    let shown = |text: &Option<String>| {
        let text = text.as_deref().filter(|t| !site.is_site(t))?;
        Some(titles::headline(text, site))
    };
    let head = |text: Option<&str>| text.map(|text| titles::without_site(text, site));
    let (in_h1, elsewhere) = if v.is_h1 { (shown(&v.headline), None) } else { (None, shown(&v.headline)) };
    let if_article = |more: u32| if is_article { more } else { 0 };
    // the weights were fitted on the titles of half of the sites in wcxb-dev
    let candidates = [
        (in_h1, 6 + if_article(4), Source::Headline),
        (shown(&v.only_h1), if_article(5), Source::Headline),
        (elsewhere, 2, Source::Headline),
        (head(s.graph.title.as_deref()), 4, Source::OpenGraph),
        (head(s.work.title.as_deref()), 1 + if_article(2), Source::JsonLd),
        (head(s.micro.title.as_deref()), 4, Source::Microdata),
        (head(s.page.title.as_deref()), 2, Source::JsonLd),
        (head(s.meta.title.as_deref()), 2, Source::Meta),
        (head(Some(&s.title)), 2, Source::Html),
    ];
    let candidates: Vec<(String, String, u32, Source)> = candidates
        .into_iter()
        .filter_map(|(text, weight, source)| text.map(|text| (key(&text), text, weight, source)))
        .filter(|c| !c.0.is_empty())
        .collect();
    let votes = |wanted: &str| candidates.iter().filter(|c| c.0 == wanted).map(|c| c.2).sum::<u32>();
    let best = candidates.iter().map(|c| votes(&c.0)).max()?;
    // uses the first source with the winning text, in the order above
    let found = candidates.iter().find(|c| votes(&c.0) == best)?;
    Some(sourced(found.1.clone(), found.3))
}

/// Returns whether a name is more than half of the page title.
fn is_title(name: &str, title: &str) -> bool {
    title.contains(name) && 2 * name.len() > title.len()
}

/// Whether there is evidence that the page is an article or a post: its declared type, a byline, or a
/// publication date.
fn is_article(s: &Sources) -> bool {
    let dates = [&s.work.published, &s.graph.published, &s.micro.published, &s.meta.published];
    let v = &s.visible;
    s.is_article
        || s.is_forum
        || !v.byline.is_empty()
        || !v.byline_dates.is_empty()
        || dates.iter().any(|date| date.is_some())
        || s.url.as_deref().and_then(url::date).is_some()
}

/// Selects the authors. For a thread, the author is the author of the first post. For other pages, the first
/// available source is used: the byline, the head, other visible elements. If the head has the names of the
/// byline, the head is used, because its values are cleaner.
fn authors(s: &Sources, site: &SiteNames, is_dated: bool) -> Vec<Sourced> {
    if s.is_offer {
        return Vec::new();
    }
    let v = &s.visible;
    let head = [
        (&s.work.authors, Source::JsonLd),
        (&s.micro.authors, Source::Microdata),
        (&s.meta.authors, Source::Meta),
        (&s.graph.authors, Source::OpenGraph),
    ];
    // pages that are not articles often state the owner of the site as their author
    let is_sure_article = is_article(s);
    let is_article = is_dated || is_sure_article;
    let head = head.into_iter().filter(|_| is_article).filter(|(names, _)| !names.is_empty());
    if let Some(poster) = &s.first_poster {
        // the structured data of a thread also contain the author, even if the page shows the posts in
        // another order
        let stated = [(&s.work.authors, Source::JsonLd), (&s.micro.authors, Source::Microdata)];
        let stated = stated.into_iter().filter_map(|(names, source)| Some((names.first()?, source))).next();
        let found = stated.or_else(|| Some((poster.as_ref()?, Source::Visible)));
        return found.map(|(name, source)| sourced(name.clone(), source)).into_iter().collect();
    }
    let shown = [
        (&v.byline, Source::Byline),
        (&v.named, Source::Visible),
        (&v.labelled, Source::Visible),
        (&v.linked, Source::Visible),
        (&v.signed, Source::Visible),
    ];
    let is_sure = |i: usize| i < NUM_SURE || is_sure_article;
    let shown = shown.into_iter().enumerate().filter(|(i, (names, _))| is_sure(*i) && !names.is_empty());
    let shown = shown.map(|(_, found)| found);
    let byline = key(&v.byline.join(" "));
    let is_in_byline =
        |(names, _): &(&Vec<String>, Source)| names.iter().all(|name| byline.contains(&key(name)));
    let is_person = |(names, _): &(&Vec<String>, Source)| !names.iter().all(|name| site.is_site(name));
    let cleaner = head
        .clone()
        .find(is_in_byline)
        .filter(|(names, _)| names.len() >= v.byline.len() || 2 * names.len() < v.byline.len());
    let found = cleaner
        .or_else(|| shown.clone().find(|(_, source)| *source == Source::Byline))
        .or_else(|| head.clone().find(is_person))
        .or_else(|| shown.clone().find(is_person))
        .or_else(|| head.clone().next())
        .or_else(|| shown.clone().next());
    let Some((names, source)) = found else { return Vec::new() };
    let title = key(&s.title);
    let has_person = names.iter().any(|name| !site.is_site(name));
    let is_other = |name: &str| {
        is_title(&key(name), &title) || site.is_platform(name) || has_person && site.is_site(name)
    };
    names
        .iter()
        .take(MAX_AUTHORS)
        .filter(|name| !is_other(name))
        .map(|name| sourced(name.clone(), source))
        .collect()
}

/// Selects the publication date from the first available source: the byline, the head, other visible
/// elements. If the page states only a modification date, returns this date.
fn published(s: &Sources, style: DateStyle<'_>) -> Option<Sourced> {
    let parse = |date: &Option<String>| dates::parse(date.as_deref()?, style);
    let first = |found: &[Found], is_modified: bool| {
        found.iter().find(|f| f.is_modified == is_modified).map(|f| f.iso.clone())
    };
    let v = &s.visible;
    // near the headline of a forum page, there are also dates of members and of other posts
    let byline = first(&v.byline_dates, false).filter(|_| !s.is_forum);
    let head = [
        (parse(&s.work.published), Source::JsonLd),
        (parse(&s.graph.published), Source::OpenGraph),
        (parse(&s.meta.published), Source::Meta),
        (parse(&s.micro.published), Source::Microdata),
        (parse(&s.page.published), Source::JsonLd),
    ];
    // the value in the head usually includes the time
    let is_same_day = |date: &str| byline.as_deref().is_some_and(|shown| date.get(..10) == shown.get(..10));
    if let Some((Some(date), source)) = head.iter().find(|(date, _)| date.as_deref().is_some_and(is_same_day))
    {
        return Some(sourced(date.clone(), *source));
    }
    let shown = [
        (s.url.as_deref().and_then(url::date), Source::Url),
        (first(&v.element_dates, false), Source::Visible),
        (first(&v.byline_dates, false), Source::Byline),
        (first(&v.near_dates, false), Source::Visible),
        (first(&v.labelled_dates, false), Source::Visible),
        (first(&v.byline_dates, true), Source::Byline),
        (first(&v.element_dates, true), Source::Visible),
        (first(&v.near_dates, true), Source::Visible),
        (parse(&s.work.modified), Source::JsonLd),
        (parse(&s.graph.modified), Source::OpenGraph),
        (parse(&s.meta.modified), Source::Meta),
        (first(&v.labelled_dates, true), Source::Visible),
    ];
    let order = [(byline, Source::Byline)].into_iter().chain(head).chain(shown);
    order.into_iter().find_map(|(date, source)| Some(sourced(date?, source)))
}

/// Selects the modification date. Dates before the publication date are skipped.
fn modified(s: &Sources, style: DateStyle<'_>, published: Option<&Sourced>) -> Option<Sourced> {
    let parse = |date: &Option<String>| dates::parse(date.as_deref()?, style);
    let first = |found: &[Found]| found.iter().find(|f| f.is_modified).map(|f| f.iso.clone());
    let v = &s.visible;
    let order: [(Option<String>, Source); 9] = [
        (parse(&s.work.modified), Source::JsonLd),
        (parse(&s.graph.modified), Source::OpenGraph),
        (parse(&s.micro.modified), Source::Microdata),
        (parse(&s.meta.modified), Source::Meta),
        (first(&v.byline_dates), Source::Byline),
        (first(&v.element_dates), Source::Visible),
        (first(&v.near_dates), Source::Visible),
        (parse(&s.page.modified), Source::JsonLd),
        (first(&v.labelled_dates), Source::Visible),
    ];
    let day = |iso: &str| iso.get(..10).map(str::to_owned);
    let is_later = |iso: &str| published.is_none_or(|p| day(iso) >= day(&p.value));
    order.into_iter().find_map(|(date, source)| Some(sourced(date.filter(|d| is_later(d))?, source)))
}

fn language(doc: &Document, s: &Sources) -> Option<Sourced> {
    let order = [
        (doc.language(), Source::Html),
        (s.work.language.as_deref(), Source::JsonLd),
        (s.page.language.as_deref(), Source::JsonLd),
        (s.meta.language.as_deref(), Source::Meta),
        (s.graph.language.as_deref(), Source::OpenGraph),
        (s.micro.language.as_deref(), Source::Microdata),
    ];
    order.into_iter().find_map(|(tag, source)| Some(sourced(language_tag(tag?)?, source)))
}

/// Returns a BCP 47 tag in its usual case; `None` if the value is not a tag, for example `English`.
fn language_tag(value: &str) -> Option<String> {
    let value = value.split([',', ';', ' ']).find(|part| !part.is_empty())?;
    let value = value.split(['.', '@']).next()?.replace('_', "-");
    let mut parts = value.split('-');
    let primary = parts.next()?.to_ascii_lowercase();
    let is_alphabetic = |part: &str| part.bytes().all(|b| b.is_ascii_alphabetic());
    if !matches!(primary.len(), 2 | 3) || !is_alphabetic(&primary) || primary == "und" {
        return None;
    }
    let mut tag = primary;
    for part in parts.take(4) {
        let is_script = part.len() == 4 && is_alphabetic(part);
        let is_region = part.len() == 2 && is_alphabetic(part);
        let is_fit = (1..=8).contains(&part.len()) && part.bytes().all(|b| b.is_ascii_alphanumeric());
        let part = match (is_script, is_region, is_fit) {
            (true, ..) => part[..1].to_ascii_uppercase() + &part[1..].to_ascii_lowercase(),
            (_, true, _) => part.to_ascii_uppercase(),
            (.., true) => part.to_ascii_lowercase(),
            _ => break,
        };
        tag.push('-');
        tag.push_str(&part);
    }
    Some(tag)
}

fn tags(s: &Sources) -> Vec<Sourced> {
    let mut tags: Vec<Sourced> = Vec::new();
    let mut seen = Vec::new();
    let order = [
        (&s.work, Source::JsonLd),
        (&s.graph, Source::OpenGraph),
        (&s.meta, Source::Meta),
        (&s.micro, Source::Microdata),
    ];
    for (tag, source) in
        order.into_iter().flat_map(|(facts, source)| facts.tags.iter().map(move |tag| (tag, source)))
    {
        let key = key(tag);
        if key.is_empty()
            || tag.chars().count() > MAX_TAG_CHARS
            || seen.contains(&key)
            || tags.len() >= MAX_TAGS
        {
            continue;
        }
        seen.push(key);
        tags.push(sourced(folded(tag), source));
    }
    tags
}

fn licence(s: &Sources, base: &Base) -> Option<Sourced> {
    let address =
        |text: &str| url::resolve(text, base).or_else(|| Some(folded(text)).filter(|t| !t.is_empty()));
    let link = s.licence.as_deref().and_then(address).map(|l| sourced(l, Source::Html));
    by_priority(s, |facts| address(facts.licence.as_deref()?)).or(link)
}

fn canonical(s: &Sources, base: &Base) -> Option<Sourced> {
    let link = s.canonical.as_deref().and_then(|c| url::resolve(c, base)).map(|c| sourced(c, Source::Html));
    let stated =
        |facts: &Facts, source| Some(sourced(url::resolve(facts.canonical.as_deref()?, base)?, source));
    link.or_else(|| stated(&s.graph, Source::OpenGraph))
        .or_else(|| stated(&s.meta, Source::Meta))
        .or_else(|| stated(&s.work, Source::JsonLd))
}

#[cfg(test)]
mod tests;

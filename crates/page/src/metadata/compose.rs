//! Combines the facts from all sources into the metadata of a page.

use super::authors::MAX_AUTHORS;
use super::dates::{self, Found};
use super::first_poster;
use super::page::Page;
use super::text::{folded, key};
use super::titles::{self, SiteNames};
use super::visible::Visible;
use super::{Facts, MainFields, Metadata, Source, Sourced, json_ld, meta_tags, microdata, open_graph, url};
use crate::Known;
use crate::address::Base;
use std::cell::OnceCell;
use threshr_html::Document;
use threshr_html::blocks::Blocks;

/// Sources of author names in the visible page other than the byline, in order of preference. The first one that
/// names a person is used.
const ELSEWHERE: [for<'s> fn(&'s Visible<'_>) -> &'s [String]; 4] =
    [|v| v.named(), |v| v.labelled(), |v| v.linked(), |v| v.signed()];
/// Number of sources at the start of [`ELSEWHERE`] that need no evidence that the page is an article.
const NUM_SURE: usize = 2;
/// Maximum number of tags, and maximum number of characters of a tag.
const MAX_TAGS: usize = 50;
const MAX_TAG_CHARS: usize = 60;

/// Facts from all sources of a page. Reading the visible page takes long, so each of its facts is read only when a
/// field needs it.
struct Sources<'p> {
    page: &'p Page<'p>,
    of_work: Facts,
    of_page: Facts,
    graph: Facts,
    meta: Facts,
    micro: Facts,
    visible: Visible<'p>,
    title: String,
    /// The program that generated the page, as the page states it.
    generator: Option<String>,
    is_article: bool,
    is_offer: bool,
    date_published: OnceCell<Option<Sourced>>,
}

/// Returns the metadata of a page. `url` is the URL of the page; if it is `None`, the URL that the page states
/// is used. `known` is what earlier stages have found on the page.
///
/// Time and memory are linear in the size of the page.
pub fn of(doc: &Document, blocks: &Blocks, url: Option<&str>, known: Known<'_>) -> Metadata {
    with_sources(doc, blocks, url, known, compose)
}

/// Returns the title, the authors and the publication date of a page. They are those of [`of`], but take less time.
pub fn main_fields(doc: &Document, blocks: &Blocks, url: Option<&str>, known: Known<'_>) -> MainFields {
    with_sources(doc, blocks, url, known, |s| {
        let site = s.site();
        MainFields {
            title: s.main_title(&site),
            authors: authors(s, &site),
            date_published: s.date_published().clone(),
        }
    })
}

/// Returns the title of a page. It is that of [`of`], but takes less time.
pub fn title(doc: &Document, blocks: &Blocks, url: Option<&str>, known: Known<'_>) -> Option<Sourced> {
    with_sources(doc, blocks, url, known, |s| s.main_title(&s.site()))
}

fn with_sources<T>(
    doc: &Document,
    blocks: &Blocks,
    url: Option<&str>,
    known: Known<'_>,
    read: impl FnOnce(&Sources<'_>) -> T,
) -> T {
    let stated = if url.is_none() { doc.url() } else { None };
    let page = Page::new(doc, blocks, url.or(stated.as_deref()), known);
    read(&Sources::new(&page))
}

impl<'p> Sources<'p> {
    fn new(page: &'p Page<'p>) -> Self {
        let doc = page.doc;
        let metas = meta_tags::metas(doc);
        let visible = Visible::new(page);
        let graph = open_graph::read(&metas);
        let title = doc.title();
        let titles = [visible.headline.as_deref(), graph.title.as_deref(), Some(title.as_str())];
        let words = titles.into_iter().flatten().collect::<Vec<_>>().join(" \n ");
        let json_ld = json_ld::read(doc, page.url, &words);
        let is_type =
            metas.iter().any(|m| m.name == "og:type" && m.content.to_ascii_lowercase().contains("article"));
        Sources {
            page,
            is_article: json_ld.is_article || is_type,
            is_offer: json_ld.is_offer,
            of_work: json_ld.work,
            of_page: json_ld.page,
            graph,
            meta: meta_tags::read(&metas),
            micro: microdata::read(doc, &words),
            visible,
            title,
            generator: metas.iter().find(|m| m.name == "generator").map(|m| m.content.to_owned()),
            date_published: OnceCell::new(),
        }
    }

    fn site(&self) -> SiteNames {
        let facts = [&self.graph, &self.of_page, &self.of_work, &self.meta];
        SiteNames::new(facts.into_iter().filter_map(|f| f.site_name.as_deref()), self.page.url)
            .with_platform(self.generator.as_deref().unwrap_or_default())
    }

    fn date_published(&self) -> &Option<Sourced> {
        self.date_published.get_or_init(|| published(self))
    }

    fn is_dated(&self) -> bool {
        self.date_published().is_some()
    }

    /// Selects the title by a weighted vote of the sources. Headlines have more weight on article pages.
    fn main_title(&self, site: &SiteNames) -> Option<Sourced> {
        let candidates = titles(self, site);
        let of = |is_article: bool| winner(&candidates, is_article);
        if self.is_article || self.page.is_forum || self.is_offer {
            return of(self.is_article || self.page.is_forum);
        }
        // a page with a date is an article; finding the date takes long, and mostly both titles are equal
        let (of_other, of_article) = (of(false), of(true));
        if of_other == of_article || !self.is_dated() { of_other } else { of_article }
    }
}

fn sourced(value: impl Into<String>, source: Source) -> Sourced {
    Sourced { value: value.into(), source }
}

fn compose(s: &Sources<'_>) -> Metadata {
    let doc = s.page.doc;
    let base = &Base::new(doc, s.page.url);
    let (canonical_link, licence_link) = meta_tags::links(doc);
    let site_name = [
        (&s.graph.site_name, Source::OpenGraph),
        (&s.of_page.site_name, Source::JsonLd),
        (&s.meta.site_name, Source::Meta),
    ];
    let site_name = site_name
        .into_iter()
        .find_map(|(name, source)| Some(sourced(name.clone().filter(|n| !n.is_empty())?, source)));
    let site = s.site();
    Metadata {
        title: s.main_title(&site),
        authors: authors(s, &site),
        date_modified: modified(s),
        date_published: s.date_published().clone(),
        site_name,
        description: by_priority(s, |f| f.description.clone().filter(|d| !d.is_empty())),
        image: by_priority(s, |f| url::resolve(f.image.as_deref()?, base)),
        language: language(doc, s),
        tags: tags(s),
        licence: licence(s, licence_link.as_deref(), base),
        canonical_url: canonical(s, canonical_link.as_deref(), base),
    }
}

/// Returns the first value, in the order JSON-LD work, Open Graph, `<meta>`, microdata, JSON-LD page.
fn by_priority(s: &Sources<'_>, value: impl Fn(&Facts) -> Option<String>) -> Option<Sourced> {
    let order = [
        (&s.of_work, Source::JsonLd),
        (&s.graph, Source::OpenGraph),
        (&s.meta, Source::Meta),
        (&s.micro, Source::Microdata),
        (&s.of_page, Source::JsonLd),
    ];
    order.into_iter().find_map(|(facts, source)| Some(sourced(value(facts)?, source)))
}

/// A title that a source states.
struct Title {
    key: String,
    text: String,
    /// The weight on pages that are not articles, and the additional weight on articles.
    weight: (u32, u32),
    source: Source,
}

/// Returns the titles that the sources state, in the order of priority.
fn titles(s: &Sources<'_>, site: &SiteNames) -> Vec<Title> {
    let v = &s.visible;
    let shown = |text: Option<&str>| {
        let text = text.filter(|t| !site.is_site(t))?;
        Some(titles::headline(text, site))
    };
    let head = |text: Option<&str>| text.map(|text| titles::without_site(text, site));
    let headline = shown(v.headline.as_deref());
    let (in_h1, elsewhere) = if v.is_h1 { (headline, None) } else { (None, headline) };
    // the weights were fitted on the titles of half of the sites in wcxb-dev
    let candidates = [
        (in_h1, (6, 4), Source::Headline),
        (shown(v.only_h1().as_deref()), (0, 5), Source::Headline),
        (elsewhere, (2, 0), Source::Headline),
        (head(s.graph.title.as_deref()), (4, 0), Source::OpenGraph),
        (head(s.of_work.title.as_deref()), (1, 2), Source::JsonLd),
        (head(s.micro.title.as_deref()), (4, 0), Source::Microdata),
        (head(s.of_page.title.as_deref()), (2, 0), Source::JsonLd),
        (head(s.meta.title.as_deref()), (2, 0), Source::Meta),
        (head(Some(&s.title)), (2, 0), Source::Html),
    ];
    let titles = candidates.into_iter().filter_map(|(text, weight, source)| {
        text.map(|text| Title { key: key(&text), text, weight, source })
    });
    titles.filter(|title| !title.key.is_empty()).collect()
}

/// Returns the title with the greatest sum of weights; if several have this sum, the first.
fn winner(titles: &[Title], is_article: bool) -> Option<Sourced> {
    let weight = |title: &Title| title.weight.0 + if is_article { title.weight.1 } else { 0 };
    let votes = |wanted: &str| titles.iter().filter(|t| t.key == wanted).map(weight).sum::<u32>();
    let best = titles.iter().map(|t| votes(&t.key)).max()?;
    let found = titles.iter().find(|t| votes(&t.key) == best)?;
    Some(sourced(found.text.clone(), found.source))
}

/// Returns whether a name is more than half of the page title.
fn is_title(name: &str, title: &str) -> bool {
    title.contains(name) && 2 * name.len() > title.len()
}

/// Whether there is evidence that the page is an article or a post: its declared type, a byline, or a
/// publication date.
fn is_article(s: &Sources<'_>) -> bool {
    let dates = [&s.of_work.published, &s.graph.published, &s.micro.published, &s.meta.published];
    s.is_article
        || s.page.is_forum
        || dates.iter().any(|date| date.is_some())
        || s.page.url.and_then(url::date).is_some()
        || !s.visible.byline().is_empty()
        || !s.visible.byline_dates().is_empty()
}

/// Selects the authors. The author of a thread is the author of its first post. Other pages: from the byline, otherwise
/// from the head, otherwise from other visible elements. If the head has the names of the byline, the head is used,
/// because its values are cleaner.
fn authors(s: &Sources<'_>, site: &SiteNames) -> Vec<Sourced> {
    if s.is_offer {
        return Vec::new();
    }
    if let Some(poster) = first_poster::find(s.page) {
        // the structured data name the author of the first post, even if the page shows the posts in another order
        let stated = [(&s.of_work.authors, Source::JsonLd), (&s.micro.authors, Source::Microdata)];
        let stated =
            stated.into_iter().filter_map(|(names, source)| Some((names.first()?.clone(), source))).next();
        let found = stated.or_else(|| Some((poster?, Source::Visible)));
        return found.map(|(name, source)| sourced(name, source)).into_iter().collect();
    }
    let v = &s.visible;
    // pages that are not articles often state the owner of the site as their author
    let is_sure_article = is_article(s);
    let head = [
        (&s.of_work.authors[..], Source::JsonLd),
        (&s.micro.authors, Source::Microdata),
        (&s.meta.authors, Source::Meta),
        (&s.graph.authors, Source::OpenGraph),
    ];
    let head: Vec<_> = head.into_iter().filter(|(names, _)| !names.is_empty()).collect();
    let head = if is_sure_article || !head.is_empty() && s.is_dated() { head } else { Vec::new() };
    let head = || head.iter().copied();
    let num_read = if is_sure_article { ELSEWHERE.len() } else { NUM_SURE };
    let elsewhere = || {
        ELSEWHERE[..num_read]
            .iter()
            .map(|names| (names(v), Source::Visible))
            .filter(|(names, _)| !names.is_empty())
    };
    let byline = Some((v.byline(), Source::Byline)).filter(|(names, _)| !names.is_empty());
    let shown = key(&v.byline().join(" "));
    let is_in_byline = |(names, _): &(&[String], Source)| names.iter().all(|name| shown.contains(&key(name)));
    let is_person = |(names, source): &(&[String], Source)| {
        let is_stated = matches!(source, Source::Meta | Source::OpenGraph);
        !names.iter().all(|name| site.is_site(name) || is_stated && site.is_no_author(name, &s.title))
    };
    let cleaner = head()
        .find(is_in_byline)
        .filter(|(names, _)| names.len() >= v.byline().len() || 2 * names.len() < v.byline().len());
    let found = cleaner
        .or(byline)
        .or_else(|| head().find(is_person))
        .or_else(|| elsewhere().find(is_person))
        .or_else(|| head().next())
        .or_else(|| elsewhere().next());
    let Some((names, source)) = found else { return Vec::new() };
    let title = key(&s.title);
    let has_person = names.iter().any(|name| !site.is_site(name));
    // an organization may be the author by its own structured data or byline
    let is_stated = matches!(source, Source::Meta | Source::OpenGraph);
    let is_other = |name: &str| {
        is_title(&key(name), &title)
            || site.is_platform(name)
            || has_person && site.is_site(name)
            || is_stated && site.is_no_author(name, &s.title)
    };
    names
        .iter()
        .take(MAX_AUTHORS)
        .filter(|name| !is_other(name))
        .map(|name| sourced(name.clone(), source))
        .collect()
}

/// Selects the publication date: from the byline, otherwise from the head, otherwise from other visible
/// elements. If the page states only a modification date, that date is returned.
fn published(s: &Sources<'_>) -> Option<Sourced> {
    let style = s.page.style();
    let parse = |date: &Option<String>| dates::parse(date.as_deref()?, style);
    let first = |found: &[Found], is_modified: bool| {
        found.iter().find(|f| f.is_modified == is_modified).map(|f| f.iso.clone())
    };
    let v = &s.visible;
    // on a forum page, dates of members and of other posts are near the headline, too
    let byline = if s.page.is_forum { None } else { first(v.byline_dates(), false) };
    let head = [
        (parse(&s.of_work.published), Source::JsonLd),
        (parse(&s.graph.published), Source::OpenGraph),
        (parse(&s.meta.published), Source::Meta),
        (parse(&s.micro.published), Source::Microdata),
        (parse(&s.of_page.published), Source::JsonLd),
    ];
    // the value in the head usually includes the time
    let is_same_day = |date: &str| byline.as_deref().is_some_and(|shown| date.get(..10) == shown.get(..10));
    if let Some((Some(date), source)) = head.iter().find(|(date, _)| date.as_deref().is_some_and(is_same_day))
    {
        return Some(sourced(date.clone(), *source));
    }
    // a source is read only if no source before it states a date
    let shown: [(&dyn Fn() -> Option<String>, Source); 12] = [
        (&|| s.page.url.and_then(url::date), Source::Url),
        (&|| first(v.element_dates(), false), Source::Visible),
        (&|| first(v.byline_dates(), false), Source::Byline),
        (&|| first(v.near_dates(), false), Source::Visible),
        (&|| first(v.labelled_dates(), false), Source::Visible),
        (&|| first(v.byline_dates(), true), Source::Byline),
        (&|| first(v.element_dates(), true), Source::Visible),
        (&|| first(v.near_dates(), true), Source::Visible),
        (&|| parse(&s.of_work.modified), Source::JsonLd),
        (&|| parse(&s.graph.modified), Source::OpenGraph),
        (&|| parse(&s.meta.modified), Source::Meta),
        (&|| first(v.labelled_dates(), true), Source::Visible),
    ];
    let stated = [(byline, Source::Byline)].into_iter().chain(head);
    stated
        .chain(shown.into_iter().map(|(date, source)| (date(), source)))
        .find_map(|(date, source)| Some(sourced(date?, source)))
}

/// Selects the modification date. Dates before the publication date are skipped.
fn modified(s: &Sources<'_>) -> Option<Sourced> {
    let style = s.page.style();
    let parse = |date: &Option<String>| dates::parse(date.as_deref()?, style);
    let first = |found: &[Found]| found.iter().find(|f| f.is_modified).map(|f| f.iso.clone());
    let v = &s.visible;
    let order: [(Option<String>, Source); 9] = [
        (parse(&s.of_work.modified), Source::JsonLd),
        (parse(&s.graph.modified), Source::OpenGraph),
        (parse(&s.micro.modified), Source::Microdata),
        (parse(&s.meta.modified), Source::Meta),
        (first(v.byline_dates()), Source::Byline),
        (first(v.element_dates()), Source::Visible),
        (first(v.near_dates()), Source::Visible),
        (parse(&s.of_page.modified), Source::JsonLd),
        (first(v.labelled_dates()), Source::Visible),
    ];
    let day = |iso: &str| iso.get(..10).map(str::to_owned);
    let is_later = |iso: &str| s.date_published().as_ref().is_none_or(|p| day(iso) >= day(&p.value));
    order.into_iter().find_map(|(date, source)| Some(sourced(date.filter(|d| is_later(d))?, source)))
}

fn language(doc: &Document, s: &Sources<'_>) -> Option<Sourced> {
    let order = [
        (doc.language(), Source::Html),
        (s.of_work.language.as_deref(), Source::JsonLd),
        (s.of_page.language.as_deref(), Source::JsonLd),
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

fn tags(s: &Sources<'_>) -> Vec<Sourced> {
    let mut tags: Vec<Sourced> = Vec::new();
    let mut seen = Vec::new();
    let order = [
        (&s.of_work, Source::JsonLd),
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

fn licence(s: &Sources<'_>, link: Option<&str>, base: &Base) -> Option<Sourced> {
    let address =
        |text: &str| url::resolve(text, base).or_else(|| Some(folded(text)).filter(|t| !t.is_empty()));
    let link = link.and_then(address).map(|l| sourced(l, Source::Html));
    by_priority(s, |facts| address(facts.licence.as_deref()?)).or(link)
}

fn canonical(s: &Sources<'_>, link: Option<&str>, base: &Base) -> Option<Sourced> {
    let link = link.and_then(|c| url::resolve(c, base)).map(|c| sourced(c, Source::Html));
    let stated =
        |facts: &Facts, source| Some(sourced(url::resolve(facts.canonical.as_deref()?, base)?, source));
    link.or_else(|| stated(&s.graph, Source::OpenGraph))
        .or_else(|| stated(&s.meta, Source::Meta))
        .or_else(|| stated(&s.of_work, Source::JsonLd))
}

#[cfg(test)]
mod tests;

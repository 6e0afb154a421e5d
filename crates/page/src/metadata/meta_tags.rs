//! Other `<meta>` elements: Dublin Core, citation tags, Parse.ly, Sailthru, and names without a vocabulary such as
//! `author`.

use super::Facts;
use super::authors::{self, Form};
use super::dates::{self, DateStyle};
use super::element_names::any_word;
use super::text::plain;
use crate::word_lists::rows;
use rustc_hash::FxHashMap;
use std::sync::LazyLock;
use threshr_html::{Document, Tag};

/// Maximum number of `<meta>` elements that are read.
const MAX_METAS: usize = 2000;

/// A `<meta>` element with a name and a value.
#[derive(Debug)]
pub(super) struct Meta<'d> {
    /// `property`, `name` or `http-equiv`, in lower case.
    pub name: String,
    pub content: &'d str,
}

/// The `<meta>` elements of a page, in order.
pub(super) fn metas(doc: &Document) -> Vec<Meta<'_>> {
    let mut metas = Vec::new();
    for node in doc.elements_with(|tag| tag == Tag::META).take(MAX_METAS) {
        let Some(content) = doc.attribute(node, "content").map(str::trim).filter(|c| !c.is_empty()) else {
            continue;
        };
        for attribute in ["property", "name", "http-equiv"] {
            if let Some(name) = doc.attribute(node, attribute) {
                let name = name.trim().to_ascii_lowercase();
                metas.push(Meta {
                    name: name.replace("dcterms.", "dc.").replace("dcterms:", "dc.").replace("dc:", "dc."),
                    content,
                });
            }
        }
    }
    metas
}

const FILE: &str = include_str!("../../data/metadata/meta_names.tsv");

/// Lists of `<meta>` names, by name of the list. The most reliable names come first; see the data file.
static LISTS: LazyLock<FxHashMap<&str, Vec<&str>>> = LazyLock::new(|| {
    rows(FILE).map(|[list, _, names]: [&str; 3]| (list, names.split(' ').collect())).collect()
});

/// Returns the `<meta>` names of a list.
fn names(list: &str) -> &'static [&'static str] {
    LISTS.get(list).map_or(&[], Vec::as_slice)
}

/// Returns the facts in `<meta>` elements other than Open Graph and Twitter cards.
pub(super) fn read(metas: &[Meta<'_>]) -> Facts {
    let all =
        |name: &str| metas.iter().filter(move |m| m.name == name).map(|m| m.content).collect::<Vec<_>>();
    let first = |names: &[&str]| names.iter().find_map(|name| all(name).first().map(|c| (*c).to_owned()));
    let named = |names: &[&str], form: Form| {
        names
            .iter()
            .map(|n| all(n).into_iter().flat_map(|c| authors::names(c, form)).collect::<Vec<_>>())
            .find(|n| !n.is_empty())
    };
    let is_citation = metas.iter().any(|m| m.name == "citation_author");
    let citation = || named(names("author_family_first"), Form::FamilyFirst);
    let authors = if is_citation { citation() } else { named(names("author"), Form::Many).or_else(citation) };
    let mut authors = authors.unwrap_or_default();
    let mut seen = Vec::new();
    authors.retain(|a| {
        !seen.contains(a) && {
            seen.push(a.clone());
            true
        }
    });
    let tags = names("tags").iter().map(|name| all(name)).find(|found| !found.is_empty()).unwrap_or_default();
    Facts {
        title: first(names("title")).map(|t| plain(&t)),
        authors,
        published: first(names("published"))
            .or_else(|| by_words(metas, |word| names("date_words").contains(&word))),
        modified: first(names("modified"))
            .or_else(|| by_words(metas, |word| names("change_words").contains(&word))),
        site_name: first(names("site_name")).map(|t| plain(&t)),
        description: first(names("description")).map(|t| plain(&t)),
        image: first(names("image")),
        language: first(names("language")),
        tags: tags.iter().flat_map(|t| t.split([',', ';'])).map(plain).collect(),
        licence: first(names("licence")),
        canonical: first(names("canonical")),
    }
}

/// Returns the value of the first `<meta>` element whose name contains a wanted word and whose value is a date.
fn by_words(metas: &[Meta<'_>], wanted: impl Fn(&str) -> bool) -> Option<String> {
    let is_change = wanted("modified");
    let is_named = |m: &&Meta<'_>| {
        let has = |words: &[&str]| any_word(&m.name, |word| words.contains(&word));
        any_word(&m.name, &wanted)
            && !has(names("other_date_words"))
            && (is_change || !has(names("change_words")))
    };
    let is_date = |m: &&Meta<'_>| dates::parse(m.content, DateStyle::default()).is_some();
    metas.iter().find(|m| is_named(m) && is_date(m)).map(|m| m.content.to_owned())
}

/// Returns the canonical URL and the licence URL stated with `rel` in `<link>` and `<a>`.
pub(super) fn links(doc: &Document) -> (Option<String>, Option<String>) {
    let (mut canonical, mut licence) = (None, None);
    for node in doc.elements_with(|tag| matches!(tag, Tag::LINK | Tag::A)) {
        let Some(rel) = doc.attribute(node, "rel") else { continue };
        let Some(href) = doc.attribute(node, "href").map(str::trim).filter(|h| !h.is_empty()) else {
            continue;
        };
        let has = |name: &str| rel.split_ascii_whitespace().any(|r| r.eq_ignore_ascii_case(name));
        if canonical.is_none() && doc.tag(node) == Tag::LINK && has("canonical") {
            canonical = Some(href.to_owned());
        }
        if licence.is_none() && has("license") {
            licence = Some(href.to_owned());
        }
    }
    (canonical, licence)
}

#[cfg(test)]
mod tests {
    use super::*;
    use threshr_html::parse_str;

    #[test]
    fn vocabularies_are_read() {
        let doc = parse_str(
            "<meta name=DC.title content=Rain><meta name=citation_author content='Miller, Ann'>\
             <meta name=citation_author content='Bo Berg'><meta name=author content='The Journal'>\
             <meta name=citation_publication_date content=2024/05/03><meta name=keywords content='rain, snow'>\
             <meta http-equiv=content-language content=de><meta name=description content=''>\
             <link rel=canonical href=/rain><a rel='license nofollow' href=https://l.org/>",
        );
        let facts = read(&metas(&doc));
        assert_eq!(facts.title.as_deref(), Some("Rain"));
        assert_eq!(facts.authors, ["Ann Miller", "Bo Berg"]);
        assert_eq!((facts.published.as_deref(), facts.language.as_deref()), (Some("2024/05/03"), Some("de")));
        assert_eq!((facts.tags, facts.description), (vec!["rain".into(), "snow".into()], None));
        assert_eq!(links(&doc), (Some("/rain".into()), Some("https://l.org/".into())));
    }
}

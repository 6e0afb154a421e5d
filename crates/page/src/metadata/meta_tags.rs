//! Other `<meta>` elements: Dublin Core, citation tags, parsely, sailthru, and plain names.

use super::Facts;
use super::authors::{self, Form};
use super::dates::{self, DateStyle};
use super::element_names::any_word;
use super::text::{phrases, plain};
use std::sync::LazyLock;
use threshr_html::{Document, Tag};

/// Most `<meta>` elements that are read.
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

/// Names of `<meta>` elements, the surest first; see the data file.
struct Names {
    title: Vec<&'static str>,
    author: Vec<&'static str>,
    author_family_first: Vec<&'static str>,
    published: Vec<&'static str>,
    modified: Vec<&'static str>,
    date_words: Vec<&'static str>,
    change_words: Vec<&'static str>,
    other_date_words: Vec<&'static str>,
    tags: Vec<&'static str>,
    site_name: Vec<&'static str>,
    description: Vec<&'static str>,
    image: Vec<&'static str>,
    language: Vec<&'static str>,
    licence: Vec<&'static str>,
    canonical: Vec<&'static str>,
}

static NAMES: LazyLock<Names> = LazyLock::new(|| {
    let list = |name| phrases(FILE, name, " ");
    Names {
        title: list("title"),
        author: list("author"),
        author_family_first: list("author_family_first"),
        published: list("published"),
        modified: list("modified"),
        date_words: list("date_words"),
        change_words: list("change_words"),
        other_date_words: list("other_date_words"),
        tags: list("tags"),
        site_name: list("site_name"),
        description: list("description"),
        image: list("image"),
        language: list("language"),
        licence: list("licence"),
        canonical: list("canonical"),
    }
});

/// What plain `<meta>` elements say of the page.
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
    let citation = || named(&NAMES.author_family_first, Form::FamilyFirst);
    let authors = if is_citation { citation() } else { named(&NAMES.author, Form::Many).or_else(citation) };
    let mut authors = authors.unwrap_or_default();
    let mut seen = Vec::new();
    authors.retain(|a| {
        !seen.contains(a) && {
            seen.push(a.clone());
            true
        }
    });
    let tags = NAMES.tags.iter().map(|name| all(name)).find(|found| !found.is_empty()).unwrap_or_default();
    Facts {
        title: first(&NAMES.title).map(|t| plain(&t)),
        authors,
        published: first(&NAMES.published)
            .or_else(|| by_words(metas, |word| NAMES.date_words.contains(&word))),
        modified: first(&NAMES.modified)
            .or_else(|| by_words(metas, |word| NAMES.change_words.contains(&word))),
        site_name: first(&NAMES.site_name).map(|t| plain(&t)),
        description: first(&NAMES.description).map(|t| plain(&t)),
        image: first(&NAMES.image),
        language: first(&NAMES.language),
        tags: tags.iter().flat_map(|t| t.split([',', ';'])).map(plain).collect(),
        licence: first(&NAMES.licence),
        canonical: first(&NAMES.canonical),
    }
}

/// The value of the first name with a wanted word that has a date.
fn by_words(metas: &[Meta<'_>], wanted: impl Fn(&str) -> bool) -> Option<String> {
    let is_change = wanted("modified");
    let is_named = |m: &&Meta<'_>| {
        let has = |words: &[&str]| any_word(&m.name, |word| words.contains(&word));
        any_word(&m.name, &wanted)
            && !has(&NAMES.other_date_words)
            && (is_change || !has(&NAMES.change_words))
    };
    let is_date = |m: &&Meta<'_>| dates::parse(m.content, DateStyle::default()).is_some();
    metas.iter().find(|m| is_named(m) && is_date(m)).map(|m| m.content.to_owned())
}

/// Addresses in `<link>`: the canonical address and the licence.
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

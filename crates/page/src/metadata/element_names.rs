//! What the names of elements say they hold.

use super::text::phrases;
use rustc_hash::FxHashSet;
use std::sync::LazyLock;
use threshr_html::{Document, NodeId, Tag};

const FILE: &str = include_str!("../../data/metadata/element_names.tsv");
/// Most bytes of a name that are read.
const MAX_NAME: usize = 300;
/// Ancestors that are searched for comments and lists.
const MAX_ANCESTORS: usize = 40;

type Words = LazyLock<FxHashSet<&'static str>>;

pub(super) static AUTHOR: Words = LazyLock::new(|| list("author"));
pub(super) static FORUM_AUTHOR: Words = LazyLock::new(|| list("forum_author"));
pub(super) static NOT_AUTHOR: Words = LazyLock::new(|| list("not_author"));
pub(super) static DATE: Words = LazyLock::new(|| list("date"));
pub(super) static AUTHOR_PAGE: Words = LazyLock::new(|| list("author_page"));
pub(super) static FORUM_ADDRESS: Words = LazyLock::new(|| list("forum_address"));
pub(super) static COMMENT: Words = LazyLock::new(|| list("comment"));
pub(super) static POST: Words = LazyLock::new(|| list("post"));
pub(super) static NOT_POST: Words = LazyLock::new(|| list("not_post"));
pub(super) static POST_AUTHOR: Words = LazyLock::new(|| list("post_author"));
pub(super) static POST_AUTHOR_PAGE: Words = LazyLock::new(|| list("post_author_page"));
pub(super) static POST_DATE: Words = LazyLock::new(|| list("post_date"));
pub(super) static NOT_POST_DATE: Words = LazyLock::new(|| list("not_post_date"));
pub(super) static NOT_POST_AUTHOR: Words = LazyLock::new(|| list("not_post_author"));
/// Whole names, not words of names.
pub(super) static ENTRY: Words = LazyLock::new(|| list("entry"));
static ELSEWHERE: Words = LazyLock::new(|| list("elsewhere"));

fn list(name: &str) -> FxHashSet<&'static str> {
    phrases(FILE, name, " ").into_iter().collect()
}

/// Whether class, id, rel or a test id has one of some words.
pub(super) fn has(doc: &Document, node: NodeId, words: &FxHashSet<&'static str>) -> bool {
    ["class", "id", "rel", "data-testid", "data-test", "data-component"].iter().any(|name| {
        let value = doc.attribute(node, name);
        value.is_some_and(|value| any_word(value, |word| words.contains(word)))
    })
}

/// Whether the address of a link has one of some words in its path.
pub(super) fn leads_to(doc: &Document, link: NodeId, words: &FxHashSet<&'static str>) -> bool {
    let href = doc.attribute(link, "href").unwrap_or_default();
    any_word(super::url::path(href).unwrap_or(href), |word| words.contains(word))
}

/// Whether one of the words of a value is wanted. Words end at signs, and where a capital follows.
pub(super) fn any_word(value: &str, mut wanted: impl FnMut(&str) -> bool) -> bool {
    let mut word = String::new();
    let mut was_lower = false;
    for c in super::text::cut(value, MAX_NAME).chars().chain([' ']) {
        let ends = !c.is_alphanumeric() || was_lower && c.is_uppercase();
        if ends && !word.is_empty() {
            if wanted(&word) {
                return true;
            }
            word.clear();
        }
        if c.is_alphanumeric() {
            word.extend(c.to_lowercase());
        }
        was_lower = c.is_lowercase();
    }
    false
}

/// Whether a node is in comments, in a list of other pages, or in a part of the site. Elements around
/// `inside`, such as the headline, do not count.
pub(super) fn is_elsewhere(doc: &Document, node: NodeId, inside: Option<NodeId>) -> bool {
    let around: FxHashSet<NodeId> = inside.map(|n| doc.ancestors_and_self(n).collect()).unwrap_or_default();
    let own = doc.ancestors_and_self(node).take(MAX_ANCESTORS).take_while(|n| !around.contains(n));
    let is_of_article = |n| doc.ancestors(n).any(|a| matches!(doc.tag(a), Tag::ARTICLE | Tag::MAIN));
    own.into_iter().any(|n| {
        matches!(doc.tag(n), Tag::NAV | Tag::ASIDE | Tag::TEMPLATE)
            || doc.tag(n) == Tag::FOOTER && !is_of_article(n)
            || ["class", "id"].iter().any(|name| {
                let value = doc.attribute(n, name).unwrap_or_default();
                any_word(value, |word| ELSEWHERE.contains(word))
            })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use threshr_html::parse_str;

    #[test]
    fn words_of_names_are_found() {
        let words = |value: &str| {
            let mut words = Vec::new();
            any_word(value, |word| {
                words.push(word.to_owned());
                false
            });
            words.join(" ")
        };
        assert_eq!(words("post-author__Name articleByline"), "post author name article byline");
        let doc =
            parse_str("<div class=comments><h1>x</h1><b id=postAuthor></b></div><footer><i></i></footer>");
        let first = |tag| doc.elements_with(|t| t == tag).next().expect("it is there");
        assert!(has(&doc, first(Tag::B), &AUTHOR) && !has(&doc, first(Tag::I), &AUTHOR));
        assert!(
            is_elsewhere(&doc, first(Tag::B), None)
                && !is_elsewhere(&doc, first(Tag::B), Some(first(Tag::H1)))
        );
        assert!(is_elsewhere(&doc, first(Tag::I), None));
    }
}

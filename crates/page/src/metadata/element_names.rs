//! Words in class names, ids and URLs that indicate what an element contains, such as an author or a date.

use super::text::phrases;
use crate::names::element_names;
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::LazyLock;
use threshr_html::{Document, Kind, NodeId, Tag};

const FILE: &str = include_str!("../../data/metadata/element_names.tsv");
/// Maximum number of bytes of a name that are read.
const MAX_NAME: usize = 300;
/// Maximum number of ancestors that are searched for comment sections and lists of other pages.
const MAX_ANCESTORS: usize = 40;

type Words = LazyLock<FxHashSet<&'static str>>;

pub(crate) static AUTHOR: Words = LazyLock::new(|| list("author"));
pub(crate) static FORUM_AUTHOR: Words = LazyLock::new(|| list("forum_author"));
pub(crate) static NOT_AUTHOR: Words = LazyLock::new(|| list("not_author"));
pub(crate) static DATE: Words = LazyLock::new(|| list("date"));
pub(crate) static AUTHOR_PAGE: Words = LazyLock::new(|| list("author_page"));
pub(crate) static FORUM_ADDRESS: Words = LazyLock::new(|| list("forum_address"));
pub(crate) static COMMENT: Words = LazyLock::new(|| list("comment"));
pub(crate) static POST: Words = LazyLock::new(|| list("post"));
pub(crate) static NOT_POST: Words = LazyLock::new(|| list("not_post"));
pub(crate) static POST_AUTHOR: Words = LazyLock::new(|| list("post_author"));
pub(crate) static POST_AUTHOR_PAGE: Words = LazyLock::new(|| list("post_author_page"));
pub(crate) static POST_DATE: Words = LazyLock::new(|| list("post_date"));
pub(crate) static NOT_POST_DATE: Words = LazyLock::new(|| list("not_post_date"));
pub(crate) static NOT_POST_AUTHOR: Words = LazyLock::new(|| list("not_post_author"));
/// Complete class names, not words in class names.
pub(crate) static ENTRY: Words = LazyLock::new(|| list("entry"));
static OF_AUTHORS_AND_DATES: Words = LazyLock::new(|| {
    [&AUTHOR, &FORUM_AUTHOR, &DATE].iter().flat_map(|words| words.iter().copied()).collect()
});
static ELSEWHERE: Words = LazyLock::new(|| list("elsewhere"));

fn list(name: &str) -> FxHashSet<&'static str> {
    phrases(FILE, name, " ").into_iter().collect()
}

/// The attributes whose values name what an element contains.
const ATTRIBUTES: [&str; 6] = ["class", "id", "rel", "data-testid", "data-test", "data-component"];

/// Whether one of `words` occurs in the class, id, rel or test id of an element.
pub(crate) fn has(doc: &Document, node: NodeId, words: &FxHashSet<&'static str>) -> bool {
    ATTRIBUTES.iter().any(|name| {
        let value = doc.attribute(node, name);
        value.is_some_and(|value| any_word(value, |word| words.contains(word)))
    })
}

/// Returns the elements of a page for which [`has`] is true with one of the lists of authors and dates, and the `<time>`
/// elements, in document order. Each value of an attribute is read once.
pub(super) fn of_authors_and_dates<'d>(doc: &'d Document) -> impl Iterator<Item = NodeId> {
    let attributes = ATTRIBUTES.map(|name| doc.attribute_number(name));
    let mut known: FxHashMap<&'d str, bool> = FxHashMap::default();
    let mut is_named = move |value: &'d str| {
        *known.entry(value).or_insert_with(|| any_word(value, |word| OF_AUTHORS_AND_DATES.contains(word)))
    };
    doc.descendants(doc.root()).filter(move |&n| {
        let mut names = doc.attributes_with(n, |number| attributes.contains(&Some(number)));
        doc.kind(n) == Kind::Element && (doc.tag(n) == Tag::TIME || names.any(|(_, value)| is_named(value)))
    })
}

/// Whether one of `words` occurs in the path of a link's URL.
pub(crate) fn leads_to(doc: &Document, link: NodeId, words: &FxHashSet<&'static str>) -> bool {
    let href = doc.attribute(link, "href").unwrap_or_default();
    any_word(super::url::path(href).unwrap_or(href), |word| words.contains(word))
}

/// Whether `wanted` returns true for a word of a value. Words end at characters that are not letters or digits,
/// and before a capital letter in camel case. They are in lower case.
pub(crate) fn any_word(value: &str, wanted: impl FnMut(&str) -> bool) -> bool {
    element_names::any_word(super::text::cut(value, MAX_NAME), true, wanted)
}

/// Returns whether a node is in comments, in a list of other pages, in site navigation or in similar parts.
/// Ancestors of `inside`, such as the headline, are ignored.
pub(crate) fn is_elsewhere(doc: &Document, node: NodeId, inside: Option<NodeId>) -> bool {
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

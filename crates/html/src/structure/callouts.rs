//! Recogniser of admonitions and their types.

use crate::blocks::Blocks;
use crate::structure::names::{Role, Roles};
use crate::text::word_list::word_list;
use crate::{Document, Kind, NodeId, Tag};
use std::ops::Range;

/// The sorted words of `callout_types.tsv`, which lists the type of each word.
const WORDS: &[&str] = &word_list!("callout_types.tsv");
const TYPES: &[&str] = &word_list!("callout_types.tsv", 1);

/// Maximum number of words of a class attribute that are read.
const MAX_WORDS: usize = 32;

/// The type of an admonition, such as `note` or `warning`; empty if the page does not state the type.
///
/// The first known word in `data-callout` or in the class names determines the type. `hint` and `note` may also denote
/// admonitions in general, so any other known word takes precedence.
pub fn callout_type(doc: &Document, node: NodeId) -> &'static str {
    let of_attribute = |name| {
        let value = doc.attribute(node, name)?;
        let words = value.split(|c: char| !c.is_ascii_alphabetic()).filter(|word| !word.is_empty());
        let words: Vec<&str> = words.take(MAX_WORDS).collect();
        let is_kind_of_box = |at: usize| {
            ["hint", "note"].iter().any(|kind| words[at].eq_ignore_ascii_case(kind))
                || words.get(at + 1).is_some_and(|next| *next == "macro")
        };
        let of = |is_kind: bool| {
            (0..words.len()).filter(|&at| is_kind_of_box(at) == is_kind).find_map(|at| type_of(words[at]))
        };
        of(false).or_else(|| of(true))
    };
    ["data-callout", "data-callout-type", "data-type", "class"]
        .into_iter()
        .find_map(of_attribute)
        .unwrap_or_default()
}

/// Returns whether an element is an admonition: its class names have this role, or its only class name is a
/// type in capital letters (`NOTE`). `<details class=warning>`, `<blockquote class=warning>`, `<div class="note warning">`
/// and `<aside data-type=warning>` are also admonitions.
pub fn is_callout(doc: &Document, node: NodeId, roles: Roles) -> bool {
    const NAMES: [&str; 5] = ["CAUTION", "IMPORTANT", "NOTE", "TIP", "WARNING"];
    if roles.has(Role::Callout) {
        return true;
    }
    let tag = doc.tag(node);
    if !matches!(tag, Tag::DIV | Tag::DETAILS | Tag::BLOCKQUOTE | Tag::ASIDE | Tag::SECTION | Tag::P) {
        return false;
    }
    let is_type = |name: &str| type_of(name).is_some();
    if tag == Tag::ASIDE && doc.attribute(node, "data-type").is_some_and(is_type) {
        return true;
    }
    let Some(class) = doc.attribute(node, "class") else { return false };
    let mut names = class.split_ascii_whitespace();
    let first = names.next().unwrap_or_default();
    match tag {
        Tag::DETAILS | Tag::BLOCKQUOTE => first != "quote" && is_type(first),
        Tag::DIV if first == "note" => names.next().is_some_and(is_type),
        _ => NAMES.contains(&class.trim()),
    }
}

/// Whether an element is an admonition, see [`is_callout`].
pub fn is_callout_by_name(doc: &Document, node: NodeId) -> bool {
    is_callout(doc, node, doc.roles(node))
}

/// Maximum number of characters in the title of an admonition.
const MAX_TITLE: usize = 80;

/// Returns whether the first element of an admonition is its title: its class names indicate a title, or its
/// text is only the type.
pub fn is_title(doc: &Document, node: NodeId, roles: Roles) -> bool {
    if roles.has(Role::CalloutTitle) {
        return true;
    }
    let mut text = String::new();
    for n in doc.descendants(node).filter(|&n| doc.kind(n) == Kind::Text) {
        text.push_str(doc.text(n));
        if text.len() > 4 * MAX_TITLE {
            return false;
        }
    }
    let class = doc.attribute(node, "class").unwrap_or_default().to_ascii_lowercase();
    let is_named = ["title", "heading", "header", "label"].iter().any(|word| class.contains(word));
    says_type(&text).is_some() || is_named && (1..=MAX_TITLE).contains(&text.trim().chars().count())
}

/// Maximum number of blocks of a title, and of levels between a title and its box.
const MAX_TITLE_BLOCKS: usize = 2;
const MAX_LEVELS: usize = 6;

/// The blocks of the title of an admonition, if other blocks follow.
pub(crate) fn title_blocks(doc: &Document, blocks: &Blocks, callout: NodeId) -> Range<u32> {
    let own = blocks.extent(callout).blocks.clone();
    let is_in_title = |index: usize| {
        let leaf = blocks.get(index).map_or(callout, |block| block.leaf);
        let mut around = doc.ancestors_and_self(leaf).take(MAX_LEVELS).take_while(|&n| n != callout);
        around.any(|n| doc.kind(n) == Kind::Element && is_title(doc, n, Roles::new(doc, n)))
    };
    let end = (own.start..own.end).take(MAX_TITLE_BLOCKS).take_while(|&i| is_in_title(i as usize)).count();
    let title = own.start..own.start + end as u32;
    if title.end < own.end { title } else { own.start..own.start }
}

/// Returns the type in a title, if the title contains no other text.
pub fn says_type(title: &str) -> Option<&'static str> {
    type_of(title.trim_matches(|c: char| !c.is_alphanumeric()))
}

fn type_of(word: &str) -> Option<&'static str> {
    let word = word.to_ascii_lowercase();
    WORDS.binary_search(&word.as_str()).ok().map(|at| TYPES[at])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Tag, parse_str};

    #[test]
    fn titles_are_named_or_say_the_type() {
        let is = |html: &str| {
            let doc = parse_str(html);
            let p = doc.elements_with(|tag| tag == Tag::P).next().expect("a paragraph");
            is_title(&doc, p, Roles::new(&doc, p))
        };
        assert!(
            is("<p class=admonition-title>x") && is("<p class=admonitionHeading_Gvgb>x") && is("<p>Note:")
        );
        assert!(!is("<p>Note that") && !is("<p class=text>x") && !is("<p class=title>"));
        assert!(!is(&format!("<p class=header>{}", "word ".repeat(30))));
    }

    #[test]
    fn the_type_is_a_word_of_the_class_names() {
        assert!(WORDS.windows(2).all(|pair| pair[0] < pair[1]));
        let of = |attributes: &str| {
            let doc = parse_str(&format!("<div {attributes}>a</div>"));
            let div = doc.elements_with(|tag| tag == Tag::DIV).next().expect("a box");
            callout_type(&doc, div)
        };
        assert_eq!(of("class='admonition warning'"), "warning");
        assert_eq!(of("class='markdown-alert markdown-alert-tip'"), "tip");
        assert_eq!(of("class='alert alert--Info'"), "info");
        assert_eq!(of("class=callout data-callout=hint"), "tip");
        assert_eq!(of("class='callout notes'"), "");
        assert_eq!(of("class='hint hint-info'"), "info");
        assert_eq!(of("class='hint'"), "tip");
        assert_eq!(of("class='note warning'"), "warning");
        assert_eq!(of("class='admonition note'"), "note");
        assert_eq!(of("data-type=tip class=prompt"), "tip");
        assert_eq!(
            of("class='confluence-information-macro confluence-information-macro-warning'"),
            "warning"
        );
        assert_eq!(
            of("class='confluence-information-macro confluence-information-macro-information'"),
            "info"
        );
        assert_eq!(of("class='theme-admonition theme-admonition-tip alert alert--success'"), "tip");
    }
}

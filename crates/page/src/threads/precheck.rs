//! Necessary conditions of a thread, which are checked before the elements of a page are indexed. Most pages do not
//! meet them.

use super::signs::{DATE_ATTRIBUTES, MAX_DATE, is_action, names_author};
use super::slots::AUTHOR_ATTRIBUTES;
use super::words::{self, Said};
use crate::metadata::element_names::any_word;
use crate::metadata::text::has_digit;
use crate::text::text_patterns::Dates;
use rustc_hash::FxHashMap;
use threshr_html::blocks::Blocks;
use threshr_html::{Document, NodeId, Tag};

/// Maximum number of bytes of a word that stands for a date, such as `yesterday`.
const MAX_DAY: usize = 12;
/// Attributes whose values are often not dates.
const TEXT_ATTRIBUTES: [&str; 2] = ["content", "title"];

/// Whether a page may have a thread. It needs two dates in elements of the same form, and two names of members or two
/// elements that are posts by name or type.
pub(super) fn may_have_thread(doc: &Document, blocks: &Blocks) -> bool {
    has_like_dates(doc, blocks) && has_names(doc, blocks)
}

/// Whether two dates are in elements of the same tag, with parents of the same tag.
fn has_like_dates(doc: &Document, blocks: &Blocks) -> bool {
    // Texts that may be dates. `None` if the markup identifies the date.
    let mut found: FxHashMap<(Tag, Option<Tag>), Vec<Option<&str>>> = FxHashMap::default();
    let form = |node: NodeId| {
        let parent = doc.parent(node).filter(|&parent| blocks.element_index(parent).is_some());
        (doc.tag(node), parent.map(|parent| doc.tag(parent)))
    };
    let spans = (0..blocks.len()).flat_map(|block| blocks.spans(block));
    let texts = spans.filter_map(|span| Some((doc.parent(span.node)?, blocks.slice(&span.text))));
    for (parent, text) in texts.filter(|(_, text)| text.len() <= MAX_DATE && may_be_date(text)) {
        if !states_date(doc, parent) {
            found.entry(form(parent)).or_default().push(Some(text));
        }
    }
    for &node in blocks.elements().iter().filter(|&&node| states_date(doc, node)) {
        found.entry(form(node)).or_default().push(None);
    }
    let is_date = |text: &Option<&str>| text.is_none_or(|text| is_day(text) || is_date(text));
    let mut alike = found.values().filter(|texts| texts.len() > 1);
    alike.any(|texts| texts.iter().filter(|&text| is_date(text)).nth(1).is_some())
}

/// Whether the markup of an element states a date.
fn states_date(doc: &Document, node: NodeId) -> bool {
    let is_stated = |(name, value): (&str, &str)| {
        DATE_ATTRIBUTES.contains(&name)
            && value.len() <= MAX_DATE
            && has_digit(value)
            && (!TEXT_ATTRIBUTES.contains(&name) || is_date(value))
    };
    doc.tag(node) == Tag::TIME || doc.attributes(node).any(is_stated)
}

fn may_be_date(text: &str) -> bool {
    has_digit(text) || !text.is_ascii() || is_day(text)
}

fn is_date(text: &str) -> bool {
    let dates = Dates::new(text);
    dates.any || dates.relative
}

/// Whether a text is one word that stands for a date.
fn is_day(text: &str) -> bool {
    let text = text.trim();
    text.len() <= MAX_DAY
        && !text.contains(char::is_whitespace)
        && any_word(text, |word| words::DAY.contains(word))
}

/// Whether a page has two elements that contain names of members, or two that are posts by name or type.
fn has_names(doc: &Document, blocks: &Blocks) -> bool {
    let mut said: FxHashMap<&str, Said> = FxHashMap::default();
    let (mut posts, mut names, mut end) = (0, 0, 0);
    for (element, &node) in blocks.elements().iter().enumerate() {
        let (mut is_post, mut is_name) = (false, false);
        for (name, value) in doc.attributes(node) {
            match name {
                "class" => {
                    let said = *said.entry(value).or_insert_with(|| Said::new(value));
                    is_post |= said.names_post;
                    is_name |= names_author(said);
                }
                "id" => is_post |= Said::new(value).names_post,
                "itemtype" => is_post = true,
                "itemprop" | "rel" => {
                    is_name |= ["author", "creator"].iter().any(|word| value.contains(word))
                }
                "href" if doc.tag(node) == Tag::A => {
                    is_name |= words::leads_to_member(value) && !is_action(value);
                }
                _ => is_name |= AUTHOR_ATTRIBUTES.contains(&name),
            }
        }
        // A name is often in several nested elements, which count as one.
        if is_name {
            names += usize::from(element >= end);
            end = blocks.extent(node).elements.end as usize;
        }
        posts += usize::from(is_post);
        if posts > 1 || names > 1 {
            return true;
        }
    }
    false
}

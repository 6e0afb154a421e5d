//! Necessary conditions of a thread, which are checked before the elements of a page are indexed: two dates in elements
//! of the same form, and two names of members or two elements that are posts by name or type. Most pages do not meet
//! them.

use super::signs::{self, DateAttributes, MAX_DATE, is_action, names_author};
use super::slots::AUTHOR_ATTRIBUTES;
use super::words::{self, List, Said};
use crate::metadata::text::has_digit;
use crate::names::element_names::{ElementNames, ITEMPROP, ITEMTYPE};
use crate::text::text_patterns::Dates;
use rustc_hash::FxHashMap;
use threshr_html::blocks::Blocks;
use threshr_html::{Document, NodeId, Tag, known_number};

/// Maximum number of bytes of a word that stands for a date, such as `yesterday`.
const MAX_DAY: usize = 12;

/// Whether two dates are in elements of the same tag, with parents of the same tag.
pub(super) fn has_like_dates(doc: &Document, blocks: &Blocks) -> bool {
    // Texts that may be dates. `None` if the markup identifies the date.
    let attributes = DateAttributes::new(doc);
    let mut found: FxHashMap<(Tag, Option<Tag>), Vec<Option<&str>>> = FxHashMap::default();
    let form = |node: NodeId| {
        let parent = doc.parent(node).filter(|&parent| blocks.element_index(parent).is_some());
        (doc.tag(node), parent.map(|parent| doc.tag(parent)))
    };
    let spans = (0..blocks.len()).flat_map(|block| blocks.spans(block));
    let texts = spans.filter_map(|span| Some((doc.parent(span.node)?, blocks.slice(&span.text))));
    for (parent, text) in texts.filter(|(_, text)| text.len() <= MAX_DATE && may_be_date(text)) {
        if !states_date(doc, &attributes, parent) {
            found.entry(form(parent)).or_default().push(Some(text));
        }
    }
    for &node in blocks.elements().iter().filter(|&&node| states_date(doc, &attributes, node)) {
        found.entry(form(node)).or_default().push(None);
    }
    let is_date = |text: &Option<&str>| text.is_none_or(|text| is_day(text) || is_date(text));
    let mut alike = found.values().filter(|texts| texts.len() > 1);
    alike.any(|texts| texts.iter().filter(|&text| is_date(text)).nth(1).is_some())
}

/// Whether the markup of an element states a date.
fn states_date(doc: &Document, attributes: &DateAttributes, node: NodeId) -> bool {
    let is_stated = |(attribute, value): (usize, &str)| !signs::is_text(attribute) || is_date(value);
    doc.tag(node) == Tag::TIME || attributes.values(doc, node).any(is_stated)
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
    let mut words = text.split_whitespace();
    let first = words.next().filter(|word| word.len() <= MAX_DAY);
    first.is_some_and(|word| words.next().is_none() && words::contains(word, List::Day))
}

/// Whether a page has two elements that contain names of members, or two that are posts by name or type. `said` are the
/// list words in its names.
pub(super) fn has_names(
    doc: &Document,
    blocks: &Blocks,
    names: &ElementNames<'_>,
    said: &[[Said; 2]],
) -> bool {
    const REL: u16 = known_number("rel");
    const HREF: u16 = known_number("href");
    let states_author = |value: &str| ["author", "creator"].iter().any(|word| value.contains(word));
    let of_set = |(set, [class, id]): (u32, &[Said; 2])| {
        let is_post = class.names_post || id.names_post || names.value_in(set, ITEMTYPE).is_some();
        (is_post, names_author(*class) || names.value_in(set, ITEMPROP).is_some_and(states_author))
    };
    let of_sets: Vec<(bool, bool)> = (0..).zip(said).map(of_set).collect();
    let of_authors = AUTHOR_ATTRIBUTES.map(|name| doc.attribute_number(name));
    let (mut num_posts, mut num_names, mut end) = (0, 0, 0);
    for (element, &node) in blocks.elements().iter().enumerate() {
        let (is_post, is_named) = of_sets[names.set_of(node) as usize];
        let states_name = |(name, value): (u16, &str)| match name {
            REL => states_author(value),
            HREF if doc.tag(node) == Tag::A => words::leads_to_member(value) && !is_action(value),
            _ => of_authors.contains(&Some(name)),
        };
        // A name is often in several nested elements, which count as one.
        if is_named || doc.numbered_attributes(node).any(states_name) {
            num_names += usize::from(element >= end);
            end = blocks.extent(node).elements.end as usize;
        }
        num_posts += usize::from(is_post);
        if num_posts > 1 || num_names > 1 {
            return true;
        }
    }
    false
}

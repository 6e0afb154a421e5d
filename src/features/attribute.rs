//! What the page's author calls a block and what it stands in: words of class, id, role and itemprop.

use super::names::NUM_CLASSIC;
use super::{Column, Family, Grid, PageContext};
use crate::page::Tag;
use rustc_hash::FxHashMap;
use std::sync::LazyLock;

/// The family.
pub(super) struct Attribute;

const SOURCE: &str =
    "Readability's word lists (Arc90 2009); attribute words as in dragnet (Peters & Lecocq 2013)";

/// Kinds of names, each with its words.
const KINDS: &[(&str, &str)] = &[
    (
        "content",
        "article content body main post entry story text blog hentry copy prose maincontent articlebody",
    ),
    ("comment", "comment comments disqus reply replies discussion respond response responses commentlist"),
    (
        "nav",
        "nav navigation navbar menu submenu breadcrumb breadcrumbs pagination pager paging tabs tab toolbar sitemap links",
    ),
    ("header", "header masthead branding logo top topbar"),
    ("footer", "footer foot bottom copyright colophon legal disclaimer"),
    ("side", "sidebar side aside rail widget widgets module sidenav secondary right left"),
    ("social", "social share sharing facebook twitter follow subscribe newsletter addthis email print like"),
    (
        "ad",
        "ad ads adv advert advertisement advertising sponsor sponsored promo promotion banner adsense outbrain taboola dfp",
    ),
    (
        "related",
        "related recommended recommend recommendations popular trending more also similar teaser teasers latest recent recirc",
    ),
    (
        "meta",
        "meta byline author date time timestamp tag tags category categories info posted credit caption published",
    ),
    (
        "overlay",
        "hidden modal popup overlay cookie cookies consent gdpr login signin signup register tooltip dialog skip",
    ),
    ("search", "search filter sort facet form input"),
    (
        "product",
        "product products price rating review reviews cart shop description spec specs feature features",
    ),
    ("forum", "thread message messages topic forum quote signature user username avatar member"),
    ("title", "title headline heading subtitle summary lead intro dek"),
    ("list", "list item items card cards grid tile carousel slider gallery row"),
];

/// The kinds Readability scores up and down.
const POSITIVE: &[&str] = &["content"];
const NEGATIVE: &[&str] =
    &["comment", "nav", "footer", "side", "social", "ad", "related", "overlay", "search"];

static WORDS: LazyLock<FxHashMap<&'static str, u32>> = LazyLock::new(|| kinds_by_word(KINDS));

/// The kinds that list each word, a bit each, by their order.
pub(super) fn kinds_by_word(kinds: &[(&str, &'static str)]) -> FxHashMap<&'static str, u32> {
    let mut by_word = FxHashMap::default();
    for (i, (_, words)) in kinds.iter().enumerate() {
        words.split(' ').for_each(|word| *by_word.entry(word).or_default() |= 1 << i);
    }
    by_word
}

impl Family for Attribute {
    fn name(&self) -> &'static str {
        "attribute"
    }
    fn summary(&self) -> &'static str {
        "what class, id, role and itemprop call a block and its ancestors"
    }
    fn columns(&self) -> Vec<Column> {
        let column = |name: String, unit, definition: String| Column::of(name, unit, definition, SOURCE);
        let near = |&(kind, words): &(&str, &str)| {
            column(
                format!("near_{kind}"),
                "ratio",
                format!(
                    "1 / (1 + levels up to the nearest ancestor or self whose class, id, role or itemprop has one of the words: {words}); 0 where none has"
                ),
            )
        };
        let mut columns: Vec<_> = KINDS.iter().map(near).collect();
        columns.push(column(
            "num_positive".into(),
            "elements",
            format!("ancestors or self named by words of the kind {}", POSITIVE.join(", ")),
        ));
        columns.push(column(
            "num_negative".into(),
            "elements",
            format!("ancestors or self named by words of the kinds {}", NEGATIVE.join(", ")),
        ));
        columns
    }

    fn fill(&self, page: &PageContext<'_>, out: &mut Grid<'_>) {
        let kinds = kinds_of_elements(page);
        let bits = |names: &[&str]| {
            KINDS.iter().enumerate().filter(|(_, k)| names.contains(&k.0)).map(|(i, _)| 1 << i).sum::<u32>()
        };
        let (positive, negative) = (bits(POSITIVE), bits(NEGATIVE));
        for index in 0..page.len() {
            let (mut seen, mut num_positive, mut num_negative) = (0u32, 0u32, 0u32);
            for (level, node) in page.doc.ancestors_and_self(page.block(index).leaf).enumerate() {
                let here = kinds[node as usize];
                num_positive += u32::from(here & positive != 0);
                num_negative += u32::from(here & negative != 0);
                let mut new = here & !seen;
                seen |= here;
                while new != 0 {
                    out.set(new.trailing_zeros() as usize, index, 1.0 / (1.0 + level as f32));
                    new &= new - 1;
                }
            }
            out.set(KINDS.len(), index, num_positive as f32);
            out.set(KINDS.len() + 1, index, num_negative as f32);
        }
    }
}

/// The kinds that the names of each element belong to, one bit each; 0 for elements without a block. A name on `body`
/// says what the page is, not where a block stands, so `html` and `body` have none.
fn kinds_of_elements(page: &PageContext<'_>) -> Vec<u32> {
    let names = page.names();
    let of_value: Vec<u32> = (0..names.num_values() as u32).map(|v| kinds_of(names.value(v))).collect();
    let of_set = |set| names.values_of(set, NUM_CLASSIC).fold(0, |kinds, v| kinds | of_value[v as usize]);
    let of_set: Vec<u32> = (0..names.num_sets() as u32).map(of_set).collect();
    let mut kinds = vec![0; page.doc.num_nodes()];
    for &node in page.holders() {
        // what is said of the whole page says nothing of a block
        if !matches!(page.doc.tag(node), Tag::BODY | Tag::HTML) {
            kinds[node as usize] = of_set[names.set_of(node) as usize];
        }
    }
    kinds
}

/// The kinds of the words of a value.
fn kinds_of(value: &str) -> u32 {
    let mut kinds = 0;
    for_each_word(value, |word| kinds |= WORDS.get(word).copied().unwrap_or(0));
    kinds
}

/// Calls `each` with the words of a name in lower case: `mainContent-2_foo` has main, content, foo.
pub(super) fn for_each_word(value: &str, mut each: impl FnMut(&str)) {
    if value.is_ascii() && value.len() <= MOST_BYTES {
        return for_each_ascii_word(value, each);
    }
    let mut word = String::new();
    let mut after_lower = false;
    for c in value.chars() {
        let boundary = !c.is_alphabetic() || (c.is_uppercase() && after_lower);
        if boundary && !word.is_empty() {
            each(&word);
            word.clear();
        }
        if c.is_alphabetic() {
            word.extend(c.to_lowercase());
        }
        after_lower = c.is_lowercase();
    }
    if !word.is_empty() {
        each(&word);
    }
}

/// Longest name that is cut into words on the stack.
const MOST_BYTES: usize = 256;

/// The same for ASCII of at most [`MOST_BYTES`]: no word needs memory of its own.
fn for_each_ascii_word(value: &str, mut each: impl FnMut(&str)) {
    let mut lower = [0; MOST_BYTES];
    let lower = &mut lower[..value.len()];
    lower.copy_from_slice(value.as_bytes());
    lower.make_ascii_lowercase();
    let Ok(lower) = std::str::from_utf8(lower) else { return };
    let (mut start, mut after_lower) = (0, false);
    for (at, b) in value.bytes().enumerate() {
        if !b.is_ascii_alphabetic() || (b.is_ascii_uppercase() && after_lower) {
            if start < at {
                each(&lower[start..at]);
            }
            start = if b.is_ascii_alphabetic() { at } else { at + 1 };
        }
        after_lower = b.is_ascii_lowercase();
    }
    if start < value.len() {
        each(&lower[start..]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splits_names_into_words() {
        let mut words = Vec::new();
        for_each_word("mainContent-2_foo BAR nav3", |w| words.push(w.to_owned()));
        assert_eq!(words, ["main", "content", "foo", "bar", "nav"]);
    }
}

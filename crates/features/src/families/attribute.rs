//! What the page's author calls a block and what it stands in: words of class, id, role and itemprop.

use crate::page_index::masks::{Masks, PIECE, below};
use crate::page_index::names::NUM_CLASSIC;
use crate::{Column, Family, Grid, PageContext};
use rustc_hash::FxHashMap;
use std::sync::LazyLock;
use threshr_html::text::name_words;
use threshr_html::{NodeId, Tag};

/// The family.
pub(crate) struct Attribute;

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

static WORDS: LazyLock<Words> = LazyLock::new(|| Words::of(KINDS));

/// The kinds of words, with bits that few other words have, to be asked first.
struct Words {
    bits: [u64; 256],
    kinds: FxHashMap<&'static str, u32>,
}

impl Words {
    fn of(kinds: &[(&str, &'static str)]) -> Self {
        let mut words = Words { bits: [0; 256], kinds: kinds_by_word(kinds) };
        for place in words.kinds.keys().filter_map(|word| Self::place(word)) {
            words.bits[place / 64] |= 1 << (place % 64);
        }
        words
    }

    /// First letter, last letter and length, as far as they tell words apart; none of an empty one.
    fn place(word: &str) -> Option<usize> {
        let (first, last) = (word.as_bytes().first()?, word.as_bytes().last()?);
        Some(usize::from(first & 31) << 9 | usize::from(last & 31) << 4 | (word.len() & 15))
    }

    /// The kinds that a word in lower case belongs to, a bit each.
    fn kinds(&self, word: &str) -> u32 {
        match Self::place(word) {
            Some(place) if self.bits[place / 64] >> (place % 64) & 1 == 1 => {
                self.kinds.get(word).copied().unwrap_or(0)
            }
            _ => 0,
        }
    }
}

/// The kinds that list each word, a bit each, by their order.
pub(crate) fn kinds_by_word(kinds: &[(&str, &'static str)]) -> FxHashMap<&'static str, u32> {
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
        let kinds = page.kinds();
        let (positive, negative) = (bits(POSITIVE), bits(NEGATIVE));
        let depths = page.depths();
        for index in 0..page.len() {
            let (mut seen, mut num_positive, mut num_negative) = (0u32, 0u32, 0u32);
            let leaf = page.block(index).leaf;
            for at in named_from(page, leaf) {
                let here = kinds[at as usize].own;
                num_positive += u32::from(here & positive != 0);
                num_negative += u32::from(here & negative != 0);
                let mut new = here & !seen;
                seen |= here;
                while new != 0 {
                    let level = depths.of(leaf) - depths.of(at);
                    out.set(new.trailing_zeros() as usize, index, 1.0 / (1.0 + level as f32));
                    new &= new - 1;
                }
            }
            out.set(KINDS.len(), index, num_positive as f32);
            out.set(KINDS.len() + 1, index, num_negative as f32);
        }
    }
}

/// The bits of some of [`KINDS`].
fn bits(kinds: &[&str]) -> u32 {
    KINDS.iter().enumerate().filter(|(_, k)| kinds.contains(&k.0)).map(|(i, _)| 1 << i).sum()
}

/// The column of what is named as comments are.
pub const NEAR_COMMENT: &str = "attribute.near_comment";

/// Whether each block stands in something that is named as comments are, see `attribute.near_comment`.
pub fn in_comments(page: &PageContext<'_>) -> Vec<bool> {
    let comment = bits(&["comment"]);
    let is_comment = |node: NodeId| page.kinds()[node as usize].own & comment != 0;
    (0..page.len()).map(|i| named_from(page, page.block(i).leaf).any(is_comment)).collect()
}

/// The elements from one on up whose names belong to a kind.
fn named_from<'p>(page: &'p PageContext<'_>, node: NodeId) -> impl Iterator<Item = NodeId> + 'p {
    let kinds = page.kinds();
    let named = |at: NodeId| Some(kinds[at as usize].nearest).filter(|&n| n != 0);
    std::iter::successors(named(node), move |&at| page.doc.parent(at).and_then(named))
}

/// What the names of an element say, and of those around it.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Kinds {
    /// The kinds they belong to, one bit each.
    own: u32,
    /// The innermost element from here on up whose names belong to a kind; the document where there is none.
    nearest: NodeId,
}

/// The kinds of each element that a block stands in; none for others. A name on `body` says what the page is, not where a block
/// stands, so `html` and `body` have none.
pub(crate) fn kinds_of_elements(page: &PageContext<'_>) -> Vec<Kinds> {
    /// Of what no element with a block has been asked for yet.
    const UNKNOWN: u32 = u32::MAX;
    let names = page.names();
    let mut of_value = vec![UNKNOWN; names.num_values()];
    let mut of_set = vec![UNKNOWN; names.num_sets()];
    let mut kinds = vec![Kinds::default(); page.doc.num_nodes()];
    let mut kinds_of_set = |node: NodeId| {
        let set = names.set_of(node);
        let known = &mut of_set[set as usize];
        if *known == UNKNOWN {
            *known = names.values_of(set, NUM_CLASSIC).fold(0, |kinds, value| {
                let known = &mut of_value[value as usize];
                if *known == UNKNOWN {
                    *known = kinds_of(names.value(value));
                }
                kinds | *known
            });
        }
        *known
    };
    for &node in page.holders() {
        // what is said of the whole page says nothing of a block
        let is_whole = matches!(page.doc.tag(node), Tag::BODY | Tag::HTML);
        let own = if is_whole { 0 } else { kinds_of_set(node) };
        let above = kinds[page.doc.parent(node).unwrap_or(0) as usize].nearest;
        kinds[node as usize] = Kinds { own, nearest: if own == 0 { above } else { node } };
    }
    kinds
}

/// The kinds of the words of a value.
fn kinds_of(value: &str) -> u32 {
    let (mut kinds, words) = (0, &*WORDS);
    for_each_word(value, |word| kinds |= words.kinds(word));
    kinds
}

/// Calls `each` with the words of a name in lower case: `mainContent-2_foo` has main, content, foo.
pub(crate) fn for_each_word(value: &str, mut each: impl FnMut(&str)) {
    if !value.is_ascii() {
        return name_words::for_each(value, char::is_alphabetic, each);
    }
    let mut rest = value;
    while !rest.is_empty() {
        // words are cut at all but letters
        let end = match rest.as_bytes().get(..PIECE) {
            Some(first) if rest.len() > PIECE => first.iter().rposition(|b| !b.is_ascii_alphabetic()),
            _ => Some(rest.len() - 1),
        };
        let Some(end) = end else { return name_words::for_each(rest, char::is_alphabetic, each) };
        let (piece, after) = rest.split_at(end + 1);
        for_each_ascii_word(piece, &mut each);
        rest = after;
    }
}

/// The same of at most [`PIECE`] bytes of ASCII: no word needs memory of its own.
fn for_each_ascii_word(piece: &str, mut each: impl FnMut(&str)) {
    let mut bytes = [0; PIECE + 1];
    bytes[..piece.len()].copy_from_slice(piece.as_bytes());
    let Masks { upper, lower, .. } = Masks::of(&bytes);
    bytes.make_ascii_lowercase();
    let Ok(text) = std::str::from_utf8(&bytes) else { return };
    let letters = upper | lower;
    let mut starts = letters & !(letters << 1) | upper & lower << 1;
    while starts != 0 {
        let start = starts.trailing_zeros();
        starts &= starts - 1;
        // up to the next word, or to what is no letter
        let ends = starts | !letters & !below(start as usize);
        each(&text[start as usize..ends.trailing_zeros() as usize]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn splits_names_into_words() {
        let mut words = Vec::new();
        for_each_word("mainContent-2_foo BAR nav3", |w| words.push(w.to_owned()));
        assert_eq!(words, ["main", "content", "foo", "bar", "nav"]);
    }

    proptest! {
        #[test]
        fn words_are_those_of_single_characters(
            value in "([a-z]{1,9}|[A-Z][a-z]{0,5}|[A-Z]{2,4}|[0-9]{1,3}|[-_: \\[\t]|[a-zA-Z]{60,70}|é|Ö|\u{0}){0,30}",
        ) {
            let (mut fast, mut slow) = (Vec::new(), Vec::new());
            for_each_word(&value, |w| fast.push(w.to_owned()));
            name_words::for_each(&value, char::is_alphabetic, |w| slow.push(w.to_owned()));
            prop_assert_eq!(fast, slow);
        }
    }

    #[test]
    fn all_words_are_found_by_their_letters() {
        for (word, kinds) in kinds_by_word(KINDS) {
            assert_eq!(kinds_of(word), kinds, "{word}");
        }
        assert_eq!(kinds_of("flex items-center mainContent_2"), kinds_of("items") | kinds_of("content"));
        assert_eq!((kinds_of(""), kinds_of("flex")), (0, 0));
    }
}

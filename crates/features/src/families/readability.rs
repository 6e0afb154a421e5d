//! Readability's weights of an element, based on its class and id.

use crate::{Column, Family, Grid, PageContext};
use aho_corasick::{AhoCorasick, AhoCorasickKind};
use std::sync::LazyLock;
use threshr_html::{NodeId, Tag};
use threshr_page::names::element_names::ElementNames;
use threshr_page::word_lists::{lists, lists_by_word};

/// The family.
pub(crate) struct Readability;

const SOURCE: &str = "Readability (Arc90 2009; Mozilla, Readability.js)";

/// Lists of substrings of class and id values.
static WORDS: LazyLock<Vec<(&str, &str)>> =
    LazyLock::new(|| lists(include_str!("../../data/readability_words.tsv")));

/// Bits of the lists, in the order of the file.
const POSITIVE: u32 = 1;
const NEGATIVE: u32 = 1 << 1;
const UNLIKELY: u32 = 1 << 2;
const LIKELY: u32 = 1 << 3;

/// This substring must match a whole word, delimited by white space. All others may match a part of a word.
const WHOLE: &str = "hid";

/// Number of attributes that are used: class and id.
const NUM_ATTRIBUTES: usize = 2;

const COLUMNS: &[(&str, &str, &str)] = &[
    (
        "weight",
        "25 points",
        "weight of the block-level element: for each of class and id, +1 if it has a positive word of \
         Readability, and -1 if it has a negative word (data/readability_words.tsv)",
    ),
    ("sum", "25 points", "sum of the weights of the block-level element and its ancestors"),
    (
        "near_positive",
        "ratio",
        "1 / (1 + n), where n is the number of levels from the block-level element up to the nearest element \
         with a weight above 0; 0 if there is no such element",
    ),
    (
        "near_negative",
        "ratio",
        "1 / (1 + n), where n is the number of levels from the block-level element up to the nearest element \
         with a weight below 0; 0 if there is no such element",
    ),
    (
        "near_unlikely",
        "ratio",
        "1 / (1 + n), where n is the number of levels from the block-level element up to the nearest \
         unlikely candidate; 0 if there is no unlikely candidate. An unlikely candidate has a word of the \
         list unlikely and no word of the list likely. Unlike in Readability, links and elements in tables \
         or code may be unlikely candidates",
    ),
];

/// An automaton that finds all substrings, and for each substring a bit mask of the lists that contain it.
struct Finder {
    words: AhoCorasick,
    bits: Vec<u32>,
    whole: usize,
}

static FINDER: LazyLock<Finder> = LazyLock::new(|| {
    let mut words: Vec<_> = lists_by_word(&WORDS).into_iter().collect();
    words.sort_unstable();
    let automaton = AhoCorasick::builder()
        .ascii_case_insensitive(true)
        .kind(Some(AhoCorasickKind::DFA))
        .build(words.iter().map(|w| w.0));
    Finder {
        words: automaton.expect("the automaton of a few words is small"),
        bits: words.iter().map(|w| w.1).collect(),
        whole: words.iter().position(|w| w.0 == WHOLE).unwrap_or(words.len()),
    }
});

impl Finder {
    /// Returns a bit mask of the lists with at least one entry that occurs in `value`. The entry `hid` must be a
    /// whole word.
    fn bits(&self, value: &str) -> u32 {
        let bytes = value.as_bytes();
        let is_end = |b: Option<&u8>| b.is_none_or(u8::is_ascii_whitespace);
        let mut bits = 0;
        for found in self.words.find_overlapping_iter(value) {
            let word = found.pattern().as_usize();
            let is_whole = || {
                let before = found.start().checked_sub(1).and_then(|i| bytes.get(i));
                is_end(before) && is_end(bytes.get(found.end()))
            };
            if word != self.whole || is_whole() {
                bits |= self.bits[word];
            }
        }
        bits
    }
}

/// Readability's rating of an element.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct Rating {
    weight: i8,
    unlikely: bool,
}

impl Rating {
    /// Rates an element, given the list bits of each of its attribute values.
    fn new(values: impl Iterator<Item = u32>) -> Self {
        let (mut weight, mut all) = (0, 0);
        for bits in values {
            weight += i8::from(bits & POSITIVE != 0) - i8::from(bits & NEGATIVE != 0);
            all |= bits;
        }
        Rating { weight, unlikely: all & UNLIKELY != 0 && all & LIKELY == 0 }
    }
}

/// The weights of an element and the sum over it and its ancestors.
#[derive(Debug, Clone, Copy, Default)]
struct Weights {
    weight: i8,
    sum: i32,
    /// Depths of the nearest positive, negative and unlikely element, searched from the element itself upwards;
    /// 0 if there is none.
    depths: [u32; 3],
}

impl Family for Readability {
    fn name(&self) -> &'static str {
        "readability"
    }
    fn summary(&self) -> &'static str {
        "Readability's weights of elements by words in class and id"
    }
    fn columns(&self) -> Vec<Column> {
        COLUMNS.iter().map(|&(name, unit, definition)| Column::new(name, unit, definition, SOURCE)).collect()
    }

    fn fill(&self, page: &PageContext<'_>, out: &mut Grid<'_>) {
        let weights = weights_by_node(page);
        let depths = page.depths();
        for index in 0..page.len() {
            let node = page.block(index).node;
            let depth = depths.of(node);
            let Weights { weight, sum, depths } = weights[node as usize];
            let nearest = depths.map(|d| if d == 0 { 0.0 } else { 1.0 / (1 + depth - d) as f32 });
            out.set_all(0, index, &[f32::from(weight), sum as f32, nearest[0], nearest[1], nearest[2]]);
        }
    }
}

/// Returns the weights of each element that contains a block. `html` and `body` have weight 0, because their
/// names describe the page and not the position of a block.
fn weights_by_node(page: &PageContext<'_>) -> Vec<Weights> {
    let names = page.names();
    let mut of_set: Vec<Option<Rating>> = vec![None; names.num_sets()];
    let mut of_value: Vec<Option<u32>> = vec![None; names.num_values()];
    let mut weights = vec![Weights::default(); page.doc.num_nodes()];
    for &node in page.holders() {
        let is_page = matches!(page.doc.tag(node), Tag::BODY | Tag::HTML);
        let rating =
            if is_page { Rating::default() } else { rating_of(names, node, &mut of_set, &mut of_value) };
        let Weights { sum, mut depths, .. } = weights[page.doc.parent(node).unwrap_or(0) as usize];
        let flags = [rating.weight > 0, rating.weight < 0, rating.unlikely];
        if flags.contains(&true) {
            let depth = page.depths().of(node);
            depths.iter_mut().zip(flags).filter(|(_, flag)| *flag).for_each(|(d, _)| *d = depth);
        }
        weights[node as usize] =
            Weights { weight: rating.weight, sum: sum + i32::from(rating.weight), depths };
    }
    weights
}

/// Returns the rating of an element. Each distinct name is rated only once.
fn rating_of(
    names: &ElementNames<'_>,
    node: NodeId,
    of_set: &mut [Option<Rating>],
    of_value: &mut [Option<u32>],
) -> Rating {
    let set = names.set_of(node);
    *of_set[set as usize].get_or_insert_with(|| {
        let bits = |v: u32| *of_value[v as usize].get_or_insert_with(|| FINDER.bits(names.value(v)));
        Rating::new(names.values_of(set, NUM_ATTRIBUTES).map(bits))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::values;

    #[test]
    fn parts_of_names_are_found() {
        let rating = |values: &[&str]| Rating::new(values.iter().map(|v| FINDER.bits(v)));
        for (values, weight, unlikely) in [
            (&["mainContent"] as &[_], 1, false),
            (&["post", "story-12"], 2, false),
            // a positive and a negative word
            (&["entry-META"], 0, false),
            (&["sidebar", "related"], -2, true),
            (&["sidebar main"], 0, false),
            (&["site-header"], 0, true),
            (&["hid"], -1, false),
            (&["orchid"], 0, false),
            (&["a hid b"], -1, false),
            (&["hidden"], -1, false),
            (&["é-ad-é"], -1, true),
            (&[""], 0, false),
            (&[], 0, false),
        ] {
            assert_eq!(rating(values), Rating { weight, unlikely }, "{values:?}");
        }
    }

    #[test]
    fn the_nearest_element_counts() {
        let html = "<body class=widget><div class=content><div class=menu><p>a</div><p id=post>b<p class=share>c</div><p>d";
        let of = |name: &str| values(html, &format!("readability.{name}"));
        assert_eq!(of("weight"), [0.0, 1.0, -1.0, 0.0]);
        assert_eq!(of("sum"), [1.0, 2.0, 0.0, 0.0]);
        assert_eq!(of("near_positive"), [1.0 / 3.0, 1.0, 0.5, 0.0]);
        assert_eq!(of("near_negative"), [0.0, 0.0, 1.0, 0.0]);
        assert_eq!(of("near_unlikely"), [0.5, 0.0, 0.0, 0.0]);
    }
}

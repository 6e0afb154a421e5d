//! Readability's word weights: what it gives an element for its class and id.

use crate::families::attribute::kinds_by_word;
use crate::page_index::names::ElementNames;
use crate::{Column, Family, Grid, PageContext};
use aho_corasick::{AhoCorasick, AhoCorasickKind};
use std::sync::LazyLock;
use threshr_html::{NodeId, Tag};

/// The family.
pub(crate) struct Readability;

const SOURCE: &str = "Readability (Arc90 2009; Mozilla, Readability.js)";

/// Parts of names, wherever they stand in them, by what they speak for.
const WORDS: &[(&str, &str)] = &[
    ("positive", "article body content entry hentry h-entry main page pagination post text blog story"),
    (
        "negative",
        "-ad- hidden hid banner combx comment com- contact footer gdpr masthead media meta outbrain promo related scroll share shoutbox sidebar skyscraper sponsor shopping tags widget",
    ),
    (
        "unlikely",
        "-ad- ai2html banner breadcrumbs combx comment community cover-wrap disqus extra footer gdpr header legends menu related remark replies rss shoutbox sidebar skyscraper social sponsor supplemental ad-break agegate pagination pager popup yom-remote",
    ),
    ("likely", "and article body column content main mathjax shadow"),
];

/// Bits of the lists, by their order.
const POSITIVE: u32 = 1;
const NEGATIVE: u32 = 1 << 1;
const UNLIKELY: u32 = 1 << 2;
const LIKELY: u32 = 1 << 3;

/// The one word that counts only where it stands alone, between spaces or ends.
const WHOLE: &str = "hid";

/// Attributes looked at: class and id.
const NUM_ATTRIBUTES: usize = 2;

const COLUMNS: &[(&str, &str, &str)] = &[
    (
        "weight",
        "25 points",
        "of the block-level element, for class and id each: 1 more for Readability's positive words, 1 less for its negative ones",
    ),
    ("sum", "25 points", "the same of that element and of all around it, added up"),
    (
        "near_positive",
        "ratio",
        "1 / (1 + levels up to the nearest element, from the block-level one on, whose weight is above 0); 0 where there is none",
    ),
    ("near_negative", "ratio", "the same of a weight below 0"),
    (
        "near_unlikely",
        "ratio",
        "the same of an unlikely candidate: an element with one of Readability's words for them and none of those that speak against it (links and what stands in tables or code are not spared, as Readability does)",
    ),
];

/// All words in one automaton, and the bits of each.
struct Finder {
    words: AhoCorasick,
    bits: Vec<u32>,
    whole: usize,
}

static FINDER: LazyLock<Finder> = LazyLock::new(|| {
    let mut words: Vec<_> = kinds_by_word(WORDS).into_iter().collect();
    words.sort_unstable();
    let automaton = AhoCorasick::builder()
        .ascii_case_insensitive(true)
        .kind(Some(AhoCorasickKind::DFA))
        .build(words.iter().map(|w| w.0));
    Finder {
        words: automaton.expect("the words are few"),
        bits: words.iter().map(|w| w.1).collect(),
        whole: words.iter().position(|w| w.0 == WHOLE).unwrap_or(words.len()),
    }
});

impl Finder {
    /// Bits of the words in a value.
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

/// What an element's names say.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct Says {
    weight: i8,
    unlikely: bool,
}

impl Says {
    /// From the bits of its values.
    fn of(values: impl Iterator<Item = u32>) -> Self {
        let (mut weight, mut all) = (0, 0);
        for bits in values {
            weight += i8::from(bits & POSITIVE != 0) - i8::from(bits & NEGATIVE != 0);
            all |= bits;
        }
        Says { weight, unlikely: all & UNLIKELY != 0 && all & LIKELY == 0 }
    }
}

/// What is said of an element and of those around it.
#[derive(Debug, Clone, Copy, Default)]
struct Around {
    weight: i8,
    sum: i32,
    /// Depth of the innermost element, from here on up, that is positive, negative, unlikely; 0 where there is none.
    depths: [u32; 3],
}

impl Family for Readability {
    fn name(&self) -> &'static str {
        "readability"
    }
    fn summary(&self) -> &'static str {
        "what Readability would give an element for the words in its class and id"
    }
    fn columns(&self) -> Vec<Column> {
        COLUMNS.iter().map(|&(name, unit, definition)| Column::of(name, unit, definition, SOURCE)).collect()
    }

    fn fill(&self, page: &PageContext<'_>, out: &mut Grid<'_>) {
        let around = around_by_node(page);
        let depths = page.depths();
        for index in 0..page.len() {
            let node = page.block(index).node;
            let depth = depths.of(node);
            let Around { weight, sum, depths } = around[node as usize];
            let near = depths.map(|d| if d == 0 { 0.0 } else { 1.0 / (1 + depth - d) as f32 });
            out.set_all(0, index, &[f32::from(weight), sum as f32, near[0], near[1], near[2]]);
        }
    }
}

/// By node, for those that a block stands in. What is said of the whole page says nothing of a block, so `html` and `body` count
/// for nothing.
fn around_by_node(page: &PageContext<'_>) -> Vec<Around> {
    let names = page.names();
    let mut of_set: Vec<Option<Says>> = vec![None; names.num_sets()];
    let mut of_value: Vec<Option<u32>> = vec![None; names.num_values()];
    let mut around = vec![Around::default(); page.doc.num_nodes()];
    for &node in page.holders() {
        let is_whole = matches!(page.doc.tag(node), Tag::BODY | Tag::HTML);
        let says = if is_whole { Says::default() } else { says_of(names, node, &mut of_set, &mut of_value) };
        let Around { sum, mut depths, .. } = around[page.doc.parent(node).unwrap_or(0) as usize];
        let marks = [says.weight > 0, says.weight < 0, says.unlikely];
        if marks.contains(&true) {
            let depth = page.depths().of(node);
            depths.iter_mut().zip(marks).filter(|(_, mark)| *mark).for_each(|(d, _)| *d = depth);
        }
        around[node as usize] = Around { weight: says.weight, sum: sum + i32::from(says.weight), depths };
    }
    around
}

/// What the names of an element say; names are looked at once.
fn says_of(
    names: &ElementNames<'_>,
    node: NodeId,
    of_set: &mut [Option<Says>],
    of_value: &mut [Option<u32>],
) -> Says {
    let set = names.set_of(node);
    *of_set[set as usize].get_or_insert_with(|| {
        let bits = |v: u32| *of_value[v as usize].get_or_insert_with(|| FINDER.bits(names.value(v)));
        Says::of(names.values_of(set, NUM_ATTRIBUTES).map(bits))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::values;

    #[test]
    fn words_are_found_within_names() {
        let says = |values: &[&str]| Says::of(values.iter().map(|v| FINDER.bits(v)));
        for (values, weight, unlikely) in [
            (&["mainContent"] as &[_], 1, false),
            (&["post", "story-12"], 2, false),
            // one of either kind
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
            assert_eq!(says(values), Says { weight, unlikely }, "{values:?}");
        }
    }

    #[test]
    fn the_nearest_counts() {
        let html = "<body class=widget><div class=content><div class=menu><p>a</div><p id=post>b<p class=share>c</div><p>d";
        let of = |name: &str| values(html, &format!("readability.{name}"));
        assert_eq!(of("weight"), [0.0, 1.0, -1.0, 0.0]);
        assert_eq!(of("sum"), [1.0, 2.0, 0.0, 0.0]);
        assert_eq!(of("near_positive"), [1.0 / 3.0, 1.0, 0.5, 0.0]);
        assert_eq!(of("near_negative"), [0.0, 0.0, 1.0, 0.0]);
        assert_eq!(of("near_unlikely"), [0.5, 0.0, 0.0, 0.0]);
    }
}

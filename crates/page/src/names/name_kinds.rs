//! Kinds of elements, such as `comment`, `nav` and `ad`, by the words in class, id, role and itemprop.

use crate::PageFacts;
use crate::names::element_names::{NUM_CLASSIC, for_each_word};
use crate::word_lists::{WordBits, lists, lists_by_word};
use std::sync::LazyLock;
use threshr_html::{NodeId, Tag};

/// The kinds with their words, in the order of the columns of the family `attribute`.
pub static KINDS: LazyLock<Vec<(&str, &str)>> =
    LazyLock::new(|| lists(include_str!("../../data/element_names.tsv")));

static WORDS: LazyLock<WordBits> = LazyLock::new(|| WordBits::new(lists_by_word(&KINDS)));

/// Returns the bit mask of the given [`KINDS`].
pub fn bits(kinds: &[&str]) -> u32 {
    KINDS.iter().enumerate().filter(|(_, k)| kinds.contains(&k.0)).map(|(i, _)| 1 << i).sum()
}

/// The kinds of an element, and the nearest ancestor that has a kind.
#[derive(Debug, Clone, Copy, Default)]
pub struct NameKinds {
    /// Bit mask of the kinds of its names.
    pub own: u32,
    /// The innermost element with a kind, starting at this element; the document node if there is none.
    nearest: NodeId,
}

/// Returns the elements that have a kind, from `node` up to the root.
pub fn elements_with_kind<'p>(page: &'p PageFacts<'_>, node: NodeId) -> impl Iterator<Item = NodeId> + 'p {
    let kinds = page.kinds();
    let nearest = |at: NodeId| Some(kinds[at as usize].nearest).filter(|&n| n != 0);
    std::iter::successors(nearest(node), move |&at| page.doc.parent(at).and_then(nearest))
}

/// Returns the kinds of each element that contains a block. Other elements have no kinds.
///
/// `html` and `body` have no kind, because their names describe the page and not the position of a block.
pub fn kinds_of_elements(page: &PageFacts<'_>) -> Vec<NameKinds> {
    /// Not computed yet.
    const UNKNOWN: u32 = u32::MAX;
    let names = page.names();
    let mut of_value = vec![UNKNOWN; names.num_values()];
    let mut of_set = vec![UNKNOWN; names.num_sets()];
    let mut kinds = vec![NameKinds::default(); page.doc.num_nodes()];
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
        let is_page = matches!(page.doc.tag(node), Tag::BODY | Tag::HTML);
        let own = if is_page { 0 } else { kinds_of_set(node) };
        let above = kinds[page.doc.parent(node).unwrap_or(0) as usize].nearest;
        kinds[node as usize] = NameKinds { own, nearest: if own == 0 { above } else { node } };
    }
    kinds
}

/// Returns a bit mask of the kinds of all words in an attribute value.
fn kinds_of(value: &str) -> u32 {
    let (mut kinds, words) = (0, &*WORDS);
    for_each_word(value, |word| kinds |= words.get(word));
    kinds
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_listed_word_is_rejected() {
        for (word, kinds) in lists_by_word(&KINDS) {
            assert_eq!(kinds_of(word), kinds, "{word}");
        }
        assert_eq!(kinds_of("flex items-center mainContent_2"), kinds_of("items") | kinds_of("content"));
        assert_eq!((kinds_of(""), kinds_of("flex")), (0, 0));
    }
}

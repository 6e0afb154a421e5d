//! Names of elements: the values of class, id and four other attributes. Each distinct value has an index, which
//! all feature families use.

use crate::text::masks::{Masks, PIECE, below};
use rustc_hash::{FxBuildHasher, FxHashMap};
use threshr_html::blocks::Blocks;
use threshr_html::text::name_words;
use threshr_html::{Document, NUM_KNOWN_NAMES, NodeId, known_number};

/// Length of [`ATTRIBUTES`].
const NUM_ATTRIBUTES: usize = 6;

/// Attributes whose values are names of an element.
const ATTRIBUTES: [&str; NUM_ATTRIBUTES] = ["class", "id", "role", "itemprop", "itemtype", "data-testid"];

/// Maps the number of a known attribute name to its index in [`ATTRIBUTES`], or to [`NUM_ATTRIBUTES`] for
/// others.
static PLACES: [u8; NUM_KNOWN_NAMES] = {
    let mut places = [NUM_ATTRIBUTES as u8; NUM_KNOWN_NAMES];
    let mut i = 0;
    while i < NUM_ATTRIBUTES {
        places[known_number(ATTRIBUTES[i]) as usize] = i as u8;
        i += 1;
    }
    places
};

/// Indices in [`ATTRIBUTES`].
pub(crate) const CLASS: usize = 0;
pub(crate) const ID: usize = 1;
pub(crate) const ROLE: usize = 2;
pub(crate) const ITEMPROP: usize = 3;
pub(crate) const ITEMTYPE: usize = 4;
/// Number of attributes at the start of `ATTRIBUTES` that page authors mostly write by hand: class, id, role,
/// itemprop.
pub const NUM_CLASSIC: usize = 4;

/// Marks a missing attribute in a set.
const NONE: u32 = u32::MAX;

/// Names of the visible elements of a page.
#[derive(Debug)]
pub struct ElementNames<'a> {
    /// Distinct values.
    values: Vec<&'a str>,
    /// Distinct sets of values, as indices into `values` in the order of [`ATTRIBUTES`]. The first set is empty.
    sets: Vec<[u32; NUM_ATTRIBUTES]>,
    /// Index into `sets` for each node.
    of_node: Vec<u32>,
}

impl<'a> ElementNames<'a> {
    /// Collects the names of a page.
    pub fn new(doc: &'a Document, blocks: &Blocks) -> Self {
        let empty = [NONE; NUM_ATTRIBUTES];
        let mut names =
            ElementNames { values: Vec::new(), sets: vec![empty], of_node: vec![0; doc.num_nodes()] };
        // this capacity suffices for most pages
        let capacity = blocks.elements().len() / 4;
        let mut values: FxHashMap<&str, u32> = FxHashMap::with_capacity_and_hasher(capacity, FxBuildHasher);
        let mut sets: FxHashMap<[u32; NUM_ATTRIBUTES], u32> =
            FxHashMap::with_capacity_and_hasher(capacity, FxBuildHasher);
        for &node in blocks.elements() {
            let mut set = empty;
            for (number, value) in doc.numbered_attributes(node) {
                let place = PLACES.get(usize::from(number)).map_or(NUM_ATTRIBUTES, |&place| place.into());
                // if an attribute occurs twice, the first value is used
                if let Some(slot) = set.get_mut(place).filter(|slot| **slot == NONE) {
                    *slot = *values.entry(value).or_insert_with(|| {
                        names.values.push(value);
                        names.values.len() as u32 - 1
                    });
                }
            }
            if set != empty {
                names.of_node[node as usize] = *sets.entry(set).or_insert_with(|| {
                    names.sets.push(set);
                    names.sets.len() as u32 - 1
                });
            }
        }
        names
    }

    /// Returns the number of distinct values.
    pub fn num_values(&self) -> usize {
        self.values.len()
    }
    /// Returns the value with this index.
    pub fn value(&self, number: u32) -> &'a str {
        self.values[number as usize]
    }
    /// Returns the number of distinct sets of values.
    pub fn num_sets(&self) -> usize {
        self.sets.len()
    }
    /// Returns the index of an element's set of values; 0 if it has no names.
    pub fn set_of(&self, node: NodeId) -> u32 {
        self.of_node[node as usize]
    }
    /// Returns the indices of the values in a set, for the first `limit` attributes.
    pub fn values_of(&self, set: u32, limit: usize) -> impl Iterator<Item = u32> {
        self.sets[set as usize][..limit.min(NUM_ATTRIBUTES)].iter().copied().filter(|&v| v != NONE)
    }
    /// Returns all values in a set.
    pub fn texts_of(&self, set: u32) -> impl Iterator<Item = &'a str> {
        self.values_of(set, NUM_ATTRIBUTES).map(|v| self.value(v))
    }
    /// Returns the value of an attribute in a set, by the index of the attribute in [`ATTRIBUTES`].
    pub(crate) fn value_in(&self, set: u32, attribute: usize) -> Option<&'a str> {
        self.number_in(set, attribute).map(|number| self.value(number))
    }
    /// Returns the index of the value of an element's class attribute.
    pub fn class_of(&self, node: NodeId) -> Option<u32> {
        self.number_in(self.set_of(node), CLASS)
    }
    fn number_in(&self, set: u32, attribute: usize) -> Option<u32> {
        Some(self.sets[set as usize][attribute]).filter(|&number| number != NONE)
    }
}

/// Calls `each` with the words of a name in lower case: `mainContent-2_foo` has `main`, `content` and `foo`.
pub fn for_each_word(value: &str, mut each: impl FnMut(&str)) {
    any_word(value, false, |word| {
        each(word);
        false
    });
}

/// Whether `wanted` returns true for a word of a name. The words are in lower case and consist of letters, and also of
/// digits if `with_digits` is set.
pub(crate) fn any_word(value: &str, with_digits: bool, mut wanted: impl FnMut(&str) -> bool) -> bool {
    let is_part = |c: char| if with_digits { c.is_alphanumeric() } else { c.is_alphabetic() };
    if !value.is_ascii() {
        return name_words::any(value, is_part, wanted);
    }
    let mut rest = value;
    while !rest.is_empty() {
        // the value is split at a byte that is not part of a word, so that no word is split
        let end = match rest.as_bytes().get(..PIECE) {
            Some(first) if rest.len() > PIECE => first.iter().rposition(|&b| !is_part(b.into())),
            _ => Some(rest.len() - 1),
        };
        let Some(end) = end else { return name_words::any(rest, is_part, wanted) };
        let (piece, after) = rest.split_at(end + 1);
        if any_ascii_word(piece, with_digits, &mut wanted) {
            return true;
        }
        rest = after;
    }
    false
}

/// Like [`any_word`], for at most [`PIECE`] bytes of ASCII. It does not allocate.
#[inline]
fn any_ascii_word(piece: &str, with_digits: bool, mut wanted: impl FnMut(&str) -> bool) -> bool {
    let mut bytes = [0; PIECE + 1];
    bytes[..piece.len()].copy_from_slice(piece.as_bytes());
    let Masks { upper, lower, digits, .. } = Masks::new(&bytes);
    bytes.make_ascii_lowercase();
    let Ok(text) = std::str::from_utf8(&bytes) else { return false };
    let parts = upper | lower | if with_digits { digits } else { 0 };
    let mut starts = parts & !(parts << 1) | upper & lower << 1;
    while starts != 0 {
        let start = starts.trailing_zeros();
        starts &= starts - 1;
        // a word ends at the start of the next word or at a byte that is not part of a word
        let ends = starts | !parts & !below(start as usize);
        if wanted(&text[start as usize..ends.trailing_zeros() as usize]) {
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use threshr_html::blocks as block;
    use threshr_html::{Visibility, parse_str};

    #[test]
    fn equal_names_have_equal_numbers() {
        let doc = parse_str("<div class=a id=x><p class=a>one<p id=x class=a>two<p data-x=a>three</div>");
        let blocks = Blocks::new(&doc, block::REGISTRY[0], Visibility::Visible);
        let names = ElementNames::new(&doc, &blocks);
        assert_eq!((names.num_values(), names.num_sets()), (2, 3));
        let leaf = |i: usize| blocks.get(i).expect("a block").leaf;
        let div = doc.parent(leaf(0)).expect("a parent");
        assert_eq!(names.set_of(div), names.set_of(leaf(1)));
        assert_eq!(names.class_of(div), names.class_of(leaf(0)));
        assert_eq!((names.set_of(leaf(2)), names.class_of(leaf(2))), (0, None));
        assert_eq!(names.texts_of(names.set_of(div)).collect::<Vec<_>>(), ["a", "x"]);
    }

    #[test]
    fn the_first_attribute_of_a_name_counts() {
        // in MathML, `xlink:role` is also called `role`
        let doc = parse_str("<math role=navigation xlink:role=content><mtext>a");
        let blocks = Blocks::new(&doc, block::REGISTRY[0], Visibility::Visible);
        let names = ElementNames::new(&doc, &blocks);
        let math = doc.elements_with(|tag| doc.tag_name(tag) == "math").next();
        let math = math.expect("an element");
        assert_eq!(names.texts_of(names.set_of(math)).collect::<Vec<_>>(), ["navigation"]);
        assert_eq!(doc.attribute(math, "role"), Some("navigation"));
    }

    #[test]
    fn splits_names_into_words() {
        let mut words = Vec::new();
        for_each_word("mainContent-2_foo BAR nav3", |w| words.push(w.to_owned()));
        assert_eq!(words, ["main", "content", "foo", "bar", "nav"]);
    }

    proptest! {
        #[test]
        fn fast_and_slow_splitting_agree(
            value in "([a-z]{1,9}|[A-Z][a-z]{0,5}|[A-Z]{2,4}|[0-9]{1,3}|[-_: \\[\t]|[a-zA-Z]{60,70}|é|Ö|\u{0}){0,30}",
        ) {
            for with_digits in [false, true] {
                let is_part = |c: char| if with_digits { c.is_alphanumeric() } else { c.is_alphabetic() };
                let (mut fast, mut slow) = (Vec::new(), Vec::new());
                any_word(&value, with_digits, |w| { fast.push(w.to_owned()); false });
                name_words::for_each(&value, is_part, |w| slow.push(w.to_owned()));
                prop_assert_eq!(fast, slow);
            }
        }
    }
}

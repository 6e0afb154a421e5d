//! What authors call elements: the values of six attributes, each told apart once a page for all families.

use rustc_hash::{FxBuildHasher, FxHashMap};
use threshr_html::blocks::Blocks;
use threshr_html::{Document, NUM_KNOWN_NAMES, NodeId, known_number};

/// Number of [`ATTRIBUTES`].
const NUM_ATTRIBUTES: usize = 6;

/// Attributes whose values are names.
const ATTRIBUTES: [&str; NUM_ATTRIBUTES] = ["class", "id", "role", "itemprop", "itemtype", "data-testid"];

/// Place of a known name among them, by its number; [`NUM_ATTRIBUTES`] for others.
static PLACES: [u8; NUM_KNOWN_NAMES] = {
    let mut places = [NUM_ATTRIBUTES as u8; NUM_KNOWN_NAMES];
    let mut i = 0;
    while i < NUM_ATTRIBUTES {
        places[known_number(ATTRIBUTES[i]) as usize] = i as u8;
        i += 1;
    }
    places
};

/// Place of the class among them.
const CLASS: usize = 0;
/// Those that people chose before machines did: class, id, role, itemprop.
pub(crate) const NUM_CLASSIC: usize = 4;

/// No value.
const NONE: u32 = u32::MAX;

/// Names of the elements of a page that are shown.
#[derive(Debug)]
pub(crate) struct ElementNames<'a> {
    /// Different values, by number.
    values: Vec<&'a str>,
    /// Different sets of values, by number; the first is empty. Values stand in the order of [`ATTRIBUTES`].
    sets: Vec<[u32; NUM_ATTRIBUTES]>,
    /// Number of the set of each node.
    of_node: Vec<u32>,
}

impl<'a> ElementNames<'a> {
    pub fn of(doc: &'a Document, blocks: &Blocks) -> Self {
        let empty = [NONE; NUM_ATTRIBUTES];
        let mut names =
            ElementNames { values: Vec::new(), sets: vec![empty], of_node: vec![0; doc.num_nodes()] };
        // about as many as most pages have
        let capacity = blocks.elements().len() / 4;
        let mut values: FxHashMap<&str, u32> = FxHashMap::with_capacity_and_hasher(capacity, FxBuildHasher);
        let mut sets: FxHashMap<[u32; NUM_ATTRIBUTES], u32> =
            FxHashMap::with_capacity_and_hasher(capacity, FxBuildHasher);
        for &node in blocks.elements() {
            let mut set = empty;
            for (number, value) in doc.numbered_attributes(node) {
                let place = PLACES.get(usize::from(number)).map_or(NUM_ATTRIBUTES, |&place| place.into());
                // the first of a name counts
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

    /// Number of different values.
    pub fn num_values(&self) -> usize {
        self.values.len()
    }
    /// The value with a number.
    pub fn value(&self, number: u32) -> &'a str {
        self.values[number as usize]
    }
    /// Number of different sets of values.
    pub fn num_sets(&self) -> usize {
        self.sets.len()
    }
    /// The set of an element's values; 0 where it has none.
    pub fn set_of(&self, node: NodeId) -> u32 {
        self.of_node[node as usize]
    }
    /// Numbers of the values in a set, of the first `limit` attributes.
    pub fn values_of(&self, set: u32, limit: usize) -> impl Iterator<Item = u32> {
        self.sets[set as usize][..limit.min(NUM_ATTRIBUTES)].iter().copied().filter(|&v| v != NONE)
    }
    /// Texts of all values in a set.
    pub fn texts_of(&self, set: u32) -> impl Iterator<Item = &'a str> {
        self.values_of(set, NUM_ATTRIBUTES).map(|v| self.value(v))
    }
    /// Number of an element's class.
    pub fn class_of(&self, node: NodeId) -> Option<u32> {
        let class = self.sets[self.set_of(node) as usize][CLASS];
        (class != NONE).then_some(class)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use threshr_html::blocks as block;
    use threshr_html::{Visibility, parse_str};

    #[test]
    fn equal_names_have_equal_numbers() {
        let doc = parse_str("<div class=a id=x><p class=a>one<p id=x class=a>two<p data-x=a>three</div>");
        let blocks = Blocks::of(&doc, block::REGISTRY[0], Visibility::Visible);
        let names = ElementNames::of(&doc, &blocks);
        assert_eq!((names.num_values(), names.num_sets()), (2, 3));
        let leaf = |i: usize| blocks.get(i).expect("a block").leaf;
        let div = doc.parent(leaf(0)).expect("a parent");
        assert_eq!(names.set_of(div), names.set_of(leaf(1)));
        assert_eq!(names.class_of(div), names.class_of(leaf(0)));
        assert_eq!((names.set_of(leaf(2)), names.class_of(leaf(2))), (0, None));
        assert_eq!(names.texts_of(names.set_of(div)).collect::<Vec<_>>(), ["a", "x"]);
    }

    #[test]
    fn the_first_of_a_name_counts() {
        // in MathML `xlink:role` is called `role` as well
        let doc = parse_str("<math role=navigation xlink:role=content><mtext>a");
        let blocks = Blocks::of(&doc, block::REGISTRY[0], Visibility::Visible);
        let names = ElementNames::of(&doc, &blocks);
        let math = doc.elements_with(|tag| doc.tag_name(tag) == "math").next();
        let math = math.expect("an element");
        assert_eq!(names.texts_of(names.set_of(math)).collect::<Vec<_>>(), ["navigation"]);
        assert_eq!(doc.attribute(math, "role"), Some("navigation"));
    }
}

//! Keys by which two elements of a page are alike: tag, class, and the path down to them.

use crate::page_index::names::ElementNames;
use crate::word_lists::list;
use rustc_hash::FxHasher;
use std::hash::Hasher;
use std::sync::LazyLock;
use threshr_html::Document;
use threshr_html::blocks::Blocks;

/// Words of a class that give the state or place of an element, not its kind.
static STATES: LazyLock<Vec<&str>> =
    LazyLock::new(|| list(include_str!("../../data/class_states.tsv"), "states"));

/// Hashes of every visible element, by node; 0 for other nodes.
#[derive(Debug)]
pub(crate) struct Keys {
    /// Tag and class.
    pub kind: Vec<u64>,
    /// Class alone; 0 without a class.
    pub class: Vec<u64>,
    /// Tags from `<html>` down to the element.
    pub tag_path: Vec<u64>,
    /// Tags and classes from `<html>` down to the element.
    pub class_path: Vec<u64>,
}

impl Keys {
    pub(crate) fn of(doc: &Document, blocks: &Blocks, names: &ElementNames<'_>) -> Self {
        let n = doc.num_nodes();
        let mut keys =
            Keys { kind: vec![0; n], class: vec![0; n], tag_path: vec![0; n], class_path: vec![0; n] };
        let classes: Vec<u64> = (0..names.num_values() as u32).map(|v| class_key(names.value(v))).collect();
        for &node in blocks.elements() {
            let (at, up) = (node as usize, doc.parent(node).unwrap_or(0) as usize);
            let tag = u64::from(doc.tag(node).0) + 1;
            let class = names.class_of(node).map_or(0, |c| classes[c as usize]);
            keys.class[at] = class;
            keys.kind[at] = mix(tag, class);
            keys.tag_path[at] = mix(keys.tag_path[up], tag);
            keys.class_path[at] = mix(keys.class_path[up], keys.kind[at]);
        }
        keys
    }
}

fn mix(a: u64, b: u64) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write_u64(a);
    hasher.write_u64(b);
    hasher.finish()
}

/// Hash of a class without digits and words for a state: `post-12 odd` and `post-13 even` are alike.
fn class_key(class: &str) -> u64 {
    let mut hasher = FxHasher::default();
    let mut any = false;
    for word in class.split_ascii_whitespace().filter(|w| !STATES.contains(w)) {
        word.bytes().filter(|b| !b.is_ascii_digit()).for_each(|b| hasher.write_u8(b));
        hasher.write_u8(b' ');
        any = true;
    }
    if any { hasher.finish() | 1 } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_are_compared_without_numbers_and_states() {
        assert_eq!(class_key("post-12 odd"), class_key(" post-7  even "));
        assert_ne!(class_key("post-12"), class_key("post-12 ad"));
        assert_ne!(class_key("ab c"), class_key("a bc"));
        assert_eq!(class_key(" first "), 0);
    }
}

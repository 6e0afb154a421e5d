//! Keys by which two elements of a page are alike: tag, class, and the path down to them.

use crate::page_index::names::ElementNames;
use crate::word_lists::list;
use rustc_hash::FxHasher;
use std::hash::Hasher;
use std::sync::LazyLock;
use threshr_html::blocks::Blocks;
use threshr_html::{Document, NodeId};

/// Words of a class that give the state or place of an element, not its kind.
static STATES: LazyLock<Vec<&str>> =
    LazyLock::new(|| list(include_str!("../../data/class_states.tsv"), "states"));

/// Hashes of the visible elements. Paths are 0 for other nodes.
#[derive(Debug)]
pub(crate) struct Keys {
    /// Hashes of classes, by the number of the value.
    classes: Vec<u64>,
    /// By index of the element: tags from `<html>` down to it, and tags and classes.
    paths: Vec<Paths>,
}

/// Hashes of what leads to an element.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Paths {
    /// Tags from `<html>` down to the element.
    pub tags: u64,
    /// Tags and classes from `<html>` down to the element.
    pub classes: u64,
}

impl Keys {
    pub(crate) fn of(doc: &Document, blocks: &Blocks, names: &ElementNames<'_>) -> Self {
        let classes = (0..names.num_values() as u32).map(|v| class_key(names.value(v))).collect();
        let mut keys = Keys { classes, paths: Vec::with_capacity(blocks.elements().len()) };
        // parents come first
        for &node in blocks.elements() {
            let up = doc.parent(node).map_or(Paths::default(), |up| keys.paths(blocks, up));
            let tag = tag_key(doc, node);
            let classes = mix(up.classes, mix(tag, keys.class(names, node)));
            keys.paths.push(Paths { tags: mix(up.tags, tag), classes });
        }
        keys
    }

    /// Class of a visible element; 0 without a class.
    pub(crate) fn class(&self, names: &ElementNames<'_>, node: NodeId) -> u64 {
        names.class_of(node).map_or(0, |c| self.classes[c as usize])
    }

    /// Tag and class of a visible element.
    pub(crate) fn kind(&self, doc: &Document, names: &ElementNames<'_>, node: NodeId) -> u64 {
        mix(tag_key(doc, node), self.class(names, node))
    }

    /// What leads to a node.
    pub(crate) fn paths(&self, blocks: &Blocks, node: NodeId) -> Paths {
        blocks.element_index(node).and_then(|index| self.paths.get(index)).copied().unwrap_or_default()
    }
}

fn tag_key(doc: &Document, node: NodeId) -> u64 {
    u64::from(doc.tag(node).0) + 1
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

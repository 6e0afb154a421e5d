//! Keys for comparing elements of a page by tag, by class, and by the path from `<html>`.

use crate::names::element_names::ElementNames;
use crate::word_lists::list;
use rustc_hash::FxHasher;
use std::hash::Hasher;
use std::sync::LazyLock;
use threshr_html::blocks::Blocks;
use threshr_html::{Document, Kind, NodeId, Tag};

/// Class names that describe the state or position of an element, such as `active` or `first`, and not the
/// kind of element.
static STATES: LazyLock<Vec<&str>> =
    LazyLock::new(|| list(include_str!("../../data/class_states.tsv"), "states"));

/// Hashes of the visible elements. The hashes are 0 for other nodes.
#[derive(Debug)]
pub struct Keys {
    /// Hashes of class attributes, by the index of the value in [`ElementNames`].
    classes: Vec<u64>,
    /// Path hashes of each visible element, by its element index.
    paths: Vec<Paths>,
}

/// Hashes of the path to an element.
#[derive(Debug, Clone, Copy, Default)]
pub struct Paths {
    /// Hash of the tags from `<html>` to the element.
    pub tags: u64,
    /// Hash of the tags and classes from `<html>` to the element.
    pub classes: u64,
}

impl Keys {
    /// Computes the keys of each element.
    pub fn new(doc: &Document, blocks: &Blocks, names: &ElementNames<'_>) -> Self {
        let classes = (0..names.num_values() as u32).map(|v| class_key(names.value(v))).collect();
        let mut keys = Keys { classes, paths: Vec::with_capacity(blocks.elements().len()) };
        // parents precede their children
        for &node in blocks.elements() {
            let up = doc.parent(node).map_or(Paths::default(), |up| keys.paths(blocks, up));
            let tag = tag_key(doc, node);
            let classes = mix(up.classes, mix(tag, keys.class(names, node)));
            keys.paths.push(Paths { tags: mix(up.tags, tag), classes });
        }
        keys
    }

    /// Returns the class hash of a visible element; 0 if it has no class.
    pub fn class(&self, names: &ElementNames<'_>, node: NodeId) -> u64 {
        names.class_of(node).map_or(0, |c| self.classes[c as usize])
    }

    /// Returns the hash of the tag and class of a visible element.
    pub fn kind(&self, doc: &Document, names: &ElementNames<'_>, node: NodeId) -> u64 {
        mix(tag_key(doc, node), self.class(names, node))
    }

    /// Returns the path hashes of a node.
    pub fn paths(&self, blocks: &Blocks, node: NodeId) -> Paths {
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

/// Returns the hash of a class attribute without digits and state names: `post-12 odd` and `post-13 even` are
/// equal.
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

/// Maximum number of elements in a written path.
const MAX_STEPS: usize = 12;
/// Maximum number of bytes of an element's classes in a written path.
const MAX_CLASS_BYTES: usize = 60;

/// Returns the path of an element as a string of tags and classes below `<body>`, such as `div.post>p`.
/// Digits and state names are removed, so that elements of one template have the same path. If the path has
/// more than twelve elements, the outer elements are replaced by `…`.
pub fn path_text(doc: &Document, node: NodeId) -> String {
    let is_step =
        |&node: &NodeId| doc.kind(node) == Kind::Element && ![Tag::HTML, Tag::BODY].contains(&doc.tag(node));
    let mut above = doc.ancestors_and_self(node).filter(is_step);
    let mut steps: Vec<String> = above.by_ref().take(MAX_STEPS).map(|node| step_text(doc, node)).collect();
    if above.next().is_some() {
        steps.push("…".to_owned());
    }
    steps.reverse();
    if steps.is_empty() { "body".to_owned() } else { steps.join(">") }
}

/// Returns the tag and classes of an element, as in a CSS selector.
fn step_text(doc: &Document, node: NodeId) -> String {
    let mut step = doc.name(node).to_owned();
    let class = doc.attribute(node, "class").unwrap_or_default();
    for word in class.split_ascii_whitespace().filter(|w| !STATES.contains(w)) {
        let word: String = word.chars().filter(|c| !c.is_ascii_digit()).collect();
        let word = word.trim_end_matches(['-', '_']);
        if step.len() + word.len() > doc.name(node).len() + MAX_CLASS_BYTES {
            break;
        }
        if !word.is_empty() {
            step.push('.');
            step.push_str(word);
        }
    }
    step
}

#[cfg(test)]
mod tests {
    use super::*;
    use threshr_html::parse_str;

    #[test]
    fn classes_are_compared_without_numbers_and_states() {
        assert_eq!(class_key("post-12 odd"), class_key(" post-7  even "));
        assert_ne!(class_key("post-12"), class_key("post-12 ad"));
        assert_ne!(class_key("ab c"), class_key("a bc"));
        assert_eq!(class_key(" first "), 0);
    }

    #[test]
    fn paths_are_written_without_numbers_and_states() {
        let paths = |html: &str| {
            let doc = parse_str(html);
            let is_end = |&node: &NodeId| doc.kind(node) == Kind::Element && doc.first_child(node).is_none();
            let ends = doc.descendants(doc.root()).filter(is_end);
            ends.map(|node| path_text(&doc, node)).collect::<Vec<_>>()
        };
        assert_eq!(
            paths("<div class='post-12 odd'><p></p></div><div class='post-7  even'><p></p></div>")[1..],
            ["div.post>p", "div.post>p"]
        );
        assert_eq!(paths("<title></title>"), ["head>title", "body"]);
        let deep = paths(&"<div>".repeat(20));
        assert_eq!(deep[1], format!("…{}", ">div".repeat(MAX_STEPS)));
        let long = format!("<p class='a {} b'></p>", "x".repeat(MAX_CLASS_BYTES));
        assert_eq!(paths(&long)[1], "p.a");
    }
}

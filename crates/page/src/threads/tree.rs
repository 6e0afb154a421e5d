//! The visible elements of a page by index, with their text and their form.

use super::words::Said;
use crate::names::element_names::{CLASS, ElementNames, ITEMPROP};
use crate::word_lists::list;
use rustc_hash::{FxHashMap, FxHashSet, FxHasher};
use std::cell::OnceCell;
use std::hash::Hasher;
use std::ops::Range;
use std::sync::LazyLock;
use threshr_html::blocks::{Blocks, Span};
use threshr_html::{Document, Kind, NodeId, Tag};

/// Index that means "no element".
pub(super) const NONE: u32 = u32::MAX;
/// Maximum number of class names of an element that are read.
const MAX_CLASSES: usize = 8;

/// Class names that describe the state or position of an element, not the kind of element.
static STATES: LazyLock<FxHashSet<&str>> = LazyLock::new(|| {
    let states = list(include_str!("../../data/class_states.tsv"), "states");
    states.into_iter().chain(list(super::words::FILE, "state")).collect()
});

/// A piece of text.
#[derive(Debug, Clone, Copy)]
pub(super) struct Piece<'a> {
    pub span: &'a Span,
    pub block: u32,
    /// The parent element.
    pub parent: u32,
}

/// The elements of a page. Indices are in document order, as in [`Blocks::elements`].
pub(super) struct Tree<'a> {
    pub doc: &'a Document,
    pub blocks: &'a Blocks,
    pub pieces: Vec<Piece<'a>>,
    parent: Vec<u32>,
    /// Number of siblings of the same tag before each element.
    nth: OnceCell<Vec<u32>>,
    /// Pieces inside each element.
    inside: Vec<Range<u32>>,
    /// Number of bytes of the pieces before each piece, and number of these bytes in links.
    bytes: Vec<u32>,
    link_bytes: Vec<u32>,
    /// The form of each element: a hash of its tag and of its class names without digits.
    forms: Vec<u64>,
    names: &'a ElementNames<'a>,
    /// Class names in each set of names without digits and states, as hashes.
    classes: Vec<Vec<u64>>,
    /// For class and id of each set of names, the word lists that contain a word of them.
    said: &'a [[Said; 2]],
}

impl<'a> Tree<'a> {
    /// `names` are those of the page, `said` are the list words in them.
    pub(super) fn new(
        doc: &'a Document,
        blocks: &'a Blocks,
        names: &'a ElementNames<'a>,
        said: &'a [[Said; 2]],
    ) -> Self {
        let num = blocks.elements().len();
        let mut tree = Tree {
            doc,
            blocks,
            pieces: Vec::new(),
            parent: vec![NONE; num],
            nth: OnceCell::new(),
            inside: vec![0..0; num],
            bytes: vec![0],
            link_bytes: vec![0],
            forms: Vec::with_capacity(num),
            names,
            classes: Vec::with_capacity(names.num_sets()),
            said,
        };
        tree.read_pieces();
        tree.read_forms();
        tree
    }

    fn read_pieces(&mut self) {
        let spans: Vec<(u32, &'a Span)> = (0..self.blocks.len())
            .flat_map(|b| self.blocks.spans(b).iter().map(move |s| (b as u32, s)))
            .collect();
        let mut next = spans.iter().peekable();
        for node in self.doc.descendants(self.doc.root()) {
            if self.doc.kind(node) == Kind::Text {
                while let Some((block, span)) = next.next_if(|(_, span)| span.node == node) {
                    let parent = self.doc.parent(node).and_then(|n| self.index(n)).unwrap_or(NONE);
                    self.pieces.push(Piece { span, block: *block, parent });
                }
            } else if let Some(index) = self.index(node) {
                let at = self.pieces.len() as u32;
                self.inside[index as usize] = at..at;
                if let Some(parent) = self.doc.parent(node).and_then(|n| self.index(n)) {
                    self.parent[index as usize] = parent;
                }
            }
        }
        for (at, piece) in self.pieces.iter().enumerate() {
            if piece.parent != NONE {
                let inside = &mut self.inside[piece.parent as usize];
                inside.end = inside.end.max(at as u32 + 1);
            }
            let bytes = piece.span.text.end - piece.span.text.start;
            let in_link = if piece.span.link.is_some() { bytes } else { 0 };
            self.bytes.push(self.bytes[at] + bytes);
            self.link_bytes.push(self.link_bytes[at] + in_link);
        }
        for index in (0..self.parent.len()).rev() {
            let (end, parent) = (self.inside[index].end, self.parent[index]);
            if parent != NONE {
                let inside = &mut self.inside[parent as usize];
                inside.end = inside.end.max(end);
            }
        }
    }

    fn read_forms(&mut self) {
        for set in 0..self.names.num_sets() as u32 {
            let class = self.names.value_in(set, CLASS).or_else(|| self.names.value_in(set, ITEMPROP));
            self.classes.push(class_hashes(class.unwrap_or_default()));
        }
        for &node in self.blocks.elements() {
            let all = self.classes[self.names.set_of(node) as usize].iter();
            self.forms.push(all.fold(u64::from(self.doc.tag(node).0) + 1, |a, &b| mix(a, b)));
        }
    }

    /// Returns the number of preceding siblings with the same tag.
    pub(super) fn nth(&self, element: u32) -> u32 {
        let count = || {
            let mut last: FxHashMap<(u32, Tag), u32> = FxHashMap::default();
            let next = |e: u32| {
                let number = last.entry((self.parent[e as usize], self.tag(e))).or_default();
                *number += 1;
                *number - 1
            };
            (0..self.len()).map(next).collect()
        };
        self.nth.get_or_init(count)[element as usize]
    }
    /// Returns the index of an element; `None` for other nodes and hidden elements.
    pub(super) fn index(&self, node: NodeId) -> Option<u32> {
        self.blocks.element_index(node).map(|index| index as u32)
    }
    /// Number of elements.
    pub(super) fn len(&self) -> u32 {
        self.forms.len() as u32
    }
    pub(super) fn node(&self, element: u32) -> NodeId {
        self.blocks.elements()[element as usize]
    }
    pub(super) fn tag(&self, element: u32) -> Tag {
        self.doc.tag(self.node(element))
    }
    pub(super) fn attribute(&self, element: u32, name: &str) -> Option<&'a str> {
        self.doc.attribute(self.node(element), name)
    }
    /// Returns the value of one of the attributes in [`ElementNames`], by its index there.
    pub(super) fn named(&self, element: u32, attribute: usize) -> Option<&'a str> {
        self.names.value_in(self.set(element), attribute)
    }
    fn set(&self, element: u32) -> u32 {
        self.names.set_of(self.node(element))
    }
    /// Returns the index after the last descendant of an element.
    pub(super) fn end(&self, element: u32) -> u32 {
        self.blocks.extent(self.node(element)).elements.end
    }
    pub(super) fn parent(&self, element: u32) -> Option<u32> {
        self.parent.get(element as usize).copied().filter(|&parent| parent != NONE)
    }
    /// Iterates over an element and its ancestors, innermost first.
    pub(super) fn around(&self, element: u32) -> impl Iterator<Item = u32> + '_ {
        let first = Some(element).filter(|&e| e != NONE);
        std::iter::successors(first, |&e| self.parent(e))
    }
    /// Iterates over the children of an element.
    pub(super) fn children(&self, element: u32) -> impl Iterator<Item = u32> + '_ {
        let end = self.end(element);
        let within = move |child: u32| Some(child).filter(|&child| child < end);
        std::iter::successors(within(element + 1), move |&child| within(self.end(child)))
    }
    /// Returns the pieces inside an element.
    pub(super) fn inside(&self, element: u32) -> Range<u32> {
        self.inside[element as usize].clone()
    }
    /// Returns the number of bytes of the pieces.
    pub(super) fn bytes(&self, pieces: &Range<u32>) -> u32 {
        let end = pieces.end.max(pieces.start);
        self.bytes[end as usize] - self.bytes[pieces.start as usize]
    }
    /// Returns the number of bytes of the pieces in links.
    pub(super) fn link_bytes(&self, pieces: &Range<u32>) -> u32 {
        let end = pieces.end.max(pieces.start);
        self.link_bytes[end as usize] - self.link_bytes[pieces.start as usize]
    }
    pub(super) fn text(&self, piece: u32) -> &'a str {
        self.blocks.slice(&self.pieces[piece as usize].span.text)
    }
    /// Joins the text of pieces with spaces.
    pub(super) fn joined(&self, pieces: impl IntoIterator<Item = u32>) -> String {
        pieces.into_iter().map(|piece| self.text(piece).trim()).collect::<Vec<_>>().join(" ")
    }
    pub(super) fn form(&self, element: u32) -> u64 {
        self.forms[element as usize]
    }
    /// Returns a hash of the forms of an element and its ancestors, `levels` elements in total.
    pub(super) fn path(&self, element: u32, levels: usize) -> u64 {
        self.around(element).take(levels).fold(0, |path, e| mix(path, self.form(e)))
    }
    /// Returns the word lists that contain a word of the class attribute of an element.
    pub(super) fn said(&self, element: u32) -> Said {
        self.said[self.set(element) as usize][0]
    }
    /// Returns the word lists that contain a word of the id of an element.
    pub(super) fn said_by_id(&self, element: u32) -> Said {
        self.said[self.set(element) as usize][1]
    }

    /// Hashes of the class names of an element.
    pub(super) fn classes(&self, element: u32) -> &[u64] {
        &self.classes[self.set(element) as usize]
    }
}

/// Returns hashes of the class names in a value, without digits. Names of states are left out.
fn class_hashes(class: &str) -> Vec<u64> {
    let names = class.split_ascii_whitespace().filter(|name| !STATES.contains(name));
    let mut hashes: Vec<u64> = names.map(|name| without_digits(name, 1)).take(MAX_CLASSES).collect();
    hashes.sort_unstable();
    hashes.dedup();
    hashes
}

/// Hashes a text without its digits. `seed` separates kinds of texts.
pub(super) fn without_digits(text: &str, seed: u64) -> u64 {
    text.bytes().filter(|b| !b.is_ascii_digit()).fold(seed, |hash, b| mix(hash, b.into()))
}

/// Combines two numbers to a hash.
pub(super) fn mix(a: u64, b: u64) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write_u64(a);
    hasher.write_u64(b);
    hasher.finish()
}

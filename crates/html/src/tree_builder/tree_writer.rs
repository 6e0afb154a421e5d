//! Writes a [`Document`]: creates, links and moves nodes, and adds text and attributes.

use crate::labelling::marks;
use crate::names::Name;
use crate::tag::Tag;
use crate::tree::{Attribute, Document, Kind, NONE, Node, NodeId};
use std::ops::Range;

/// The id of nodes that are not stored: comments, and nodes beyond 4 billion.
pub(crate) const IGNORED: NodeId = NONE;

/// Maximum number of moves of children per node of the page. Beyond this limit, which only hostile pages reach,
/// children stay in place, so that time is linear.
const MOVES_PER_NODE: u64 = 64;

/// Builds a document.
#[derive(Debug)]
pub(crate) struct Flat {
    pub doc: Document,
    /// Number of elements created so far.
    pub num_elements: u64,
    moves: u64,
    /// Whether the next text begins a new node.
    begins_text: bool,
    marks: Option<marks::Reader>,
}

impl Flat {
    /// Creates the writer for a page of `num_bytes`. If `marked` is true, the text contains the [`marks`] of
    /// labels.
    pub(crate) fn new(num_bytes: usize, marked: bool) -> Self {
        let mut doc = Document::empty();
        // about half of what most pages need, so that growth copies little
        doc.nodes.reserve(num_bytes / 64);
        doc.attributes.reserve(num_bytes / 64);
        doc.values.reserve(num_bytes / 8);
        doc.text.reserve(num_bytes / 8);
        Flat {
            doc,
            num_elements: 0,
            moves: 0,
            begins_text: false,
            marks: marked.then(marks::Reader::default),
        }
    }

    pub(crate) fn node(&self, id: NodeId) -> &Node {
        &self.doc.nodes[id as usize]
    }

    pub(crate) fn node_mut(&mut self, id: NodeId) -> &mut Node {
        &mut self.doc.nodes[id as usize]
    }

    fn push_node(&mut self, node: Node) -> NodeId {
        // 4 billion nodes need over 100 GB
        let Ok(id) = u32::try_from(self.doc.nodes.len()) else { return IGNORED };
        self.doc.nodes.push(node);
        id
    }

    /// Creates an element with a range of attributes, without a parent.
    pub(crate) fn create_element(&mut self, tag: Tag, attributes: Range<u32>) -> NodeId {
        self.num_elements += 1;
        self.push_node(Node::new(Kind::Element, tag, attributes))
    }

    /// Stores attributes and returns their range.
    pub(crate) fn add_attributes<'a>(
        &mut self,
        attributes: impl Iterator<Item = (Name<'a>, &'a str)>,
    ) -> Range<u32> {
        let Document { attributes: list, values, names, .. } = &mut self.doc;
        let first = list.len();
        for (name, value) in attributes.take(crate::MAX_ATTRIBUTES) {
            let start = values.len();
            values.push_str(value);
            let (Ok(start), Ok(end)) = (u32::try_from(start), u32::try_from(values.len())) else { break };
            list.push(Attribute { name: names.number(name), start, end });
        }
        let clamp = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        clamp(first)..clamp(list.len())
    }

    /// Adds the attributes that the element `target` does not have.
    pub(crate) fn add_missing_attributes<'a>(
        &mut self,
        target: NodeId,
        attributes: impl Iterator<Item = (Name<'a>, &'a str)>,
    ) {
        let missing: Vec<_> =
            attributes.filter(|a| self.doc.attribute(target, a.0.text()).is_none()).collect();
        // the attributes of an element are contiguous: copy the existing ones to the end
        let existing = self.doc.raw_attributes(target).to_vec();
        if missing.is_empty() || existing.len() + missing.len() > crate::MAX_ATTRIBUTES {
            return;
        }
        let start = self.doc.attributes.len();
        self.doc.attributes.extend(existing);
        let added = self.add_attributes(missing.into_iter());
        let node = self.node_mut(target);
        (node.a, node.b) = (u32::try_from(start).unwrap_or(u32::MAX).min(added.end), added.end);
    }

    /// Links `child`, which has no parent, before the sibling `before`. If `before` is [`NONE`], links it at the
    /// end of `parent`.
    pub(crate) fn link(&mut self, parent: NodeId, child: NodeId, before: NodeId) {
        if child == IGNORED || parent == IGNORED {
            return;
        }
        let prev = if before == NONE {
            std::mem::replace(&mut self.node_mut(parent).last_child, child)
        } else {
            std::mem::replace(&mut self.node_mut(before).prev, child)
        };
        match prev {
            NONE => self.node_mut(parent).first_child = child,
            prev => self.node_mut(prev).next = child,
        }
        let node = self.node_mut(child);
        (node.parent, node.prev, node.next) = (parent, prev, before);
    }

    /// Removes a node from its parent.
    pub(crate) fn unlink(&mut self, target: NodeId) {
        if target == IGNORED {
            return;
        }
        let Node { parent, prev, next, .. } = *self.node(target);
        if parent == NONE {
            return;
        }
        match prev {
            NONE => self.node_mut(parent).first_child = next,
            prev => self.node_mut(prev).next = next,
        }
        match next {
            NONE => self.node_mut(parent).last_child = prev,
            next => self.node_mut(next).prev = prev,
        }
        let node = self.node_mut(target);
        (node.parent, node.prev, node.next) = (NONE, NONE, NONE);
    }

    /// Ensures that the next text begins a new node instead of being appended to the previous text.
    pub(crate) fn begin_text(&mut self) {
        self.begins_text = true;
    }

    /// Adds text before the node `before`. If `before` is [`NONE`], adds it at the end of `parent`. If the previous
    /// node is the text node that was written last, the text is appended to it.
    pub(crate) fn add_text(&mut self, parent: NodeId, text: &str, before: NodeId) {
        if parent == IGNORED || text.is_empty() {
            return;
        }
        let start = self.doc.text.len();
        match &mut self.marks {
            Some(reader) => reader.read(text, &mut self.doc),
            None => self.doc.text.push_str(text),
        }
        let (Ok(from), Ok(to)) = (u32::try_from(start), u32::try_from(self.doc.text.len())) else {
            self.doc.text.truncate(start);
            return;
        };
        let prev = match before {
            NONE => self.node(parent).last_child,
            before => self.node(before).prev,
        };
        if !std::mem::take(&mut self.begins_text) && prev != NONE {
            let node = self.node_mut(prev);
            if node.kind == Kind::Text && node.b == from {
                node.b = to;
                return;
            }
        }
        let child = self.push_node(Node::new(Kind::Text, Tag::HTML, from..to));
        self.link(parent, child, before);
    }

    pub(crate) fn parent_of(&self, node: NodeId) -> NodeId {
        if node == IGNORED { NONE } else { self.node(node).parent }
    }

    /// Moves all children of `node` to the end of `new_parent`.
    pub(crate) fn move_children(&mut self, node: NodeId, new_parent: NodeId) {
        let most = (self.doc.nodes.len() as u64 + 1000) * MOVES_PER_NODE;
        loop {
            let child = self.node(node).first_child;
            if child == NONE || self.moves > most {
                return;
            }
            self.moves += 1;
            self.unlink(child);
            self.link(new_parent, child, NONE);
        }
    }
}

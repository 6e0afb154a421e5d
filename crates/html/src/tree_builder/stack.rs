//! The stack of open elements, and the insertion points of new nodes.

use crate::tag::Tag;
use crate::tree::{NONE, NodeId};
use crate::tree_builder::Builder;
use crate::tree_builder::sets::*;

/// Bit in [`Node::hidden`](crate::tree::Node) of nodes on the stack. The field is free until visibility is
/// computed.
const OPEN: u8 = 1 << 7;

/// The tag of SVG and MathML elements in the stack. No HTML element has this tag.
pub(crate) const NO_TAG: Tag = Tag(u16::MAX);

/// An open element.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Open {
    pub id: NodeId,
    /// The tag of an HTML element, or [`NO_TAG`] for other elements.
    pub tag: Tag,
    pub flags: u32,
    /// Upper bound on the depth of the element in the tree; 1 for `<html>`. The bound of an element is greater than
    /// that of the element below it on the stack.
    pub depth: u16,
}

impl Open {
    /// An HTML element. Its depth is set when it is pushed.
    pub(super) fn html(id: NodeId, tag: Tag) -> Self {
        Open { id, tag, flags: flags(tag), depth: 0 }
    }

    pub(super) fn is_in(self, set: u32) -> bool {
        self.flags & set != 0
    }
}

impl Builder {
    /// Returns the innermost open element.
    pub(crate) fn current(&self) -> Open {
        self.stack.last().copied().unwrap_or(Open { id: 0, tag: NO_TAG, flags: 0, depth: 0 })
    }

    pub(crate) fn is_open(&self, id: NodeId) -> bool {
        self.flat.node(id).hidden & OPEN != 0
    }

    pub(crate) fn push(&mut self, open: Open) {
        self.opened(open);
        self.stack.push(Open { depth: self.current().depth.saturating_add(1), ..open });
    }

    pub(crate) fn pop(&mut self) {
        if let Some(open) = self.stack.pop() {
            self.closed(open);
        }
    }

    fn opened(&mut self, open: Open) {
        self.flat.node_mut(open.id).hidden |= OPEN;
        if let Some(count) = self.counts.get_mut(usize::from(open.tag.0)) {
            *count += 1;
        }
    }

    fn closed(&mut self, open: Open) {
        self.flat.node_mut(open.id).hidden &= !OPEN;
        if let Some(count) = self.counts.get_mut(usize::from(open.tag.0)) {
            *count -= 1;
        }
    }

    pub(crate) fn truncate(&mut self, length: usize) {
        while self.stack.len() > length {
            self.pop();
        }
    }

    pub(crate) fn insert_open(&mut self, index: usize, open: Open) {
        self.opened(open);
        self.stack.insert(index, open);
    }

    pub(crate) fn remove_at(&mut self, index: usize) {
        let open = self.stack.remove(index);
        self.closed(open);
    }

    pub(crate) fn remove_open(&mut self, id: NodeId) {
        if let Some(index) = self.stack.iter().rposition(|o| o.id == id) {
            self.remove_at(index);
        }
    }

    /// Whether an HTML element with this tag is open.
    pub(crate) fn has_open(&self, tag: Tag) -> bool {
        match self.counts.get(usize::from(tag.0)) {
            Some(&count) => count > 0,
            None => self.stack.iter().any(|o| o.tag == tag),
        }
    }

    /// Whether an element called `tag` is in the scope that the elements in `bounds` limit.
    pub(crate) fn in_scope(&self, tag: Tag, bounds: u32) -> bool {
        if !self.has_open(tag) {
            return false;
        }
        for open in self.stack.iter().rev() {
            if open.tag == tag {
                return true;
            }
            if open.is_in(bounds) {
                return false;
            }
        }
        false
    }

    /// Whether an element of a set is in the scope that the elements in `bounds` limit.
    pub(crate) fn set_in_scope(&self, set: u32, bounds: u32) -> bool {
        let found = self.stack.iter().rev().find(|o| o.is_in(set | bounds));
        found.is_some_and(|o| o.is_in(set))
    }

    /// Closes elements of a set whose end tag is optional, except those called `except`.
    pub(crate) fn close_implied(&mut self, set: u32, except: Tag) {
        while self.current().is_in(set) && self.current().tag != except {
            self.pop();
        }
    }

    /// Closes elements up to and including one called `tag`.
    pub(crate) fn pop_until(&mut self, tag: Tag) {
        while let Some(open) = self.stack.last().copied() {
            self.pop();
            if open.tag == tag {
                return;
            }
        }
    }

    /// Closes elements up to and including one of a set.
    pub(crate) fn pop_until_in(&mut self, set: u32) {
        while let Some(open) = self.stack.last().copied() {
            self.pop();
            if open.is_in(set) {
                return;
            }
        }
    }

    /// Closes elements until the innermost open element is in a set.
    pub(crate) fn pop_to(&mut self, set: u32) {
        while !self.stack.is_empty() && !self.current().is_in(set) {
            self.pop();
        }
    }

    /// Closes the `<p>` that a block-level element ends.
    pub(crate) fn close_p(&mut self) {
        if self.in_scope(Tag::P, SCOPE | BUTTON_SCOPE) {
            self.close_implied(IMPLIED, Tag::P);
            self.pop_until(Tag::P);
        }
    }

    /// Returns the insertion point of a new child of `target`: its parent and its next sibling.
    pub(crate) fn place(&self, target: Open) -> (NodeId, NodeId) {
        if !self.fosters || !target.is_in(FOSTER) {
            return (target.id, NONE);
        }
        for (i, open) in self.stack.iter().enumerate().rev() {
            match open.tag {
                Tag::TEMPLATE => return (open.id, NONE),
                Tag::TABLE => {
                    let parent = self.flat.parent_of(open.id);
                    if parent != NONE {
                        return (parent, open.id);
                    }
                    return (self.stack[i.saturating_sub(1)].id, NONE);
                }
                _ => {}
            }
        }
        (self.stack.first().map_or(0, |o| o.id), NONE)
    }

    pub(crate) fn insert_text(&mut self, text: &str) {
        let (parent, before) = self.place(self.current());
        self.flat.add_text(parent, text, before);
    }

    /// Links a node, which has no parent, at the insertion point of a new child of `target`.
    pub(crate) fn insert_node(&mut self, target: Open, node: NodeId) {
        let (parent, before) = self.place(target);
        self.flat.link(parent, node, before);
    }
}

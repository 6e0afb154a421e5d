//! Formatting elements (`<a>`, `<b>` …): reconstruction in later blocks, and the adoption agency algorithm.

use crate::tag::Tag;
use crate::tree::{Attribute, NONE, NodeId, range};
use crate::tree_builder::sets::*;
use crate::tree_builder::stack::Open;
use crate::tree_builder::{Builder, Start};

/// An entry of the list of active formatting elements: an element or a marker, at which searches stop.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Entry {
    pub id: NodeId,
    tag: Tag,
}

const MARKER: Entry = Entry { id: NONE, tag: Tag::HTML };

/// Maximum number of attributes for which two elements are compared without sorting.
const FEW: usize = 16;

impl Builder {
    pub(crate) fn push_marker(&mut self) {
        self.formatting.push(MARKER);
    }

    pub(crate) fn clear_to_marker(&mut self) {
        while self.formatting.pop().is_some_and(|e| e.id != NONE) {}
    }

    fn formatting_index(&self, id: NodeId) -> Option<usize> {
        self.formatting.iter().position(|e| e.id == id)
    }

    /// Returns the index of the last entry for which `is` holds. The search stops at the last marker.
    fn last_formatting(&self, is: impl Fn(&Entry) -> bool) -> Option<usize> {
        let mut entries = self.formatting.iter().enumerate().rev().take_while(|e| e.1.id != NONE);
        entries.find(|e| is(e.1)).map(|e| e.0)
    }

    /// Reopens the elements of the list that are not open ("reconstruct the active formatting elements").
    pub(crate) fn reconstruct(&mut self) {
        let is_open_or_marker = |b: &Self, e: Entry| e.id == NONE || b.is_open(e.id);
        match self.formatting.last() {
            Some(&last) if !is_open_or_marker(self, last) => {}
            _ => return,
        }
        let first = self.formatting.iter().rposition(|&e| is_open_or_marker(self, e)).map_or(0, |i| i + 1);
        for index in first..self.formatting.len() {
            let entry = self.formatting[index];
            let id = self.copy(entry);
            self.insert_node(self.current(), id);
            self.push(Open::html(id, entry.tag));
            self.formatting[index].id = id;
        }
    }

    /// Creates an element with the tag and attributes of an entry.
    fn copy(&mut self, entry: Entry) -> NodeId {
        let node = *self.flat.node(entry.id);
        self.flat.create_element(entry.tag, node.a..node.b)
    }

    /// Opens a formatting element. If there are already three equal entries, the first of them is removed ("Noah's
    /// Ark clause").
    pub(crate) fn insert_formatting(&mut self, start: Start<'_>) {
        let id = self.create(start);
        let mut equal = (0, 0);
        for (i, entry) in self.formatting.iter().enumerate().rev().take_while(|e| e.1.id != NONE) {
            if entry.tag == start.tag && self.same_attributes(entry.id, id) {
                equal = (equal.0 + 1, i);
            }
        }
        if equal.0 >= 3 {
            self.formatting.remove(equal.1);
        }
        self.insert_node(self.current(), id);
        self.push(Open::html(id, start.tag));
        self.formatting.push(Entry { id, tag: start.tag });
    }

    /// Whether two elements have the same attributes, in any order.
    fn same_attributes(&self, a: NodeId, b: NodeId) -> bool {
        let doc = &self.flat.doc;
        let (a, b) = (doc.raw_attributes(a), doc.raw_attributes(b));
        let pair = |x: &Attribute| (x.name, &doc.values[range(x.start..x.end)]);
        if a.len() != b.len() {
            return false;
        }
        if a.iter().map(pair).eq(b.iter().map(pair)) {
            return true;
        }
        if a.len() <= FEW {
            return a.iter().all(|x| b.iter().any(|y| pair(x) == pair(y)));
        }
        let sorted = |list: &[Attribute]| {
            let mut pairs: Vec<_> = list.iter().map(pair).collect();
            pairs.sort_unstable();
            pairs
        };
        sorted(a) == sorted(b)
    }

    /// Closes an open `<a>` before another one begins.
    pub(crate) fn close_open_a(&mut self) {
        let Some(index) = self.last_formatting(|e| e.tag == Tag::A) else { return };
        let id = self.formatting[index].id;
        self.adoption_agency(Tag::A);
        if let Some(index) = self.formatting_index(id) {
            self.formatting.remove(index);
        }
        self.remove_open(id);
    }

    /// Handles the end tag of a formatting element ("adoption agency algorithm"): splits misnested elements.
    pub(crate) fn adoption_agency(&mut self, tag: Tag) {
        let current = self.current();
        if current.tag == tag && self.formatting_index(current.id).is_none() {
            return self.pop();
        }
        for _ in 0..8 {
            let Some(entry_index) = self.last_formatting(|e| e.tag == tag) else {
                return self.end_any(tag);
            };
            let entry = self.formatting[entry_index];
            let Some(stack_index) = self.stack.iter().rposition(|o| o.id == entry.id) else {
                self.formatting.remove(entry_index);
                return;
            };
            if self.stack[stack_index + 1..].iter().any(|o| o.is_in(SCOPE)) {
                return;
            }
            let block = self.stack[stack_index..].iter().position(|o| o.is_in(SPECIAL));
            let Some(block) = block.map(|i| stack_index + i) else {
                self.truncate(stack_index);
                self.formatting.remove(entry_index);
                return;
            };
            self.split(entry, stack_index, block);
        }
    }

    /// Closes the formatting element of `entry` before the block at index `block` of the stack, and reopens it
    /// inside.
    fn split(&mut self, entry: Entry, stack_index: usize, block: usize) {
        let furthest = self.stack[block];
        let Some(common_ancestor) = stack_index.checked_sub(1).map(|i| self.stack[i]) else { return };
        // the entry after which the new element is inserted in the list; if `None`, the new element replaces
        // `entry`
        let mut after = None;
        let mut last = furthest.id;
        let mut index = block;
        for step in 1.. {
            index -= 1;
            let node = self.stack[index];
            if node.id == entry.id {
                break;
            }
            let listed = self.formatting_index(node.id);
            let Some(listed) = listed.filter(|_| step <= 3) else {
                if let Some(listed) = listed {
                    self.formatting.remove(listed);
                }
                self.remove_at(index);
                continue;
            };
            let id = self.copy(self.formatting[listed]);
            self.remove_at(index);
            self.insert_open(index, Open { id, ..node });
            self.formatting[listed].id = id;
            if last == furthest.id {
                after = Some(id);
            }
            self.flat.unlink(last);
            self.flat.link(id, last, NONE);
            last = id;
        }
        self.flat.unlink(last);
        self.insert_node(common_ancestor, last);
        let id = self.copy(entry);
        self.flat.move_children(furthest.id, id);
        self.flat.link(furthest.id, id, NONE);
        let new = Entry { id, tag: entry.tag };
        if let Some(index) = after.and_then(|after| self.formatting_index(after)) {
            self.formatting.insert(index + 1, new);
            if let Some(old) = self.formatting_index(entry.id) {
                self.formatting.remove(old);
            }
        } else if let Some(old) = self.formatting_index(entry.id) {
            self.formatting[old] = new;
        }
        self.remove_open(entry.id);
        let at = self.stack.iter().position(|o| o.id == furthest.id).map_or(self.stack.len(), |i| i + 1);
        // these elements have lost an ancestor, so the new element has the depth that the block had
        self.stack[stack_index..at].iter_mut().for_each(|open| open.depth -= 1);
        self.insert_open(at, Open { depth: furthest.depth, ..Open::html(id, entry.tag) });
    }
}

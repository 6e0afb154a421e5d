//! Moves content to the place where a browser shows it: fragments that a server streams after the page, and content
//! for the slots of declarative shadow roots.

mod slots;
mod streamed;

pub(crate) use slots::is_shadow_root;
pub(crate) use streamed::{Boundaries, is_fragment_id};

use crate::MAX_DEPTH;
use crate::tag::Tag;
use crate::tree::{Document, NONE, NodeId};
use crate::tree_builder::tree_writer::Flat;

/// Maximum number of searched nodes per node of the page. The limit ensures linear time. Only hostile pages
/// reach it. The remaining content of such a page is not moved.
const SEARCHES_PER_NODE: usize = 16;

/// Moves streamed fragments and the content for slots to their places.
pub(crate) fn compose(flat: &mut Flat, boundaries: &Boundaries) {
    let templates: Vec<NodeId> = flat.doc.elements_with(|tag| tag == Tag::TEMPLATE).collect();
    if templates.is_empty() {
        return;
    }
    let left = flat.doc.num_nodes() * SEARCHES_PER_NODE;
    let mut composer = Composer { flat, left };
    composer.place_fragments(&templates, boundaries);
    composer.fill_slots(&templates);
}

struct Composer<'f> {
    flat: &'f mut Flat,
    /// Number of nodes that may still be searched.
    left: usize,
}

impl Composer<'_> {
    fn doc(&self) -> &Document {
        &self.flat.doc
    }

    /// Whether a node may become a child of `parent`. Its id must be greater than that of `parent`, as for every child,
    /// and its descendants must not exceed [`MAX_DEPTH`] there.
    fn may_move(&mut self, node: NodeId, parent: NodeId) -> bool {
        if node <= parent {
            return false;
        }
        let depth = self.flat.doc.ancestors_and_self(parent).count();
        let Some(height) = self.height(node) else { return false };
        depth + height <= MAX_DEPTH as usize
    }

    /// Returns the number of levels from a node down to its deepest descendant. Returns `None` if the maximum number of
    /// searched nodes is reached.
    fn height(&mut self, top: NodeId) -> Option<usize> {
        let (mut at, mut level, mut height) = (top, 1, 1);
        loop {
            self.left = self.left.checked_sub(1)?;
            let node = self.flat.node(at);
            if node.first_child != NONE {
                (at, level) = (node.first_child, level + 1);
                height = height.max(level);
                continue;
            }
            loop {
                if at == top {
                    return Some(height);
                }
                let node = self.flat.node(at);
                if node.next != NONE {
                    at = node.next;
                    break;
                }
                (at, level) = (node.parent, level - 1);
            }
        }
    }

    /// Moves a node into `parent`: before the child `before`, or to the end if `before` is [`NONE`].
    fn place(&mut self, node: NodeId, parent: NodeId, before: NodeId) {
        self.flat.unlink(node);
        self.flat.link(parent, node, before);
    }
}

//! Recogniser of posts of other sites, embedded in a page.

use crate::structure::names::{Role, has_role};
use crate::{Document, NodeId, Tag};

/// Whether an element is an embedded post.
pub fn is_embedded_post(doc: &Document, node: NodeId) -> bool {
    matches!(doc.tag(node), Tag::BLOCKQUOTE | Tag::DIV | Tag::FIGURE) && has_role(doc, node, Role::Embed)
}

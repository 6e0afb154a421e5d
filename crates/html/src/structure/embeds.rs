//! Recogniser of posts of other sites, embedded in a page.

use crate::structure::names::{Role, Roles};
use crate::{Document, NodeId, Tag};

/// Whether an element is an embedded post.
pub fn is_embedded_post(doc: &Document, node: NodeId, roles: Roles) -> bool {
    matches!(doc.tag(node), Tag::BLOCKQUOTE | Tag::DIV | Tag::FIGURE) && roles.has(Role::Embed)
}

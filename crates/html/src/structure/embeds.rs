//! Recogniser of embedded posts of other sites, such as a post of a social network.

use crate::structure::names::{Role, Roles};
use crate::{Document, NodeId, Tag};

/// Whether an element is an embedded post, by its class names.
pub fn is_embedded_post(doc: &Document, node: NodeId, roles: Roles) -> bool {
    matches!(doc.tag(node), Tag::BLOCKQUOTE | Tag::DIV | Tag::FIGURE) && roles.has(Role::Embed)
}

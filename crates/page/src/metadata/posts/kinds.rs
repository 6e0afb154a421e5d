//! The kind of post that the names and microdata types of an element indicate.

use super::PostKind;
use crate::metadata::element_names::{self as names, any_word};
use threshr_html::{Document, Kind, NodeId, Tag};

/// Maximum number of children of an unnamed `<article>` that are checked for names such as `post-body`.
const MAX_PARTS: usize = 8;

/// Returns the kind of post that the name or the microdata type of an element indicates, and whether the name is
/// that of a component, such as `post-body`.
pub(super) fn of(doc: &Document, node: NodeId) -> Option<(PostKind, bool)> {
    let tag = doc.tag(node);
    let is_inline = !tag.is_block_level() && Tag::known(doc.name(node)).is_some();
    if is_inline || matches!(tag, Tag::BODY | Tag::HTML | Tag::FORM) {
        return None;
    }
    let marked = doc.attribute(node, "itemtype").and_then(kind_of_type);
    let names = ["class", "id"].iter().filter_map(|name| doc.attribute(node, name));
    let mut kinds: Vec<_> = names.flat_map(str::split_ascii_whitespace).filter_map(kind_of_name).collect();
    if kinds.is_empty() {
        let property = doc.attribute(node, "itemprop").unwrap_or_default();
        kinds.extend(property.split_ascii_whitespace().filter_map(kind_of_name));
    }
    // a whole-post name takes priority over a component name, and any name over the microdata type, because
    // forums often declare their posts as comments
    if kinds.is_empty() && marked.is_none() && tag == Tag::ARTICLE {
        return around_parts(doc, node);
    }
    let kind = match kinds.into_iter().min_by_key(|&(kind, is_part)| (is_part, kind != PostKind::Comment)) {
        Some((kind, is_part)) => Some((kind, is_part && marked.is_none())),
        None => Some((marked?, false)),
    };
    kind.filter(|(kind, _)| *kind != PostKind::Post || !is_entry(doc, node))
}

/// Returns the kind of an `<article>` without a name: if a child is a component of a post, such as `post-body`,
/// the article is that post.
fn around_parts(doc: &Document, article: NodeId) -> Option<(PostKind, bool)> {
    let children = doc.children(article).filter(|&n| doc.kind(n) == Kind::Element).take(MAX_PARTS);
    let classes = children.filter_map(|n| doc.attribute(n, "class"));
    let mut kinds = classes.flat_map(str::split_ascii_whitespace).filter_map(kind_of_name);
    kinds.find(|(_, is_part)| *is_part)
}

/// Whether a class marks the element as an article of a blog or as a product. Blog software also names these
/// `post`.
fn is_entry(doc: &Document, node: NodeId) -> bool {
    let class = doc.attribute(node, "class").unwrap_or_default();
    class.split_ascii_whitespace().any(|name| names::ENTRY.contains(name))
        && !any_word(class, |word| word != "post" && names::POST.contains(word))
}

/// Maps a schema.org type to a kind.
fn kind_of_type(address: &str) -> Option<PostKind> {
    match address.rsplit(['/', '#']).next()?.trim() {
        "Comment" | "UserComments" | "Review" => Some(PostKind::Comment),
        "DiscussionForumPosting" | "Answer" | "Question" => Some(PostKind::Post),
        _ => None,
    }
}

/// Returns the kind that one class name or id indicates, and whether another word follows the kind, as in
/// `comment-body`. Returns `None` for names such as `comment-author`.
fn kind_of_name(name: &str) -> Option<(PostKind, bool)> {
    let (mut kind, mut is_last, mut is_other) = (None, false, false);
    any_word(name, |word| {
        let word = word.trim_end_matches(|c: char| c.is_ascii_digit());
        if names::COMMENT.contains(word) {
            (kind, is_last) = (Some(PostKind::Comment), true);
        } else if names::POST.contains(word) {
            (kind, is_last) = (kind.or(Some(PostKind::Post)), true);
        } else if !word.is_empty() {
            is_last = false;
        }
        is_other |= names::NOT_POST.contains(word);
        false
    });
    kind.filter(|_| !is_other).map(|kind| (kind, !is_last))
}

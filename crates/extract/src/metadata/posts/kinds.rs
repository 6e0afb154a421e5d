//! What elements are named or marked as.

use super::PostKind;
use crate::metadata::element_names::{self as names, any_word};
use threshr_html::{Document, NodeId, Tag};

/// What an element is named or marked as, and whether its name is that of a part.
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
    // a full name decides over that of a part, and any name over the type: forums mark their posts as comments
    match kinds.into_iter().min_by_key(|&(kind, is_part)| (is_part, kind != PostKind::Comment)) {
        Some((kind, is_part)) => Some((kind, is_part && marked.is_none())),
        None => Some((marked?, false)),
    }
}

/// The kind of a type of schema.org.
fn kind_of_type(address: &str) -> Option<PostKind> {
    match address.rsplit(['/', '#']).next()?.trim() {
        "Comment" | "UserComments" | "Review" => Some(PostKind::Comment),
        "DiscussionForumPosting" | "Answer" | "Question" => Some(PostKind::Post),
        _ => None,
    }
}

/// The kind that one name of an element says, and whether another word follows, as in `comment-body`. `None` for names such
/// as `comment-author`.
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

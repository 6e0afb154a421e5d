//! Posts: comments below an article, posts of a thread, questions and answers, each with who wrote it and when.
//!
//! A post is an element that is named as one, or marked as one by microdata, and has a text beside the name of its author
//! or its date.

mod choose;
mod contents;
mod entries;
mod kinds;
mod own_text;
mod signs;
#[cfg(test)]
mod tests;

pub use entries::leads_away;

use threshr_html::blocks::Blocks;
use threshr_html::{Document, Kind, NodeId};

/// A post of a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Post {
    /// Its element.
    pub node: NodeId,
    /// What it is.
    pub kind: PostKind,
    /// Who wrote it, if the page says so.
    pub author: Option<String>,
    /// When: ISO 8601, if the page says so.
    pub date: Option<String>,
    /// The post around it, by index: the one that it replies to.
    pub parent: Option<usize>,
    /// The blocks of its text, by index, without those of its author, its date, buttons and posts inside it.
    pub blocks: Vec<usize>,
}

/// The kind of a [`Post`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PostKind {
    /// A reader's comment.
    Comment,
    /// A post of a thread, a question or an answer.
    Post,
}

/// Most elements that may be posts. Further ones are not read.
const MAX_CANDIDATES: usize = 20_000;
/// Most characters of an element that holds an author or a date.
const MAX_CHARS: usize = 120;
/// No candidate.
const NONE: u32 = u32::MAX;

/// The posts of a page, in document order.
pub fn posts(doc: &Document, blocks: &Blocks) -> Vec<Post> {
    let mut candidates = candidates(doc);
    if candidates.is_empty() {
        return Vec::new();
    }
    let owners = Owners::of(doc, &candidates);
    signs::find(doc, &owners, &mut candidates);
    signs::count_letters(doc, blocks, &owners, &mut candidates);
    choose::choose(doc, &owners, &mut candidates);
    let mut posts = contents::of_posts(doc, blocks, &owners, &candidates);
    own_text::reduce(doc, blocks, &mut posts);
    posts
}

/// An element that may be a post.
#[derive(Debug)]
struct Candidate {
    node: NodeId,
    kind: PostKind,
    /// Whether a name says that it is a part of a post or is around one, such as `message-cell`.
    is_part: bool,
    /// The candidate around it.
    parent: Option<usize>,
    /// Elements that hold an author or a date and are in no candidate inside.
    authors: Vec<NodeId>,
    dates: Vec<NodeId>,
    letters: usize,
    /// Whether a text is typed here: a form is no post.
    has_field: bool,
    /// The posts directly inside.
    inside: Vec<usize>,
    is_post: bool,
}

/// The elements that are named or marked as posts, in document order.
fn candidates(doc: &Document) -> Vec<Candidate> {
    let elements = doc.descendants(doc.root()).filter(|&n| doc.kind(n) == Kind::Element && doc.is_visible(n));
    let named = elements.filter_map(|node| Some((node, kinds::of(doc, node)?)));
    let candidate = |(node, (kind, is_part))| Candidate {
        node,
        kind,
        is_part,
        parent: None,
        authors: Vec::new(),
        dates: Vec::new(),
        letters: 0,
        has_field: false,
        inside: Vec::new(),
        is_post: false,
    };
    named.take(MAX_CANDIDATES).map(candidate).collect()
}

/// For each node, the innermost candidate around it.
struct Owners(Vec<u32>);

impl Owners {
    fn of(doc: &Document, candidates: &[Candidate]) -> Self {
        let mut owner = vec![NONE; doc.num_nodes()];
        for (index, candidate) in candidates.iter().enumerate() {
            owner[candidate.node as usize] = index as u32;
        }
        for node in doc.descendants(doc.root()) {
            if owner[node as usize] == NONE
                && let Some(parent) = doc.parent(node)
            {
                owner[node as usize] = owner[parent as usize];
            }
        }
        Owners(owner)
    }

    fn get(&self, node: NodeId) -> Option<usize> {
        self.0.get(node as usize).filter(|&&owner| owner != NONE).map(|&owner| owner as usize)
    }
}

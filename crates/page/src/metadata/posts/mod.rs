//! Posts: comments below an article, posts of a thread, questions and answers, each with its author and date.
//!
//! A post is an element that its name or its microdata type declares as a post. It has text in addition to the
//! name of its author or its date.

mod choose;
mod contents;
mod entries;
mod kinds;
mod own_text;
mod signs;
#[cfg(test)]
mod tests;

pub use entries::leads_away;

use serde::Serialize;
use threshr_html::blocks::Blocks;
use threshr_html::{Document, Kind, NodeId};

/// A post of a page.
#[derive(Debug, Clone, PartialEq)]
pub struct Post {
    /// The element of the post. If it spans several sibling elements, the first of them.
    pub node: NodeId,
    /// The last element of the post.
    pub last: NodeId,
    /// The kind of the post.
    pub kind: PostKind,
    /// The author, if the page names one.
    pub author: Option<String>,
    /// The URL of the author's page, as written in the page.
    pub author_url: Option<String>,
    /// The date, if the page shows one. It is in ISO 8601, or as written in the page if the day is unknown, such as
    /// `3 days ago`.
    pub date: Option<String>,
    /// The URL of the post, as written in the page.
    pub url: Option<String>,
    /// Number of votes, if the page shows it.
    pub score: Option<i64>,
    /// Index of the post that contains this post. This post is a reply to it.
    pub parent: Option<usize>,
    /// Indices of the text blocks, without the author, the date, buttons and inner posts.
    pub blocks: Vec<usize>,
    /// The text, if it is not the whole text of the blocks.
    pub text: Option<String>,
    /// Confidence that this is a post of a thread, from 0 to 1; `None` if the post was recognised by its name
    /// alone.
    pub confidence: Option<f32>,
}

/// The kind of a [`Post`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum PostKind {
    /// A reader's comment.
    Comment,
    /// A post of a thread.
    Post,
    /// A question.
    Question,
    /// An answer to a question.
    Answer,
    /// A review of a product, a place or a work.
    Review,
}

/// Maximum number of elements that may be posts. The elements after them are ignored.
const MAX_CANDIDATES: usize = 20_000;
/// Maximum number of characters of an element that holds an author or a date.
const MAX_CHARS: usize = 120;
/// Value for a node that is in no candidate.
const NONE: u32 = u32::MAX;

/// Returns the posts of a page, in document order.
pub fn posts(doc: &Document, blocks: &Blocks) -> Vec<Post> {
    let mut candidates = candidates(doc);
    if candidates.is_empty() {
        return Vec::new();
    }
    let owners = Owners::new(doc, &candidates);
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
    /// Whether the name is that of a component or a container of a post, such as `message-cell`.
    is_part: bool,
    /// Index of the innermost candidate that contains this candidate.
    parent: Option<usize>,
    /// Elements that hold an author or a date and are not in an inner candidate.
    authors: Vec<NodeId>,
    dates: Vec<NodeId>,
    letters: usize,
    /// Whether the candidate has an input field for a text or an e-mail address. A form is not a post.
    has_field: bool,
    /// Indices of the posts directly inside.
    inside: Vec<usize>,
    is_post: bool,
}

/// Returns the elements declared as posts by name or microdata type, in document order.
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

/// For each node, the index of the innermost candidate that contains it.
struct Owners(Vec<u32>);

impl Owners {
    fn new(doc: &Document, candidates: &[Candidate]) -> Self {
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

//! Author, date and text blocks of posts.

use super::{Candidate, MAX_CHARS, Owners, Post};
use crate::metadata::authors;
use crate::metadata::dates::{self, DateStyle};
use crate::metadata::element_names as names;
use crate::metadata::text::{has_digit, of_node};
use crate::metadata::visible::names_in;
use threshr_html::blocks::{Blocks, Span};
use threshr_html::{Document, NodeId, Tag};

/// Maximum number of bytes of a member name.
const MAX_NAME: usize = 60;
/// Maximum number of characters of a button label.
const MAX_LABEL: usize = 20;
/// Maximum number of letters next to an author or a date in a block that is not text, such as `says:`.
const MAX_BESIDE: usize = 12;

/// Returns the selected candidates with their author, date and text blocks.
pub(super) fn of_posts(
    doc: &Document,
    blocks: &Blocks,
    owners: &Owners,
    candidates: &[Candidate],
) -> Vec<Post> {
    let mut place = vec![None; candidates.len()];
    let mut posts: Vec<Post> = Vec::new();
    let mut in_sign = vec![false; doc.num_nodes()];
    // candidates are in document order, so outer candidates come first
    for (index, candidate) in candidates.iter().enumerate() {
        let around = candidate.parent.and_then(|parent: usize| place[parent]);
        if !candidate.is_post {
            place[index] = around;
            continue;
        }
        place[index] = Some(posts.len());
        candidate.authors.iter().chain(&candidate.dates).for_each(|&n| in_sign[n as usize] = true);
        posts.push(Post {
            node: candidate.node,
            last: candidate.node,
            kind: candidate.kind,
            author: author(doc, candidate),
            author_url: None,
            date: candidate.dates.iter().find_map(|&n| date(doc, n)),
            url: None,
            score: None,
            parent: around,
            blocks: Vec::new(),
            text: None,
            confidence: None,
        });
    }
    for node in doc.descendants(doc.root()) {
        in_sign[node as usize] |= doc.parent(node).is_some_and(|parent| in_sign[parent as usize]);
    }
    for index in 0..blocks.len() {
        let Some(first) = blocks.spans(index).first() else { continue };
        let Some(owner) = owners.get(first.node) else { continue };
        let Some(place) = place[owner] else { continue };
        let post = &mut posts[place];
        // read names and dates only before the text: later ones may belong to other people
        if post.blocks.is_empty() {
            if post.author.is_none() {
                post.author = linked_author(doc, blocks, index);
            }
            if post.date.is_none() {
                post.date = shown_date(blocks.text(index));
            }
        }
        if is_text(doc, blocks, index, &in_sign) {
            post.blocks.push(index);
        }
    }
    posts
}

/// Returns the text of a block's link to a member page.
fn linked_author(doc: &Document, blocks: &Blocks, index: usize) -> Option<String> {
    let links = blocks.spans(index).iter().filter_map(|span| Some((span, span.link?)));
    let mut names = links.filter(|(_, link)| names::leads_to(doc, *link, &names::POST_AUTHOR_PAGE));
    let text = names.next().map(|(span, _)| blocks.slice(&span.text).trim())?;
    let is_short = blocks.text(index).len() <= text.len() + MAX_CHARS / 2;
    let is_name = is_short && text.len() <= MAX_NAME && text.chars().any(char::is_alphabetic);
    is_name.then(|| authors::names(text, authors::Form::One).into_iter().next()).flatten()
}

/// Returns the date in a short text.
fn shown_date(text: &str) -> Option<String> {
    let may_be_one = text.len() <= MAX_CHARS / 2 && has_digit(text);
    may_be_one.then(|| dates::find(text, DateStyle::default())).flatten().map(|found| found.iso)
}

fn author(doc: &Document, candidate: &Candidate) -> Option<String> {
    let named = candidate.authors.iter().find_map(|&n| names_in(doc, n, true).into_iter().next());
    let attribute = || {
        let name = ["data-author", "author"].iter().find_map(|name| doc.attribute(candidate.node, name))?;
        authors::names(name, authors::Form::One).into_iter().next()
    };
    named.or_else(attribute)
}

fn date(doc: &Document, node: NodeId) -> Option<String> {
    let attributes = ["datetime", "content", "data-time", "data-timestamp", "title"];
    let mut values = attributes.iter().filter_map(|name| doc.attribute(node, name));
    let style = DateStyle::default();
    values
        .find_map(|value| dates::parse(value, style))
        .or_else(|| dates::find(&of_node(doc, node), style).map(|f| f.iso))
}

/// Whether a block of a post is part of its text: not its author or date, and not a button label.
fn is_text(doc: &Document, blocks: &Blocks, index: usize, in_sign: &[bool]) -> bool {
    let spans = blocks.spans(index);
    let is_sign = |n: NodeId| in_sign[n as usize];
    let is_label = spans.iter().all(|span| {
        span.link.is_some() || doc.ancestors(span.node).take(3).any(|n| doc.tag(n) == Tag::BUTTON)
    }) && blocks.text(index).chars().count() <= MAX_LABEL;
    let (signs, others): (Vec<_>, Vec<_>) = spans.iter().partition(|span| is_sign(span.node));
    let num_letters = |span: &Span| blocks.slice(&span.text).chars().filter(|c| c.is_alphanumeric()).count();
    let has_text = signs.is_empty() || others.into_iter().map(num_letters).sum::<usize>() > MAX_BESIDE;
    !is_label && has_text
}

//! Reduces a post to what its author wrote: removes member profiles, subject lines, buttons and counters.

use super::Post;
use rustc_hash::{FxHashMap, FxHashSet};
use threshr_html::blocks::Blocks;
use threshr_html::{Document, NodeId, Tag};

/// Minimum number of posts with the common text element.
const MIN_ALIKE: usize = 2;
/// A line is boilerplate only if at least this number of posts, and at least half of the posts, have it.
const MIN_SHARED: usize = 3;
/// Maximum number of bytes of a boilerplate line.
const MAX_SHARED: usize = 120;
/// Maximum number of characters of a button: a line of links at the start or the end of a post.
const MAX_BUTTON: usize = 40;
/// Maximum number of ancestors between a text and its post that are examined.
const MAX_AROUND: usize = 24;

/// Removes from the blocks of each post what its author did not write. A post keeps its blocks if nothing would
/// remain.
///
/// - The posts of a page share one structure. If most posts have an element of one tag and class that holds most of
///   the text, only the blocks inside it stay.
/// - Short lines that occur in at least half of the posts, apart from their numbers, are boilerplate.
/// - In a post without such an element, links and lines without letters at its start and end are buttons and
///   counters.
pub(super) fn reduce(doc: &Document, blocks: &Blocks, posts: &mut [Post]) {
    let lines: Vec<Vec<String>> = posts.iter().map(|post| shapes(blocks, post)).collect();
    let mut uses: FxHashMap<&str, usize> = FxHashMap::default();
    for of_post in &lines {
        let distinct: FxHashSet<&str> = of_post.iter().map(String::as_str).collect();
        distinct.into_iter().for_each(|line| *uses.entry(line).or_default() += 1);
    }
    let num_posts = posts.iter().filter(|post| !post.blocks.is_empty()).count();
    let is_shared = |line: &str| {
        let num = uses.get(line).copied().unwrap_or_default();
        line.len() <= MAX_SHARED && num >= MIN_SHARED && 2 * num >= num_posts
    };
    let weight = |line: &String| if is_shared(line) { 0 } else { line.len().div_ceil(uses[line.as_str()]) };
    let weights: Vec<Vec<usize>> = lines.iter().map(|of_post| of_post.iter().map(weight).collect()).collect();
    let body = body(doc, blocks, posts, &weights).map(|(tag, class)| (tag, class.to_owned()));
    for (post, lines) in posts.iter_mut().zip(&lines) {
        let node = post.node;
        let is_in_body = |&block: &usize| {
            let of_body =
                |n: NodeId| body.as_ref().is_some_and(|(tag, class)| (*tag, class.as_str()) == form(doc, n));
            around(doc, blocks, block, node).any(of_body)
        };
        let has_body = post.blocks.iter().any(is_in_body);
        let all = post.blocks.iter().zip(lines);
        let own = all.filter(|&(block, line)| (!has_body || is_in_body(block)) && !is_shared(line));
        let mut own: Vec<usize> = own.map(|(&block, _)| block).collect();
        if !has_body {
            let is_tool = |&block: &usize| is_counter(blocks.text(block)) || is_button(doc, blocks, block);
            let first = own.iter().position(|block| !is_tool(block)).unwrap_or(0);
            let end = own.iter().rposition(|block| !is_tool(block)).map_or(own.len(), |last| last + 1);
            own = own[first..end].to_vec();
        }
        if !own.is_empty() {
            post.blocks = own;
        }
    }
}

/// Returns the normalised lines of a post, with the author name replaced by a placeholder.
fn shapes(blocks: &Blocks, post: &Post) -> Vec<String> {
    let name = post.author.as_deref().filter(|name| !name.is_empty());
    let line = |&block: &usize| {
        let text = blocks.text(block);
        match name {
            Some(name) if text.len() <= MAX_SHARED && text.contains(name) => shape(&text.replace(name, "@")),
            _ => shape(text),
        }
    };
    post.blocks.iter().map(line).collect()
}

/// Normalises a line: lower case, single spaces, and one zero for each number.
fn shape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            c if c.is_numeric() && out.ends_with('0') => {}
            c if c.is_numeric() => out.push('0'),
            c if c.is_whitespace() && out.ends_with(' ') => {}
            c if c.is_whitespace() => out.push(' '),
            c => out.extend(c.to_lowercase()),
        }
    }
    out
}

/// Returns the elements between the text of a block and its post, innermost first.
fn around<'d>(
    doc: &'d Document,
    blocks: &Blocks,
    block: usize,
    post: NodeId,
) -> impl Iterator<Item = NodeId> + 'd {
    let first = blocks.spans(block).first().map(|span| span.node);
    let elements = first.into_iter().flat_map(move |n| doc.ancestors(n));
    elements.take_while(move |&n| n != post).take(MAX_AROUND)
}

/// Returns the tag and class of an element. Elements with the same tag and class have the same role in each
/// post.
fn form(doc: &Document, node: NodeId) -> (Tag, &str) {
    let class = doc.attribute(node, "class").or_else(|| doc.attribute(node, "itemprop"));
    (doc.tag(node), class.unwrap_or_default().trim())
}

/// Statistics about the elements with one tag and class in the posts.
#[derive(Default)]
struct Uses {
    num_posts: usize,
    num_elements: usize,
    /// Sum of line weights. The bytes of a line are divided by the number of posts that have the line, and
    /// boilerplate has weight 0.
    weight: usize,
    /// Number of lines inside the elements.
    num_lines: usize,
    last_post: Option<usize>,
}

/// Returns the tag and class of the element that holds the text of posts. At least 80 % of the posts must have
/// about one such element, and these elements must hold at least 75 % of the line weight. If several qualify,
/// the one with the fewest lines is returned.
fn body<'d>(
    doc: &'d Document,
    blocks: &Blocks,
    posts: &[Post],
    weights: &[Vec<usize>],
) -> Option<(Tag, &'d str)> {
    let mut forms: FxHashMap<(Tag, &str), Uses> = FxHashMap::default();
    let mut seen: FxHashSet<NodeId> = FxHashSet::default();
    for (number, (post, weights)) in posts.iter().zip(weights).enumerate() {
        for (&block, weight) in post.blocks.iter().zip(weights) {
            let mut here: FxHashSet<(Tag, &str)> = FxHashSet::default();
            for node in around(doc, blocks, block, post.node) {
                let form = form(doc, node);
                if form.1.is_empty() || !may_hold_text(form.0) {
                    continue;
                }
                let uses = forms.entry(form).or_default();
                uses.num_elements += usize::from(seen.insert(node));
                uses.num_posts += usize::from(uses.last_post.replace(number) != Some(number));
                if here.insert(form) {
                    uses.weight += weight;
                    uses.num_lines += 1;
                }
            }
        }
    }
    let num_posts = posts.iter().filter(|post| !post.blocks.is_empty()).count();
    let weight: usize = weights.iter().flatten().sum();
    let is_body = |uses: &Uses| {
        uses.num_posts >= MIN_ALIKE
            && 5 * uses.num_posts >= 4 * num_posts
            && 10 * uses.num_elements <= 11 * uses.num_posts
            && 4 * uses.weight >= 3 * weight
    };
    let bodies = forms.into_iter().filter(|(_, uses)| is_body(uses));
    bodies.min_by_key(|((tag, class), uses)| (uses.num_lines, tag.0, *class)).map(|(form, _)| form)
}

/// Whether an element with this tag may hold the whole text of a post. Paragraphs, lists and headings may not.
fn may_hold_text(tag: Tag) -> bool {
    !tag.is_heading()
        && !matches!(tag, Tag::P | Tag::LI | Tag::UL | Tag::OL | Tag::BLOCKQUOTE | Tag::PRE | Tag::A | Tag::Q)
}

/// Whether a line has no letters.
fn is_counter(text: &str) -> bool {
    !text.chars().any(char::is_alphabetic)
}

/// Whether a line consists of links and buttons only. A URL that somebody wrote is not a button.
fn is_button(doc: &Document, blocks: &Blocks, block: usize) -> bool {
    let text = blocks.text(block);
    let is_tool = |n: NodeId| doc.tag(n) == Tag::BUTTON || doc.attribute(n, "role") == Some("button");
    let mut spans = blocks.spans(block).iter();
    text.chars().count() <= MAX_BUTTON
        && !text.contains("://")
        && !text.starts_with("www.")
        && spans.all(|span| span.link.is_some() || doc.ancestors(span.node).take(3).any(is_tool))
}

//! Posts: comments below an article, posts of a thread, questions and answers, each with who wrote it and when.
//!
//! A post is an element that is named as one, or marked as one by microdata, and has a text beside the name of its author
//! or its date.

use super::dates::{self, DateStyle};
use super::element_names::{self as names, any_word, has};
use super::text::of_node;
use super::visible::names_in;
use rustc_hash::FxHashMap;
use threshr_html::blocks::{Blocks, Span};
use threshr_html::{Document, Kind, NodeId, Tag};

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
    /// The blocks of its text, by index, without those of its author, its date and posts inside it.
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
/// Most bytes of the name of a member.
const MAX_NAME: usize = 60;
/// Most elements with an author, and with a date, of a post that takes over others.
const MAX_SIGNS: usize = 32;
/// Fewest letters and digits of a text.
const MIN_LETTERS: usize = 2;
/// Fewest posts of a thread. A single one is the article.
const MIN_POSTS: usize = 2;
/// Most characters of a label of a button.
const MAX_LABEL: usize = 20;
/// Most letters beside an author or a date in one block, such as `says:`.
const MAX_BESIDE: usize = 12;
/// No candidate.
const NONE: u32 = u32::MAX;

/// The posts of a page, in document order.
pub fn posts(doc: &Document, blocks: &Blocks) -> Vec<Post> {
    let mut candidates = candidates(doc);
    if candidates.is_empty() {
        return Vec::new();
    }
    let owners = Owners::of(doc, &candidates);
    count_signs(doc, &owners, &mut candidates);
    count_letters(blocks, &owners, &mut candidates);
    choose(doc, &mut candidates);
    drop_single_posts(&mut candidates);
    written(doc, blocks, &owners, &candidates)
}

/// Drops posts of threads if there are no two beside each other: a single one is the article.
fn drop_single_posts(candidates: &mut [Candidate]) {
    let mut num_inside: FxHashMap<Option<usize>, usize> = FxHashMap::default();
    // the innermost post around each candidate; those around come first
    let mut around: Vec<Option<usize>> = Vec::with_capacity(candidates.len());
    for candidate in candidates.iter() {
        let of_parent =
            |parent: usize| if candidates[parent].is_post { Some(parent) } else { around[parent] };
        let post = candidate.parent.and_then(of_parent);
        around.push(post);
        if candidate.is_post && candidate.kind == PostKind::Post {
            *num_inside.entry(post).or_default() += 1;
        }
    }
    if num_inside.values().all(|&num| num < MIN_POSTS) {
        candidates.iter_mut().filter(|c| c.kind == PostKind::Post).for_each(|c| c.is_post = false);
    }
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
    let mut found: Vec<Candidate> = Vec::new();
    let elements = doc.descendants(doc.root()).filter(|&n| doc.kind(n) == Kind::Element && doc.is_visible(n));
    for (node, (kind, is_part)) in elements.filter_map(|n| Some((n, kind_of(doc, n)?))).take(MAX_CANDIDATES) {
        found.push(Candidate {
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
        });
    }
    found
}

/// What an element is named or marked as, and whether its name is that of a part.
fn kind_of(doc: &Document, node: NodeId) -> Option<(PostKind, bool)> {
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
    // forums mark their posts as comments
    kinds.sort_by_key(|kind| (kind.1, kind.0 != PostKind::Comment));
    let is_comment = kinds.iter().any(|kind| kind.0 == PostKind::Comment);
    let named = if is_comment { PostKind::Comment } else { PostKind::Post };
    // a full name decides over that of a part
    let full = kinds.iter().find(|kind| !kind.1).map(|kind| kind.0);
    let kind = if kinds.is_empty() { marked? } else { full.unwrap_or(named) };
    Some((kind, marked.is_none() && kinds.iter().all(|kind| kind.1)))
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

/// Finds the elements that hold authors and dates, the innermost ones, and the forms.
fn count_signs(doc: &Document, owners: &Owners, candidates: &mut [Candidate]) {
    for candidate in candidates.iter_mut() {
        candidate.parent = doc.parent(candidate.node).and_then(|parent| owners.get(parent));
    }
    let all: Vec<NodeId> = doc.descendants(doc.root()).collect();
    // from the last to the first, so that a node comes after those inside it
    let mut holds_sign = vec![false; doc.num_nodes()];
    let mut num_chars = vec![0usize; doc.num_nodes()];
    for &node in all.iter().rev() {
        let index = node as usize;
        if doc.kind(node) == Kind::Text && doc.is_visible(node) {
            num_chars[index] = doc.text(node).trim().len();
        }
        if let Some(parent) = doc.parent(node) {
            num_chars[parent as usize] += num_chars[index];
        }
        if doc.kind(node) != Kind::Element {
            continue;
        }
        let Some(candidate) = owners.get(node).map(|index| &mut candidates[index]) else { continue };
        candidate.has_field |= doc.tag(node) == Tag::TEXTAREA && doc.is_visible(node);
        let is_short = (1..=MAX_CHARS).contains(&num_chars[index]);
        if holds_sign[index] || node == candidate.node || !is_short || !doc.is_visible(node) {
            continue;
        }
        let is_sign = if is_author(doc, node) {
            candidate.authors.push(node);
            true
        } else if is_date(doc, node) {
            candidate.dates.push(node);
            true
        } else {
            false
        };
        if is_sign {
            let around = doc.ancestors(node).take_while(|&n| n != candidate.node);
            for n in around {
                if std::mem::replace(&mut holds_sign[n as usize], true) {
                    break;
                }
            }
        }
    }
    for candidate in candidates {
        candidate.authors.reverse();
        candidate.dates.reverse();
    }
}

fn is_author(doc: &Document, node: NodeId) -> bool {
    let is_property = |value: &str| matches!(value, "author" | "creator");
    (has(doc, node, &names::POST_AUTHOR) || doc.attribute(node, "itemprop").is_some_and(is_property))
        && !has(doc, node, &names::NOT_AUTHOR)
        && !is_date(doc, node)
}

fn is_date(doc: &Document, node: NodeId) -> bool {
    let is_property = |value: &str| matches!(value, "datePublished" | "dateCreated" | "commentTime");
    (doc.tag(node) == Tag::TIME
        || has(doc, node, &names::POST_DATE)
        || doc.attribute(node, "itemprop").is_some_and(is_property))
        && !has(doc, node, &names::NOT_POST_DATE)
}

/// Counts letters outside authors and dates.
fn count_letters(blocks: &Blocks, owners: &Owners, candidates: &mut [Candidate]) {
    for index in 0..blocks.len() {
        for span in blocks.spans(index) {
            if let Some(owner) = owners.get(span.node) {
                candidates[owner].letters +=
                    blocks.slice(&span.text).chars().filter(|c| c.is_alphanumeric()).count();
            }
        }
    }
}

/// Decides which candidates are posts. A candidate that is none gives its parts to the one around it.
fn choose(doc: &Document, candidates: &mut [Candidate]) {
    for index in (0..candidates.len()).rev() {
        if !candidates[index].is_part {
            absorb_parts(doc, candidates, index);
        }
        let own = &candidates[index];
        let has_sign = !own.authors.is_empty() || !own.dates.is_empty();
        let has_text = own.letters >= MIN_LETTERS;
        if let Some(body) = body(doc, candidates, index).filter(|_| !has_text) {
            candidates[body].is_post = false;
            let inside = std::mem::take(&mut candidates[body].inside);
            give(candidates, body, index);
            let own = &mut candidates[index];
            own.inside.retain(|&post| post != body);
            own.inside.extend(inside);
            own.is_post = true;
        } else {
            candidates[index].is_post = has_sign && has_text && !own.has_field;
        }
        let Some(parent) = candidates[index].parent else { continue };
        if candidates[index].is_post {
            candidates[parent].inside.push(index);
        } else {
            let inside = std::mem::take(&mut candidates[index].inside);
            candidates[parent].inside.extend(inside);
            give(candidates, index, parent);
        }
    }
}

/// Takes over the posts inside that are parts of this one: those that are named as parts, unless several have the same form
/// and most of the text, and a single one that lacks the author or the date, which this one has.
fn absorb_parts(doc: &Document, candidates: &mut [Candidate], index: usize) {
    let inside = std::mem::take(&mut candidates[index].inside);
    let mut forms: FxHashMap<(Tag, &str), usize> = FxHashMap::default();
    let form = |post: usize| {
        let node = candidates[post].node;
        (doc.tag(node), doc.attribute(node, "class").unwrap_or_default())
    };
    inside.iter().for_each(|&post| *forms.entry(form(post)).or_default() += 1);
    let own = &candidates[index];
    let letters = |post: &usize| candidates[*post].letters;
    let all = own.letters + inside.iter().map(letters).sum::<usize>();
    let is_absorbed = |post: &usize| {
        let inner = &candidates[*post];
        if inner.is_part {
            let num = forms[&form(*post)];
            return num == 1 || 2 * num * inner.letters < all;
        }
        inside.len() == 1
            && (inner.authors.is_empty() && !own.authors.is_empty()
                || inner.dates.is_empty() && !own.dates.is_empty())
    };
    let (parts, mut kept): (Vec<usize>, Vec<usize>) = inside.iter().copied().partition(is_absorbed);
    for part in parts {
        candidates[part].is_post = false;
        kept.append(&mut std::mem::take(&mut candidates[part].inside));
        give(candidates, part, index);
    }
    candidates[index].inside = kept;
}

/// The post inside a candidate without text that has the text: the only one, or the one before replies, which have the form
/// of the candidate.
fn body(doc: &Document, candidates: &[Candidate], index: usize) -> Option<usize> {
    let own = &candidates[index];
    let first = own.inside.iter().copied().min()?;
    let is_like = |&post: &usize| is_alike(doc, candidates[post].node, own.node);
    let are_replies = own.inside.iter().filter(|&&post| post != first).all(is_like);
    (own.inside.len() == 1 || are_replies && !is_like(&first)).then_some(first)
}

/// Whether two elements have the same tag and share a class name.
fn is_alike(doc: &Document, a: NodeId, b: NodeId) -> bool {
    let names = |n: NodeId| doc.attribute(n, "class").unwrap_or_default().split_ascii_whitespace();
    doc.tag(a) == doc.tag(b)
        && (names(a).next().is_none() || names(a).any(|name| names(b).any(|n| n == name)))
}

/// Gives the parts of a candidate that is no post to another one.
fn give(candidates: &mut [Candidate], from: usize, to: usize) {
    let own = &mut candidates[from];
    let (mut authors, mut dates) = (std::mem::take(&mut own.authors), std::mem::take(&mut own.dates));
    let (letters, has_field) = (own.letters, own.has_field);
    let around = &mut candidates[to];
    authors.append(&mut around.authors);
    dates.append(&mut around.dates);
    for signs in [&mut authors, &mut dates] {
        signs.sort_unstable();
        signs.truncate(MAX_SIGNS);
    }
    (around.authors, around.dates) = (authors, dates);
    around.letters += letters;
    around.has_field |= has_field;
}

/// The chosen candidates with their author, date and text.
fn written(doc: &Document, blocks: &Blocks, owners: &Owners, candidates: &[Candidate]) -> Vec<Post> {
    let mut place = vec![None; candidates.len()];
    let mut posts: Vec<Post> = Vec::new();
    let mut in_sign = vec![false; doc.num_nodes()];
    // candidates are in document order, so those around come first
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
            kind: candidate.kind,
            author: author(doc, candidate),
            date: candidate.dates.iter().find_map(|&n| date(doc, n)),
            parent: around,
            blocks: Vec::new(),
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
        // in the text of a post, names and dates are those of others
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

/// The text of a link of a block to a page about a member.
fn linked_author(doc: &Document, blocks: &Blocks, index: usize) -> Option<String> {
    let links = blocks.spans(index).iter().filter_map(|span| Some((span, span.link?)));
    let mut names = links.filter(|(_, link)| {
        let address = doc.attribute(*link, "href").unwrap_or_default();
        let path = super::url::path(address).unwrap_or(address);
        any_word(path, |word| names::POST_AUTHOR_PAGE.contains(word))
    });
    let text = names.next().map(|(span, _)| blocks.slice(&span.text).trim())?;
    let is_short = blocks.text(index).len() <= text.len() + MAX_CHARS / 2;
    let is_name = is_short && text.len() <= MAX_NAME && text.chars().any(char::is_alphabetic);
    is_name.then(|| super::authors::names(text, super::authors::Form::One).into_iter().next()).flatten()
}

/// The date of a short text.
fn shown_date(text: &str) -> Option<String> {
    let may_be_one = text.len() <= MAX_CHARS / 2 && text.bytes().any(|b| b.is_ascii_digit());
    may_be_one.then(|| dates::find(text, DateStyle::default())).flatten().map(|found| found.iso)
}

fn author(doc: &Document, candidate: &Candidate) -> Option<String> {
    let named = candidate.authors.iter().find_map(|&n| names_in(doc, n, true).into_iter().next());
    let attribute = || {
        let name = ["data-author", "author"].iter().find_map(|name| doc.attribute(candidate.node, name))?;
        super::authors::names(name, super::authors::Form::One).into_iter().next()
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

/// Whether a block of a post is its text: not its author or date, and no label of a button.
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

#[cfg(test)]
mod tests {
    use super::*;
    use threshr_html::blocks::REGISTRY;
    use threshr_html::{Visibility, parse_str};

    /// Author, date and text of each post, and the number of the post around it.
    fn found(html: &str) -> Vec<(PostKind, String, String, String, Option<usize>)> {
        let doc = parse_str(html);
        let blocks = Blocks::of(&doc, REGISTRY[0], Visibility::Visible);
        let text = |post: &Post| post.blocks.iter().map(|&i| blocks.text(i)).collect::<Vec<_>>().join("|");
        let all = posts(&doc, &blocks);
        all.iter()
            .map(|p| {
                let or_empty = |value: &Option<String>| value.clone().unwrap_or_default();
                (p.kind, or_empty(&p.author), or_empty(&p.date), text(p), p.parent)
            })
            .collect()
    }

    #[test]
    fn comments_have_authors_dates_and_replies() {
        let html = "<article><p>Text of the article, by nobody.</article><div id=comments><h3>2 comments</h3><ol class=comment-list>\
            <li class='comment byuser comment-author-ann' id=comment-1><div class=comment-body><div class=comment-author><cite class=fn>Ann Miller</cite>\
            <span class=says>says:</span></div><div class=comment-meta><time datetime=2024-05-03T10:00>3 May</time></div><p>Thanks for it.</p>\
            <a class=comment-reply-link href=#>Reply</a></div><ol class=children><li class=comment id=comment-2><div class=comment-body>\
            <cite class=fn>bo</cite><time>4 May 2024</time><p>Me too.</p></div></ol></ol>\
            <form class=comment-form><p>Your comment<textarea></textarea><p class=comment-form-author>Name</form></div>";
        let found = found(html);
        let say = |author: &str, date: &str, text: &str, parent| {
            (PostKind::Comment, author.to_owned(), date.to_owned(), text.to_owned(), parent)
        };
        assert_eq!(
            found,
            [
                say("Ann Miller", "2024-05-03T10:00:00", "Thanks for it.", None),
                say("bo", "2024-05-04", "Me too.", Some(0))
            ]
        );
    }

    #[test]
    fn posts_of_a_thread_are_two_or_more() {
        let post = |name: &str, text: &str| {
            format!(
                "<div class='post bg2' id=p7><div class=postprofile><a class=username href=u>{name}</a><p>Posts: 9</div>\
                 <div class=postbody><p class=author>by <strong>{name}</strong> » <time>2024-05-03</time><div class=content>{text}</div></div></div>"
            )
        };
        let found = found(&(post("ann", "Does it rain?") + &post("bo", "It does.")));
        let authors: Vec<_> = found.iter().map(|f| (f.0, f.1.as_str(), f.2.as_str())).collect();
        assert_eq!(authors, [(PostKind::Post, "ann", "2024-05-03"), (PostKind::Post, "bo", "2024-05-03")]);
        assert!(found[1].3.ends_with("It does."));
        assert!(self::found(&post("ann", "An article.")).is_empty());
        let nested =
            format!("<div class=post><i class=author>Ann</i> about Ann {}</div>", post("bo", "An article."));
        assert!(self::found(&nested).is_empty());
    }

    #[test]
    fn microdata_marks_posts() {
        let answer = |name: &str| {
            format!(
                "<div itemscope itemtype='https://schema.org/Answer'><div itemprop=text><p>So it is.</div>\
                 <span itemprop=author><span itemprop=name>{name}</span></span></div>"
            )
        };
        let found = found(&(answer("Ann") + &answer("Bo")));
        assert_eq!(
            found.iter().map(|f| (f.1.as_str(), f.3.as_str())).collect::<Vec<_>>(),
            [("Ann", "So it is."), ("Bo", "So it is.")]
        );
    }
}

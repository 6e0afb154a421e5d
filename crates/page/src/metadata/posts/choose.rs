//! Selects which candidates are posts.

use super::entries::{alone, entries};
use super::{Candidate, Owners, PostKind};
use rustc_hash::FxHashMap;
use threshr_html::{Document, NodeId, Tag};

/// Maximum number of author elements, and of date elements, that a candidate keeps when it takes over those of
/// another candidate.
const MAX_SIGNS: usize = 32;
/// Minimum number of letters and digits of a post.
const MIN_LETTERS: usize = 2;
/// Minimum number of posts of a thread. A single post is the article.
const MIN_POSTS: usize = 2;

/// Selects which candidates are posts. The contents of a candidate that is not a post go to its parent
/// candidate.
pub(super) fn choose(doc: &Document, owners: &Owners, candidates: &mut [Candidate]) {
    let entries = entries(doc, owners, candidates);
    for index in (0..candidates.len()).rev() {
        if !candidates[index].is_part {
            absorb_parts(doc, candidates, index);
        } else if are_halves(candidates, &candidates[index].inside) {
            let halves = std::mem::take(&mut candidates[index].inside);
            halves.into_iter().for_each(|half| absorb(candidates, half, index));
        }
        let own = &candidates[index];
        let has_sign = !own.authors.is_empty() || !own.dates.is_empty();
        let has_text = own.letters >= MIN_LETTERS;
        let has_posts = || own.inside.iter().any(|&post| candidates[post].kind == PostKind::Post);
        let is_entry = entries[index] && !has_posts();
        if let Some(body) = body(doc, candidates, index).filter(|_| !has_text) {
            candidates[body].is_post = false;
            let inside = std::mem::take(&mut candidates[body].inside);
            move_parts(candidates, body, index);
            let own = &mut candidates[index];
            own.inside.retain(|&post| post != body);
            own.inside.extend(inside);
            own.is_post = true;
        } else {
            candidates[index].is_post = has_sign && has_text && !own.has_field && !is_entry;
        }
        let Some(parent) = candidates[index].parent else { continue };
        if candidates[index].is_post {
            candidates[parent].inside.push(index);
        } else {
            let inside = std::mem::take(&mut candidates[index].inside);
            candidates[parent].inside.extend(inside);
            move_parts(candidates, index, parent);
        }
    }
    alone(doc, candidates).into_iter().for_each(|index| candidates[index].is_post = false);
    drop_single_posts(candidates);
}

/// Merges inner posts into the candidate that contains them. An inner post is merged if its name is that of a
/// component, such as `post-body`, unless several inner posts have its tag and class and hold at least half of the
/// text. A single inner post is also merged if it lacks the author or the date and the outer candidate has it.
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
    let is_last = parts.iter().all(|&part| candidates[part].inside.is_empty());
    for part in parts {
        kept.append(&mut std::mem::take(&mut candidates[part].inside));
        absorb(candidates, part, index);
    }
    candidates[index].inside = kept;
    if !is_last {
        absorb_parts(doc, candidates, index);
    }
}

/// Merges the candidate `part` into the candidate `index`.
fn absorb(candidates: &mut [Candidate], part: usize, index: usize) {
    candidates[part].is_post = false;
    move_parts(candidates, part, index);
}

/// Whether two posts are halves of one post: one has only the author, the other only the date, and neither
/// contains a post.
fn are_halves(candidates: &[Candidate], posts: &[usize]) -> bool {
    let &[a, b] = posts else { return false };
    let (a, b) = (&candidates[a], &candidates[b]);
    let has = |c: &Candidate| [!c.authors.is_empty(), !c.dates.is_empty()];
    let is_half = |c: &Candidate| c.is_part && c.inside.is_empty() && c.kind == a.kind;
    is_half(a) && is_half(b) && (0..2).all(|sign| has(a)[sign] != has(b)[sign])
}

/// Returns the inner post that holds the text of a candidate without text of its own. It is the only inner post,
/// or the first, if the others have the tag and class of the candidate and are therefore replies.
fn body(doc: &Document, candidates: &[Candidate], index: usize) -> Option<usize> {
    let own = &candidates[index];
    let first = own.inside.iter().copied().min()?;
    let is_like = |&post: &usize| is_alike(doc, candidates[post].node, own.node);
    let are_replies = own.inside.iter().filter(|&&post| post != first).all(is_like);
    (own.inside.len() == 1 || are_replies && !is_like(&first)).then_some(first)
}

/// Whether two elements have the same tag and share a class name. An element without a class matches any class.
fn is_alike(doc: &Document, a: NodeId, b: NodeId) -> bool {
    let names = |n: NodeId| doc.attribute(n, "class").unwrap_or_default().split_ascii_whitespace();
    doc.tag(a) == doc.tag(b)
        && (names(a).next().is_none() || names(a).any(|name| names(b).any(|n| n == name)))
}

/// Moves the authors, dates and letter count of a candidate that is not a post to another candidate.
fn move_parts(candidates: &mut [Candidate], from: usize, to: usize) {
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

/// Discards the thread posts if there are no two at the same level, because a single post is the article.
fn drop_single_posts(candidates: &mut [Candidate]) {
    let mut num_inside: FxHashMap<Option<usize>, usize> = FxHashMap::default();
    // the innermost post around each candidate; outer candidates come first
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

//! Recognises threads: the posts of forums, pages of questions and answers, and comments, with author and date.
//!
//! A thread is a series of records of one form. Each record has a date, and most have an author. `find` first
//! searches dates and names, then elements of one form with one date each. It returns a thread only with sufficient
//! confidence.

mod assemble;
mod body;
mod citations;
mod gate;
mod lead;
mod links;
mod parts;
mod precheck;
mod replies;
mod series;
mod signs;
mod slots;
mod stated;
#[cfg(test)]
mod tests;
mod tree;
mod words;

pub use parts::{PartKind, Parts, Slot};

use crate::address::Base;
use crate::metadata::date_order::{DateOrder, PageOrder};
use crate::metadata::dates::{DateStyle, Order};
use crate::metadata::{self, Post, PostKind};
use crate::names::element_names::{ElementNames, ITEMTYPE};
use signs::Signs;
use std::borrow::Cow;
use threshr_html::Document;
use threshr_html::blocks::Blocks;
use tree::Tree;

/// Maximum number of series that are tried.
const MAX_TRIES: usize = 4;

/// The thread of a page.
#[derive(Debug, Clone, PartialEq)]
pub struct Thread {
    /// The posts of the thread in document order.
    pub posts: Vec<Post>,
    /// Kinds of the blocks of its posts.
    pub parts: Parts,
    /// Whether the posts are readers' comments below an article.
    pub is_comments: bool,
    /// Confidence that these are posts, from 0 to 1.
    pub confidence: f64,
}

/// The result of the recogniser on a page. Kept, so that a page is searched once.
#[derive(Debug, Clone, Default)]
pub struct Finding {
    /// The order of day and month on the page, and whether 3/5/2024 was read as March 5. `None` if no date needed it.
    order: Option<(DateOrder, bool)>,
    /// The thread, with URLs as the page writes them.
    thread: Option<Thread>,
}

impl Finding {
    /// Searches a page for a thread. `names` are those of its elements. `url` is the URL of the page, which may indicate
    /// the order of day and month.
    pub(crate) fn new(doc: &Document, blocks: &Blocks, names: &ElementNames<'_>, url: Option<&str>) -> Self {
        if !precheck::has_like_dates(doc, blocks) {
            return Finding::default();
        }
        let said = words::of_names(names);
        if !precheck::has_names(doc, blocks, names, &said) {
            return Finding::default();
        }
        let order = PageOrder::new(doc, blocks, url, None);
        let thread = find(&Tree::new(doc, blocks, names, &said), Order::OfPage(&order));
        Finding { order: order.found().map(|found| (found, found.is_month_first(url))), thread }
    }

    /// Returns the thread, with URLs as the page writes them.
    pub fn thread(&self) -> Option<&Thread> {
        self.thread.as_ref()
    }

    /// Returns the blocks of the posts. Empty if there is no thread.
    pub fn parts(&self) -> &Parts {
        static NONE: Parts = Parts { slots: Vec::new(), quotes: Vec::new() };
        self.thread.as_ref().map_or(&NONE, |thread| &thread.parts)
    }

    /// Removes a block from the parts, unless it is in the text of a post.
    pub(crate) fn without_beside(mut self, block: usize) -> Self {
        self.thread =
            self.thread.map(|thread| Thread { parts: thread.parts.without_beside(block), ..thread });
        self
    }

    /// Returns the order of day and month on the page, if the search needed it.
    pub(crate) fn order(&self) -> Option<DateOrder> {
        self.order.map(|(order, _)| order)
    }

    /// Whether a search with this URL of the page would give this result.
    fn holds(&self, url: Option<&str>) -> bool {
        self.order.is_none_or(|(order, month_first)| order.is_month_first(url) == month_first)
    }
}

/// Returns the posts of the thread of a page. If there is no thread, returns the elements whose names identify them as
/// posts or comments ([`metadata::posts`]). Addresses are resolved against `url`, or against the URL that the page
/// states. `known` is the result of an earlier search of the page.
pub fn posts(doc: &Document, blocks: &Blocks, url: Option<&str>, known: Option<&Finding>) -> Vec<Post> {
    let found = found(doc, blocks, url, known).into_owned().thread;
    let Some(mut thread) = found else { return metadata::posts(doc, blocks) };
    let base = Base::new(doc, url);
    for address in thread.posts.iter_mut().flat_map(|post| [&mut post.url, &mut post.author_url]) {
        let resolved = address.as_deref().and_then(|address| base.resolve_web(address));
        *address = resolved.or(address.take());
    }
    thread.posts
}

/// Returns the posts of the thread of a page, with URLs as the page writes them. `None` if it has no thread.
pub(crate) fn thread_posts<'k>(
    doc: &Document,
    blocks: &Blocks,
    url: Option<&str>,
    known: Option<&'k Finding>,
) -> Option<Cow<'k, [Post]>> {
    match found(doc, blocks, url, known) {
        Cow::Borrowed(found) => found.thread.as_ref().map(|thread| Cow::Borrowed(&thread.posts[..])),
        Cow::Owned(found) => found.thread.map(|thread| Cow::Owned(thread.posts)),
    }
}

/// Returns `known` if it holds for the URL of the page, or else the result of a new search.
fn found<'k>(
    doc: &Document,
    blocks: &Blocks,
    url: Option<&str>,
    known: Option<&'k Finding>,
) -> Cow<'k, Finding> {
    match known.filter(|known| known.holds(url)) {
        Some(known) => Cow::Borrowed(known),
        None => Cow::Owned(Finding::new(doc, blocks, &ElementNames::new(doc, blocks), url)),
    }
}

/// Returns the text of a post: its own, otherwise that of its blocks, one block per line.
pub fn text(post: &Post, blocks: &Blocks) -> String {
    let lines = || post.blocks.iter().map(|&block| blocks.text(block)).collect::<Vec<_>>().join("\n");
    post.text.clone().unwrap_or_else(lines)
}

/// Whether posts are posts of a thread, and not comments below an article.
pub fn is_thread(posts: &[Post]) -> bool {
    posts.iter().any(|post| post.confidence.is_some() && post.kind != PostKind::Comment)
}

/// Returns the thread of a page, if it has one. `order` is the order of day and month in its dates.
fn find(tree: &Tree<'_>, order: Order<'_>) -> Option<Thread> {
    let style = DateStyle { language: tree.doc.language(), order };
    let signs = Signs::new(tree, style, gate::MIN_DATES)?;
    // Half of the posts have a marked name, or all records are named as posts.
    let is_post = |&e: &u32| tree.named(e, ITEMTYPE).is_some() || series::names_post(tree, e);
    let mut posts = (0..tree.len()).filter(is_post);
    if signs.named.is_empty() && posts.nth(1).is_none() {
        return None;
    }
    let all = series::find(tree, &signs);
    let mut tried = all.iter().take(MAX_TRIES).filter(|series| gate::may_pass(tree, series));
    let mut thread = tried.find_map(|main| assemble::thread(tree, &signs, main, &all))?;
    stated::fill(tree.doc, &mut thread.posts, style);
    Some(thread)
}

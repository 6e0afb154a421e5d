//! Data about a page for the builder: the span of each text node, addresses, notes, and numbers of letters.

use crate::units::Source;
use std::borrow::Cow;
use std::cell::{Cell, OnceCell};
use threshr_html::blocks::Blocks;
use threshr_html::structure::names::{Role, has_role};
use threshr_html::structure::notes::Notes;
use threshr_html::structure::tex::Delimiters;
use threshr_html::{Document, NodeId, Tag};
use threshr_page::address::{Base, MAX_LENGTH};
use url::Url;

/// Marks a node without span.
const NONE: u32 = u32::MAX;

/// Maximum number of bytes of all resolved addresses: a constant, plus a number for each byte of the page. A long
/// base URL makes short addresses long.
const ADDRESS_BYTES: usize = 1_000_000;
const ADDRESS_BYTES_PER_BYTE: usize = 2;
/// Memory per address in addition to its text, in bytes.
const ADDRESS_COST: usize = 64;

/// Maximum number of blocks without text that are skipped next to an image.
const MAX_EMPTY: usize = 3;

pub(super) struct Context<'a> {
    pub(super) doc: &'a Document,
    pub(super) blocks: &'a Blocks,
    pub(super) kept: Cow<'a, [bool]>,
    pub(super) scores: &'a [f32],
    pub(super) notes: Cow<'a, Notes>,
    delimiters: OnceCell<Delimiters>,
    /// For each node, the index of its span in `spans`.
    span_of: Vec<u32>,
    /// For each span, the index of its block and its index in the block.
    spans: Vec<(u32, u32)>,
    /// The base of relative addresses; `None` if no addresses are requested.
    base: Option<Base>,
    /// Remaining number of bytes of addresses. Further addresses are omitted.
    address_bytes: Cell<usize>,
    /// For each block, the numbers of letters and of kept letters in all blocks before it.
    letters: OnceCell<Vec<[u32; 2]>>,
    /// Whether each block has letters or digits. Other blocks are skipped when the text around an image is
    /// examined.
    shows: OnceCell<Vec<bool>>,
}

impl<'a> Context<'a> {
    /// Creates the data of a page with these blocks kept.
    pub(super) fn new(source: &Source<'a>, kept: &'a [bool]) -> Self {
        let &Source { doc, blocks, scores, url, has_addresses, notes, .. } = source;
        let mut span_of = vec![NONE; doc.num_nodes()];
        let mut spans = Vec::new();
        for block in 0..blocks.len() {
            for (number, span) in blocks.spans(block).iter().enumerate() {
                span_of[span.node as usize] = spans.len() as u32;
                spans.push((block as u32, number as u32));
            }
        }
        Context {
            doc,
            blocks,
            kept: Cow::Borrowed(kept),
            scores,
            notes: notes.map_or_else(|| Cow::Owned(Notes::new(doc)), Cow::Borrowed),
            delimiters: OnceCell::new(),
            span_of,
            spans,
            base: has_addresses.then(|| Base::new(doc, url)),
            address_bytes: Cell::new(ADDRESS_BYTES + ADDRESS_BYTES_PER_BYTE * doc.num_bytes()),
            letters: OnceCell::new(),
            shows: OnceCell::new(),
        }
    }

    /// Marks some blocks as kept or not kept.
    pub(super) fn set_kept(&mut self, blocks: &[usize], is_kept: bool) {
        let kept = self.kept.to_mut();
        blocks.iter().for_each(|&block| kept[block] = is_kept);
        self.letters = OnceCell::new();
    }

    /// Returns the TeX delimiters of the page.
    pub(super) fn delimiters(&self) -> &Delimiters {
        self.delimiters.get_or_init(|| Delimiters::new(self.doc))
    }

    /// Returns the index of the block that contains a text node, and the index of its span in the block.
    pub(super) fn span(&self, node: NodeId) -> Option<(usize, usize)> {
        let (block, number) = *self.spans.get(*self.span_of.get(node as usize)? as usize)?;
        Some((block as usize, number as usize))
    }

    /// Resolves an address; the result is absolute if the URL of the page is known. `None` for scripts and for
    /// addresses that are only meaningful inside the page.
    pub(super) fn address(&self, address: &str) -> Option<String> {
        let address = address.trim();
        if address.is_empty() || address.starts_with('#') || address.len() > MAX_LENGTH {
            return None;
        }
        let found = match self.base.as_ref()?.resolve(address) {
            Some(url) => is_harmless(&url).then(|| url.to_string()),
            // A relative address on a page whose URL is unknown.
            None => Some(address.replace(' ', "%20")).filter(|a| {
                !a.contains(|c: char| c.is_control() || c.is_whitespace())
                    && !a.split(['/', '?', '#']).next().is_some_and(|first| first.contains(':'))
            }),
        }?;
        self.address_bytes.set(self.address_bytes.get().checked_sub(found.len() + ADDRESS_COST)?);
        Some(found)
    }

    /// Returns whether an element without text is content. It is content if the text before and after it is
    /// kept, or if the text on one side and most of the surrounding text are kept. A figure is content if a
    /// part of its caption is kept.
    ///
    /// `next` is the index of the first block after `node`.
    pub(super) fn follows_kept_text(&self, node: NodeId, next: usize) -> bool {
        let is_kept = |index: Option<usize>| index.is_some_and(|i| self.kept.get(i) == Some(&true));
        let figure = self.doc.ancestors_and_self(node).take(MAX_IN_FIGURE).find(|&n| is_figure(self.doc, n));
        let extent = figure.map(|n| self.blocks.extent(n).blocks.clone()).unwrap_or_default();
        let (first, last) =
            if extent.is_empty() { (next, next) } else { (extent.start as usize, extent.end as usize) };
        // An image in a figure is content if the caption is content.
        if (first..last).any(|i| self.kept[i]) {
            return true;
        }
        let all = self.shows.get_or_init(|| {
            let shows = |i| self.blocks.text(i).chars().any(char::is_alphanumeric);
            (0..self.blocks.len()).map(shows).collect()
        });
        let shows = |i: &usize| all[*i];
        let before = (first.saturating_sub(MAX_EMPTY)..first).rev().find(shows);
        let after = (last..(last + MAX_EMPTY).min(self.blocks.len())).find(shows);
        match (is_kept(before), is_kept(after)) {
            (false, false) => return false,
            (true, true) if extent.is_empty() => return true,
            _ => {}
        }
        let own = figure.unwrap_or(node);
        // The text around a figure is more than its caption.
        let has_more = |&n: &NodeId| self.blocks.extent(n).blocks.len() > extent.len();
        let around = self.doc.ancestors(own).find(has_more);
        let Some(around) = around.map(|n| self.blocks.extent(n).blocks.clone()) else { return false };
        let letters = self.letters.get_or_init(|| self.count_letters());
        let (start, end) = (letters[around.start as usize], letters[around.end as usize]);
        2 * u64::from(end[1] - start[1]) >= u64::from(end[0] - start[0])
    }

    fn count_letters(&self) -> Vec<[u32; 2]> {
        let mut sums = vec![[0, 0]];
        let mut sum = [0u32, 0];
        for index in 0..self.blocks.len() {
            let num = self.blocks.text(index).len() as u32;
            sum[0] = sum[0].saturating_add(num);
            sum[1] = sum[1].saturating_add(if self.kept[index] { num } else { 0 });
            sums.push(sum);
        }
        sums
    }
}

/// Maximum number of elements between an image and its figure.
const MAX_IN_FIGURE: usize = 8;
/// Maximum number of blocks of a caption.
const MAX_CAPTION: usize = 4;

/// Whether an element is a figure: an image with its caption.
fn is_figure(doc: &Document, node: NodeId) -> bool {
    doc.tag(node) == Tag::FIGURE || has_role(doc, node, Role::Figure)
}

impl Context<'_> {
    /// Whether an element without kept text is a figure, or contains only one, or is inside one. Its image may be
    /// content if its caption is not.
    pub(super) fn may_show_figure(&self, node: NodeId) -> bool {
        let extent = &self.blocks.extent(node).blocks;
        let is_whole = |&n: &NodeId| is_figure(self.doc, n) && self.blocks.extent(n).blocks == *extent;
        let is_part =
            || self.doc.ancestors_and_self(node).take(MAX_IN_FIGURE).any(|n| is_figure(self.doc, n));
        let is_picture = |n: NodeId| matches!(self.doc.tag(n), Tag::IMG | Tag::PICTURE);
        extent.len() <= MAX_CAPTION
            && self.doc.descendants(node).take(64).any(is_picture)
            && (is_part() || { self.doc.descendants(node) }.take(MAX_IN_FIGURE).any(|n| is_whole(&n)))
    }
}

/// Whether an address may be written: no script and no data URL.
fn is_harmless(url: &Url) -> bool {
    matches!(
        url.scheme(),
        "http" | "https" | "mailto" | "tel" | "ftp" | "xmpp" | "magnet" | "geo" | "sms" | "matrix"
    )
}

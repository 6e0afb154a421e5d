//! Limits against pages that make a tree builder slow: depth of nesting, and reconstructed formatting
//! elements.

use crate::MAX_DEPTH;
use crate::tag::Tag;
use rustc_hash::FxHashMap;
use std::hash::Hash;

/// Elements of a page of any size that no tag stands for. Beyond this number and [`BYTES_PER_SPARE`], open formatting
/// elements are closed. Only hostile pages reopen so many.
const SPARE: u64 = 10_000;

/// Bytes of a page that allow one more such element.
const BYTES_PER_SPARE: u64 = 16;

/// Counts of a page's tags; `N` is the type of a name.
#[derive(Debug)]
pub(crate) struct Limits<N> {
    /// Number of ignored start tags by name. Their end tags are ignored too.
    ignored: FxHashMap<N, u32>,
    /// Formatting elements that are open according to the tags.
    formatting: Vec<N>,
    /// Upper bound of the number of open elements.
    most_open: u32,
    /// Whether the stack of open elements is full. An end tag resets it.
    full: bool,
    /// Most elements so far, without further formatting elements.
    most_elements: u64,
}

impl<N: Clone + Eq + Hash> Limits<N> {
    /// For a page of `num_bytes`.
    pub(crate) fn new(num_bytes: usize) -> Self {
        Limits {
            ignored: FxHashMap::default(),
            formatting: Vec::new(),
            most_open: 0,
            full: false,
            most_elements: SPARE + num_bytes as u64 / BYTES_PER_SPARE,
        }
    }

    /// Whether the tree builder gets a start tag.
    ///
    /// `count_open` counts the open elements. It is slow, and is called only when the upper bound reaches
    /// the limit.
    pub(crate) fn admits_start(
        &mut self,
        name: &N,
        known: Option<Tag>,
        self_closing: bool,
        count_open: impl FnOnce() -> u32,
    ) -> bool {
        let opens = known.is_none_or(|t| !t.is_void() && !t.is_raw_text()) && !self_closing;
        if opens && self.most_open >= MAX_DEPTH && self.is_full(count_open) {
            *self.ignored.entry(name.clone()).or_default() += 1;
            return false;
        }
        self.most_open += u32::from(opens);
        self.most_elements += 1;
        if known.is_some_and(Tag::is_formatting) && self.formatting.len() < 4 * MAX_DEPTH as usize {
            self.formatting.push(name.clone());
        }
        true
    }

    /// Whether the tree builder gets an end tag.
    pub(crate) fn admits_end(
        &mut self,
        name: &N,
        known: Option<Tag>,
        count_open: impl FnOnce() -> u32,
    ) -> bool {
        let ends_ignored = !self.ignored.is_empty() && self.ignored.get(name).is_some_and(|&n| n > 0);
        if ends_ignored && self.is_still_deep(count_open) {
            self.ignored.entry(name.clone()).and_modify(|n| *n -= 1);
            return false;
        }
        self.full = false;
        self.most_elements += 1;
        if known.is_some_and(Tag::is_formatting)
            && let Some(at) = self.formatting.iter().rposition(|n| n == name)
        {
            self.formatting.remove(at);
        }
        true
    }

    /// Whether a further element is too deep.
    fn is_full(&mut self, count_open: impl FnOnce() -> u32) -> bool {
        if !self.full {
            self.most_open = count_open();
            self.full = self.most_open >= MAX_DEPTH;
        }
        self.full
    }

    /// Whether the depth is at least half the limit, so that an end tag may belong to an ignored start tag.
    fn is_still_deep(&mut self, count_open: impl FnOnce() -> u32) -> bool {
        if !self.full {
            self.most_open = count_open();
            if self.most_open < MAX_DEPTH / 2 {
                self.ignored.clear();
                return false;
            }
        }
        true
    }

    /// The formatting elements to close, innermost first, if the tree builder has created more elements than the tags
    /// stand for.
    pub(crate) fn formatting_to_close(
        &mut self,
        num_elements: u64,
    ) -> Option<impl Iterator<Item = N> + use<N>> {
        (num_elements > self.most_elements && !self.formatting.is_empty())
            .then(|| std::mem::take(&mut self.formatting).into_iter().rev())
    }
}

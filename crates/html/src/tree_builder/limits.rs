//! Limits against pages that make a tree builder slow: depth of nesting, and reconstructed formatting
//! elements.

use crate::MAX_DEPTH;
use crate::tag::Tag;
use rustc_hash::FxHashMap;
use std::hash::Hash;

/// Elements per start tag beyond which open formatting elements are closed. Only hostile pages create so
/// many.
const ELEMENTS_PER_TAG: u64 = 4;

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
    /// Number of start tags.
    num_start_tags: u64,
}

impl<N> Default for Limits<N> {
    fn default() -> Self {
        Limits {
            ignored: FxHashMap::default(),
            formatting: Vec::new(),
            most_open: 0,
            full: false,
            num_start_tags: 0,
        }
    }
}

impl<N: Clone + Eq + Hash> Limits<N> {
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
        self.num_start_tags += 1;
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

    /// The formatting elements to close, innermost first, if the tree builder has created too many elements.
    pub(crate) fn formatting_to_close(
        &mut self,
        num_elements: u64,
    ) -> Option<impl Iterator<Item = N> + use<N>> {
        if num_elements <= ELEMENTS_PER_TAG * self.num_start_tags + 10_000 {
            return None;
        }
        // the next time after as many further elements
        self.num_start_tags = num_elements / ELEMENTS_PER_TAG;
        Some(std::mem::take(&mut self.formatting).into_iter().rev())
    }
}

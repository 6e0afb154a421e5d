//! What of a page made to be slow a tree builder must not see: tags nested too deep, and formatting elements
//! that it would open anew without end.

use crate::MAX_DEPTH;
use crate::tag::Tag;
use rustc_hash::FxHashMap;
use std::hash::Hash;

/// Elements the tree builder may create per start tag before open formatting elements are closed: real pages
/// stay far below, pages made to be slow create hundreds.
const ELEMENTS_PER_TAG: u64 = 4;

/// Counts of a page's tags; `N` is how its names are held.
#[derive(Debug)]
pub(crate) struct Limits<N> {
    /// Start tags ignored for depth, whose end tags must be ignored too.
    ignored: FxHashMap<N, u32>,
    /// Formatting elements that are open as far as the tags tell.
    formatting: Vec<N>,
    /// No fewer than the elements that are open.
    most_open: u32,
    /// The stack of open elements is full, and nothing has been closed since.
    full: bool,
    /// Elements that the page's own tags account for.
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
    /// Whether a start tag goes on to the tree builder. `count_open` counts the elements that it holds, which it
    /// does not tell by itself; it is asked only when as many tags have opened one since the last count as fit.
    pub fn admits_start(
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

    /// Whether an end tag goes on to the tree builder.
    pub fn admits_end(&mut self, name: &N, known: Option<Tag>, count_open: impl FnOnce() -> u32) -> bool {
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

    /// Whether another element would lie too deep.
    fn is_full(&mut self, count_open: impl FnOnce() -> u32) -> bool {
        if !self.full {
            self.most_open = count_open();
            self.full = self.most_open >= MAX_DEPTH;
        }
        self.full
    }

    /// Whether the page is still about where start tags were ignored, so that an end tag may belong to one.
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

    /// The formatting elements to be closed, innermost first, because the tree builder has opened them anew too
    /// often: it has created `num_elements`.
    pub fn formatting_to_close(&mut self, num_elements: u64) -> Option<impl Iterator<Item = N> + use<N>> {
        if num_elements <= ELEMENTS_PER_TAG * self.num_start_tags + 10_000 {
            return None;
        }
        // the next time after as many elements again
        self.num_start_tags = num_elements / ELEMENTS_PER_TAG;
        Some(std::mem::take(&mut self.formatting).into_iter().rev())
    }
}

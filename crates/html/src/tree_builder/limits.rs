//! Limits for pages that would make the tree builder slow: nesting depth, and number of reconstructed formatting
//! elements.

use crate::MAX_DEPTH;
use crate::tag::Tag;
use rustc_hash::FxHashMap;

/// Number of elements that every page may have in addition to those that its tags create. The limit grows with the
/// size of the page, by [`BYTES_PER_SPARE`]. Beyond the limit, open formatting elements are closed, because only
/// hostile pages reopen so many.
const SPARE: u64 = 10_000;

/// Number of bytes of a page that increase the limit of [`SPARE`] by one element.
const BYTES_PER_SPARE: u64 = 16;

/// The limits of a page, with the counts of its tags.
#[derive(Debug)]
pub(crate) struct Limits {
    /// Number of ignored start tags by name. Their end tags are also ignored.
    ignored: FxHashMap<Tag, u32>,
    /// Formatting elements that are open according to their tags.
    formatting: Vec<Tag>,
    /// Upper bound on the number of open elements.
    most_open: u32,
    /// Whether the stack of open elements is full. An end tag resets this flag.
    full: bool,
    /// Maximum number of elements that may have been created so far, before formatting elements are closed.
    most_elements: u64,
}

impl Limits {
    /// Creates the limits of a page of `num_bytes`.
    pub(crate) fn new(num_bytes: usize) -> Self {
        Limits {
            ignored: FxHashMap::default(),
            formatting: Vec::new(),
            most_open: 0,
            full: false,
            most_elements: SPARE + num_bytes as u64 / BYTES_PER_SPARE,
        }
    }

    /// Returns whether to pass a start tag to the tree builder.
    ///
    /// `count_open` counts the open elements. It is slow, so it is called only if the upper bound of this number
    /// reaches the limit.
    pub(crate) fn admits_start(
        &mut self,
        name: Tag,
        known: Option<Tag>,
        self_closing: bool,
        count_open: impl FnOnce() -> u32,
    ) -> bool {
        let opens = known.is_none_or(|t| !t.is_void() && !t.is_raw_text()) && !self_closing;
        if opens && self.most_open >= MAX_DEPTH && self.is_full(count_open) {
            *self.ignored.entry(name).or_default() += 1;
            return false;
        }
        self.most_open += u32::from(opens);
        self.most_elements += 1;
        if known.is_some_and(Tag::is_formatting) && self.formatting.len() < 4 * MAX_DEPTH as usize {
            self.formatting.push(name);
        }
        true
    }

    /// Returns whether to pass an end tag to the tree builder.
    pub(crate) fn admits_end(
        &mut self,
        name: Tag,
        known: Option<Tag>,
        count_open: impl FnOnce() -> u32,
    ) -> bool {
        let ends_ignored = !self.ignored.is_empty() && self.ignored.get(&name).is_some_and(|&n| n > 0);
        if ends_ignored && self.is_still_deep(count_open) {
            self.ignored.entry(name).and_modify(|n| *n -= 1);
            return false;
        }
        self.full = false;
        self.most_elements += 1;
        if known.is_some_and(Tag::is_formatting)
            && let Some(at) = self.formatting.iter().rposition(|&n| n == name)
        {
            self.formatting.remove(at);
        }
        true
    }

    /// Returns whether another open element would be nested too deeply.
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

    /// Returns the formatting elements to close, innermost first, if the tree builder has created more than the
    /// maximum number of elements.
    pub(crate) fn formatting_to_close(&mut self, num_elements: u64) -> Vec<Tag> {
        if num_elements <= self.most_elements {
            return Vec::new();
        }
        let mut names = std::mem::take(&mut self.formatting);
        names.reverse();
        names
    }
}

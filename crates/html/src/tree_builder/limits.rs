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

/// Maximum number of levels that a start tag adds: an implied `<tbody>` and `<tr>`, a `<td>`, and then an element that
/// is not counted, because it is void, contains raw text or is closed at once.
const LEVELS_PER_TAG: u32 = 4;

/// The limits of a page, with the counts of its tags.
#[derive(Debug)]
pub(crate) struct Limits {
    /// Number of ignored start tags by name. Their end tags are also ignored.
    ignored: FxHashMap<Tag, u32>,
    /// Formatting elements that are open according to their tags.
    formatting: Vec<Tag>,
    /// Maximum number of elements that may have been created so far, before formatting elements are closed.
    most_elements: u64,
}

impl Limits {
    /// Creates the limits of a page of `num_bytes`.
    pub(crate) fn new(num_bytes: usize) -> Self {
        Limits {
            ignored: FxHashMap::default(),
            formatting: Vec::new(),
            most_elements: SPARE + num_bytes as u64 / BYTES_PER_SPARE,
        }
    }

    /// Returns whether to pass a start tag to the tree builder. `depth` is the greatest possible depth of the open
    /// elements. `opens` computes whether the tag opens an element.
    pub(crate) fn admits_start(
        &mut self,
        name: Tag,
        known: Option<Tag>,
        depth: u32,
        opens: impl FnOnce() -> bool,
    ) -> bool {
        if depth + LEVELS_PER_TAG > MAX_DEPTH && opens() {
            *self.ignored.entry(name).or_default() += 1;
            return false;
        }
        self.most_elements += 1;
        if known.is_some_and(Tag::is_formatting) && self.formatting.len() < 4 * MAX_DEPTH as usize {
            self.formatting.push(name);
        }
        true
    }

    /// Returns whether to pass an end tag to the tree builder. `depth` computes the depth of the open elements.
    pub(crate) fn admits_end(&mut self, name: Tag, known: Option<Tag>, depth: impl FnOnce() -> u32) -> bool {
        if !self.ignored.is_empty() && depth() < MAX_DEPTH / 2 {
            // the ignored start tags that are left have no end tags
            self.ignored.clear();
        }
        if let Some(left) = self.ignored.get_mut(&name).filter(|left| **left > 0) {
            *left -= 1;
            return false;
        }
        self.most_elements += 1;
        if known.is_some_and(Tag::is_formatting)
            && let Some(at) = self.formatting.iter().rposition(|&n| n == name)
        {
            self.formatting.remove(at);
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

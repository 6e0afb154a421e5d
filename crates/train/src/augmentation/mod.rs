//! Augmentation: generates additional training examples by inserting comments or stories.
//!
//! Few annotated pages contain readers' comments or lists of other stories. A model that rarely sees them
//! classifies them as content.
//!
//! Modules:
//!
//! - [`generator`]: selects the changes of a page and labels the blocks of the result.
//! - [`place_insertions`]: puts generated HTML into the page.
//! - [`insertions`]: generates that HTML.
//! - [`text_generator`]: provides sentences of the page, names, dates and elements for the HTML.
//! - [`phrases`], [`word_lists`]: read the word lists in `data/`.
//!
//! All random choices for a page depend only on the hash of its bytes. Therefore, they do not change if other
//! pages are added or removed.

mod generator;
mod insertions;
mod phrases;
mod place_insertions;
mod text_generator;
mod word_lists;

pub(crate) use generator::{Generated, Generator, Source, insertions};

/// The random choices for a page. Each choice uses one byte of the hash of the page's bytes.
///
/// No two choices share a byte, so they are independent. Bytes 8 to 15 seed the text generator.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Draw {
    /// Which property is overridden in the policy: headline, captions, byline, or no property.
    Policy = 0,
    /// Whether the policy counts properties as content that do not occur on the page.
    Absent = 1,
    /// Whether the page is used for training without attributes.
    WithoutAttributes = 2,
    /// Whether the generated example has no attributes.
    GeneratedWithoutAttributes = 3,
    /// Whether stories are inserted.
    Stories = 4,
    /// Whether comments are inserted.
    Comments = 5,
    /// Whether comments are content, regardless of the set's policy.
    CommentsCount = 6,
    /// Whether inserted stories are content, regardless of the set's policy.
    StoriesCount = 7,
    /// Whether only posts or only entries become content, see [`Draw::Absent`].
    Alone = 16,
}

impl Draw {
    /// Returns the hash byte of this choice.
    pub(crate) fn of(self, hash: &[u8; 32]) -> u8 {
        hash[self as usize]
    }
}

/// Returns whether a page with this byte belongs to the given share of the pages, `0.0..=1.0`.
pub(crate) fn is_drawn(byte: u8, share: f32) -> bool {
    f32::from(byte) < share * 256.0
}

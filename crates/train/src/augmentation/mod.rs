//! Further examples of training pages: with comments or stories inserted, or with other content in place of their own.
//!
//! What a page is drawn for depends on the hash of its bytes alone, so that no other page changes it.

mod generator;
mod inserted;
mod insertions;
mod phrases;
mod replaced;
mod replacements;
mod text_generator;

pub(crate) use generator::{Generated, Generator, Plan, Source};

/// What is drawn for a page, each by a byte of its own of the hash of the page's bytes: so that no other page changes it, and no
/// two draws go together. Bytes 8 to 15 are the seed of what is added.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Draw {
    /// Whether the headline, author and date, or captions are switched.
    Policy = 0,
    /// Whether what the page does not have is counted.
    Absent = 1,
    /// Whether it is learned from without attributes.
    WithoutAttributes = 2,
    /// Whether the page that has grown is.
    GeneratedWithoutAttributes = 3,
    /// Whether stories are added.
    Stories = 4,
    /// Whether comments are.
    Comments = 5,
    /// Whether added comments are content against the set's policy.
    CommentsCount = 6,
    /// Whether added stories are.
    StoriesCount = 7,
    /// Whether posts or entries are counted alone.
    Alone = 16,
    /// Whether something else takes the place of the content.
    IsReplaced = 17,
    /// What.
    Replacement = 18,
}

impl Draw {
    /// Its byte.
    pub(crate) fn of(self, hash: &[u8; 32]) -> u8 {
        hash[self as usize]
    }
}

/// Whether a page, by a byte of the hash of its bytes, is one of a share of the pages.
pub(crate) fn is_drawn(byte: u8, share: f32) -> bool {
    f32::from(byte) < share * 256.0
}

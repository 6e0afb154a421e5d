//! Augmentation: further examples of training pages, with comments or stories inserted or with the content
//! replaced.
//!
//! Few annotated pages hold readers' comments or lists of other stories. A model learns little about them and
//! takes them for content on new pages. Most annotated sets hold articles only: a model learns that content
//! is running text and drops listings, threads and landing pages. Few pages of such sets are short: a model
//! takes short content for boilerplate. Generated examples fill these gaps.
//!
//! - [`generator`]: plans a further example of a page and labels its blocks.
//! - [`place_insertions`], [`replace_content`]: put generated HTML into the page.
//! - [`insertions`], [`replacements`]: write that HTML.
//! - [`text_generator`]: sentences of the page, names, dates and elements for the HTML.
//! - [`phrases`], [`word_lists`]: the word lists in `data/`.
//!
//! The draws of a page depend on the hash of its bytes only, so other pages never change them.

mod generator;
mod insertions;
mod phrases;
mod place_insertions;
mod replace_content;
mod replacements;
mod text_generator;
mod word_lists;

pub(crate) use generator::{Generated, Generator, Plan, Source};

/// The random draws of a page. Each draw reads one byte of the hash of the page's bytes.
///
/// No two draws share a byte, so draws are independent. Bytes 8 to 15 seed the text generator.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Draw {
    /// Which property of marked blocks the policy overrides: headline, captions, author and date, or none.
    Policy = 0,
    /// Whether properties that the page lacks count.
    Absent = 1,
    /// Whether the page is trained on without attributes.
    WithoutAttributes = 2,
    /// Whether the generated example is trained on without attributes.
    GeneratedWithoutAttributes = 3,
    /// Whether stories are inserted.
    Stories = 4,
    /// Whether comments are inserted.
    Comments = 5,
    /// Whether inserted comments are content, whatever the set's policy.
    CommentsCount = 6,
    /// Whether inserted stories are content, whatever the set's policy.
    StoriesCount = 7,
    /// Whether only posts or only entries count, see [`Draw::Absent`].
    Alone = 16,
    /// Whether the content is replaced.
    IsReplaced = 17,
    /// Which kind of HTML replaces the content.
    Replacement = 18,
}

impl Draw {
    /// The byte of this draw.
    pub(crate) fn of(self, hash: &[u8; 32]) -> u8 {
        hash[self as usize]
    }
}

/// Whether a page with this draw belongs to a share of the pages, `0.0..=1.0`.
pub(crate) fn is_drawn(byte: u8, share: f32) -> bool {
    f32::from(byte) < share * 256.0
}

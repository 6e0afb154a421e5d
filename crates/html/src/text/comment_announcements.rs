//! Words for readers' comments in sixty languages, in the forms that headings and counters use.

use crate::text::word_list::word_list;

/// Words for one comment. They may also head a column, so they announce comments only beside a number.
pub const ONE: &[&str] = &word_list!("comments/one.tsv", 1);

/// Words for several comments.
pub const MANY: &[&str] = &word_list!("comments/many.tsv", 1);

/// Words for comments and for other things. They announce nothing on their own.
pub const REPLIES: &[&str] = &word_list!("comments/replies.tsv", 1);

/// Words in languages without spaces between words, and phrases of two words.
pub const PHRASES: &[&str] = &word_list!("comments/phrases.tsv", 1);

//! Words for reader comments in sixty languages, in the inflections that headings and counters use.

use crate::text::word_list::word_list;

/// Singular words for a comment. They may also be the title of an opinion column, so they announce comments only
/// next to a number.
pub const ONE: &[&str] = &word_list!("comments/one.tsv", 1);

/// Plural words for comments.
pub const MANY: &[&str] = &word_list!("comments/many.tsv", 1);

/// Ambiguous words for comments, such as `replies`. They do not announce comments on their own.
pub const REPLIES: &[&str] = &word_list!("comments/replies.tsv", 1);

/// Words in languages without spaces between words, and phrases of two words.
pub const PHRASES: &[&str] = &word_list!("comments/phrases.tsv", 1);

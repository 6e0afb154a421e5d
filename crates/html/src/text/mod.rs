//! Words and tokens for features, alignment and metrics.
//!
//! [`tokens`] normalises the text and converts it to lower case, so that texts can be compared. [`words`]
//! splits a text without changing it, so that the text can be measured.

pub mod classes;
pub mod comment_announcements;
pub mod name_words;
pub mod prefix_filter;
pub mod stop_words;
pub mod swar;
mod tokens;
pub mod word_list;

pub use tokens::{Interner, Words, is_nospace, is_word_char, normalise, tokens, words};

/// Maximum number of objects and arrays in a JSON text that is parsed as a whole.
const MAX_JSON_VALUES: usize = 20_000;

/// Returns whether a JSON text has few enough objects and arrays to be parsed as a whole. In memory, an
/// object or array takes up to a hundred times the size of its text.
pub fn has_few_json_values(text: &str) -> bool {
    memchr::memchr2_iter(b'{', b'[', text.as_bytes()).nth(MAX_JSON_VALUES).is_none()
}

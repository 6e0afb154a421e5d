//! Words and tokens, as features, alignment and metrics define them.
//!
//! [`tokens`] serves to compare texts and is normalised and lower-case. [`words`] serves to measure a text
//! as it is.

pub mod classes;
pub mod comment_announcements;
pub mod name_words;
pub mod prefix_filter;
pub mod stop_words;
pub mod swar;
mod tokens;
pub mod word_list;

pub use tokens::{Interner, Words, is_nospace, is_word_char, normalise, tokens, words};

/// Most objects and arrays of a JSON text that is read as a whole.
const MAX_JSON_VALUES: usize = 20_000;

/// Whether a JSON text has few objects and arrays. Read as a whole, each takes up to a hundred times the bytes of its text.
pub fn has_few_json_values(text: &str) -> bool {
    memchr::memchr2_iter(b'{', b'[', text.as_bytes()).nth(MAX_JSON_VALUES).is_none()
}

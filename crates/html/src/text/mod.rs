//! Words and tokens, as features, alignment and metrics define them.
//!
//! [`tokens`] serves to compare texts and is normalised and lower-case. [`words`] serves to measure a text
//! as it is.

pub mod classes;
pub mod comment_announcements;
pub mod name_words;
pub mod prefix_filter;
pub mod simd_u128;
pub mod stop_words;
pub mod swar;
mod tokens;
pub mod word_list;

pub use tokens::{Interner, Words, is_nospace, is_word_char, normalise, tokens, words};

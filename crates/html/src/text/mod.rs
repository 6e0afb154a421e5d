//! Words and tokens: the one definition that features, gold alignment and metrics share.
//!
//! [`tokens`] is for comparing texts (normalised, lower case); [`words`] is for measuring a text as it stands.

pub mod classes;
pub mod comment_announcements;
pub mod name_words;
pub mod prefix_filter;
pub mod simd_u128;
pub mod stop_words;
pub mod swar;
mod tokens;

pub use tokens::{Interner, Words, is_nospace, is_word_char, normalise, tokens, words};

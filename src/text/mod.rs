//! Words and tokens: the one definition that features, gold alignment and metrics share.
//!
//! [`tokens`] is for comparing texts (normalised, lower case); [`words`] is for measuring a text as it stands.

pub(crate) mod begins;
pub(crate) mod classes;
pub(crate) mod comments;
pub(crate) mod eights;
pub(crate) mod name_words;
pub(crate) mod sixteens;
pub(crate) mod stop_words;
mod tokens;

pub use tokens::{Interner, Words, is_nospace, is_word_char, normalise, tokens, words};

//! Modules that several systems share.

pub(crate) mod events;
pub(crate) mod fitted;
pub(crate) mod ngrams;
pub(crate) mod patterns;
pub(crate) mod range;
pub(crate) mod stop_list;
pub(crate) mod stream;
pub(crate) mod threshold;
pub(crate) mod vocabulary;

//! What more than one family reads of a page: each index is computed once a page.

pub(crate) mod article_metadata;
pub(crate) mod bylines;
pub(crate) mod captions;
pub(crate) mod context;
pub(crate) mod date_words;
pub(crate) mod depths;
pub(crate) mod hashing;
pub(crate) mod headline;
pub(crate) mod keys;
pub mod language;
pub(crate) mod masks;
pub(crate) mod metadata_names;
pub(crate) mod months;
pub(crate) mod name_kinds;
pub(crate) mod names;
pub(crate) mod page_words;
pub(crate) mod relative_dates;
pub(crate) mod running_text;
pub(crate) mod scan;
pub(crate) mod signs;
pub(crate) mod site_stats;
pub(crate) mod stats;
pub(crate) mod text_patterns;
pub(crate) mod word;
pub(crate) mod word_list;

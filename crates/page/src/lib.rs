//! Facts about a page that feature families, filters, page type, metadata and output formats share.
//!
//! [`PageFacts`] indexes the blocks of a document: counts and words of each block, names of elements,
//! headline, bylines and captions. [`metadata`] reads title, authors, dates and other metadata of a page. The
//! directory `data/` contains word lists by language, with their sources.

pub mod address;
pub mod article;
pub mod dates;
pub mod depths;
mod facts;
pub mod json_ld;
mod known;
pub mod language;
pub mod metadata;
pub mod names;
pub mod text;
pub mod threads;
pub mod word_lists;

pub use article::article_metadata::ArticleMetadata;
pub use facts::{PageFacts, Sums};
pub use known::Known;
pub use metadata::Metadata;
pub use text::page_words::PageWords;
pub use text::stats::BlockStats;
pub use text::word::Word;
pub use text::word_list::WordStats;

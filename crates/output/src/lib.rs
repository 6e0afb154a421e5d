//! Labelled blocks to output: [`units`] is the content as a tree of headings, paragraphs, lists, code and tables, and
//! [`formats`] writes pages as text, Markdown, HTML, TEI, JSON Lines, WET and other formats.

pub mod formats;
mod page_level;
pub mod units;

pub use page_level::{PageLevel, Quality};

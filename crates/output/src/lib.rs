//! Labelled blocks to output: [`units`] builds the content as a tree of headings, paragraphs, lists, code and
//! tables, and [`formats`] writes pages as text, Markdown, HTML, TEI, JSON Lines, WET and other formats.

pub mod formats;
mod type_and_quality;
pub mod units;

pub use type_and_quality::{Quality, TypeAndQuality};

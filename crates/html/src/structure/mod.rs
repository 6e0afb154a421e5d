//! Recognisers of structure: elements of the document that are code, data tables, formulas, figures, notes and the
//! like. Each is one file.
//!
//! Recognisers read the document and change nothing. [`groups`](crate::blocks::Blocks::groups) tells which blocks are
//! kept or dropped as a whole.

pub mod code;
pub mod embeds;
pub(crate) mod groups;
pub mod names;
pub mod style;
pub mod tables;

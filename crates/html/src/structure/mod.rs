//! Recognisers of structure: elements of the document that are code, data tables, formulas, images, notes and the
//! like. Each is one file.
//!
//! Recognisers read the document and change nothing. [`groups`](crate::blocks::Blocks::groups) tells which blocks are
//! kept or dropped as a whole.
//!
//! # How to add a recogniser
//!
//! 1. Write `NAME.rs` with functions of document and element. Class names belong in `data/structure_classes.tsv`.
//! 2. Call it in `crates/output/src/units/builder.rs`. If its blocks are kept as a whole, add a kind to `groups.rs`.
//! 3. Add a case to `tests/cases/structure`.

pub mod callouts;
pub mod code;
pub mod embeds;
pub mod formulas;
pub(crate) mod groups;
pub mod images;
mod mathml;
pub mod names;
pub mod notes;
pub mod style;
pub mod tables;

pub use groups::{Group, GroupKind};

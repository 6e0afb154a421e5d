//! Recognisers of structure: each file finds one kind of element, such as code, data tables, formulas, images or
//! notes.
//!
//! Recognisers read the document and do not change it. [`groups`](crate::blocks::Blocks::groups) lists the blocks
//! that are kept or dropped together.
//!
//! # How to add a recogniser
//!
//! 1. Write `NAME.rs` with functions that take a document and an element. Put class names in
//!    `data/structure_classes.tsv`.
//! 2. Call them in `crates/output/src/units/builder.rs`. If the blocks are kept or dropped together, add a
//!    kind to `groups.rs`.
//! 3. Add a case to `tests/cases/structure`.

pub mod callouts;
pub mod code;
pub mod embeds;
pub mod formulas;
pub(crate) mod groups;
pub mod images;
pub mod mail;
mod mathml;
pub mod names;
pub mod notes;
pub mod tables;
pub mod tex;

pub use groups::{Group, GroupKind};

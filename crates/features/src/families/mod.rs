//! The feature families, with one file per family. Learned families are in `learned/`.
//!
//! # How to add a family
//!
//! 1. Write `NAME.rs` here. If each column is a function of page and block, use a `PerBlock` table, as in
//!    `shallow.rs`. Otherwise implement `Family`, as in `duplicate.rs`. Values must be finite on every page.
//!    Code that other crates can share belongs in the crate `page`.
//! 2. Give each column a name, a unit, a definition and a source. Increase its version if the meaning of the
//!    column changes.
//! 3. Add the family at the end of `REGISTRY` in `lib.rs`, which determines the order of columns.
//! 4. The set `all` contains the family unless `is_in_all` is false. Add `-NAME` to the recipes `models/*.toml`
//!    that begin with `all`, so that they keep the columns of the shipped models. A test compares these
//!    columns.
//! 5. Add the family to the table in `docs/guide/features.md`.

pub(crate) mod attribute;
pub(crate) mod bullet;
pub(crate) mod cetr;
pub(crate) mod container;
pub(crate) mod density;
pub(crate) mod document;
pub(crate) mod drawn;
pub(crate) mod duplicate;
pub(crate) mod edge;
pub(crate) mod group;
pub(crate) mod lexical;
pub(crate) mod metadata;
pub(crate) mod pattern;
pub(crate) mod policy;
pub(crate) mod position;
pub(crate) mod readability;
pub(crate) mod repeat;
pub(crate) mod shallow;
pub(crate) mod site_repeat;
pub(crate) mod split;
pub(crate) mod thread;
pub(crate) mod token;
pub(crate) mod visual;
pub(crate) mod window;

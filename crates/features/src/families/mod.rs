//! The feature families, one file each. Learned families are in `learned/`.
//!
//! # How to add a family
//!
//! 1. Write `NAME.rs` here. Use a `PerBlock` table, as in `shallow.rs`, if each column is a function of page and block;
//!    else implement `Family`, as in `duplicate.rs`. Values are finite on every page. Shared work goes into the crate `page`.
//! 2. Give each column a name, a unit, a definition and a source. Raise its version if its meaning changes.
//! 3. Add the family at the end of `REGISTRY` in `lib.rs`. The order of columns follows it.
//! 4. The set `all` has it unless `is_in_all` is false. Add `-NAME` to the recipes `models/*.toml` that begin with `all`,
//!    so that they keep the columns of the shipped models. A test compares them.
//! 5. Name it in the table of `docs/guide/features.md`.

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

//! Reads and writes annotated sets.
//!
//! - [`gold`] reads sets of all known formats: pages with the content that annotators selected.
//! - [`labelling`] reads labels that are inside the pages of a set.
//! - [`annotations`] stores block labels by annotators and reads them back.

pub mod annotations;
pub mod gold;
pub mod labelling;

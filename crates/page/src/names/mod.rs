//! Class, id and other names of elements.

pub mod element_names;
pub mod keys;
pub mod metadata_names;
pub mod name_kinds;

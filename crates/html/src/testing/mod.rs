//! Shared by tests of this crate: random pages, and comparison with html5ever.

mod agreement;
pub(crate) mod random_pages;

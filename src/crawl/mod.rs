//! Many pages: where they come from.

mod files;

pub use files::{Input, Listing, inputs};

//! Readers of many pages and of annotated sets, and files that are written whole or not at all.

pub mod atomic;
mod geometry;
pub mod gold;
pub mod http;
pub mod raw_page;
pub mod readers;

pub use atomic::AtomicFile;
pub use geometry::read_geometry;
pub use gold::site_of;
pub use http::Encoding;
pub use raw_page::{Body, Item, Loaded, RawPage, Unread};
pub use readers::{Fields, READERS, Reader, Source, Sources, sources};

//! Input and output of many pages: readers of crawls and annotated sets, and files that are written
//! atomically.
//!
//! - [`sources`] turns paths into inputs. [`READERS`] lists the formats: HTML files, lists, JSON Lines, WARC,
//!   Parquet.
//! - [`gold`] reads annotated sets: pages with the content that annotators marked.
//! - [`annotations`] keeps the labels that people give to blocks, and reads them again.
//! - [`atomic`] writes files that appear under their name only when they are complete.
//!
//! A damaged record is one [`Item::Failed`]; the reader goes on with the next record.
//!
//! ```
//! use std::sync::Arc;
//! use threshr_io::{Fields, Item, sources};
//!
//! let dir = tempfile::tempdir()?;
//! let file = dir.path().join("pages.jsonl");
//! std::fs::write(&file, r#"{"id": "1", "url": "http://example.org/", "html": "<p>Rain"}"#)?;
//!
//! let found = sources(&[file], None)?;
//! let mut pages = found.sources[0].open(&Fields::default(), &Arc::default())?;
//! while let Some(item) = pages.next()? {
//!     if let Item::Page(page) = item {
//!         assert_eq!((page.id.as_str(), page.url.as_deref()), ("1", Some("http://example.org/")));
//!         assert_eq!(page.load(None)?.bytes, b"<p>Rain");
//!     }
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod annotations;
pub mod atomic;
mod geometry;
pub mod gold;
pub mod http;
mod json;
pub mod names;
pub mod raw_page;
pub mod readers;
pub mod records;
mod sniff;

pub use atomic::AtomicFile;
pub use geometry::read_geometry;
pub use gold::site_of;
pub use http::Encoding;
pub use raw_page::{Body, Item, Loaded, RawPage, Unread};
pub use readers::{Fields, READERS, Reader, Source, Sources, sources};

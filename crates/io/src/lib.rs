//! Input and output for many pages: readers of crawl files and record files, and atomically written files.
//!
//! - [`sources`] resolves paths to inputs. [`READERS`] lists the input formats: HTML files, lists, JSON Lines,
//!   WARC, Parquet.
//! - [`records`] reads files with one record per page: JSON, CSV.
//! - [`atomic`] writes files that get their final name only when they are complete.
//!
//! An unreadable record gives one [`Item::Failed`]; the reader continues with the next record.
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

pub mod atomic;
mod geometry;
pub mod http;
pub mod json;
pub mod names;
pub mod raw_page;
pub mod readers;
pub mod records;
mod sniff;

pub use atomic::AtomicFile;
pub use geometry::read_geometry;
pub use http::Encoding;
pub use raw_page::{Body, Item, Loaded, RawPage, Unread};
pub use readers::{Fields, READERS, Reader, Source, Sources, read_bytes, sources};
pub use sniff::{fetch_command, is_address};

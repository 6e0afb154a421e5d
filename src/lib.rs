//! Extracts the content of web pages: text and Markdown without navigation, advertising and footers.
//!
//! threshr splits a page into blocks of text and computes features of each block. A trained classifier scores
//! the blocks; a decision rule and filters label them. [`extract`] runs these steps with the shipped model:
//!
//! ```
//! let html = br#"<ul class=menu><li><a href="/">Home</a><li><a href="/news">News</a></ul><h1>Tiny homes</h1>
//!     <p>Thinking about packing up your home and getting yourself a tiny house? Here is what to consider.</p>
//!     <p>Tiny homes are all about small spaces that hold a lot. Stairs pull out and become drawers.</p>
//!     <div class=footer><a href="/terms">Terms of use</a> | <a href="/privacy">Privacy</a></div>"#;
//! let text = threshr::extract(html)?.text();
//! assert!(text.contains("Stairs pull out") && !text.contains("Privacy"), "{text}");
//! # Ok::<(), threshr::Error>(())
//! ```
//!
//! An [`Extractor`] has options: another model, what counts as content, limits of time and size. Build it
//! once and share it between threads:
//!
//! ```
//! use std::time::Duration;
//!
//! let extractor = threshr::Extractor::builder()
//!     .policy("article")?
//!     .time_limit(Duration::from_secs(2))
//!     .build()?;
//! match extractor.extract(b"<h1>Rain</h1><p>It rained all day, and nobody in the town went out of the house.") {
//!     Ok(extraction) => println!("{}", extraction.markdown()),
//!     Err(error) if error.kind == threshr::ErrorKind::Timeout => eprintln!("too slow: {error}"),
//!     Err(error) => return Err(error),
//! }
//! # Ok::<(), threshr::Error>(())
//! ```
//!
//! The crates below this one are its internals: pages and blocks (`threshr-html`), features, models, training
//! and evaluation. `docs/guide/library.md` in the repository shows how to train and evaluate from Rust.

mod extractor;
#[cfg(feature = "training")]
mod registries;
#[cfg(feature = "training")]
pub mod training;

pub use extractor::{Extractor, ExtractorBuilder, default_model, extract};
#[cfg(feature = "training")]
#[doc(hidden)]
pub use registries::registries;
pub use threshr_core::{Error, ErrorKind, Result};
pub use threshr_extract::{Block, Extraction, Metadata, Model};
pub use threshr_output::{PageLevel, Quality};

/// The programs in the guide are compiled and run by `cargo test --doc`.
#[cfg(all(doctest, feature = "training"))]
#[doc = include_str!("../docs/guide/library.md")]
struct LibraryGuide;

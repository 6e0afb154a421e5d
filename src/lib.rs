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
//!     .timeout(Duration::from_secs(2))
//!     .build()?;
//! match extractor.extract(b"<h1>Rain</h1><p>It rained all day, and nobody in the town went out of the house.") {
//!     Ok(extraction) => println!("{}", extraction.markdown()),
//!     Err(error) if error.kind == threshr::ErrorKind::Timeout => eprintln!("too slow: {error}"),
//!     Err(error) => return Err(error),
//! }
//! # Ok::<(), threshr::Error>(())
//! ```
//!
//! [`Page`] adds the URL and the charset of a page. [`Extraction`] gives text, Markdown, HTML, [units](Unit),
//! [metadata](Metadata) and [posts](Post). `docs/guide/library.md` in the repository shows them all.
//!
//! The crates below this one are its internals: pages and blocks (`threshr-html`), features, models, training
//! and evaluation. [`raw`] gives access to some of them, without a promise of stability.

mod builder;
mod extractor;
mod options;
mod page;
pub mod raw;
#[cfg(feature = "training")]
mod registries;
#[cfg(feature = "shipped-model")]
mod shipped;
#[cfg(feature = "training")]
pub mod training;

pub use builder::ExtractorBuilder;
pub use extractor::Extractor;
pub use page::Page;
#[cfg(feature = "training")]
pub use registries::registries;
#[cfg(feature = "shipped-model")]
pub use shipped::{SHIPPED, default_model, extract, shipped_model, shipped_name, with_shipped_names};
pub use threshr_core::{Error, ErrorKind, Result, Setting};
pub use threshr_extract::decision::{Favor, Outcome};
pub use threshr_extract::{Block, Contribution, Explanation, Extraction, Metadata, Model};
pub use threshr_html::structure::tables::Alignment;
pub use threshr_output::units::{
    Atom, AtomKind, Inlines, Kind, Link, MediaKind, Piece, Run, Script, Style, Unit, walk,
};
pub use threshr_output::{Quality, TypeAndQuality};
pub use threshr_page::metadata::{Post, PostKind, Source, Sourced};

/// Compiles and runs the programs in the guide by `cargo test --doc`.
#[cfg(all(doctest, feature = "training"))]
#[doc = include_str!("../docs/guide/library.md")]
struct LibraryGuide;

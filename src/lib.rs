//! Threshes the content of web pages from their boilerplate, by classifying blocks of text.
//!
//! ```text
//! bytes ─page→ Document ─block→ Blocks ─features→ FeatureMatrix ─classifier→ scores ─decision, filter→ labels ─output→ text
//!                                   gold ─align→ labels ──────────┘ (train)        metrics ← labels + gold (evaluate)
//! ```
//!
//! Each stage is a module; each variant of a stage is one file and one line in the stage's registry. A
//! [`pipeline::Recipe`] says which variants with which settings, [`pipeline::Pipeline`] trains and predicts with them,
//! [`model_file`] keeps the result.
//!
//! ```
//! use threshr::page::{ParseOptions, parse};
//!
//! let html = br#"<ul class=menu><li><a href="/">Home</a><li><a href="/news">News</a></ul><h1>Tiny homes</h1>
//!     <p>Thinking about packing up your home and getting yourself a tiny house? Here is what to consider.</p>
//!     <p>Tiny homes are all about small spaces that hold a lot. Stairs pull out and become drawers.</p>
//!     <div class=footer><a href="/terms">Terms of use</a> | <a href="/privacy">Privacy</a></div>"#;
//! let model = threshr::model_file::default_model()?;
//! let document = parse(html, &ParseOptions::default());
//! let prediction = model.predict(&document)?;
//! let text = prediction.blocks.join(|i| prediction.kept[i]);
//! assert!(text.contains("Stairs pull out") && !text.contains("Privacy"), "{text}");
//! # Ok::<(), threshr::Error>(())
//! ```

pub mod atomic;
pub mod block;
pub mod classifier;
#[cfg(feature = "cli")]
pub mod cli;
#[cfg(feature = "crawl")]
pub mod crawl;
pub mod deadline;
pub mod decision;
pub mod error;
pub mod experiment;
pub mod features;
pub mod filter;
pub mod gold;
pub mod metrics;
pub mod model_file;
pub mod output;
pub mod page;
pub mod pipeline;
pub mod policy;
pub mod progress;
mod registry;
pub mod rescore;
pub mod systems;
pub mod text;
pub use error::{Error, ErrorKind, Result};

/// Bytes as lower-case hexadecimal digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}

//! The pipeline from a page to its content: model file and bytes → blocks, scores, labels and text.
//!
//! [`Extractor`] composes [`flow::prepare`], [`flow::features`] and [`flow::decide`]. The package `threshr` adds
//! the default model and the command line.
//!
//! - [`model`] reads and writes model files, [`recipe`] reads the settings of a training run.
//! - [`correction`] corrects decision values for a site, learned from few annotated pages.
//! - [`decision`] and [`filters`] turn scores into labels.
//! - [`type_and_quality`] predicts the type of a page and the quality of its text.
//! - [`parts`] compares two labellings of one page.
//! - The crate `threshr-output` contains the units of the content and the output formats.
//! - [`baseline`] defines the interface of published systems; `threshr-baselines` implements them.
//!
//! ```
//! use std::path::Path;
//! use std::time::Duration;
//! use threshr_core::Budget;
//! use threshr_extract::model::Known;
//! use threshr_extract::{Extractor, Input, Options, model};
//!
//! let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/tiny.json");
//! let model = model::file::load(&path, &Known::default())?;
//! let extractor = Extractor::new(model, Options::default());
//!
//! let page = "<nav><a href=/>Home</a> <a href=/news>News</a></nav><article><h1>Rain</h1><p>It rained all day in \
//!             the north of the country, and some rivers rose by more than two metres, the police said.</article>";
//! let input = Input { bytes: page.as_bytes(), ..Input::default() };
//! let extraction = extractor.extract(&input, &Budget::start(Some(Duration::from_secs(5)))?)?;
//! assert!(extraction.text().contains("It rained all day"));
//! # Ok::<(), threshr_core::Error>(())
//! ```

pub mod baseline;
pub mod correction;
pub mod decision;
mod explain;
mod extraction;
mod extractor;
pub mod filters;
pub mod flow;
pub mod model;
pub mod parts;
pub mod recipe;
pub mod type_and_quality;

pub use explain::{Contribution, Explanation};
pub use extraction::{Block, Extraction, RawExtraction};
pub use extractor::{Extractor, Input, Labeller, Options, SiteOf, Stage};
pub use model::{Model, Trained};
pub use recipe::Recipe;
pub use threshr_page::Metadata;

//! The flow from a page to its content: model file and page to labels and text.
//!
//! [`Extractor`] composes [`flow::prepare`], [`flow::features`] and [`flow::decide`]. The package `threshr` wraps it with
//! the shipped model.

pub mod baseline;
pub mod decision;
mod explain;
mod extraction;
mod extractor;
pub mod filters;
pub mod flow;
pub mod formats;
pub mod model;
pub mod recipe;

pub use explain::{Contribution, Explanation};
pub use extraction::{Block, Extraction};
pub use extractor::{Extractor, Input, Labeller, Options, SiteOf, Stage};
pub use model::{Model, Trained};
pub use recipe::Recipe;

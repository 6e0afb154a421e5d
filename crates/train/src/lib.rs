//! Annotated pages to a model: alignment, augmentation, folds, fitting, stacking.
//!
//! A [`Corpus`] is read once and never changes. A fit sees a view of it: rows, labels, weights, and the columns that have
//! other values for this fit. [`train`] fits a recipe on a corpus and gives a [`Model`](threshr_extract::Model).

pub mod alignment;
mod augmentation;
pub mod baseline;
mod cache;
mod corpus;
mod example;
mod fit;
pub mod folds;
pub mod lcs;
mod learned_columns;
mod page_reader;
mod paragraph_classes;
mod policy_columns;
mod policy_overrides;
mod save;
mod stacking;
mod summary;
mod tune_decision;
mod view;
mod weights;

pub use alignment::Alignment;
pub use cache::program;
pub use corpus::{Corpus, CorpusPage, Needs};
pub use fit::{fit_pages, train};
pub use save::{save, save_system};
pub use summary::overlap;

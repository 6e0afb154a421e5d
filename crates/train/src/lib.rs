//! Trains models from annotated pages: alignment, augmentation, folds, fitting, stacking.
//!
//! The steps of a training run:
//!
//! 1. [`Corpus::read_to_train`] parses the pages of annotated sets, segments them into blocks, and computes
//!    feature rows. [`Alignment`] compares the blocks with the gold text and gives each block its label. Some
//!    pages get further examples (`augmentation`): without attributes, with inserted comments or stories, or
//!    with replaced or cut content.
//! 2. [`train`] fits the recipe's classifier. Held-out folds ([`folds`]) calibrate the scores and tune the
//!    decision rules; then all pages train the classifier.
//! 3. [`save`] writes the [`Model`](threshr_extract::Model) to a file.
//!
//! [`SiteFits::learn`] learns corrections of a model that is already trained, each for the pages of one site.
//!
//! A [`Corpus`] never changes after it is read. A fit sees a view of it: rows, labels and weights, with other
//! values in the columns that depend on the fit (learned columns, policy overrides).
//!
//! # Example
//!
//! ```
//! use threshr_core::progress::Quiet;
//! use threshr_extract::Recipe;
//! use threshr_io::gold::{DataSet, Gold, GoldPage};
//! use threshr_fit::Classifiers;
//! use threshr_train::{Corpus, save, train};
//!
//! // twenty pages with their gold text; `threshr_io` reads such sets from folders
//! let dir = tempfile::tempdir()?;
//! let pages = (0..20).map(|i| -> std::io::Result<GoldPage> {
//!     let path = dir.path().join(format!("{i}.html"));
//!     let text = format!("On day {i} it rained in the north, and nobody went out.");
//!     std::fs::write(&path, format!("<div><a href=/>Home</a> <a href=/news>News</a></div><p>{text}"))?;
//!     Ok(GoldPage {
//!         url: Some(format!("https://site{i}.example/")),
//!         gold: Some(Gold::text(text)),
//!         ..GoldPage::in_file(i.to_string(), path)
//!     })
//! });
//! let pages = pages.collect::<Result<_, _>>()?;
//! let set = DataSet { name: "rain".into(), path: dir.path().into(), format: "jsonl", pages, ..DataSet::default() };
//!
//! let recipe = Recipe::from_toml("features = { set = 'shallow+density' }\nclassifier = { name = 'tree' }")?;
//! let corpus = Corpus::read_to_train(&[set], &recipe, None, &Quiet)?;
//! let model = train(corpus, &recipe, &Classifiers::default(), &Quiet)?;
//! assert_eq!(model.summary().num_pages, 20);
//! save(&model, &dir.path().join("rain.json"))?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod alignment;
mod augmentation;
pub mod baseline;
mod cache;
mod corpus;
mod corpus_page;
mod correct;
mod example;
mod fit;
pub mod folds;
pub mod lcs;
mod learned_columns;
mod page_models;
mod page_reader;
mod paragraph_classes;
mod policy_columns;
mod policy_overrides;
mod read_corpus;
mod save;
mod snippet_labels;
mod stacking;
mod summary;
#[cfg(test)]
mod test_pages;
mod tune_decision;
mod view;
mod vocabulary;
mod weights;

pub use alignment::Alignment;
pub use cache::program;
pub use corpus::{Corpus, Needs};
pub use corpus_page::CorpusPage;
pub use correct::{SiteFit, SiteFits, SiteSettings, site_name};
pub use fit::{fit_pages, train, train_with_pages};
pub use page_models::HeldOutPage;
pub use save::{save, save_system};
pub use summary::{overlap, overlap_with_corrections};

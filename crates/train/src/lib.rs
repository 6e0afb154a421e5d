//! Trains models on annotated pages: alignment, augmentation, folds, fitting, stacking.
//!
//! The steps of a training run:
//!
//! 1. [`Corpus::read_to_train`] parses the pages of annotated sets, segments them into blocks, and computes
//!    feature rows. [`Alignment`] compares the blocks with the gold text and labels each block. The module
//!    `augmentation` adds modified copies of some pages: without attributes, with inserted comments or stories,
//!    or with replaced content.
//! 2. [`train`] fits the recipe's classifier. Cross-validation ([`folds`]) provides held-out scores, which are
//!    used to calibrate the scores and to tune the decision rules. Then the classifier is fitted on all pages.
//! 3. [`save`] writes the [`Model`](threshr_extract::Model) to a file.
//!
//! [`SiteFits::learn`] learns corrections of a model that is already trained. Each correction applies to the
//! pages of one site.
//!
//! A [`Corpus`] is immutable after it is read. A fit uses a view of the corpus: rows, labels and weights. The
//! view replaces the values of columns that depend on the fit (learned columns, policy overrides).
//!
//! # Example
//!
//! ```
//! use threshr_core::progress::Quiet;
//! use threshr_extract::Recipe;
//! use threshr_sets::gold::{DataSet, Gold, GoldPage};
//! use threshr_features::Families;
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
//! let features = recipe.feature_set(&Families::default())?;
//! let corpus = Corpus::read_to_train(&[set], &recipe, &features, None, &Quiet)?;
//! let model = train(corpus, &recipe, &Classifiers::default(), &Quiet)?;
//! assert_eq!(model.summary().num_pages, 20);
//! save(&model, &dir.path().join("rain.json"))?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod augmentation;
pub mod baseline;
mod corpus;
mod corrections;
mod fit;
pub mod folds;
mod labels;
mod overlap;
mod save;
mod summary;
mod view;

pub use corpus::page::CorpusPage;
pub use corpus::page_posts::{FoundPost, PagePosts};
pub use corpus::{Corpus, Needs};
pub use corrections::{SiteFit, SiteFits, SiteSettings, site_name};
pub use fit::page_models::HeldOutPage;
pub use fit::{fit_pages, train, train_with_pages};
pub use labels::alignment::{self, Alignment};
pub use overlap::Overlap;
pub use save::{save, save_system};

//! Published extraction systems, and classifiers that are trained by linfa.
//!
//! A [`System`] is one file and one entry of [`SYSTEMS`]. A classifier by linfa is one file and one entry of
//! [`CLASSIFIERS`]. The package `threshr` adds both lists to the registries of the other crates.
//!
//! # How to add a system
//!
//! 1. Write `classic/NAME.rs` with a `static SYSTEM: System`: its source, and its options with the published
//!    defaults. Systems of CleanEval 2007 are in `cleaneval_2007/`, bounds in `bounds/`.
//! 2. Choose how it runs: `How::Plain` needs no training, `How::Fitted` has trained data (JSON, checked when
//!    loaded), and `How::Recipe` is a recipe of features and classifier.
//! 3. `keep` returns one value per block. A method that segments pages in its own way uses `keep_ranges`.
//! 4. Add golden tests that you derive by hand from the published definition. `conformance.rs` runs every system on
//!    difficult pages.
//! 5. Add it to [`SYSTEMS`], and to the table of `docs/guide/evaluate.md`.

mod bounds;
mod classic;
mod cleaneval_2007;
#[cfg(test)]
mod conformance;
mod linfa;
mod shared;

use threshr_extract::baseline::System;
use threshr_fit::Classifier;

/// All systems, in the order of help texts and tables.
pub static SYSTEMS: &[&System] = &[
    &bounds::keep_everything::SYSTEM,
    &classic::bte::SYSTEM,
    &classic::boilerpipe::ARTICLE_EXTRACTOR,
    &classic::boilerpipe::DEFAULT_EXTRACTOR,
    &classic::boilerpipe::LARGEST_EXTRACTOR,
    &classic::boilerpipe::NUM_WORDS_RULES,
    &classic::boilerpipe::DENSITY_RULES,
    &classic::boilerpipe::CANOLA,
    &classic::boilerpipe::KEEP_EVERYTHING,
    &classic::justext::SYSTEM,
    &classic::text_distribution::SYSTEM,
    &cleaneval_2007::genieknows::SYSTEM,
    &cleaneval_2007::html_cleaner::SYSTEM,
    &cleaneval_2007::kimatu::SYSTEM,
    &cleaneval_2007::wcc_baseline::SYSTEM,
    &cleaneval_2007::wcc_heuristic::SYSTEM,
    &classic::density_lm::SYSTEM,
    &cleaneval_2007::fiasco::SYSTEM,
    &cleaneval_2007::stupidos::SYSTEM,
    &cleaneval_2007::wcc_tree::SYSTEM,
    &cleaneval_2007::wcc_lm::SYSTEM,
    &cleaneval_2007::wcc_genetic::SYSTEM,
    &classic::victor::SYSTEM,
    &classic::mss::SYSTEM,
    &bounds::oracle::SYSTEM,
];

/// All classifiers that are trained by linfa.
pub static CLASSIFIERS: &[&Classifier] =
    &[&linfa::tree::CLASSIFIER, &linfa::svm::CLASSIFIER, &linfa::logistic::CLASSIFIER];

/// The systems of this crate, for tests.
#[cfg(test)]
fn systems() -> threshr_extract::baseline::Systems {
    threshr_extract::baseline::Systems::new(SYSTEMS)
}

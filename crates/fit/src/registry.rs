//! The classifiers that a program can use.
//!
//! # How to add a classifier
//!
//! 1. Write `KIND/NAME.rs` in this crate with a `static CLASSIFIER: Classifier`; `trees/tree.rs` is a short
//!    example. If linfa trains the classifier, its file belongs in `crates/baselines/src/linfa/`.
//! 2. Write the fitted model in the crate `threshr-models`, and add its `ModelKind` to `KINDS` there. Loading a
//!    model must check every index and length.
//! 3. Declare the settings as a serde struct with `deny_unknown_fields`.
//! 4. `fit` must check the training set first, honour weights, and give bit-identical models for equal rows and
//!    seed.
//! 5. Add the classifier to `CLASSIFIERS` in the `lib.rs` of its crate, and to the table of
//!    `docs/guide/train.md`.
//!
//! `tests/suite/classifier_conformance.rs` trains every classifier on edge-case rows and corrupts every field
//! of the saved model.

use crate::{CLASSIFIERS, Classifier};
use threshr_core::{Result, registry};

/// Classifiers that a program can train: those of this crate and those that other crates add.
#[derive(Debug, Clone)]
pub struct Classifiers(Vec<&'static Classifier>);

impl Default for Classifiers {
    fn default() -> Self {
        Classifiers(CLASSIFIERS.to_vec())
    }
}

impl Classifiers {
    /// Adds classifiers.
    #[must_use]
    pub fn with(mut self, more: &[&'static Classifier]) -> Self {
        self.0.extend(more);
        self
    }

    /// All classifiers, in the order of help texts and tables.
    pub fn all(&self) -> &[&'static Classifier] {
        &self.0
    }

    /// Returns the classifier called `name`.
    ///
    /// # Errors
    /// If the name is unknown; the error lists the known names.
    pub fn by_name(&self, name: &str) -> Result<&'static Classifier> {
        registry::find(&self.0, "classifier", name, Classifier::name)
    }
}

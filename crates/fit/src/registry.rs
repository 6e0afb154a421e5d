//! The classifiers that a program knows.

use crate::{CLASSIFIERS, Classifier};
use threshr_core::{Result, registry};

/// The classifiers that a program can train: those of this crate, and those that other crates add.
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

    /// The classifier called `name`.
    ///
    /// # Errors
    /// If the name is unknown; the error lists the known names.
    pub fn by_name(&self, name: &str) -> Result<&'static Classifier> {
        registry::find(&self.0, "classifier", name, Classifier::name)
    }
}

//! The type of a page: article, documentation, forum, or any other types that the training sets declare.

use crate::type_and_quality::{COLUMNS_VERSION, PageVocabulary, check_version, num_columns, vocabulary};
use serde::{Deserialize, Serialize};
use threshr_core::{Error, Result};
use threshr_models::linear::softmax::Softmax;

/// Predicts the type of a page by multinomial logistic regression. Its columns are those of
/// [`PageInputs::columns`](crate::type_and_quality::PageInputs::columns), followed by those of a
/// [`PageVocabulary`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PageTypeModel {
    columns_version: u32,
    /// The types, sorted.
    classes: Vec<String>,
    vocabulary: PageVocabulary,
    model: Softmax,
    /// Accuracy on held-out training pages, with cross-validation grouped by site; `None` if there are too few
    /// sites.
    pub held_out_accuracy: Option<f64>,
}

impl PageTypeModel {
    /// Creates a model. `classes` must be sorted. `model` must be fitted to rows with the columns
    /// [`PageTypeModel::columns`].
    pub fn new(classes: Vec<String>, vocabulary: PageVocabulary, model: Softmax) -> Self {
        PageTypeModel {
            columns_version: COLUMNS_VERSION,
            classes,
            vocabulary,
            model,
            held_out_accuracy: None,
        }
    }

    /// Returns the types, sorted by name.
    pub fn classes(&self) -> &[String] {
        &self.classes
    }

    /// Returns the terms that the model reads.
    pub fn vocabulary(&self) -> &PageVocabulary {
        &self.vocabulary
    }

    /// Returns the names of the columns, in order.
    pub fn columns(&self) -> Vec<String> {
        let mut names = super::structure::column_names();
        names.extend(super::score_columns::column_names());
        names.extend(vocabulary::column_names(&self.classes));
        names
    }

    /// Validates a deserialized model.
    ///
    /// # Errors
    /// If the model is invalid.
    pub(super) fn check(&self) -> Result<()> {
        check_version(self.columns_version)?;
        if self.classes.len() < 2 || !self.classes.is_sorted_by(|a, b| a < b) {
            return Err(Error::model("the page types of the model are not at least two sorted names"));
        }
        let of_terms = vocabulary::num_groups().saturating_mul(self.classes.len());
        self.model.check(num_columns().0 + of_terms, self.classes.len())?;
        self.vocabulary.check(self.classes.len())
    }

    /// Returns the types with probabilities, most probable first. `columns` are those of the page's structure
    /// and scores, `terms` those of the vocabulary.
    pub fn predict(&self, mut columns: Vec<f32>, terms: &[f32]) -> Vec<(String, f32)> {
        columns.extend(terms);
        let probabilities = self.model.probabilities(&columns);
        let mut types: Vec<(String, f32)> = self.classes.iter().cloned().zip(probabilities).collect();
        types.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        types
    }
}

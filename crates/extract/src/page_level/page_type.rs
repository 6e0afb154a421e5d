//! The type of a page: article, documentation, forum, or whatever types the training sets declare.

use crate::page_level::{COLUMNS_VERSION, PageVocabulary, check_version, num_columns, vocabulary};
use serde::{Deserialize, Serialize};
use threshr_core::{Error, Result};
use threshr_models::linear::softmax::Softmax;

/// Predicts the type of a page by multinomial logistic regression over the columns of
/// [`PageInputs::columns`](crate::page_level::PageInputs::columns), then those of a [`PageVocabulary`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PageTypeModel {
    columns_version: u32,
    /// The types, sorted.
    classes: Vec<String>,
    vocabulary: PageVocabulary,
    model: Softmax,
    /// Share of held-out training pages whose type is predicted; sites are held out together. `None` with too
    /// few sites.
    pub held_out_accuracy: Option<f64>,
}

impl PageTypeModel {
    /// A model of sorted `classes`. `model` is fitted to rows of [`PageTypeModel::columns`].
    pub fn new(classes: Vec<String>, vocabulary: PageVocabulary, model: Softmax) -> Self {
        PageTypeModel {
            columns_version: COLUMNS_VERSION,
            classes,
            vocabulary,
            model,
            held_out_accuracy: None,
        }
    }

    /// The types, sorted by name.
    pub fn classes(&self) -> &[String] {
        &self.classes
    }

    /// The terms that it reads.
    pub fn vocabulary(&self) -> &PageVocabulary {
        &self.vocabulary
    }

    /// Names of its columns, in order.
    pub fn columns(&self) -> Vec<String> {
        let mut names = super::structure::column_names();
        names.extend(super::score_columns::column_names());
        names.extend(vocabulary::column_names(&self.classes));
        names
    }

    /// Validates a deserialized model.
    ///
    /// # Errors
    /// If it is damaged.
    pub(super) fn check(&self) -> Result<()> {
        check_version(self.columns_version)?;
        if self.classes.len() < 2 || !self.classes.is_sorted_by(|a, b| a < b) {
            return Err(Error::model("the page types of the model are not at least two sorted names"));
        }
        let of_terms = vocabulary::num_groups().saturating_mul(self.classes.len());
        self.model.check(num_columns().0 + of_terms, self.classes.len())?;
        self.vocabulary.check(self.classes.len())
    }

    /// Types with probabilities, most probable first. `columns` are those of the page's structure and scores,
    /// `terms` those of the vocabulary.
    pub fn predict(&self, mut columns: Vec<f32>, terms: &[f32]) -> Vec<(String, f32)> {
        columns.extend(terms);
        let probabilities = self.model.probabilities(&columns);
        let mut types: Vec<(String, f32)> = self.classes.iter().cloned().zip(probabilities).collect();
        types.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        types
    }
}

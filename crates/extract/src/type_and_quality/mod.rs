//! Predictions about a page as a whole: its type, and the quality of its extracted text.
//!
//! Both models are trained with a block model and stored in its file. [`PageModels::predict`] predicts type and
//! quality from the structure and the URL of the page (`structure.rs`), its terms ([`terms`]), and the scores
//! and labels of its blocks (`score_columns.rs`). `threshr-train` fits the models.

mod block_facts;
mod page_type;
mod quality;
mod score_columns;
mod structure;
mod term_counts;
mod term_index;
pub mod terms;
mod vocabulary;

#[cfg(test)]
mod tests;

pub use block_facts::BlockFacts;
pub use page_type::PageTypeModel;
pub use quality::{NUM_BINS, QualityModel, bin_of, bounds};
pub use terms::PageTerms;
pub use vocabulary::PageVocabulary;

use serde::{Deserialize, Serialize};
use threshr_core::Result;
use threshr_html::Document;
use threshr_html::blocks::Blocks;
use threshr_output::TypeAndQuality;
use threshr_page::{BlockStats, PageWords};

/// Version of the column definitions of page type and quality. Increase it if column values change.
const COLUMNS_VERSION: u32 = 1;

/// The models of page type and quality that belong to a block model.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct PageModels {
    /// Predicts the type of a page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub page_type: Option<PageTypeModel>,
    /// Predicts the quality of the extracted text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quality: Option<QualityModel>,
}

/// Inputs of the models of page type and quality that do not depend on labels.
#[derive(Debug, Clone)]
pub struct PageInputs {
    /// The columns of the structure and the URL.
    pub(crate) structure: Vec<f32>,
    /// Counts of each block.
    pub(crate) facts: Vec<BlockFacts>,
}

impl PageInputs {
    /// Reads a page. `stats` has the counts of each block. `url` is the URL of the page, if known.
    pub fn new(doc: &Document, blocks: &Blocks, stats: &[BlockStats], url: Option<&str>) -> Self {
        let facts = BlockFacts::of_page(doc, blocks, stats);
        PageInputs { structure: structure::columns(doc, &blocks.text, &facts, url), facts }
    }

    /// Returns the columns of the page's structure, followed by those of its scores and labels.
    pub fn columns(&self, scores: &[f32], kept: &[bool]) -> Vec<f32> {
        let mut columns = self.structure.clone();
        columns.extend(self.score_columns(scores, kept));
        columns
    }

    /// Returns the columns of the scores and labels of the page's blocks.
    pub fn score_columns(&self, scores: &[f32], kept: &[bool]) -> Vec<f32> {
        score_columns::columns(&self.facts, scores, kept)
    }
}

/// A page whose blocks are labelled.
#[derive(Debug, Clone, Copy)]
pub struct LabelledPage<'a> {
    /// The document of the page.
    pub doc: &'a Document,
    /// The blocks of the page.
    pub blocks: &'a Blocks,
    /// Counts of each block.
    pub stats: &'a [BlockStats],
    /// The words of each block. If `None`, the texts of the blocks are tokenized again.
    pub words: Option<&'a PageWords>,
    /// Score of each block.
    pub scores: &'a [f32],
    /// Whether each block is kept.
    pub kept: &'a [bool],
    /// The URL of the page, if known.
    pub url: Option<&'a str>,
}

impl PageModels {
    /// Whether there are no models.
    pub fn is_empty(&self) -> bool {
        self.page_type.is_none() && self.quality.is_none()
    }

    /// Validates deserialized models.
    ///
    /// # Errors
    /// If the column definitions have another version, or the models are invalid.
    pub(crate) fn check(&self) -> Result<()> {
        self.page_type.as_ref().map_or(Ok(()), PageTypeModel::check)?;
        self.quality.as_ref().map_or(Ok(()), QualityModel::check)
    }

    /// Predicts the type and the quality of a page, as far as they are wanted.
    pub fn predict(&self, page: &LabelledPage<'_>, page_type: bool, quality: bool) -> TypeAndQuality {
        let facts = BlockFacts::of_page(page.doc, page.blocks, page.stats);
        let of_scores = score_columns::columns(&facts, page.scores, page.kept);
        let page_types = self.page_type.as_ref().filter(|_| page_type).map(|model| {
            let mut columns = structure::columns(page.doc, &page.blocks.text, &facts, page.url);
            columns.extend(&of_scores);
            model.predict(columns, &model.vocabulary().columns(page))
        });
        TypeAndQuality {
            page_types: page_types.unwrap_or_default(),
            quality: self.quality.as_ref().filter(|_| quality).map(|model| model.predict(&of_scores)),
        }
    }
}

/// Returns the number of columns of [`PageInputs::columns`] and of [`PageInputs::score_columns`].
fn num_columns() -> (usize, usize) {
    let of_scores = score_columns::column_names().len();
    (structure::column_names().len() + of_scores, of_scores)
}

/// Checks the version of a model's columns.
fn check_version(version: u32) -> Result<()> {
    if version == COLUMNS_VERSION {
        return Ok(());
    }
    Err(threshr_core::Error::model(format!("the columns of pages have version {version}"))
        .expected(format!("version {COLUMNS_VERSION}; `threshr train --recipe MODEL` makes one")))
}

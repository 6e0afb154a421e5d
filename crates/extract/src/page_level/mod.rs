//! What is said of a page as a whole: its type, and the quality of its extraction.
//!
//! Both are learned beside a block model and stored in its file. [`PageModels::predict`] predicts them from the
//! structure and the URL of the page (`structure.rs`), its terms ([`terms`]), and the scores and labels of its
//! blocks (`score_columns.rs`). `threshr-train` fits them.

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
pub use quality::{NUM_BINS, Quality, QualityModel, bin_of, bounds};
pub use terms::PageTerms;
pub use vocabulary::PageVocabulary;

use serde::{Deserialize, Serialize};
use threshr_core::Result;
use threshr_features::{BlockStats, PageWords};
use threshr_html::Document;
use threshr_html::blocks::Blocks;

/// Version of the definitions of page-level columns. Raise it if values change.
const COLUMNS_VERSION: u32 = 1;

/// The page-level models of a block model.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct PageModels {
    /// Predicts the type of a page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub page_type: Option<PageTypeModel>,
    /// Predicts the quality of its text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quality: Option<QualityModel>,
}

/// What page-level models read of a page before its blocks are labelled.
#[derive(Debug, Clone)]
pub struct PageInputs {
    /// The columns of its structure and URL.
    pub(crate) structure: Vec<f32>,
    /// Facts about each block.
    pub(crate) facts: Vec<BlockFacts>,
}

impl PageInputs {
    /// Reads a page. `stats` has the counts of each block; `url` is the address of the page, if known.
    pub fn of(doc: &Document, blocks: &Blocks, stats: &[BlockStats], url: Option<&str>) -> Self {
        let facts = BlockFacts::of_page(doc, blocks, stats);
        PageInputs { structure: structure::columns(doc, &blocks.text, &facts, url), facts }
    }

    /// The columns of the structure of the page, then those of its scores and labels.
    pub fn columns(&self, scores: &[f32], kept: &[bool]) -> Vec<f32> {
        let mut columns = self.structure.clone();
        columns.extend(self.score_columns(scores, kept));
        columns
    }

    /// The columns of the scores and labels of the page's blocks.
    pub fn score_columns(&self, scores: &[f32], kept: &[bool]) -> Vec<f32> {
        score_columns::columns(&self.facts, scores, kept)
    }
}

/// A page whose blocks are labelled.
#[derive(Debug, Clone, Copy)]
pub struct LabelledPage<'a> {
    /// Its document.
    pub doc: &'a Document,
    /// Its blocks.
    pub blocks: &'a Blocks,
    /// Counts of each block.
    pub stats: &'a [BlockStats],
    /// The words of each block. Without them the texts of the blocks are read again.
    pub words: Option<&'a PageWords>,
    /// Score of each block.
    pub scores: &'a [f32],
    /// Whether each block is kept.
    pub kept: &'a [bool],
    /// The address of the page, if known.
    pub url: Option<&'a str>,
}

/// What is predicted of a page.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct PageLevel {
    /// The types with their probabilities, most probable first; empty if the model predicts none.
    pub page_types: Vec<(String, f32)>,
    /// The quality of its text; `None` if the model predicts none.
    pub quality: Option<Quality>,
}

impl PageLevel {
    /// The most probable type.
    pub fn page_type(&self) -> Option<&str> {
        self.page_types.first().map(|t| t.0.as_str())
    }
}

impl PageModels {
    /// Whether nothing is predicted.
    pub fn is_empty(&self) -> bool {
        self.page_type.is_none() && self.quality.is_none()
    }

    /// Validates deserialized models.
    ///
    /// # Errors
    /// If the columns have other definitions than those of this version, or the models are damaged.
    pub(crate) fn check(&self) -> Result<()> {
        self.page_type.as_ref().map_or(Ok(()), PageTypeModel::check)?;
        self.quality.as_ref().map_or(Ok(()), QualityModel::check)
    }

    /// Predicts type and quality of a page.
    pub fn predict(&self, page: &LabelledPage<'_>) -> PageLevel {
        let facts = BlockFacts::of_page(page.doc, page.blocks, page.stats);
        let of_scores = score_columns::columns(&facts, page.scores, page.kept);
        let page_types = self.page_type.as_ref().map(|model| {
            let mut columns = structure::columns(page.doc, &page.blocks.text, &facts, page.url);
            columns.extend(&of_scores);
            model.predict(columns, &model.vocabulary().columns(page))
        });
        PageLevel {
            page_types: page_types.unwrap_or_default(),
            quality: self.quality.as_ref().map(|model| model.predict(&of_scores)),
        }
    }
}

/// Number of the columns of [`PageInputs::columns`] and of [`PageInputs::score_columns`].
fn num_columns() -> (usize, usize) {
    let of_scores = score_columns::column_names().len();
    (structure::column_names().len() + of_scores, of_scores)
}

/// Checks the version of the columns of a model.
fn check_version(version: u32) -> Result<()> {
    if version == COLUMNS_VERSION {
        return Ok(());
    }
    Err(threshr_core::Error::model(format!("the columns of pages have version {version}"))
        .expected(format!("version {COLUMNS_VERSION}; `threshr train --recipe MODEL` makes one")))
}

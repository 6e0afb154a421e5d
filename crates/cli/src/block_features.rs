//! The feature matrix of pages: one row per block, one column per feature.
//!
//! ```
//! use threshr_cli::block_features::Columns;
//! use threshr_core::policy::PolicyChoice;
//! use threshr_features::FeatureSet;
//! use threshr_sets::gold::{GoldPage, Html};
//!
//! let set = FeatureSet::parse("shallow", &[])?;
//! let page = GoldPage { html: Html::record("<h1>Rain</h1><p>It rained all day.")?, ..GoldPage::default() };
//! let columns = Columns::new(&set);
//! let table = columns.table(vec![columns.of_page("rain", &page, PolicyChoice::default())?])?;
//! assert_eq!(table.rows[1].text, "It rained all day.");
//! assert_eq!(table.matrix.values().dim(), (2, set.names().len()));
//! # Ok::<(), threshr::Error>(())
//! ```

use ndarray::Array2;
use std::sync::Arc;
use threshr_core::policy::PolicyChoice;
use threshr_core::{Budget, Error, Result, site_of};
use threshr_extract::Recipe;
use threshr_extract::flow::{self, GeometryFile, PageOptions};
use threshr_features::{FeatureMatrix, FeatureSet, PageContext, Vocabularies};
use threshr_html::blocks::{REGISTRY as SEGMENTATIONS, Segmentation};
use threshr_sets::gold::GoldPage;
use threshr_train::Alignment;

/// The page of a row.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PageOfRow {
    /// Name of the set; empty for pages without a set.
    pub set: String,
    /// Id of the page.
    pub id: String,
    /// Site of the page, if it is known.
    pub site: Option<String>,
    /// URL of the page, if it is known.
    pub url: Option<String>,
}

/// The block that a row describes.
#[derive(Debug, Clone, PartialEq)]
pub struct BlockRow {
    /// The page, shared by its rows.
    pub page: Arc<PageOfRow>,
    /// Index of the block in the page.
    pub block: u32,
    /// Share of the tokens that are content according to the gold standard. `None` without a gold standard.
    pub share: Option<f32>,
    /// Label that follows from the share.
    pub label: Option<bool>,
    /// Text of the block.
    pub text: String,
}

/// Blocks with their feature values.
#[derive(Debug, Clone, PartialEq)]
pub struct BlockTable {
    /// The blocks.
    pub rows: Vec<BlockRow>,
    /// Feature values, with rows in the order of the blocks.
    pub matrix: FeatureMatrix,
}

/// The blocks of one page, and their feature values row by row.
pub type PageRows = (Vec<BlockRow>, Vec<f32>);

/// Settings that determine the columns and the blocks.
#[derive(Debug, Clone, Copy)]
pub struct Columns<'a> {
    /// The features.
    pub set: &'a FeatureSet,
    /// Vocabularies of a model. If `None`, the columns of learned families are 0.
    pub vocabularies: Option<&'a Vocabularies>,
    /// Segmentation that splits pages into blocks.
    pub segmentation: &'static Segmentation,
}

impl<'a> Columns<'a> {
    /// Creates the columns of a feature set without vocabularies, for blocks of the default segmentation.
    pub fn new(set: &'a FeatureSet) -> Self {
        Columns { set, vocabularies: None, segmentation: SEGMENTATIONS[0] }
    }

    /// Returns the blocks of a page of the set `set` and their feature values. If the page has gold, the
    /// blocks have shares and labels. If the page has no URL, the URL in its HTML is used.
    ///
    /// # Errors
    /// If the page cannot be read or is not HTML.
    pub fn of_page(&self, set: &str, page: &GoldPage, policy: PolicyChoice) -> Result<PageRows> {
        let recipe = Recipe::default();
        let bytes = page.load()?;
        let geometry = page.geometry()?;
        let file = geometry.as_ref().map(|(path, bytes)| GeometryFile { path, bytes });
        let parse = page.parse_options(recipe.parse_options());
        let segmentation = self.segmentation;
        let options = PageOptions { parse, segmentation, visibility: recipe.visibility() };
        let flow::Page { doc, blocks } = flow::prepare(&bytes, file, &options, &Budget::UNLIMITED)?;
        let alignment = page.gold.as_ref().map(|gold| Alignment::of_gold(&doc, &blocks, gold).0);
        let labels = alignment.as_ref().map(|a| a.labels(recipe.labels.threshold));
        let url = page.url.clone().or_else(|| doc.url());
        let site = page.site.clone().or_else(|| url.as_deref().and_then(site_of));
        let of_row = Arc::new(PageOfRow { set: set.to_owned(), id: page.id.clone(), site, url });
        let row = |i: usize| BlockRow {
            page: of_row.clone(),
            block: i as u32,
            share: alignment.as_ref().map(|a| a.share[i]),
            label: labels.as_ref().map(|l| l[i]),
            text: blocks.text(i).to_owned(),
        };
        let context = PageContext::new(&doc, &blocks).under(policy);
        let matrix = self.set.extract(&match self.vocabularies {
            Some(v) => context.with_vocabularies(v),
            None => context,
        });
        Ok(((0..blocks.len()).map(row).collect(), matrix.values().iter().copied().collect()))
    }

    /// Concatenates the rows of pages to one table.
    ///
    /// # Errors
    /// If the rows have a different number of columns.
    pub fn table(&self, pages: Vec<PageRows>) -> Result<BlockTable> {
        let (mut rows, mut values) = (Vec::new(), Vec::new());
        for (of_page, of_columns) in pages {
            rows.extend(of_page);
            values.extend(of_columns);
        }
        let values = Array2::from_shape_vec((rows.len(), self.set.names().len()), values)
            .map_err(|e| Error::features("the matrix has the wrong shape").because(e))?;
        Ok(BlockTable { rows, matrix: FeatureMatrix::new(self.set.names().clone(), values)? })
    }
}

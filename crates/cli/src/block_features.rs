//! The feature matrix of pages: a row a block, a column a feature.
//!
//! ```
//! use threshr::block_features::Columns;
//! use threshr_core::policy::PolicyChoice;
//! use threshr_features::FeatureSet;
//! use threshr_io::gold::{GoldPage, Html};
//!
//! let set = FeatureSet::parse("shallow", &[])?;
//! let page = GoldPage { html: Html::record("<h1>Rain</h1><p>It rained all day.")?, ..GoldPage::default() };
//! let columns = Columns::new(&set);
//! let table = columns.table(vec![columns.of_page(&page, PolicyChoice::default())?])?;
//! assert_eq!(table.rows[1].text, "It rained all day.");
//! assert_eq!(table.matrix.values().dim(), (2, set.names().len()));
//! # Ok::<(), threshr::Error>(())
//! ```

use ndarray::Array2;
use threshr_core::policy::PolicyChoice;
use threshr_core::{Budget, Error, Result};
use threshr_extract::Recipe;
use threshr_extract::flow::{self, GeometryFile, PageOptions};
use threshr_features::{FeatureMatrix, FeatureSet, PageContext, Vocabularies};
use threshr_html::blocks::{REGISTRY as SEGMENTATIONS, Segmentation};
use threshr_io::gold::GoldPage;
use threshr_train::Alignment;

/// The block of a row.
#[derive(Debug, Clone, PartialEq)]
pub struct BlockRow {
    /// Id of the page.
    pub page: String,
    /// Index of the block in the page.
    pub block: u32,
    /// Share of the block's tokens that are content by the gold standard, if there is one.
    pub share: Option<f32>,
    /// The label by the share.
    pub label: Option<bool>,
    /// The block's text.
    pub text: String,
}

/// Blocks and their features.
#[derive(Debug, Clone, PartialEq)]
pub struct BlockTable {
    /// The blocks.
    pub rows: Vec<BlockRow>,
    /// Their features, in the same order.
    pub matrix: FeatureMatrix,
}

/// The blocks of one page, and the values of their features row by row.
pub type PageRows = (Vec<BlockRow>, Vec<f32>);

/// What is computed of each block.
#[derive(Debug, Clone, Copy)]
pub struct Columns<'a> {
    /// The features.
    pub set: &'a FeatureSet,
    /// The vocabularies of a model. Without them the columns of learned families are 0.
    pub vocabularies: Option<&'a Vocabularies>,
    /// How pages are split into blocks.
    pub segmentation: &'static Segmentation,
}

impl<'a> Columns<'a> {
    /// The features of a set, without vocabularies, of blocks of the default segmentation.
    pub fn new(set: &'a FeatureSet) -> Self {
        Columns { set, vocabularies: None, segmentation: SEGMENTATIONS[0] }
    }

    /// The blocks of a page and their features. A page with gold has shares and labels.
    ///
    /// # Errors
    /// If the page cannot be read or is not HTML.
    pub fn of_page(&self, page: &GoldPage, policy: PolicyChoice) -> Result<PageRows> {
        let recipe = Recipe::default();
        let bytes = page.load()?;
        let geometry = page.geometry()?;
        let file = geometry.as_ref().map(|(path, bytes)| GeometryFile { path, bytes });
        let parse = recipe.parse_options(page.charset.clone(), page.annotation());
        let segmentation = self.segmentation;
        let options = PageOptions { parse, segmentation, visibility: recipe.visibility() };
        let flow::Page { doc, blocks } = flow::prepare(&bytes, file, &options, &Budget::UNLIMITED)?;
        let alignment = page.gold.as_ref().map(|gold| Alignment::of_gold(&doc, &blocks, gold).0);
        let labels = alignment.as_ref().map(|a| a.labels(recipe.labels.threshold));
        let row = |i: usize| BlockRow {
            page: page.id.clone(),
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

    /// Puts the rows of pages into one table.
    ///
    /// # Errors
    /// If the rows have another number of columns.
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

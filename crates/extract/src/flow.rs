//! The flow from a page to its content: [`prepare`], [`features`], [`decide`].
//!
//! Only [`Extractor`](crate::Extractor) composes the three stages. Training and lists of features begin with
//! [`prepare`]. Evaluation of cached feature rows uses the two halves of [`decide`]: [`score`] and [`label`].
//! All stages receive the [`Budget`] of the page and return a timeout error if it is exceeded.

use crate::correction::Shift;
use crate::decision::{Decision, without_metadata};
use crate::filters::{self, Controls, FilterChoice};
use crate::model::{Fitted, Model};
use ndarray::ArrayView2;
use std::borrow::Cow;
use std::path::Path;
use threshr_core::policy::{LeftOut, PolicyChoice, Property};
use threshr_core::{Budget, Error, ErrorKind, Result};
use threshr_features::{FeatureMatrix, SiteStats, block_keys};
use threshr_html::blocks::{Blocks, ParagraphClass, Segmentation};
use threshr_html::structure::notes::Notes;
use threshr_html::{Document, ParseOptions, Visibility, other_kind, parse_within};
use threshr_page::article::article_metadata::metadata_blocks;
use threshr_page::threads::{Finding, Parts};
use threshr_page::{ArticleMetadata, BlockStats, PageWords};

/// Settings for parsing and segmenting a page.
#[derive(Debug, Clone)]
pub struct PageOptions {
    /// Settings of the HTML parser.
    pub parse: ParseOptions,
    /// The rule that splits a page into blocks.
    pub segmentation: &'static Segmentation,
    /// Which parts of the document the blocks contain.
    pub visibility: Visibility,
}

/// A parsed page.
#[derive(Debug, Clone)]
pub struct Page {
    /// The document.
    pub doc: Document,
    /// The blocks of the document.
    pub blocks: Blocks,
}

/// The geometry file of a page: position and size of its elements in a browser.
#[derive(Debug, Clone, Copy)]
pub struct GeometryFile<'a> {
    /// Path of the file, for errors.
    pub path: &'a Path,
    /// Content of the file.
    pub bytes: &'a [u8],
}

/// Stage 1: bytes → document → blocks.
///
/// # Errors
/// [`ErrorKind::NotHtml`] if the bytes have another known format. [`ErrorKind::Timeout`] or [`ErrorKind::TooLarge`]
/// if the budget is exceeded. Also if the geometry file is invalid.
pub fn prepare(
    bytes: &[u8],
    geometry: Option<GeometryFile<'_>>,
    options: &PageOptions,
    budget: &Budget,
) -> Result<Page> {
    if let Some(kind) = other_kind(bytes) {
        return Err(
            Error::new(ErrorKind::NotHtml, format!("this looks like {kind}")).expected("an HTML page")
        );
    }
    let mut doc = parse_within(bytes, &options.parse, budget)?;
    budget.check_memory(doc.size())?;
    if let Some(geometry) = geometry {
        doc.attach_geometry(geometry.bytes).map_err(|e| e.at_path(geometry.path))?;
    }
    budget.check()?;
    let blocks = Blocks::within(&doc, options.segmentation, options.visibility, budget)?;
    budget.check_memory(doc.size() + blocks.size())?;
    Ok(Page { doc, blocks })
}

/// The feature matrix of a page, and the other inputs of a decision.
#[derive(Debug, Clone)]
pub struct PageFeatures {
    /// One row per block, one column per feature of the model. Columns that the model does not use are 0.
    pub matrix: FeatureMatrix,
    /// Number of words of each block.
    pub num_tokens: Vec<u32>,
    /// Counts of each block.
    pub stats: Vec<BlockStats>,
    /// The words of each block, if a family reads them.
    pub words: Option<PageWords>,
    /// The headline, byline and caption blocks about which the policy decides. Decision rules ignore them.
    pub decided: ArticleMetadata,
    /// The kinds of text that the policy of the page excludes. Filters read this.
    pub left_out: LeftOut,
    /// The result of thread detection.
    pub thread: Finding,
    /// The headline, byline and caption blocks, if a family reads them.
    pub article: Option<ArticleMetadata>,
    /// The controls of the page, if the filter reads them.
    pub controls: Controls,
    /// The correction of the page's site, if the model has one.
    pub shift: Option<Shift>,
}

impl PageFeatures {
    /// Returns the rows for a model with these columns.
    ///
    /// # Errors
    /// If the columns differ from those of the matrix.
    pub fn rows(&self, columns: &[String]) -> Result<ArrayView2<'_, f32>> {
        self.matrix.values_for(columns)
    }
}

/// The site of a page, with the statistics of a crawl if there is one.
#[derive(Debug, Clone, Copy)]
pub struct Site<'a> {
    /// The name of the site.
    pub name: &'a str,
    /// The statistics of the crawl.
    pub stats: Option<&'a SiteStats>,
}

/// Stage 2: blocks → feature matrix, under a policy. `site` is the site of the page, if known.
///
/// # Errors
/// [`ErrorKind::Timeout`] or [`ErrorKind::TooLarge`] if the budget is exceeded.
pub fn features(
    model: &Model,
    page: &Page,
    policy: PolicyChoice,
    decision: &Decision,
    site: Option<Site<'_>>,
    budget: &Budget,
) -> Result<PageFeatures> {
    let Page { doc, blocks } = page;
    let fitted = model.fitted();
    let used = model.used_features();
    let of_features = blocks.len() * (size_of::<f32>() * used.names().len() + size_of::<BlockStats>());
    budget.check_memory(doc.size() + blocks.size() + of_features)?;
    let context = used.page(doc, blocks).under(policy).with_vocabularies(&fitted.vocabularies);
    let confined = fitted.confined(model.columns(), context.policy);
    let of_crawl = site.and_then(|site| Some((site.name, site.stats?)));
    let context = context
        .confining(confined)
        .on_site(of_crawl.map(|(site, stats)| stats.others(site, &block_keys(blocks))));
    let matrix = used.extract_within(&context, budget)?;
    let num_tokens = context.stats.iter().map(|s| s.num_words).collect();
    let left_out = policy.left_out(context.policy);
    let decided = metadata_blocks(|| context.article_metadata(), model.columns());
    let shift = fitted.corrections.shift(site.map(|site| site.name), doc, blocks, budget)?;
    let mut facts = context.into_facts();
    let thread = facts.take_thread();
    let article = facts.take_article_metadata();
    let (stats, words) = facts.into_stats_and_words();
    let reads_controls = decision.filter.under(left_out).reads_controls();
    let controls = if reads_controls { Controls::new(doc, blocks) } else { Controls::default() };
    Ok(PageFeatures { matrix, num_tokens, stats, words, decided, left_out, thread, article, controls, shift })
}

/// The inputs of a decision other than the feature rows.
#[derive(Debug, Clone)]
pub struct DecisionFacts<'a> {
    /// The page's document.
    pub doc: &'a Document,
    /// The page's blocks.
    pub blocks: &'a Blocks,
    /// Number of words of each block.
    pub num_tokens: Cow<'a, [u32]>,
    /// The headline, byline and caption blocks about which the policy decides. Decision rules ignore them.
    pub article: Cow<'a, [(u32, &'static Property)]>,
    /// The kinds of text that the policy of the page excludes. Filters read this.
    pub left_out: LeftOut,
    /// The parts of posts that the blocks are in.
    pub thread: &'a Parts,
    /// The controls of the page.
    pub controls: &'a Controls,
    /// The footnotes of the page. If `None`, they are found in the document.
    pub notes: Option<&'a Notes>,
    /// The correction of the page's site, if the model has one.
    pub shift: Option<Cow<'a, Shift>>,
}

impl<'a> DecisionFacts<'a> {
    /// Returns the page as input of decisions and filters.
    pub(crate) fn with_scores<'s>(&'s self, scores: &'s [f32]) -> filters::Page<'s> {
        let &DecisionFacts { doc, blocks, left_out, thread, ref article, controls, notes, .. } = self;
        filters::Page {
            doc,
            blocks,
            scores,
            left_out,
            thread: Some(thread),
            article,
            controls: Some(controls),
            notes,
        }
    }
}

/// Scores and labels of the blocks of a page.
#[derive(Debug, Clone, Default)]
pub struct Labels {
    /// Calibrated score of each block, `0.0..=1.0`. For systems, 1 or 0.
    pub scores: Vec<f32>,
    /// The threshold of the decision rule on this page.
    pub threshold: f32,
    /// Whether each block is kept: its score reaches the threshold, it is inside the selected elements, and
    /// the filter does not drop it.
    pub kept: Vec<bool>,
    /// The paragraph class of each block, if the model predicts classes.
    pub classes: Option<Vec<ParagraphClass>>,
}

/// Stage 3: feature rows → scores → labels. The rows may come from a cache. `inside` is true for the blocks
/// that may be kept; `None` means all blocks.
///
/// # Errors
/// [`ErrorKind::Features`] if the number of columns differs from the model. [`ErrorKind::Timeout`] if the budget is
/// exceeded.
pub fn decide(
    fitted: &Fitted,
    decision: &Decision,
    rows: ArrayView2<'_, f32>,
    page: &DecisionFacts<'_>,
    inside: Option<&[bool]>,
    budget: &Budget,
) -> Result<Labels> {
    let (scores, classes) = score(fitted, rows, page.shift.as_deref(), budget)?;
    Ok(label(scores, classes, decision, page, inside))
}

/// The first half of [`decide`]: returns the score of each block, and its class if the model predicts classes.
/// `shift` is the correction of the page's site.
///
/// # Errors
/// The errors of [`decide`].
pub fn score(
    fitted: &Fitted,
    rows: ArrayView2<'_, f32>,
    shift: Option<&Shift>,
    budget: &Budget,
) -> Result<(Vec<f32>, Option<Vec<ParagraphClass>>)> {
    Ok((fitted.scores(rows, shift, budget)?, fitted.classes(rows, budget)?))
}

/// The second half of [`decide`]: labels from given scores.
pub fn label(
    scores: Vec<f32>,
    classes: Option<Vec<ParagraphClass>>,
    decision: &Decision,
    page: &DecisionFacts<'_>,
    inside: Option<&[bool]>,
) -> Labels {
    let of_filters = page.with_scores(&scores);
    let metadata = page.article.iter().map(|t| t.0 as usize);
    let num_tokens = || without_metadata(&page.num_tokens, metadata, &scores);
    let (kept, threshold) = decision.keep(&of_filters, inside, num_tokens);
    Labels { scores, threshold, kept, classes }
}

/// Returns the labels of a system, which has no scores: the blocks that it keeps, restricted to the selection, then
/// filtered.
///
/// Filters after a system are always active, because a system has no policy. If `controls` is `None`, they are found in
/// the document.
pub fn label_kept(
    mut kept: Vec<bool>,
    classes: Option<Vec<ParagraphClass>>,
    filter: FilterChoice,
    (doc, blocks): (&Document, &Blocks),
    controls: Option<&Controls>,
    inside: Option<&[bool]>,
) -> Labels {
    let scores = kept.iter().map(|&k| f32::from(u8::from(k))).collect();
    if let Some(inside) = inside {
        kept.iter_mut().zip(inside).for_each(|(kept, inside)| *kept &= inside);
    }
    let certain: Vec<f32> = kept.iter().map(|&k| f32::from(u8::from(k))).collect();
    let page =
        filters::Page { left_out: LeftOut::ALL, controls, ..filters::Page::new(doc, blocks, &certain) };
    filter.apply(&page, &mut kept);
    Labels { scores, threshold: 1.0, kept, classes }
}

//! Corrections of a model that is already trained. They adjust its decision values for a site, based on a few
//! annotated pages. The original training pages are not needed.

mod ridge;
mod site;
mod sites;

pub(crate) use site::SitePages;
pub use site::{SiteFit, SiteSettings};
pub use sites::{SiteFits, site_name};

use crate::corpus::page::CorpusPage;
use crate::corpus::{Corpus, Needs};
use crate::fit::tune_decision::labels_and_f1;
use crate::view::weights::weights;
use ndarray::Array2;
use threshr_core::progress::Progress;
use threshr_core::{Budget, Error, Result};
use threshr_extract::Model;
use threshr_extract::correction::Shift;
use threshr_extract::model::Fitted;
use threshr_extract::recipe::{AugmentationRecipe, Recipe, TypeAndQualityRecipe};
use threshr_models::calibration::Sigmoid;
use threshr_sets::gold::DataSet;

impl Corpus {
    /// Reads pages for correcting `model`, with the columns that the model uses and with element attributes.
    ///
    /// # Errors
    /// Like [`Corpus::read`].
    pub fn read_to_correct(sets: &[DataSet], model: &Model, progress: &dyn Progress) -> Result<Self> {
        // no additional examples are generated
        let recipe = Recipe {
            augmentation: AugmentationRecipe::default(),
            type_and_quality: TypeAndQualityRecipe::default(),
            ..model.recipe().clone()
        };
        let needs = Needs { attributes: true, html: false };
        Self::read(sets, &recipe, Some(model.used_features()), needs, progress)
    }

    /// Returns the shift that the correction of the page's site applies to its blocks. Returns `None` if the
    /// model has no correction for the site.
    ///
    /// # Errors
    /// If the model has a correction for the site, and the corpus was read without element attributes.
    pub fn shift_for(&self, fitted: &Fitted, page: usize) -> Result<Option<Shift>> {
        let page = &self.pages[page];
        let Some(correction) = page.known_site().and_then(|site| fitted.corrections.sites.get(site)) else {
            return Ok(None);
        };
        if !self.needs.attributes {
            return Err(Error::data(
                "the corpus was read without attributes, which corrections of sites need",
            )
            .expected("a corpus that was read with attributes"));
        }
        correction.shift(&page.doc, &page.blocks, &Budget::UNLIMITED).map(Some)
    }
}

impl CorpusPage {
    /// Returns the page's site as used in corrections. Returns `None` if neither the set nor the URL provides
    /// it.
    pub fn known_site(&self) -> Option<&str> {
        self.has_known_site().then_some(self.site.as_str())
    }
}

/// Checks that scores depend on decision values. Otherwise, a correction cannot be computed.
fn check_model(model: &Model) -> Result<()> {
    if model.fitted().sigmoid.a > 0.0 {
        return Ok(());
    }
    Err(Error::model("the model gives all blocks the same score, so there is nothing to correct")
        .expected("a model that was trained on more pages"))
}

/// Input of a fit for one page. Vectors have one entry per block.
#[derive(Debug)]
struct Rows {
    /// Index of the page in the corpus.
    page: usize,
    /// Log-odds of the model's scores.
    log_odds: Vec<f64>,
    /// Block weights with a mean of 1. Blocks that are excluded from training have weight 0.
    weight: Vec<f64>,
}

impl Rows {
    fn new(model: &Model, corpus: &Corpus, page: usize, x: &Array2<f32>) -> Result<Self> {
        let fitted = model.fitted();
        let decisions = fitted.decisions(x.view(), &Budget::UNLIMITED)?;
        let log_odds = decisions.iter().map(|&d| fitted.sigmoid.a * f64::from(d) + fitted.sigmoid.b);
        let weight = weights(&[corpus.pages[page].example()], &model.recipe().weights, false);
        Ok(Rows { page, log_odds: log_odds.collect(), weight: weight.into_iter().map(f64::from).collect() })
    }
}

/// Rows of several pages, one page after the other.
struct Stacked {
    labels: Vec<bool>,
    log_odds: Vec<f64>,
    weight: Vec<f64>,
}

impl Stacked {
    fn new<'r>(corpus: &Corpus, pages: impl Iterator<Item = &'r Rows>) -> Self {
        let mut all = Stacked { labels: Vec::new(), log_odds: Vec::new(), weight: Vec::new() };
        for rows in pages {
            all.labels.extend_from_slice(&corpus.pages[rows.page].labels);
            all.log_odds.extend_from_slice(&rows.log_odds);
            all.weight.extend_from_slice(&rows.weight);
        }
        all
    }
}

/// Returns the value to add to decision values that are multiplied by `slope`, so that log-odds `z` become
/// `intercept + slope * z`.
fn decision_intercept(intercept: f64, slope: f64, sigmoid: &Sigmoid) -> f64 {
    (intercept + (slope - 1.0) * sigmoid.b) / sigmoid.a
}

/// Returns the token F1 of a page for these log-odds, computed from the aligned tokens of its blocks.
fn token_f1(model: &Model, corpus: &Corpus, page: usize, log_odds: impl Iterator<Item = f64>) -> f64 {
    let scores: Vec<f32> = log_odds.map(|z| ridge::probability(z) as f32).collect();
    let rule = (model.rule(), model.fitted().threshold);
    f64::from(labels_and_f1(&corpus.pages[page], corpus.columns(), &scores, rule, model.filter()).1)
}

/// Returns the weighted log loss of a page for these log-odds: the sum over its blocks, in nats.
fn log_loss(labels: &[bool], weight: &[f64], log_odds: impl Iterator<Item = f64>) -> f64 {
    let loss = |((&label, &weight), z): ((&bool, &f64), f64)| {
        // log-odds of the wrong label
        let against = if label { -z } else { z };
        weight * if against > 0.0 { against + (-against).exp().ln_1p() } else { against.exp().ln_1p() }
    };
    labels.iter().zip(weight).zip(log_odds).map(loss).sum()
}

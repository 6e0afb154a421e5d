//! Corrections of a model that is already trained: few annotated pages change its decision values, and the pages
//! that the model was trained on are not needed.

mod ridge;
mod site;
mod sites;

pub(crate) use site::SitePages;
pub use site::{SiteFit, SiteSettings};
pub use sites::{SiteFits, site_name};

use crate::corpus::{Corpus, Needs};
use crate::corpus_page::CorpusPage;
use crate::tune_decision::labels_and_f1;
use crate::weights::weights;
use ndarray::Array2;
use std::path::Path;
use threshr_core::progress::Progress;
use threshr_core::{Budget, Error, Result};
use threshr_extract::Model;
use threshr_extract::correction::Shift;
use threshr_extract::model::Fitted;
use threshr_extract::recipe::{AugmentationRecipe, PageLevelRecipe, Recipe};
use threshr_io::gold::DataSet;
use threshr_models::calibration::Sigmoid;

impl Corpus {
    /// Reads pages to correct `model`, with the columns that the model uses and the attributes of elements.
    ///
    /// # Errors
    /// Like [`Corpus::read_keeping`].
    pub fn read_to_correct(
        sets: &[DataSet],
        model: &Model,
        cache: Option<&Path>,
        progress: &dyn Progress,
    ) -> Result<Self> {
        // no examples are generated from the pages
        let recipe = Recipe {
            augmentation: AugmentationRecipe::default(),
            page_level: PageLevelRecipe::default(),
            ..model.recipe().clone()
        };
        let needs = Needs { attributes: true, html: false };
        Self::read_keeping(sets, &recipe, Some(model.used_features()), needs, cache, progress)
    }

    /// What the correction of a page's site does with its blocks; `None` if the model has none for the site.
    ///
    /// # Errors
    /// If the model has one, and the corpus was read without the attributes of elements.
    pub fn shift_for(&self, fitted: &Fitted, page: usize) -> Result<Option<Shift>> {
        let page = &self.pages[page];
        let Some(correction) = page.known_site().and_then(|site| fitted.corrections.sites.get(site)) else {
            return Ok(None);
        };
        if !self.needs.attributes {
            return Err(Error::data("the corpus has no attributes, which the correction of a site reads")
                .expected("a corpus that is read with them"));
        }
        correction.shift(&page.doc, &page.blocks, &Budget::UNLIMITED).map(Some)
    }
}

impl CorpusPage {
    /// The site of the page, as corrections name it; `None` if neither its set nor its address says it.
    pub fn known_site(&self) -> Option<&str> {
        self.has_known_site().then_some(self.site.as_str())
    }
}

/// Whether the log-odds of the model's scores depend on its decision values.
fn check_model(model: &Model) -> Result<()> {
    if model.fitted().sigmoid.a > 0.0 {
        return Ok(());
    }
    Err(Error::model("the model gives all blocks the same score, so there is nothing to correct")
        .expected("a model that was trained on more pages"))
}

/// A page with what a fit of a correction reads of it. Vectors have one entry a block.
#[derive(Debug)]
struct Rows {
    /// Index of the page in the corpus.
    page: usize,
    /// Log-odds of the model's scores.
    log_odds: Vec<f64>,
    /// Weights of blocks with mean 1; 0 for blocks that are not trained on.
    weight: Vec<f64>,
}

impl Rows {
    fn of(model: &Model, corpus: &Corpus, page: usize, x: &Array2<f32>) -> Result<Self> {
        let fitted = model.fitted();
        let decisions = fitted.decisions(x.view(), &Budget::UNLIMITED)?;
        let log_odds = decisions.iter().map(|&d| fitted.sigmoid.a * f64::from(d) + fitted.sigmoid.b);
        let weight = weights(&[corpus.pages[page].example()], &model.recipe().weights, false);
        Ok(Rows { page, log_odds: log_odds.collect(), weight: weight.into_iter().map(f64::from).collect() })
    }
}

/// The rows of some pages, one after the other.
struct Stacked {
    labels: Vec<bool>,
    log_odds: Vec<f64>,
    weight: Vec<f64>,
}

impl Stacked {
    fn of<'r>(corpus: &Corpus, pages: impl Iterator<Item = &'r Rows>) -> Self {
        let mut all = Stacked { labels: Vec::new(), log_odds: Vec::new(), weight: Vec::new() };
        for rows in pages {
            all.labels.extend_from_slice(&corpus.pages[rows.page].labels);
            all.log_odds.extend_from_slice(&rows.log_odds);
            all.weight.extend_from_slice(&rows.weight);
        }
        all
    }
}

/// What a line `intercept + slope * z` of log-odds `z` adds to decision values, whose factor is `slope`.
fn decision_intercept(intercept: f64, slope: f64, sigmoid: &Sigmoid) -> f64 {
    (intercept + (slope - 1.0) * sigmoid.b) / sigmoid.a
}

/// The token F1 of a page with these log-odds, counted from the aligned tokens of its blocks.
fn token_f1(model: &Model, corpus: &Corpus, page: usize, log_odds: impl Iterator<Item = f64>) -> f64 {
    let scores: Vec<f32> = log_odds.map(|z| ridge::probability(z) as f32).collect();
    let rule = (model.rule(), model.fitted().threshold);
    f64::from(labels_and_f1(&corpus.pages[page], corpus.columns(), &scores, rule, model.filter()).1)
}

/// The weighted log loss of a page with these log-odds: the sum over its blocks, in nats.
fn log_loss(labels: &[bool], weight: &[f64], log_odds: impl Iterator<Item = f64>) -> f64 {
    let loss = |((&label, &weight), z): ((&bool, &f64), f64)| {
        // the log-odds of the other label
        let against = if label { -z } else { z };
        weight * if against > 0.0 { against + (-against).exp().ln_1p() } else { against.exp().ln_1p() }
    };
    labels.iter().zip(weight).zip(log_odds).map(loss).sum()
}

//! Corpora and predictions → scores, comparisons, reports.

mod compare;
mod cross_validate;
pub mod grid;
mod predictions;
pub mod report;
mod score;
mod systems;

pub use compare::{COMPARED, Comparison, compare};
pub use cross_validate::{cross_validate, rounds_by_site};
pub use predictions::Predictions;
pub use score::{Entry, Kind, Outcome, Row, score};
pub use systems::{Round, needs, run_method, run_system, train_and_run};

use crate::block::ParagraphClass;
use crate::decision::{DecisionOptions, LearnedRules, Rule, RuleChoice};
use crate::error::Result;
use crate::filter::{FilterChoice, Page};
use crate::pipeline::{Corpus, Decision, Fit, Pipeline};
use rayon::prelude::*;
use std::sync::Arc;

/// Blocks scored by a model, page by page of a corpus, before decision and filter.
#[derive(Debug, Clone)]
pub struct Scored {
    /// Score of each block.
    pub scores: Vec<f32>,
    /// The decision rule of the recipe.
    pub rule: &'static Rule,
    /// Its number.
    pub threshold: f32,
    /// The numbers of all rules.
    pub learned: Arc<LearnedRules>,
    /// Class of each block, where the model tells classes of paragraphs apart.
    pub classes: Option<Vec<ParagraphClass>>,
}

impl Scored {
    /// Scores with the rules that a fit learned, of which the recipe chose `rule`.
    pub(crate) fn new(scores: Vec<f32>, rule: &'static Rule, fit: &Fit) -> Self {
        Scored { scores, rule, threshold: fit.threshold, learned: fit.learned.clone(), classes: None }
    }

    /// What a fit says of a page, of which the recipe chose `rule`.
    pub(crate) fn by(fit: &Fit, rule: &'static Rule, corpus: &Corpus, page: usize) -> Result<Self> {
        let x = fit.values_on(corpus, page);
        let scores = fit.scores(x.view(), &corpus.pages[page].structure)?;
        Ok(Scored { classes: fit.classes(x.view())?, ..Self::new(scores, rule, fit) })
    }

    /// Whether each block of a page is kept.
    pub(crate) fn keep(
        &self,
        corpus: &Corpus,
        page: usize,
        options: &DecisionOptions,
        filter: FilterChoice,
    ) -> Vec<bool> {
        let rule = RuleChoice::new(self.rule, self.threshold, &self.learned, options);
        let page = &corpus.pages[page];
        let num_tokens = || page.tokens_but_told(&self.scores, corpus.columns());
        let judged =
            Page { doc: &page.doc, blocks: &page.blocks, scores: &self.scores, left_out: page.left_out };
        Decision { rule, filter }.keep(&judged, num_tokens).0
    }

    /// Applies a decision (the model's own unless another is asked for) and a filter to a page.
    pub fn decide(
        &self,
        corpus: &Corpus,
        page: usize,
        options: &DecisionOptions,
        filter: FilterChoice,
    ) -> Outcome {
        let kept = self.keep(corpus, page, options, filter);
        Outcome::Blocks { kept, scores: Some(self.scores.clone()), classes: self.classes.clone() }
    }
}

/// Scores of a trained model on `pages` of a corpus that was read with its recipe.
///
/// # Errors
/// Where the corpus has other columns than the model.
pub fn score_with(pipeline: &Pipeline, corpus: &Corpus, pages: &[usize]) -> Result<Vec<Scored>> {
    let fit = pipeline.fit();
    let scored = |&page: &usize| Scored::by(fit, pipeline.rule(), corpus, page);
    pages.par_iter().map(scored).collect()
}

//! Metrics, statistics, experiment grids and reports: corpora and predictions → scores, comparisons, reports.

mod compare;
mod cross_validate;
pub mod grid;
pub mod metrics;
mod predictions;
pub mod report;
mod score;
mod systems;

pub use compare::{COMPARED, Comparison, compare};
pub use cross_validate::{cross_validate, rounds_by_site};
pub use predictions::Predictions;
pub use score::{Entry, Kind, Outcome, Row, score};
pub use systems::{Round, needs, run_method, run_system, train_and_run};

use rayon::prelude::*;
use std::sync::Arc;
use threshr_core::{Budget, Result};
use threshr_extract::baseline::Systems;
use threshr_extract::decision::{Decision, DecisionOptions, LearnedRules, Rule, RuleChoice};
use threshr_extract::filters::FilterChoice;
use threshr_extract::model::Fitted;
use threshr_extract::{Model, flow};
use threshr_html::blocks::ParagraphClass;
use threshr_models::Classifiers;
use threshr_train::Corpus;

/// What experiments look up by name: the classifiers that can be trained, and the systems.
#[derive(Debug, Clone, Default)]
pub struct Registries {
    /// The classifiers.
    pub classifiers: Classifiers,
    /// The systems.
    pub systems: Systems,
}

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
    pub(crate) fn new(scores: Vec<f32>, rule: &'static Rule, fitted: &Fitted) -> Self {
        Scored { scores, rule, threshold: fitted.threshold, learned: fitted.learned.clone(), classes: None }
    }

    /// What a fit says of a page, of which the recipe chose `rule`.
    pub(crate) fn by(fitted: &Fitted, rule: &'static Rule, corpus: &Corpus, page: usize) -> Result<Self> {
        let x = corpus.values_for(fitted, page);
        let scores = fitted.scores(x.view(), &Budget::UNLIMITED)?;
        let classes = fitted.classes(x.view(), &Budget::UNLIMITED)?;
        Ok(Scored { classes, ..Self::new(scores, rule, fitted) })
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
        let facts = corpus.page_facts(page);
        flow::label(self.scores.clone(), None, &Decision { rule, filter }, &facts, None).kept
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
pub fn score_with(model: &Model, corpus: &Corpus, pages: &[usize]) -> Result<Vec<Scored>> {
    let scored = |&page: &usize| Scored::by(model.fitted(), model.rule(), corpus, page);
    pages.par_iter().map(scored).collect()
}

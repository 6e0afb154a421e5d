//! Evaluates extraction: metrics, statistics, cross-validation, experiment grids and reports.
//!
//! - [`metrics`] scores a page's text and blocks against its gold. Each metric is one file and one entry of
//!   [`metrics::REGISTRY`]. [`metrics::statistics`] computes means with bootstrap intervals, and tests.
//! - [`score`] scores the [`Outcome`]s of a method on the pages of a [`Corpus`]. Outcomes come from a model
//!   ([`score_with`]), from cross-validation ([`cross_validate`]), from a published system ([`run_system`],
//!   [`train_and_run`]), or from the output texts of another tool ([`Predictions`]).
//! - [`compare()`] tests whether two rows of scores differ on the same pages.
//! - [`grid`] runs experiments: feature sets × classifiers × filters × data sets × splits. Results of finished
//!   cells are stored in files, and these cells do not run again. [`report`] shows the results as one HTML page.
//! - [`difference`] compares two models, systems or tools on many pages and lists the text that only one of
//!   them keeps. It needs no gold.
//!
//! # Example
//!
//! ```
//! use threshr_evaluate::metrics::{self, Case};
//!
//! let metrics = metrics::by_names(&["token", "order"])?;
//! let pages = [("It rained all day.", "Home It rained all day."), ("The sun shone.", "The sun shone.")];
//! let scores: Vec<_> = pages
//!     .iter()
//!     .map(|(gold, predicted)| metrics::score_page(&metrics, &Case { gold, predicted, ..Case::default() }))
//!     .collect();
//!
//! // columns of the metrics in order: token_p, token_r, token_f1, lcs, lev
//! assert_eq!(scores[0].values[..2], [0.8, 1.0]);
//! let summaries = metrics::summarise(&metrics, &scores, 1);
//! assert_eq!((summaries[0].column, summaries[0].mean), ("token_p", 0.9));
//! # Ok::<(), threshr_core::Error>(())
//! ```

mod compare;
mod cross_validate;
pub mod difference;
pub mod grid;
pub mod metrics;
mod predictions;
pub mod report;
mod score;
mod systems;

pub use compare::{COMPARED, Comparison, compare};
pub use cross_validate::{cross_validate, rounds_by_site};
pub use predictions::Predictions;
pub use score::{Entry, Kind, Outcome, Row, score, score_page};
pub use systems::{Round, needs, run_method, run_system, train_and_run};

use rayon::prelude::*;
use std::sync::Arc;
use threshr_core::{Budget, Result, stop};
use threshr_extract::baseline::Systems;
use threshr_extract::decision::{Decision, DecisionOptions, LearnedRules, Rule, RuleChoice};
use threshr_extract::filters::FilterChoice;
use threshr_extract::model::{Fitted, Known};
use threshr_extract::{Model, flow};
use threshr_features::Families;
use threshr_fit::Classifiers;
use threshr_html::blocks::ParagraphClass;
use threshr_models::registry::Kinds;
use threshr_train::{Corpus, Needs};

/// The feature families, classifiers and systems that recipes and experiments look up by name.
#[derive(Debug, Clone, Default)]
pub struct Registries {
    /// The feature families.
    pub families: Families,
    /// The classifiers.
    pub classifiers: Classifiers,
    /// The systems.
    pub systems: Systems,
}

impl Registries {
    /// Returns the feature families, classifier kinds and systems that a model file may refer to.
    pub fn known(&self) -> Known {
        let kinds = self.classifiers.all().iter().map(|classifier| classifier.kind);
        Known {
            families: self.families.clone(),
            kinds: Kinds::default().with(kinds),
            systems: self.systems.clone(),
        }
    }
}

/// Block scores of a page, before the decision rule and the filter are applied.
#[derive(Debug, Clone)]
pub struct Scored {
    /// Score of each block.
    pub scores: Vec<f32>,
    /// Decision rule of the recipe.
    pub rule: &'static Rule,
    /// Parameter of this rule.
    pub threshold: f32,
    /// Tuned parameters of all rules.
    pub learned: Arc<LearnedRules>,
    /// Paragraph class of each block, if the model predicts classes.
    pub classes: Option<Vec<ParagraphClass>>,
}

impl Scored {
    /// Combines scores with the tuned parameters of a fitted model. `rule` is the recipe's rule.
    pub(crate) fn new(scores: Vec<f32>, rule: &'static Rule, fitted: &Fitted) -> Self {
        Scored { scores, rule, threshold: fitted.threshold, learned: fitted.learned.clone(), classes: None }
    }

    /// Scores a page with a fitted model. `rule` is the recipe's rule.
    pub(crate) fn by(fitted: &Fitted, rule: &'static Rule, corpus: &Corpus, page: usize) -> Result<Self> {
        let (x, shift) = (corpus.values_for(fitted, page), corpus.shift_for(fitted, page)?);
        let (scores, classes) = flow::score(fitted, x.view(), shift.as_ref(), &Budget::UNLIMITED)?;
        Ok(Scored { classes, ..Self::new(scores, rule, fitted) })
    }

    /// Returns whether each block of the page is kept after decision rule and filter.
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

    /// Applies decision rule and filter to the page. `options` may replace the model's rule or its parameter.
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

/// Returns the parts of pages that a model needs in a corpus in addition to feature rows. Site-specific corrections
/// need attributes.
pub fn needs_of_model(model: &Model) -> Needs {
    Needs { attributes: !model.fitted().corrections.sites.is_empty(), html: false }
}

/// Scores `pages` of a corpus with a model. The corpus must have the columns of the model's recipe.
///
/// # Errors
/// If the columns of the corpus differ from those of the model, or the corpus lacks [parts of
/// pages](needs_of_model) that the model needs.
pub fn score_with(model: &Model, corpus: &Corpus, pages: &[usize]) -> Result<Vec<Scored>> {
    let scored = |&page: &usize| {
        stop::check()?;
        Scored::by(model.fitted(), model.rule(), corpus, page)
    };
    pages.par_iter().map(scored).collect()
}

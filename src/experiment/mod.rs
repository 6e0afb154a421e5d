//! Corpora and predictions → scores, comparisons, reports.

mod compare;
mod cross_validate;
pub mod grid;
mod predictions;
pub mod report;
mod score;

pub use compare::{COMPARED, Comparison, compare};
pub use cross_validate::cross_validate;
pub use predictions::Predictions;
pub use score::{Entry, Outcome, Row, score};

use crate::error::Result;
use crate::filter::FilterChoice;
use crate::pipeline::{Corpus, Pipeline};
use crate::systems::{System, SystemInput};
use rayon::prelude::*;

/// Blocks scored by a model, page by page of a corpus, before threshold and filter.
#[derive(Debug, Clone)]
pub struct Scored {
    /// Score of each block.
    pub scores: Vec<f32>,
    /// Least score of a kept block.
    pub threshold: f32,
}

impl Scored {
    /// Applies threshold (the model's own unless one is given) and filter to a page.
    pub fn decide(
        &self,
        corpus: &Corpus,
        page: usize,
        threshold: Option<f32>,
        filter: FilterChoice,
    ) -> Outcome {
        let threshold = threshold.unwrap_or(self.threshold);
        let page = &corpus.pages[page];
        let kept = filter.keep(&page.doc, &page.blocks, &self.scores, threshold);
        Outcome::Blocks { kept, scores: Some(self.scores.clone()) }
    }
}

/// Scores of a trained model on `pages` of a corpus that was read with its recipe.
///
/// # Errors
/// Where the corpus has other columns than the model.
pub fn score_with(pipeline: &Pipeline, corpus: &Corpus, pages: &[usize]) -> Result<Vec<Scored>> {
    let threshold = pipeline.fit().threshold;
    let scored = |&page: &usize| {
        pipeline.fit().scores(corpus.values_of(page)).map(|scores| Scored { scores, threshold })
    };
    pages.par_iter().map(scored).collect()
}

/// What a system keeps of `pages`, after a filter.
pub fn run_system(system: &System, corpus: &Corpus, pages: &[usize], filter: FilterChoice) -> Vec<Outcome> {
    let run = |&page: &usize| {
        let page = &corpus.pages[page];
        let input = SystemInput { doc: &page.doc, blocks: &page.blocks, gold: Some(&page.labels) };
        let mut kept = (system.run)(&input);
        filter.apply(&page.doc, &page.blocks, &mut kept);
        Outcome::Blocks { kept, scores: None }
    };
    pages.par_iter().map(run).collect()
}

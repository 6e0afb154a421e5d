//! Corpora and predictions → scores, comparisons, reports.

mod compare;
mod cross_validate;
mod score;

pub use compare::{Comparison, compare};
pub use cross_validate::cross_validate;
pub use score::{Entry, Outcome, Row, score};

use crate::block::ParagraphClass;
use crate::error::Result;
use crate::filter::FilterChoice;
use crate::pipeline::{Corpus, Fit, Pipeline};
use crate::systems::{System, SystemInput};
use rayon::prelude::*;

/// Blocks scored by a model, page by page of a corpus, before threshold and filter.
#[derive(Debug, Clone)]
pub struct Scored {
    /// Score of each block.
    pub scores: Vec<f32>,
    /// Least score of a kept block.
    pub threshold: f32,
    /// Class of each block, where the model tells classes of paragraphs apart.
    pub classes: Option<Vec<ParagraphClass>>,
}

impl Scored {
    /// What a fit says of a page.
    fn by(fit: &Fit, corpus: &Corpus, page: usize) -> Result<Self> {
        let x = corpus.values_of(page);
        Ok(Scored { scores: fit.scores(x)?, threshold: fit.threshold, classes: fit.classes(x)? })
    }

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
        Outcome::Blocks { kept, scores: Some(self.scores.clone()), classes: self.classes.clone() }
    }
}

/// Scores of a trained model on `pages` of a corpus that was read with its recipe.
///
/// # Errors
/// Where the corpus has other columns than the model.
pub fn score_with(pipeline: &Pipeline, corpus: &Corpus, pages: &[usize]) -> Result<Vec<Scored>> {
    pages.par_iter().map(|&page| Scored::by(pipeline.fit(), corpus, page)).collect()
}

/// What a system keeps of `pages`, after a filter.
pub fn run_system(system: &System, corpus: &Corpus, pages: &[usize], filter: FilterChoice) -> Vec<Outcome> {
    let run = |&page: &usize| {
        let page = &corpus.pages[page];
        let input = SystemInput { doc: &page.doc, blocks: &page.blocks, gold: Some(&page.labels) };
        let mut kept = (system.run)(&input);
        filter.apply(&page.doc, &page.blocks, &mut kept);
        Outcome::Blocks { kept, scores: None, classes: None }
    };
    pages.par_iter().map(run).collect()
}

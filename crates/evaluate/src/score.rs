//! Predictions against gold, page by page.

use crate::metrics;
use crate::metrics::{BlockCase, Case, Metric, PageScores, Summary};
use rayon::prelude::*;
use threshr_extract::formats as output;
use threshr_html::blocks::ParagraphClass;
use threshr_train::Corpus;

/// What came out of a page.
#[derive(Debug, Clone)]
pub enum Outcome {
    /// Blocks, kept or not, with their scores where the method has them.
    Blocks {
        /// Whether each block is kept.
        kept: Vec<bool>,
        /// Score of each block.
        scores: Option<Vec<f32>>,
        /// Class of each block, where the method tells classes of paragraphs apart.
        classes: Option<Vec<ParagraphClass>>,
    },
    /// Text alone, from somewhere else.
    Text(String),
}

impl Outcome {
    /// The text: kept blocks, one a line.
    pub fn text(&self, corpus: &Corpus, page: usize) -> String {
        match self {
            Outcome::Text(text) => text.clone(),
            Outcome::Blocks { kept, .. } => corpus.pages[page].blocks.join(|i| kept[i]),
        }
    }
}

/// What made a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Floor or ceiling, and no method.
    Bound,
    /// A model of the report's recipe.
    Model,
    /// A system, or another tool's texts.
    Other,
}

/// A method's outcomes on some pages, before they are scored.
#[derive(Debug, Clone)]
pub struct Entry {
    /// The name of the row.
    pub name: String,
    /// The filter that was applied.
    pub filter: String,
    /// What made it.
    pub kind: Kind,
    /// One outcome for each page.
    pub outcomes: Vec<Outcome>,
}

/// A row of a report.
#[derive(Debug, Clone)]
pub struct Row {
    /// Its name.
    pub name: String,
    /// The filter that was applied.
    pub filter: String,
    /// What made it.
    pub kind: Kind,
    /// Id of each page.
    pub ids: Vec<String>,
    /// Its scores.
    pub pages: Vec<PageScores>,
    /// Each column over all pages.
    pub summaries: Vec<Summary>,
    /// ROC AUC over all blocks of all pages, where there are scores.
    pub pooled_auc: Option<f64>,
    /// Calibration over all blocks, where there are scores.
    pub calibration: Vec<metrics::CalibrationBin>,
}

/// Bins of the calibration table.
const CALIBRATION_BINS: usize = 10;

/// Scores an entry on `pages`, with its outcomes on them.
pub fn score(
    corpus: &Corpus,
    pages: &[usize],
    entry: &Entry,
    outcomes: &[&Outcome],
    metrics: &[&Metric],
    seed: u64,
) -> Row {
    let scored: Vec<PageScores> = pages
        .par_iter()
        .zip(outcomes)
        .map(|(&page, outcome)| score_page(corpus, page, outcome, metrics))
        .collect();
    let (mut scores, mut gold) = (Vec::new(), Vec::new());
    for (&page, outcome) in pages.iter().zip(outcomes) {
        if let Outcome::Blocks { scores: Some(of_page), .. } = outcome {
            scores.extend_from_slice(of_page);
            gold.extend_from_slice(&corpus.pages[page].labels);
        }
    }
    let calibration = match scores.is_empty() {
        true => Vec::new(),
        false => metrics::calibration_table(&scores, &gold, None, CALIBRATION_BINS),
    };
    Row {
        name: entry.name.clone(),
        filter: entry.filter.clone(),
        kind: entry.kind,
        ids: pages.iter().map(|&p| corpus.pages[p].id.clone()).collect(),
        summaries: metrics::summarise(metrics, &scored, seed),
        pages: scored,
        pooled_auc: (!scores.is_empty()).then(|| metrics::pooled_auc(&scores, &gold)),
        calibration,
    }
}

fn score_page(corpus: &Corpus, index: usize, outcome: &Outcome, metrics: &[&Metric]) -> PageScores {
    let page = &corpus.pages[index];
    let text = outcome.text(corpus, index);
    let (markup, blocks) = match outcome {
        Outcome::Text(_) => (None, None),
        Outcome::Blocks { kept, scores, classes } => (
            Some(output::markup(&page.doc, &page.blocks, kept, classes.as_deref())),
            Some(BlockCase {
                scores: scores.as_deref(),
                kept,
                gold: &page.labels,
                num_tokens: &page.alignment.num_tokens,
            }),
        ),
    };
    let case = Case {
        gold: page.gold.as_deref().unwrap_or(""),
        predicted: &text,
        gold_markup: page.gold_markup.as_deref(),
        predicted_markup: markup.as_deref(),
        lang: page.lang.as_deref(),
        snippets: Some(&page.snippets),
        blocks,
    };
    metrics::score_page(metrics, &case)
}

//! Scores outcomes against gold, page by page.

use crate::metrics;
use crate::metrics::{BlockCase, Case, Metric, PageScores, Summary};
use rayon::prelude::*;
use threshr_html::blocks::ParagraphClass;
use threshr_output::formats as output;
use threshr_train::Corpus;

/// The result of a method on a page.
#[derive(Debug, Clone)]
pub enum Outcome {
    /// Blocks: kept or not.
    Blocks {
        /// Whether each block is kept.
        kept: Vec<bool>,
        /// Score of each block, if the method has scores.
        scores: Option<Vec<f32>>,
        /// Paragraph class of each block, if the method predicts classes.
        classes: Option<Vec<ParagraphClass>>,
    },
    /// Text of another tool.
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

/// The kind of method of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Lower or upper bound.
    Bound,
    /// A trained model.
    Model,
    /// A published system or another tool.
    Other,
}

/// The outcomes of a method, before scoring.
#[derive(Debug, Clone)]
pub struct Entry {
    /// Name of the row.
    pub name: String,
    /// The filter applied.
    pub filter: String,
    /// The kind of method.
    pub kind: Kind,
    /// One outcome for each page.
    pub outcomes: Vec<Outcome>,
}

/// A row of a report.
#[derive(Debug, Clone)]
pub struct Row {
    /// Name.
    pub name: String,
    /// The filter applied.
    pub filter: String,
    /// The kind of method.
    pub kind: Kind,
    /// Id of each page.
    pub ids: Vec<String>,
    /// Scores of each page.
    pub pages: Vec<PageScores>,
    /// Each column over all pages.
    pub summaries: Vec<Summary>,
    /// ROC AUC over all blocks of all pages, if blocks have scores.
    pub pooled_auc: Option<f64>,
    /// Calibration over all blocks; empty without scores.
    pub calibration: Vec<metrics::CalibrationBin>,
}

/// Bins of the calibration table.
const CALIBRATION_BINS: usize = 10;

/// Scores an entry on `pages`; `outcomes` has one outcome for each of them.
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
        let has_gold = corpus.pages[page].gold.is_some();
        if let (Outcome::Blocks { scores: Some(of_page), .. }, true) = (outcome, has_gold) {
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

/// Scores an outcome on one page.
pub fn score_page(corpus: &Corpus, index: usize, outcome: &Outcome, metrics: &[&Metric]) -> PageScores {
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

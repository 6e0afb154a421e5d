//! Scores outcomes against gold, page by page.

use crate::metrics;
use crate::metrics::{BlockCase, Case, Metric, PageScores, Summary};
use rayon::prelude::*;
use threshr_html::blocks::ParagraphClass;
use threshr_output::formats as output;
use threshr_train::Corpus;

/// The labels or the text that a method produces for a page.
#[derive(Debug, Clone)]
pub enum Outcome {
    /// Labels of the corpus's blocks.
    Blocks {
        /// Whether each block is kept.
        kept: Vec<bool>,
        /// Score of each block, if the method has scores.
        scores: Option<Vec<f32>>,
        /// Paragraph class of each block, if the method predicts classes.
        classes: Option<Vec<ParagraphClass>>,
    },
    /// Output text of another tool.
    Text(String),
    /// The tool failed on the page.
    Failed,
}

impl Outcome {
    /// Returns the extracted text: the kept blocks, one per line, or the text of the tool. The text of a
    /// failed page is empty.
    pub fn text(&self, corpus: &Corpus, page: usize) -> String {
        match self {
            Outcome::Text(text) => text.clone(),
            Outcome::Failed => String::new(),
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
    /// A published system or another tool's texts.
    Other,
}

/// The outcomes of a method on some pages, before scoring.
#[derive(Debug, Clone)]
pub struct Entry {
    /// Name of the row.
    pub name: String,
    /// The filter that was applied.
    pub filter: String,
    /// The kind of method.
    pub kind: Kind,
    /// One outcome for each page of the entry.
    pub outcomes: Vec<Outcome>,
}

/// A row of a report.
#[derive(Debug, Clone)]
pub struct Row {
    /// Name.
    pub name: String,
    /// The filter that was applied.
    pub filter: String,
    /// The kind of method.
    pub kind: Kind,
    /// Ids of the pages.
    pub ids: Vec<String>,
    /// Scores of the pages, in the order of `ids`.
    pub pages: Vec<PageScores>,
    /// One summary over all pages for each column.
    pub summaries: Vec<Summary>,
    /// ROC AUC over all blocks of all pages, if blocks have scores.
    pub pooled_auc: Option<f64>,
    /// Calibration over all blocks; empty if blocks have no scores.
    pub calibration: Vec<metrics::CalibrationBin>,
}

/// Scores `outcomes`, one for each page of `pages`, and returns them as a row with the name, filter and kind of
/// `entry`.
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
    Row {
        name: entry.name.clone(),
        filter: entry.filter.clone(),
        kind: entry.kind,
        ids: pages.iter().map(|&p| corpus.pages[p].id.clone()).collect(),
        summaries: metrics::summarise(metrics, &scored, seed),
        pages: scored,
        pooled_auc: (!scores.is_empty()).then(|| metrics::pooled_auc(&scores, &gold)),
        calibration: metrics::calibration_table(&scores, &gold),
    }
}

/// Scores an outcome on one page. A failed page has the score 0 in every column that applies to the page.
pub fn score_page(corpus: &Corpus, index: usize, outcome: &Outcome, metrics: &[&Metric]) -> PageScores {
    let page = &corpus.pages[index];
    let text = outcome.text(corpus, index);
    let (markup, posts, blocks) = match outcome {
        Outcome::Text(_) | Outcome::Failed => (None, None, None),
        Outcome::Blocks { kept, scores, classes } => (
            Some(output::markup(&page.doc, &page.blocks, kept, classes.as_deref())),
            page.posts.as_deref(),
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
        posts,
        blocks,
    };
    let mut scores = metrics::score_page(metrics, &case);
    if matches!(outcome, Outcome::Failed) {
        // A failed page scores 0 even if an empty text would be correct.
        scores.values.iter_mut().filter(|value| !value.is_nan()).for_each(|value| *value = 0.0);
    }
    scores
}

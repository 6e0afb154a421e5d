//! Baseline systems on the pages of a corpus: their input and their training.

use crate::corpus::Corpus;
use crate::corpus::page::CorpusPage;
use crate::summary;
use serde_json::Value;
use threshr_core::Result;
use threshr_extract::Recipe;
use threshr_extract::baseline::{SystemChoice, SystemGold, SystemInput, TrainedSystem};
use threshr_extract::model::HeldOut;
use threshr_html::Visibility;

/// Trains a system on the trainable pages of a corpus that have gold. The corpus must have been read with the
/// page data that the system needs.
///
/// # Errors
/// If the system cannot be trained on these pages.
pub fn train(choice: &SystemChoice, corpus: &Corpus, recipe: &Recipe) -> Result<TrainedSystem> {
    let pages = corpus.trainable_with_gold(recipe);
    let data = train_on(choice, corpus, &pages, recipe)?;
    let summary = summary::of(corpus, &pages, recipe, HeldOut::default());
    TrainedSystem::assemble(choice.clone(), data, summary)
}

/// Returns the input of a system for a page, without gold.
pub fn input_of(page: &CorpusPage, visibility: Visibility) -> SystemInput<'_> {
    let (html, lang) = (page.html.as_deref(), page.lang.as_deref());
    SystemInput { html, lang, visibility, ..SystemInput::new(&page.doc, &page.blocks) }
}

/// Trains a system on the pages with gold. Returns the trained parameters as JSON.
///
/// # Errors
/// If the system cannot be trained on these pages.
pub fn train_on(choice: &SystemChoice, corpus: &Corpus, pages: &[usize], recipe: &Recipe) -> Result<Value> {
    let pages = pages.iter().map(|&page| &corpus.pages[page]).filter(|page| page.gold.is_some());
    let input = |page| SystemInput { gold: Some(gold_of(page)), ..input_of(page, recipe.visibility()) };
    choice.train(&pages.map(input).collect::<Vec<_>>(), recipe.seed)
}

/// Returns the gold of a page.
pub fn gold_of(page: &CorpusPage) -> SystemGold<'_> {
    SystemGold {
        labels: &page.labels,
        classes: &page.alignment.class,
        text: page.gold.as_deref().unwrap_or_default(),
    }
}

//! Systems on the pages of a corpus: their input and their training.

use crate::corpus::Corpus;
use crate::corpus_page::CorpusPage;
use crate::summary;
use serde_json::Value;
use threshr_core::Result;
use threshr_extract::Recipe;
use threshr_extract::baseline::{SystemChoice, SystemGold, SystemInput, TrainedSystem, project};
use threshr_extract::model::HeldOut;
use threshr_html::Visibility;
use threshr_html::blocks::{self as block, Blocks};

/// Trains a system on the trainable pages of a corpus that have gold. The corpus must have the parts of pages that the
/// system needs.
///
/// # Errors
/// If the system cannot be trained on these pages.
pub fn train(choice: &SystemChoice, corpus: &Corpus, recipe: &Recipe) -> Result<TrainedSystem> {
    let pages = corpus.trainable_with_gold(recipe);
    let data = train_on(choice, corpus, &pages, recipe)?;
    let summary = summary::of(corpus, &pages, recipe, HeldOut::default());
    TrainedSystem::assemble(choice.clone(), data, summary)
}

/// The input of a system for a page, without gold.
pub fn input_of(page: &CorpusPage, visibility: Visibility) -> SystemInput<'_> {
    let (html, lang) = (page.html.as_deref(), page.lang.as_deref());
    SystemInput { html, lang, visibility, ..SystemInput::new(&page.doc, &page.blocks) }
}

/// Trains a system on some pages of a corpus, those of them that have gold. The result is what it learned, as JSON.
///
/// # Errors
/// If the system cannot be trained on these pages.
pub fn train_on(choice: &SystemChoice, corpus: &Corpus, pages: &[usize], recipe: &Recipe) -> Result<Value> {
    let pages: Vec<usize> = pages.iter().copied().filter(|&p| corpus.pages[p].gold.is_some()).collect();
    let visibility = recipe.visibility();
    let seen = |page: &CorpusPage| {
        let blocks = seen(page, recipe)?;
        let labels = project(&page.doc, &page.blocks, &page.labels, None, &blocks).0;
        Some((blocks, labels))
    };
    let seen: Vec<Option<(Blocks, Vec<bool>)>> = pages.iter().map(|&p| seen(&corpus.pages[p])).collect();
    let input = |(&p, seen)| -> SystemInput<'_> {
        let page: &CorpusPage = &corpus.pages[p];
        let (input, gold) = (input_of(page, visibility), gold_of(page));
        let Some((blocks, labels)): &Option<(Blocks, Vec<bool>)> = seen else {
            return SystemInput { gold: Some(gold), ..input };
        };
        SystemInput { blocks, gold: Some(SystemGold { labels, classes: &[], ..gold }), ..input }
    };
    let inputs: Vec<SystemInput<'_>> = pages.iter().zip(&seen).map(input).collect();
    choice.train(&inputs, recipe.seed)
}

/// The blocks of a page without hidden text. `None` if the blocks of the corpus have no hidden text either.
/// Models may classify hidden text; a system only sees what a reader sees.
pub fn seen(page: &CorpusPage, recipe: &Recipe) -> Option<Blocks> {
    let visibility = recipe.visibility();
    // the corpus has the same segmentation
    let segmentation = block::by_name(&recipe.block.segmentation).ok()?;
    (visibility != recipe.visibility()).then(|| Blocks::of(&page.doc, segmentation, visibility))
}

/// The gold of a page.
pub fn gold_of(page: &CorpusPage) -> SystemGold<'_> {
    SystemGold {
        labels: &page.labels,
        classes: &page.alignment.class,
        text: page.gold.as_deref().unwrap_or_default(),
    }
}

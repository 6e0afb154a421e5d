//! Systems on the pages of a corpus: what they see, and their training.

use crate::corpus::{Corpus, CorpusPage};
use crate::summary;
use serde_json::Value;
use threshr_core::Result;
use threshr_extract::Recipe;
use threshr_extract::baseline::{SystemChoice, SystemGold, SystemInput, TrainedSystem, project};
use threshr_extract::model::HeldOut;
use threshr_html::Visibility;
use threshr_html::blocks::{self as block, Blocks};

/// Trains a system on the pages with gold of a corpus that was read for it.
///
/// # Errors
/// Where it cannot be trained on these pages.
pub fn train(choice: &SystemChoice, corpus: &Corpus, recipe: &Recipe) -> Result<TrainedSystem> {
    let pages = corpus.trainable(recipe);
    let data = train_on(choice, corpus, &pages, recipe)?;
    let summary = summary::of(corpus, &pages, recipe, HeldOut::default());
    TrainedSystem::assemble(choice.clone(), data, summary)
}

/// A page of a corpus as a system sees it, without its gold.
pub fn input_of(page: &CorpusPage, visibility: Visibility) -> SystemInput<'_> {
    let (html, lang) = (page.html.as_deref(), page.lang.as_deref());
    SystemInput { html, lang, visibility, ..SystemInput::new(&page.doc, &page.blocks) }
}

/// Trains a system on some pages of a corpus; gives what it learned.
///
/// # Errors
/// Where it cannot be trained on these pages.
pub fn train_on(choice: &SystemChoice, corpus: &Corpus, pages: &[usize], recipe: &Recipe) -> Result<Value> {
    let visibility = recipe.visibility().unweighed();
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

/// Blocks of a page without hidden text, where those of the corpus have it for models to weigh: a system sees what a reader sees.
pub fn seen(page: &CorpusPage, recipe: &Recipe) -> Option<Blocks> {
    let visibility = recipe.visibility().unweighed();
    // the corpus was read by this segmentation
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

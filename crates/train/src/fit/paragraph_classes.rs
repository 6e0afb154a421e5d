//! Fits models for the paragraph class of content blocks in CleanEval's markup: paragraph, heading or list.

use crate::corpus::Corpus;
use crate::labels::example::Example;
use crate::view::learned_columns::LearnedFamilies;
use crate::view::weights::weights;
use serde_json::{Value, json};
use threshr_core::Result;
use threshr_extract::model::ParagraphClasses;
use threshr_extract::recipe::WeightRecipe;
use threshr_fit::trees::tree::CLASSIFIER;
use threshr_fit::{Classifiers, TrainingRows, TrainingSet};
use threshr_html::blocks::ParagraphClass;
use threshr_models::FittedClassifier;

/// Minimum number of training pages with paragraph classes. If there are fewer, the class of a block is
/// determined by its element.
const MIN_PAGES: usize = 10;

/// Returns the settings of the trees. Small trees suffice, because the element determines most classes.
fn params() -> Value {
    json!({"max_depth": 7, "min_leaf_rows": 10})
}

/// Fits two trees on the content blocks of `pages` whose class is given by the gold. Returns `None` if there
/// are too few pages.
pub(crate) fn fit(
    corpus: &Corpus,
    pages: &[usize],
    learned: &LearnedFamilies,
    recipe: &WeightRecipe,
    seed: u64,
) -> Result<Option<ParagraphClasses>> {
    let with_class = |&p: &usize| corpus.pages[p].alignment.class.iter().any(Option::is_some);
    let pages: Vec<usize> = pages.iter().copied().filter(with_class).collect();
    if pages.len() < MIN_PAGES {
        return Ok(None);
    }
    let examples: Vec<Example<'_>> = pages.iter().map(|&p| corpus.pages[p].example()).collect();
    let all_weights = weights(&examples, recipe, false);
    let (mut rows, mut class, mut page_of, mut weight) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let mut at = 0;
    for (number, &p) in (0u32..).zip(&pages) {
        let page = &corpus.pages[p];
        for (&label, of_block) in page.labels.iter().zip(&page.alignment.class) {
            if let Some(c) = of_block.filter(|_| label) {
                rows.push(at);
                class.push(c);
                page_of.push(number);
                weight.push(all_weights[at]);
            }
            at += 1;
        }
    }
    let view = corpus.plain_rows(&pages, learned);
    let x = TrainingRows::from(&view).select(&rows);
    let one = |wanted: ParagraphClass| -> Result<Option<Box<dyn FittedClassifier>>> {
        let y: Vec<bool> = class.iter().map(|&c| c == wanted).collect();
        if !y.contains(&true) || !y.contains(&false) || weight.iter().all(|&w| w == 0.0) {
            return Ok(None);
        }
        let set = TrainingSet {
            x: x.view().into(),
            y: &y,
            weight: &weight,
            page: &page_of,
            class: &[],
            columns: corpus.columns(),
        };
        (CLASSIFIER.fit)(&set, &params(), seed, &Classifiers::default()).map(Some)
    };
    let (heading, list) = (one(ParagraphClass::Heading)?, one(ParagraphClass::List)?);
    Ok(heading.zip(list).map(|(heading, list)| ParagraphClasses { heading, list }))
}

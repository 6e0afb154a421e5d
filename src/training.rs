//! Training and evaluation from Rust: annotated folders → a model, a model → its scores.
//!
//! ```no_run
//! use threshr::training::{Recipe, cross_validate, open, train};
//!
//! let sets = [open("my-pages")?];
//! let recipe = Recipe::default();
//! let scores = cross_validate(&sets, &recipe, 5)?;
//! let mean = scores.iter().map(|page| page.f1).sum::<f64>() / scores.len() as f64;
//! println!("mean token F1 on pages of other sites: {mean:.3}");
//! let extractor = threshr::Extractor::builder().model(train(&sets, &recipe)?).build()?;
//! # Ok::<(), threshr::Error>(())
//! ```

use crate::registries;
use std::path::Path;
use threshr_core::progress::Quiet;
use threshr_evaluate::metrics::TOKEN;
use threshr_evaluate::{Scored, score_page};
use threshr_extract::Model;
use threshr_extract::decision::DecisionOptions;
use threshr_extract::filters::FilterChoice;
use threshr_io::gold::ReadOptions;
use threshr_train::Corpus;

pub use threshr_core::{Error, Result};
pub use threshr_extract::Recipe;
pub use threshr_io::gold::DataSet;
pub use threshr_train::{SiteFit, SiteFits, SiteSettings, save};

/// The metric `token` of a page, as `threshr evaluate` computes it.
#[derive(Debug, Clone, PartialEq)]
pub struct PageScore {
    /// Name of its set.
    pub set: String,
    /// Its id in the set.
    pub id: String,
    /// Share of the extracted tokens that are gold.
    pub precision: f64,
    /// Share of the gold tokens that are extracted.
    pub recall: f64,
    /// Their harmonic mean.
    pub f1: f64,
}

/// Opens a folder or file of annotated pages; its form is detected.
///
/// # Errors
/// The set has no known form, or its list of pages is damaged.
pub fn open(folder: impl AsRef<Path>) -> Result<DataSet> {
    DataSet::open(folder.as_ref(), &ReadOptions::default())
}

/// Trains a model. The same pages, recipe and seed give the same model.
///
/// # Errors
/// The recipe is invalid, no page can be read, or the blocks are all of one class.
pub fn train(sets: &[DataSet], recipe: &Recipe) -> Result<Model> {
    let corpus = Corpus::read_to_train(sets, recipe, None, &Quiet)?;
    threshr_train::train(corpus, recipe, &registries().classifiers, &Quiet)
}

/// Cross-validates on the pages with gold, on `folds` folds grouped by site.
///
/// # Errors
/// There are fewer sites than folds; and the errors of [`train`].
pub fn cross_validate(sets: &[DataSet], recipe: &Recipe, folds: usize) -> Result<Vec<PageScore>> {
    let corpus = Corpus::read(sets, recipe, Some(&recipe.feature_set()?), &Quiet)?;
    let pages = corpus.with_gold();
    let classifiers = registries().classifiers;
    let scored = threshr_evaluate::cross_validate(&corpus, &pages, recipe, folds, &classifiers, &Quiet)?;
    Ok(page_scores(&corpus, &pages, &scored, FilterChoice::parse(&recipe.decision.filter)?))
}

/// Evaluates a model on the pages with gold. Pass sets of other sites: pages that the model was trained on
/// are not left out.
///
/// # Errors
/// No page can be read.
pub fn evaluate(sets: &[DataSet], model: &Model) -> Result<Vec<PageScore>> {
    let (recipe, features) = (model.recipe(), Some(model.features()));
    let needs = threshr_evaluate::needs_of_model(model);
    let corpus = Corpus::read_keeping(sets, recipe, features, needs, None, &Quiet)?;
    let pages = corpus.with_gold();
    let scored = threshr_evaluate::score_with(model, &corpus, &pages)?;
    Ok(page_scores(&corpus, &pages, &scored, model.filter()))
}

/// A model with corrections of sites, and what the pages of each site showed.
#[derive(Debug)]
pub struct Adapted {
    /// The model.
    pub model: Model,
    /// What was learned, site by site.
    pub fits: SiteFits,
}

/// Teaches a model the sites of annotated pages, from two or three pages of each. Pages of other sites are extracted as
/// before. `site` is the site of all pages; without it, each page is of the site of its address.
///
/// # Errors
/// A setting is out of range, no page can be read, or the site of a page is unknown.
pub fn adapt(sets: &[DataSet], model: Model, site: Option<&str>, settings: SiteSettings) -> Result<Adapted> {
    settings.check(site)?;
    let corpus = Corpus::read_to_correct(sets, &model, None, &Quiet)?;
    let fits = SiteFits::learn(&model, (&corpus, sets), site, settings, |_, _| {})?;
    let mut corrections = model.fitted().corrections.clone();
    fits.add_to(&mut corrections)?;
    Ok(Adapted { model: model.with_corrections(corrections)?, fits })
}

fn page_scores(corpus: &Corpus, pages: &[usize], scored: &[Scored], filter: FilterChoice) -> Vec<PageScore> {
    let score = |(&index, scored): (&usize, &Scored)| {
        let page = &corpus.pages[index];
        let outcome = scored.decide(corpus, index, &DecisionOptions::default(), filter);
        let values = score_page(corpus, index, &outcome, &[&TOKEN]).values;
        let [precision, recall, f1] = [values[0], values[1], values[2]];
        PageScore { set: corpus.sets[page.set].name.clone(), id: page.id.clone(), precision, recall, f1 }
    };
    pages.iter().zip(scored).map(score).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_are_those_of_the_metric_token() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let sets = [open(root.join("datasets/sample")).expect("the sample")];
        let recipe = Recipe::from_toml("features.set = 'shallow'").expect("a recipe");
        let model = train(&sets, &recipe).expect("a model");
        let scores = evaluate(&sets, &model).expect("scores");
        let extractor = crate::Extractor::builder().model(model).build().expect("an extractor");
        for (score, page) in scores.iter().zip(&sets[0].pages) {
            assert_eq!(score.id, page.id);
            let extraction = extractor.extract(page.load().expect("a page")).expect("blocks");
            let kept: Vec<_> = extraction.blocks().filter(|b| b.is_content).map(|b| b.text).collect();
            let text = kept.join("\n");
            let Some(threshr_io::gold::Gold::Text { text: gold, .. }) = &page.gold else { panic!("gold") };
            let case = threshr_evaluate::metrics::Case { gold, predicted: &text, ..Default::default() };
            let expected = threshr_evaluate::metrics::score_page(&[&TOKEN], &case).values;
            assert!((score.f1 - expected[2]).abs() < 1e-12, "{}: {} {}", page.id, score.f1, expected[2]);
        }
    }
}

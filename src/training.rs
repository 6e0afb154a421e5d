//! Training and evaluation from Rust: trains models on annotated sets, and scores models on them.
//!
//! ```no_run
//! use threshr::registries;
//! use threshr::training::{Recipe, cross_validate, open, train};
//!
//! let sets = [open("my-pages")?];
//! let recipe = Recipe::default();
//! let registries = registries();
//! let scores = cross_validate(&sets, &recipe, 5, &registries)?;
//! let mean = scores.iter().map(|page| page.f1).sum::<f64>() / scores.len() as f64;
//! println!("mean token F1 on pages of other sites: {mean:.3}");
//! let extractor = threshr::Extractor::builder().model(train(&sets, &recipe, &registries)?).build()?;
//! # Ok::<(), threshr::Error>(())
//! ```
//!
//! Recipes and systems refer to families, classifiers and systems by name. [`Registries`] contains these
//! entries by name. A program can add its own entries, see [`own`].

use crate::ExtractorBuilder;
use std::path::Path;
use threshr_core::progress::Quiet;
use threshr_evaluate::metrics::TOKEN;
use threshr_evaluate::{Outcome, Scored, needs, rounds_by_site, run_system, score_page, train_and_run};
use threshr_extract::Model;
use threshr_extract::baseline::SystemChoice;
use threshr_extract::decision::DecisionOptions;
use threshr_extract::filters::FilterChoice;
use threshr_extract::model::file;
use threshr_sets::gold::ReadOptions;
use threshr_train::{Corpus, Needs};

pub use threshr_core::{Error, Result};
pub use threshr_evaluate::Registries;
pub use threshr_extract::Recipe;
pub use threshr_extract::baseline::TrainedSystem;
pub use threshr_sets::gold::DataSet;
pub use threshr_train::{Overlap, SiteFit, SiteFits, SiteSettings, save, save_system};

/// The types that a program needs to implement its own families, classifiers and systems, and to add them
/// to its [`Registries`].
///
/// The guide `docs/guide/own-parts.md` has an example program with one of each.
pub mod own {
    pub use ndarray::ArrayView2;
    pub use threshr_core::{Budget, ParagraphClass};
    pub use threshr_extract::baseline::{
        How, Method, System, SystemGold, SystemInput, SystemOption, Systems,
    };
    pub use threshr_features::{Column, Families, Family, Grid, PageContext};
    pub use threshr_fit::{Classifier, Classifiers, Ranges, Settings, TrainingRows, TrainingSet};
    pub use threshr_models::{FittedClassifier, ModelKind, Stored};
}

/// Scores of a page in the metric `token`, as computed by `threshr evaluate`.
#[derive(Debug, Clone, PartialEq)]
pub struct PageScore {
    /// Name of the set of the page.
    pub set: String,
    /// Id of the page in the set.
    pub id: String,
    /// Share of the extracted tokens that are in the gold.
    pub precision: f64,
    /// Share of the gold tokens that were extracted.
    pub recall: f64,
    /// Harmonic mean of precision and recall.
    pub f1: f64,
}

/// Opens a folder or file of annotated pages. The format is detected.
///
/// # Errors
/// If the format is unknown, or the list of pages is invalid.
pub fn open(folder: impl AsRef<Path>) -> Result<DataSet> {
    DataSet::open(folder.as_ref(), &ReadOptions::default())
}

/// Loads a model file. `registries` contains the families and classifiers that the model may refer to.
///
/// # Errors
/// If the file cannot be read, or is not the file of a model.
pub fn load(path: impl AsRef<Path>, registries: &Registries) -> Result<Model> {
    let path = path.as_ref();
    file::load(path, &registries.known())?.into_model().map_err(|e| e.at_path(path))
}

/// Trains a model. Training is deterministic for given pages, recipe, seed and teacher.
///
/// # Errors
/// If the recipe is invalid, no page can be read, or all blocks have the same class.
pub fn train(sets: &[DataSet], recipe: &Recipe, registries: &Registries) -> Result<Model> {
    let features = recipe.feature_set(&registries.families)?;
    let teacher = teacher(recipe, registries)?;
    let corpus = Corpus::read_to_train(sets, recipe, &features, teacher.as_ref(), &Quiet)?;
    threshr_train::train(corpus, recipe, &registries.classifiers, &Quiet)
}

/// Loads the teacher that a recipe names. The name of a shipped model is that model, unless a file with this name
/// exists.
///
/// # Errors
/// If there is no such model.
pub fn teacher(recipe: &Recipe, registries: &Registries) -> Result<Option<Model>> {
    let named = |name: &str| {
        let path = Path::new(name);
        #[cfg(feature = "shipped-model")]
        if let Some(name) = crate::shipped_name(path) {
            return crate::shipped_model(name);
        }
        load(path, registries)
    };
    recipe.labels.teacher.as_deref().map(named).transpose()
}

/// Cross-validates a recipe on the pages with gold, with `folds` folds that are grouped by site.
///
/// # Errors
/// Like [`train`], and if there are fewer sites than folds.
pub fn cross_validate(
    sets: &[DataSet],
    recipe: &Recipe,
    folds: usize,
    registries: &Registries,
) -> Result<Vec<PageScore>> {
    let features = recipe.feature_set(&registries.families)?;
    let corpus = Corpus::read(sets, recipe, Some(&features), Needs::default(), &Quiet)?;
    let (pages, classifiers) = (corpus.with_gold(), &registries.classifiers);
    let scored = threshr_evaluate::cross_validate(&corpus, &pages, recipe, folds, classifiers, &Quiet)?;
    Ok(page_scores(&corpus, &pages, &scored, FilterChoice::parse(&recipe.decision.filter)?))
}

/// Evaluates a model on the pages with gold. `overlap` determines what happens to pages that the model was trained on,
/// and to other pages of their sites; by default they are an error.
///
/// # Errors
/// If no page can be read, or the model was trained on a page and `overlap` does not allow it.
pub fn evaluate(sets: &[DataSet], model: &Model, overlap: Overlap) -> Result<Vec<PageScore>> {
    let (recipe, features) = (model.recipe(), Some(model.features()));
    let needs = threshr_evaluate::needs_of_model(model);
    let corpus = Corpus::read(sets, recipe, features, needs, &Quiet)?;
    let seen = (model.summary(), Some(&model.fitted().corrections));
    let pages = overlap.pages_to_score(seen, &corpus, corpus.with_gold())?;
    let scored = threshr_evaluate::score_with(model, &corpus, &pages)?;
    Ok(page_scores(&corpus, &pages, &scored, model.filter()))
}

/// Trains a system, given as `NAME` or `NAME+FILTER`. [`save_system`] writes it as a model file.
///
/// # Errors
/// If the name is unknown, the system cannot be trained, or no page can be read.
pub fn train_system(sets: &[DataSet], name: &str, registries: &Registries) -> Result<TrainedSystem> {
    let (choice, recipe) = (SystemChoice::parse(name, &registries.systems)?, Recipe::default());
    let corpus = Corpus::read(sets, &recipe, None, needs([&choice]), &Quiet)?;
    threshr_train::baseline::train(&choice, &corpus, &recipe)
}

/// Evaluates a system on the pages with gold. If `folds` is `Some`, the system is cross-validated with
/// folds that are grouped by site. If it is `None`, the system runs without training.
///
/// # Errors
/// If the name is unknown, the system cannot be trained (with folds) or must be trained (without folds), no
/// page can be read, or there are fewer sites than folds.
pub fn evaluate_system(
    sets: &[DataSet],
    name: &str,
    folds: Option<usize>,
    registries: &Registries,
) -> Result<Vec<PageScore>> {
    let (choice, recipe) = (SystemChoice::parse(name, &registries.systems)?, Recipe::default());
    let corpus = Corpus::read(sets, &recipe, None, needs([&choice]), &Quiet)?;
    let pages = corpus.with_gold();
    let outcomes = match folds {
        None => run_system(&choice, &corpus, &pages, &recipe)?,
        Some(folds) => {
            let trainable = corpus.trainable(&recipe);
            let rounds = rounds_by_site(&corpus, &trainable, &pages, folds, recipe.seed)?;
            train_and_run(&choice, &corpus, sets, &pages, &rounds, &recipe, registries, &Quiet)?
        }
    };
    Ok(pages.iter().zip(&outcomes).map(|(&page, outcome)| page_score(&corpus, page, outcome)).collect())
}

impl ExtractorBuilder {
    /// Sets the families, classifiers and systems that model files and [`system`](Self::system) may refer
    /// to. Must be called before the model or the system is set.
    #[must_use]
    pub fn registries(mut self, registries: &Registries) -> Self {
        self.known = registries.known();
        self
    }
}

/// A model with site corrections, and the training results of each site.
#[derive(Debug)]
pub struct Adapted {
    /// The model.
    pub model: Model,
    /// Training results of each site.
    pub fits: SiteFits,
}

/// Learns corrections of a model for the sites of annotated pages. Two or three pages of each site are
/// enough. The corrections do not affect pages of other sites. `site` is the site of all pages without a URL;
/// pages with a URL of another site are left out. If `site` is `None`, the site of each page is determined
/// from its URL, and pages without a URL are left out. [`Adapted`] contains the names of these pages.
///
/// # Errors
/// If a setting is out of range, no page can be read, or all pages are left out.
pub fn adapt(sets: &[DataSet], model: Model, site: Option<&str>, settings: SiteSettings) -> Result<Adapted> {
    settings.check(site)?;
    let corpus = Corpus::read_to_correct(sets, &model, &Quiet)?;
    let fits = SiteFits::learn(&model, (&corpus, sets), site, settings, |_, _| {})?;
    let mut corrections = model.fitted().corrections.clone();
    fits.add_to(&mut corrections)?;
    Ok(Adapted { model: model.with_corrections(corrections)?, fits })
}

fn page_scores(corpus: &Corpus, pages: &[usize], scored: &[Scored], filter: FilterChoice) -> Vec<PageScore> {
    let score = |(&index, scored): (&usize, &Scored)| {
        page_score(corpus, index, &scored.decide(corpus, index, &DecisionOptions::default(), filter))
    };
    pages.iter().zip(scored).map(score).collect()
}

fn page_score(corpus: &Corpus, index: usize, outcome: &Outcome) -> PageScore {
    let page = &corpus.pages[index];
    let values = score_page(corpus, index, outcome, &[&TOKEN]).values;
    let [precision, recall, f1] = [values[0], values[1], values[2]];
    PageScore { set: corpus.sets[page.set].name.clone(), id: page.id.clone(), precision, recall, f1 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_are_those_of_the_metric_token() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let sets = [open(root.join("datasets/sample")).expect("the sample")];
        let recipe = Recipe::from_toml("features.set = 'shallow'").expect("a recipe");
        let model = train(&sets, &recipe, &crate::registries()).expect("a model");
        let refused = evaluate(&sets, &model, Overlap::default()).expect_err("training pages").to_string();
        assert!(refused.contains("trained on") && refused.contains("`allow`"), "{refused}");
        assert!(evaluate(&sets, &model, Overlap::Skip).is_err(), "no page is left");
        let scores = evaluate(&sets, &model, Overlap::Allow).expect("scores");
        let path = std::env::temp_dir().join(format!("threshr-{}.json", std::process::id()));
        save(&model, &path).expect("saved");
        assert_eq!(load(&path, &crate::registries()).expect("loaded").columns(), model.columns());
        std::fs::remove_file(&path).expect("removed");
        let extractor = crate::Extractor::builder().model(model).build().expect("an extractor");
        for (score, page) in scores.iter().zip(&sets[0].pages) {
            assert_eq!(score.id, page.id);
            let extraction = extractor.extract(&page.load().expect("a page")).expect("blocks");
            let kept: Vec<_> = extraction.blocks().filter(|b| b.is_content).map(|b| b.text).collect();
            let text = kept.join("\n");
            let Some(threshr_sets::gold::Gold::Text { text: gold, .. }) = &page.gold else { panic!("gold") };
            let case = threshr_evaluate::metrics::Case { gold, predicted: &text, ..Default::default() };
            let expected = threshr_evaluate::metrics::score_page(&[&TOKEN], &case).values;
            assert!((score.f1 - expected[2]).abs() < 1e-12, "{}: {} {}", page.id, score.f1, expected[2]);
        }
    }
}

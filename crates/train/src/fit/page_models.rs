//! Fits the page-level models: page type and text quality.
//!
//! Their input includes block scores and labels. These must come from a block model that has not seen the page,
//! so the held-out scores are used. The page-level models are evaluated by a separate cross-validation, which
//! is also grouped by site.

use crate::corpus::Corpus;
use crate::fit::tune_decision::labels_and_f1;
use crate::folds::folds;
use ndarray::{Array2, ArrayView2};
use rayon::prelude::*;
use std::collections::BTreeMap;
use threshr_core::{Error, Result};
use threshr_extract::Recipe;
use threshr_extract::model::Fitted;
use threshr_extract::recipe::Parts;
use threshr_extract::type_and_quality::{
    NUM_BINS, PageInputs, PageModels, PageTerms, PageTypeModel, PageVocabulary, QualityModel, bin_of, bounds,
};
use threshr_fit::linear::softmax::fit_softmax;
use threshr_output::Quality;

/// Number of folds for the evaluation of the models.
const NUM_FOLDS: usize = 5;
/// Number of folds for the term columns of training pages.
const NUM_TERM_FOLDS: usize = 4;
/// L2 penalty for the page type model.
const TYPE_PENALTY: f64 = 0.14;
/// L2 penalty for the quality model.
const QUALITY_PENALTY: f64 = 0.03;
/// Minimum number of pages per type. Rarer types are not learned.
const MIN_PAGES_OF_TYPE: usize = 20;
/// Minimum number of pages for learning the quality model.
const MIN_PAGES: usize = 100;

/// Predictions for a training page by models that were fitted without the page's site.
#[derive(Debug, Clone, PartialEq)]
pub struct HeldOutPage {
    /// Name of the page's set.
    pub set: String,
    /// Id of the page within its set.
    pub id: String,
    /// Site of the page.
    pub site: String,
    /// Page type that the set declares.
    pub page_type: Option<String>,
    /// Predicted types with probabilities, most probable first. Empty if no type is learned.
    pub page_types: Vec<(String, f32)>,
    /// Token F1 of the extracted text, computed from the aligned tokens of the blocks.
    pub token_f1: f32,
    /// Predicted quality.
    pub quality: Option<Quality>,
}

/// A training page with its held-out scores and labels.
struct TrainingPage<'a> {
    site: &'a str,
    inputs: &'a PageInputs,
    terms: Option<&'a PageTerms>,
    page_type: Option<&'a str>,
    scores: &'a [f32],
    kept: Vec<bool>,
    f1: f32,
}

/// Fits the page-level models that the recipe requests. `scores` has the held-out scores of the blocks of
/// `pages`, page by page.
///
/// A model is omitted if there are too few pages, or if no site can be held out.
pub(crate) fn fit(
    corpus: &Corpus,
    pages: &[usize],
    scores: &[f32],
    fitted: &Fitted,
    parts: &Parts,
    recipe: &Recipe,
) -> Result<(PageModels, Vec<HeldOutPage>)> {
    let wanted = &recipe.type_and_quality;
    if !(wanted.types || wanted.quality) || fitted.held_out.folds == 0 {
        return Ok((PageModels::default(), Vec::new()));
    }
    let training = training_pages(corpus, pages, scores, fitted, parts)?;
    let mut held_out: Vec<HeldOutPage> = pages
        .iter()
        .zip(&training)
        .map(|(&page, training)| {
            let page = &corpus.pages[page];
            HeldOutPage {
                set: corpus.sets.get(page.set).map(|s| s.name.clone()).unwrap_or_default(),
                id: page.id.clone(),
                site: page.site.clone(),
                page_type: page.page_type.clone(),
                page_types: Vec::new(),
                token_f1: training.f1,
                quality: None,
            }
        })
        .collect();
    let mut models = PageModels::default();
    if wanted.types {
        models.page_type = fit_types(&training, recipe.seed, &mut held_out)?;
    }
    if wanted.quality && training.len() >= MIN_PAGES {
        models.quality = Some(fit_quality(&training, recipe.seed, &mut held_out)?);
    }
    Ok((models, held_out))
}

fn training_pages<'a>(
    corpus: &'a Corpus,
    pages: &[usize],
    scores: &'a [f32],
    fitted: &Fitted,
    parts: &Parts,
) -> Result<Vec<TrainingPage<'a>>> {
    let mut start = 0;
    let mut out = Vec::with_capacity(pages.len());
    for &page in pages {
        let end = start + corpus.rows_of(page).len();
        let of_page = scores.get(start..end);
        start = end;
        let page = &corpus.pages[page];
        let (Some(scores), Some(inputs)) = (of_page, page.page_inputs.as_deref()) else {
            return Err(Error::data("the corpus was read without columns of page type and quality")
                .expected("a corpus that is read with the recipe"));
        };
        let rule = (parts.rule, fitted.threshold);
        let (kept, f1) = labels_and_f1(page, corpus.columns(), scores, rule, parts.filter);
        out.push(TrainingPage {
            site: &page.site,
            inputs,
            terms: page.page_terms.as_deref(),
            page_type: page.page_type.as_deref(),
            scores,
            kept,
            f1,
        });
    }
    Ok(out)
}

/// Converts rows of equal length to a matrix.
fn matrix(rows: &[Vec<f32>]) -> Result<Array2<f32>> {
    let width = rows.first().map_or(0, Vec::len);
    Array2::from_shape_vec((rows.len(), width), rows.concat())
        .map_err(|e| Error::features("the feature matrix has the wrong shape").because(e))
}

/// Returns the elements with the indices `which`.
fn some<T: Clone>(all: &[T], which: &[usize]) -> Vec<T> {
    which.iter().map(|&i| all[i].clone()).collect()
}

/// Predicts each row by cross-validation, grouped by `sites`. `fit_predict` receives the indices of the rows to
/// fit on and of the rows to predict.
fn cross_validate<T: Send>(
    sites: &[&str],
    seed: u64,
    fit_predict: impl Fn(&[usize], &[usize]) -> Result<Vec<T>> + Sync,
) -> Result<Vec<Option<T>>> {
    let fold_of = folds(sites, NUM_FOLDS, seed);
    let in_fold = |fold: usize, inside: bool| -> Vec<usize> {
        (0..sites.len()).filter(|&i| (fold_of[i] == fold) == inside).collect()
    };
    let of_fold = |fold: usize| {
        let (train, test) = (in_fold(fold, false), in_fold(fold, true));
        if train.is_empty() || test.is_empty() {
            return Ok(Vec::new());
        }
        Ok(test.iter().copied().zip(fit_predict(&train, &test)?).collect())
    };
    let by_fold: Vec<Vec<(usize, T)>> = (0..NUM_FOLDS).into_par_iter().map(of_fold).collect::<Result<_>>()?;
    let mut out: Vec<Option<T>> = sites.iter().map(|_| None).collect();
    by_fold.into_iter().flatten().for_each(|(row, value)| out[row] = Some(value));
    Ok(out)
}

/// Pages whose type occurs on enough pages.
struct TypedPages<'a> {
    /// Index of each page among all training pages.
    index: Vec<usize>,
    sites: Vec<&'a str>,
    terms: Vec<PageTerms>,
    class: Vec<usize>,
    classes: Vec<String>,
    /// Feature columns for structure and scores.
    columns: Vec<Vec<f32>>,
}

impl<'a> TypedPages<'a> {
    fn new(training: &[TrainingPage<'a>]) -> Option<Self> {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        training.iter().filter_map(|p| p.page_type).for_each(|t| *counts.entry(t).or_default() += 1);
        counts.retain(|_, count| *count >= MIN_PAGES_OF_TYPE);
        let classes: Vec<String> = counts.into_keys().map(str::to_owned).collect();
        if classes.len() < 2 {
            return None;
        }
        let mut found = TypedPages {
            index: Vec::new(),
            sites: Vec::new(),
            terms: Vec::new(),
            class: Vec::new(),
            classes,
            columns: Vec::new(),
        };
        for (index, page) in training.iter().enumerate() {
            let class = page.page_type.and_then(|t| found.classes.iter().position(|c| c == t));
            let (Some(class), Some(terms)) = (class, page.terms) else { continue };
            found.index.push(index);
            found.sites.push(page.site);
            found.terms.push(terms.with_kept(&page.kept));
            found.class.push(class);
            found.columns.push(page.inputs.columns(page.scores, &page.kept));
        }
        Some(found)
    }

    /// Learns a vocabulary from some pages.
    fn learn(&self, pages: &[usize]) -> PageVocabulary {
        let pages: Vec<_> = pages.iter().map(|&i| (&self.terms[i], self.class[i])).collect();
        PageVocabulary::learn(&pages, self.classes.len())
    }

    /// Fits the type model to some pages. The term columns of a page are computed with a vocabulary that is
    /// learned from other sites, since this matches prediction on unseen pages.
    fn fit(&self, pages: &[usize], seed: u64) -> Result<PageTypeModel> {
        let fold_of = folds(&some(&self.sites, pages), NUM_TERM_FOLDS, seed);
        let mut rows = some(&self.columns, pages);
        for fold in 0..NUM_TERM_FOLDS {
            let others: Vec<usize> =
                pages.iter().zip(&fold_of).filter(|p| *p.1 != fold).map(|p| *p.0).collect();
            let vocabulary = self.learn(&others);
            for ((row, &page), _) in rows.iter_mut().zip(pages).zip(&fold_of).filter(|p| *p.1 == fold) {
                row.extend(vocabulary.columns_of(&self.terms[page]));
            }
        }
        let x = matrix(&rows)?;
        fit_type_model(self.classes.clone(), self.learn(pages), x.view(), &some(&self.class, pages))
    }

    fn predict(&self, model: &PageTypeModel, page: usize) -> Vec<(String, f32)> {
        model.predict(self.columns[page].clone(), &model.vocabulary().columns_of(&self.terms[page]))
    }
}

/// Fits the type model to training pages. `x` has the columns [`PageTypeModel::columns`], `class` the class of
/// each row.
///
/// The term columns in `x` must be computed with vocabularies that were learned without the page's own site.
/// `vocabulary` is learned from all pages.
fn fit_type_model(
    classes: Vec<String>,
    vocabulary: PageVocabulary,
    x: ArrayView2<'_, f32>,
    class: &[usize],
) -> Result<PageTypeModel> {
    let mut counts = vec![0.0f32; classes.len()];
    for &c in class {
        counts.get_mut(c).into_iter().for_each(|n| *n += 1.0);
    }
    let most = counts.iter().copied().fold(1.0, f32::max);
    // rare types get a larger weight, but less than in inverse proportion to their frequency
    let weight = |c: &usize| counts.get(*c).map_or(0.0, |n| (most / n.max(1.0)).powf(0.3));
    let weights: Vec<f32> = class.iter().map(weight).collect();
    let model = fit_softmax(x, class, &weights, classes.len(), TYPE_PENALTY)?;
    Ok(PageTypeModel::new(classes, vocabulary, model))
}

fn fit_types(
    training: &[TrainingPage<'_>],
    seed: u64,
    held_out: &mut [HeldOutPage],
) -> Result<Option<PageTypeModel>> {
    let Some(pages) = TypedPages::new(training) else { return Ok(None) };
    let predicted = cross_validate(&pages.sites, seed, |train, test| {
        let model = pages.fit(train, seed)?;
        Ok(test.iter().map(|&page| pages.predict(&model, page)).collect())
    })?;
    let (mut num_right, mut num_all) = (0u32, 0u32);
    for ((&index, types), &class) in pages.index.iter().zip(predicted).zip(&pages.class) {
        let Some(types) = types else { continue };
        num_right += u32::from(types.first().is_some_and(|t| t.0 == pages.classes[class]));
        num_all += 1;
        held_out[index].page_types = types;
    }
    let all: Vec<usize> = (0..pages.index.len()).collect();
    let mut model = pages.fit(&all, seed)?;
    model.held_out_accuracy = (num_all > 0).then(|| f64::from(num_right) / f64::from(num_all));
    Ok(Some(model))
}

/// Fits the quality model to training pages. `x` has the score columns, from scores and labels of a block model
/// that did not see the page. `f1` has the true F1 of each page.
fn fit_quality_model(x: ArrayView2<'_, f32>, f1: &[f32]) -> Result<QualityModel> {
    let bins: Vec<usize> = f1.iter().map(|&f| bin_of(f)).collect();
    let mut sums = [(0.0f64, 0.0f64); NUM_BINS];
    for (&f, &bin) in f1.iter().zip(&bins) {
        sums[bin].0 += f64::from(f.clamp(0.0, 1.0));
        sums[bin].1 += 1.0;
    }
    let middle = |bin: usize| bounds(bin).iter().sum::<f32>() / 2.0;
    let mean = |(bin, (sum, n)): (usize, &(f64, f64))| if *n > 0.0 { (sum / n) as f32 } else { middle(bin) };
    let means = sums.iter().enumerate().map(mean).collect();
    let model = fit_softmax(x, &bins, &vec![1.0; bins.len()], NUM_BINS, QUALITY_PENALTY)?;
    Ok(QualityModel::new(means, model))
}

fn fit_quality(
    training: &[TrainingPage<'_>],
    seed: u64,
    held_out: &mut [HeldOutPage],
) -> Result<QualityModel> {
    let rows: Vec<Vec<f32>> = training.iter().map(|p| p.inputs.score_columns(p.scores, &p.kept)).collect();
    let f1: Vec<f32> = training.iter().map(|p| p.f1).collect();
    let sites: Vec<&str> = training.iter().map(|p| p.site).collect();
    let predicted = cross_validate(&sites, seed, |train, test| {
        let model = fit_quality_model(matrix(&some(&rows, train))?.view(), &some(&f1, train))?;
        Ok(test.iter().map(|&page| model.predict(&rows[page])).collect())
    })?;
    for (page, quality) in held_out.iter_mut().zip(predicted) {
        page.quality = quality;
    }
    let pairs: Vec<(f32, f32)> =
        held_out.iter().filter_map(|p| p.quality.map(|q| (q.expected, p.token_f1))).collect();
    let mut model = fit_quality_model(matrix(&rows)?.view(), &f1)?;
    model.held_out_correlation = rank_correlation(&pairs);
    Ok(model)
}

/// Returns Spearman's rank correlation, or `None` if one of the two variables is constant. Equal values get
/// their mean rank.
fn rank_correlation(pairs: &[(f32, f32)]) -> Option<f64> {
    let a = ranks(&pairs.iter().map(|p| p.0).collect::<Vec<_>>());
    let b = ranks(&pairs.iter().map(|p| p.1).collect::<Vec<_>>());
    let mean = (pairs.len() as f64 - 1.0) / 2.0;
    let product =
        |x: &[f64], y: &[f64]| -> f64 { x.iter().zip(y).map(|(x, y)| (x - mean) * (y - mean)).sum() };
    let spread = (product(&a, &a) * product(&b, &b)).sqrt();
    (spread > 0.0).then(|| product(&a, &b) / spread)
}

fn ranks(values: &[f32]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&i, &j| values[i].total_cmp(&values[j]));
    let mut ranks = vec![0.0; values.len()];
    let mut start = 0;
    while start < order.len() {
        let same = order[start..].iter().take_while(|&&i| values[i] == values[order[start]]).count();
        let rank = start as f64 + (same as f64 - 1.0) / 2.0;
        order[start..start + same].iter().for_each(|&i| ranks[i] = rank);
        start += same;
    }
    ranks
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::tests::{page, set};
    use threshr_core::progress::Quiet;
    use threshr_extract::model::Known;
    use threshr_extract::model::file;
    use threshr_features::Families;
    use threshr_fit::Classifiers;

    #[test]
    fn rank_correlation_by_hand() {
        assert_eq!(rank_correlation(&[(0.1, 1.0), (0.2, 3.0), (0.9, 7.0)]), Some(1.0));
        assert_eq!(rank_correlation(&[(0.1, 7.0), (0.2, 3.0), (0.9, 1.0)]), Some(-1.0));
        assert_eq!(rank_correlation(&[(0.1, 7.0), (0.1, 3.0)]), None);
        assert_eq!(rank_correlation(&[]), None);
        assert_eq!(ranks(&[0.5, 0.1, 0.5, 0.9]), [1.5, 0.0, 1.5, 3.0]);
    }

    #[test]
    fn pages_of_a_site_are_held_out_together() {
        let names: Vec<String> = (0..20).map(|i| format!("s{}", i / 2)).collect();
        let sites: Vec<&str> = names.iter().map(String::as_str).collect();
        let predicted = cross_validate(&sites, 1, |train, test| {
            assert!(test.iter().all(|&t| train.iter().all(|&i| sites[i] != sites[t])));
            Ok(test.to_vec())
        });
        assert_eq!(predicted.expect("folds"), (0..20).map(Some).collect::<Vec<_>>());
        // a single site cannot be held out
        let alone = cross_validate(&["a", "a"], 1, |_, test| Ok(test.to_vec())).expect("folds");
        assert_eq!(alone, [None, None]);
    }

    /// Trains on pages of two types from many sites. Pages of the second type are harder: half of their gold
    /// looks like the menu.
    fn trained() -> (threshr_extract::Model, Vec<HeldOutPage>) {
        let dir = tempfile::tempdir().expect("a folder");
        let pages = (0..120).map(|i| {
            let text = format!("On day {i} it rained in the north, and nobody went out of the house. ").repeat(2);
            let menu = "<ul class=menu><li><a href=/a>Home</a><li><a href=/b>News</a></ul>";
            let (html, gold, page_type) = match i % 2 {
                0 => (format!("<title>Report {i}</title>{menu}<p>{text}"), text, "article"),
                _ => (
                    format!("<title>Topics</title>{menu}<div class=thread><p>{text}</div><ul><li><a href=/c>Topic {i}</a></ul>"),
                    format!("{text} Topic {i}"),
                    "forum",
                ),
            };
            let mut page = page(dir.path(), &i.to_string(), &html, &gold);
            page.url = Some(format!("https://site{}.example/", i / 3));
            page.page_type = Some(page_type.to_owned());
            page
        });
        let set = set(dir.path(), pages.collect());
        let recipe = "features = { set = 'shallow+density' }\nclassifier = { name = 'tree' }\n\
                      page_level = { types = true, quality = true }";
        let recipe = Recipe::from_toml(recipe).expect("a recipe");
        let features = recipe.feature_set(&Families::default()).expect("a feature set");
        let corpus = Corpus::read_to_train(&[set], &recipe, &features, None, &Quiet).expect("a corpus");
        crate::train_with_pages(corpus, &recipe, &Classifiers::default(), &Quiet).expect("trained")
    }

    #[test]
    fn both_models_are_learned_and_saved() {
        let (model, held_out) = trained();
        let models = &model.fitted().type_and_quality;
        let types = models.page_type.as_ref().expect("types are learned");
        assert_eq!(types.classes(), ["article", "forum"]);
        assert!(types.held_out_accuracy > Some(0.95), "{:?}", types.held_out_accuracy);
        assert!(models.quality.is_some() && held_out.len() == 120);
        assert!(held_out.iter().all(|p| p.quality.is_some() && p.page_types.len() == 2));
        let bytes = |model: &_| file::to_bytes(model).expect("written");
        let loaded = file::from_bytes(&bytes(&model), &Known::default()).expect("read");
        assert!(bytes(&loaded.into_model().expect("a model")) == bytes(&model));
        let (again, held_out_again) = trained();
        assert!(bytes(&again) == bytes(&model) && held_out_again == held_out, "training is deterministic");
    }
}

//! Runs one cell: trains its models and scores its pages.

use crate::grid::permutation;
use crate::grid::permutation::{Changes, Importance};
use crate::grid::split::{Round, draw};
use crate::grid::train::train_and_score;
use crate::grid::{Cell, Method, Role, Split};
use crate::metrics::{CalibrationBin, Metric};
use crate::{Entry, Kind, Outcome, Predictions, Registries, Row, Scored, run_system, score, train_and_run};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use threshr_core::Result;
use threshr_core::progress::Progress;
use threshr_extract::baseline::SystemChoice;
use threshr_extract::decision::DecisionOptions;
use threshr_extract::filters::FilterChoice;
use threshr_extract::model::SetInfo;
use threshr_extract::recipe::Recipe;
use threshr_io::gold::DataSet;
use threshr_train::Corpus;

/// Scores of a page.
#[derive(Debug, Clone, PartialEq)]
pub struct PageRow {
    /// Name of the set.
    pub set: String,
    /// Id in the set.
    pub id: String,
    /// Site.
    pub site: String,
    /// Language, where known.
    pub lang: Option<String>,
    /// Page type, where known.
    pub page_type: Option<String>,
    /// Fold in which the page is tested, if there are folds.
    pub fold: Option<usize>,
    /// One value for each column of the metrics; NaN where a column does not apply.
    pub values: Vec<f64>,
}

/// Results of a cell beside the scores of its pages.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Extras {
    /// Hash of everything that the cell depends on.
    pub cell: String,
    /// Why the cell is skipped: a learning curve has more pages than there are.
    pub skipped: Option<String>,
    /// Pages of the cell's sets that could not be read.
    pub failed_pages: Vec<String>,
    /// The models.
    pub rounds: Vec<RoundInfo>,
    /// Results over all blocks of each tested set.
    pub tested: Vec<TestedSet>,
    /// Permutation importance of each column, if the experiment measures it.
    pub importance: Vec<Importance>,
}

/// One model of a cell.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RoundInfo {
    /// Number of training pages.
    pub num_train: usize,
    /// Number of test pages.
    pub num_test: usize,
    /// Number of pages left out of training: they are tested, are copies of tested pages, or have a tested
    /// site.
    pub num_overlapping: usize,
    /// Parameter of the decision rule; for the rule `threshold`, the minimum score of a kept block. Systems have
    /// none.
    pub parameter: Option<f32>,
}

/// Results over all blocks of a tested set.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TestedSet {
    /// The set.
    pub set: SetInfo,
    /// Pooled scores (all pages as one), by column.
    pub pooled: BTreeMap<String, f64>,
    /// 95 % bootstrap intervals of the pooled scores.
    pub pooled_ci: BTreeMap<String, [f64; 2]>,
    /// ROC AUC over all blocks.
    pub pooled_auc: Option<f64>,
    /// Calibration over all blocks, without empty bins.
    pub calibration: Vec<CalibrationBin>,
    /// Mean token scores at every threshold.
    pub thresholds: Vec<ThresholdPoint>,
}

/// Mean token precision, recall and F1 of pages at a threshold, after the filter, counted from aligned
/// tokens.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct ThresholdPoint {
    /// Minimum score of a kept block.
    pub threshold: f32,
    /// Precision, `0.0..=1.0`.
    pub token_p: f64,
    /// Recall, `0.0..=1.0`.
    pub token_r: f64,
    /// F1, `0.0..=1.0`.
    pub token_f1: f64,
}

/// What all cells of an experiment have in common.
pub(crate) struct Context<'a> {
    pub metrics: &'a [&'static Metric],
    pub sets: &'a [DataSet],
    /// Settings that the grid does not vary, with the experiment's seed.
    pub recipe: &'a Recipe,
    pub permutation: usize,
    pub seed: u64,
    pub registries: &'a Registries,
    pub progress: &'a dyn Progress,
}

/// Outcomes of the tested pages, in order.
struct CellRun {
    outcomes: Vec<Outcome>,
    scored: Option<Vec<Scored>>,
    folds: Option<Vec<usize>>,
    rounds: Vec<RoundInfo>,
    importance: Vec<Importance>,
}

/// Runs a cell. The corpus has the cell's columns.
///
/// # Errors
/// If a model cannot be trained, or predictions cannot be read.
pub(crate) fn run(cell: &Cell, corpus: &Corpus, context: &Context) -> Result<(Vec<PageRow>, Extras)> {
    let pages = cell.split.tested_pages(corpus);
    if pages.is_empty() {
        return Err(threshr_core::Error::data("no tested page has gold"));
    }
    let ran = match &cell.method {
        Method::System(choice) => run_choice(cell, choice, corpus, context, &pages)?,
        Method::Predictions(path) => plain(Predictions::read(path, None, None)?.outcomes(corpus, &pages)?),
        Method::Model(recipe) => match run_models(cell, recipe, corpus, context, &pages)? {
            Ok(ran) => ran,
            Err(skipped) => return Ok((Vec::new(), Extras { skipped: Some(skipped), ..Extras::default() })),
        },
    };
    let mut extras = Extras { rounds: ran.rounds, importance: ran.importance, ..Extras::default() };
    let mut rows = Vec::new();
    for &set in cell.split.tested() {
        let of_set: Vec<usize> = (0..pages.len()).filter(|&i| corpus.pages[pages[i]].set == set).collect();
        let ids: Vec<usize> = of_set.iter().map(|&i| pages[i]).collect();
        let outcomes: Vec<&Outcome> = of_set.iter().map(|&i| &ran.outcomes[i]).collect();
        let entry =
            Entry { name: String::new(), filter: String::new(), kind: Kind::Other, outcomes: Vec::new() };
        let row = score(corpus, &ids, &entry, &outcomes, context.metrics, context.seed);
        let filter = filter_of(cell)?;
        let thresholds = ran.scored.as_ref().map_or_else(Vec::new, |scored| {
            let scored: Vec<&Scored> = of_set.iter().map(|&i| &scored[i]).collect();
            threshold_curve(corpus, &ids, &scored, filter)
        });
        extras.tested.push(tested(&corpus.sets[set], &row, thresholds));
        for ((&page, &i), scores) in ids.iter().zip(&of_set).zip(row.pages) {
            let fold = ran.folds.as_ref().map(|f| f[i]);
            rows.push(page_row(corpus, page, fold, scores.values));
        }
    }
    Ok((rows, extras))
}

/// Runs a system. It is trained first if the split has training pages.
fn run_choice(
    cell: &Cell,
    choice: &SystemChoice,
    corpus: &Corpus,
    context: &Context,
    pages: &[usize],
) -> Result<CellRun> {
    if matches!(cell.split, Split::Untrained { .. }) {
        return Ok(plain(run_system(choice, corpus, pages, context.recipe)?));
    }
    let rounds = cell.split.rounds(corpus, context.recipe)?;
    let mut folds = vec![0; corpus.pages.len()];
    rounds.iter().enumerate().for_each(|(i, r)| r.test.iter().for_each(|&p| folds[p] = i));
    let plain_rounds: Vec<crate::Round> =
        rounds.iter().map(|r| crate::Round { train: r.train.clone(), test: r.test.clone() }).collect();
    let (sets, recipe) = (context.sets, context.recipe);
    let outcomes = train_and_run(
        choice,
        corpus,
        sets,
        pages,
        &plain_rounds,
        recipe,
        &context.registries.classifiers,
        context.progress,
    )?;
    Ok(CellRun {
        folds: (rounds.len() > 1).then(|| pages.iter().map(|&p| folds[p]).collect()),
        rounds: rounds.iter().map(|r| info(r, None)).collect(),
        ..plain(outcomes)
    })
}

fn plain(outcomes: Vec<Outcome>) -> CellRun {
    CellRun { outcomes, scored: None, folds: None, rounds: Vec::new(), importance: Vec::new() }
}

fn filter_of(cell: &Cell) -> Result<FilterChoice> {
    match &cell.method {
        Method::Model(recipe) => FilterChoice::parse(&recipe.decision.filter),
        _ => Ok(FilterChoice::default()),
    }
}

/// Trains and scores round by round. The inner error says why the cell is skipped.
fn run_models(
    cell: &Cell,
    recipe: &Recipe,
    corpus: &Corpus,
    context: &Context,
    pages: &[usize],
) -> Result<std::result::Result<CellRun, String>> {
    let filter = FilterChoice::parse(&recipe.decision.filter)?;
    let mut rounds = cell.split.rounds(corpus, recipe)?;
    if let Role::Curve { num_pages, .. } = cell.role {
        let num_available = rounds.iter().map(|r| r.train.len()).min().unwrap_or(0);
        for round in &mut rounds {
            match draw(corpus, &round.train, num_pages, recipe.seed) {
                Some(drawn) => round.train = drawn,
                None => return Ok(Err(format!("there are only {num_available} training pages"))),
            }
        }
    }
    let repeats = if cell.role == Role::Grid { context.permutation } else { 0 };
    let mut scored: Vec<Option<(Scored, usize)>> = vec![None; corpus.pages.len()];
    let (mut infos, mut changes): (Vec<RoundInfo>, Vec<Changes>) = (Vec::new(), Vec::new());
    for (number, round) in rounds.iter().enumerate() {
        let trained =
            train_and_score(corpus, &round.train, &round.test, recipe, &context.registries.classifiers)?;
        infos.push(info(round, Some(trained.parameter())));
        if repeats > 0 {
            let seed = (recipe.seed, number);
            changes.push(permutation::permute(&trained, corpus, &round.test, filter, repeats, seed)?);
        }
        round.test.iter().zip(trained.scored).for_each(|(&p, s)| scored[p] = Some((s, number)));
        context.progress.step();
    }
    let scored: Vec<(Scored, usize)> = pages.iter().filter_map(|&p| scored[p].take()).collect();
    let decide = |(&page, s): (&usize, &(Scored, usize))| {
        s.0.decide(corpus, page, &DecisionOptions::default(), filter)
    };
    let outcomes = pages.iter().zip(&scored).map(decide).collect();
    let folds = (rounds.len() > 1).then(|| scored.iter().map(|s| s.1).collect());
    let importance =
        if repeats > 0 { permutation::summarise(corpus.columns(), &changes) } else { Vec::new() };
    let scored = Some(scored.into_iter().map(|s| s.0).collect());
    Ok(Ok(CellRun { outcomes, scored, folds, rounds: infos, importance }))
}

fn info(round: &Round, parameter: Option<f32>) -> RoundInfo {
    let (num_train, num_test) = (round.train.len(), round.test.len());
    RoundInfo { num_train, num_test, num_overlapping: round.num_overlapping, parameter }
}

/// Thresholds of the curve: 0.02, 0.04, … 0.98.
const NUM_THRESHOLDS: u8 = 49;

fn threshold_curve(
    corpus: &Corpus,
    pages: &[usize],
    scored: &[&Scored],
    filter: FilterChoice,
) -> Vec<ThresholdPoint> {
    let point = |i: u8| {
        let threshold = f32::from(i) * 0.02;
        let mut sums = [0.0; 3];
        for (&page, scored) in pages.iter().zip(scored) {
            let options = DecisionOptions { threshold: Some(threshold), ..DecisionOptions::default() };
            let kept = scored.keep(corpus, page, &options, filter);
            let prf = corpus.pages[page].alignment.token_prf(&kept);
            sums.iter_mut().zip(prf).for_each(|(sum, v)| *sum += v);
        }
        let [token_p, token_r, token_f1] = sums.map(|s| s / pages.len().max(1) as f64);
        ThresholdPoint { threshold, token_p, token_r, token_f1 }
    };
    (1..=NUM_THRESHOLDS).into_par_iter().map(point).collect()
}

fn tested(set: &SetInfo, row: &Row, thresholds: Vec<ThresholdPoint>) -> TestedSet {
    let pooled = row.summaries.iter().filter_map(|s| Some((s.column.to_owned(), s.pooled?)));
    let pooled_ci = row.summaries.iter().filter_map(|s| Some((s.column.to_owned(), s.pooled_ci?)));
    TestedSet {
        set: set.clone(),
        pooled: pooled.collect(),
        pooled_ci: pooled_ci.collect(),
        pooled_auc: row.pooled_auc.filter(|a| a.is_finite()),
        calibration: row.calibration.iter().filter(|b| b.n > 0).copied().collect(),
        thresholds,
    }
}

fn page_row(corpus: &Corpus, page: usize, fold: Option<usize>, values: Vec<f64>) -> PageRow {
    let page = &corpus.pages[page];
    PageRow {
        set: corpus.sets[page.set].name.clone(),
        id: page.id.clone(),
        site: page.site.clone(),
        lang: page.lang.clone(),
        page_type: page.page_type.clone(),
        fold,
        values,
    }
}

//! Runs one cell: trains its models and scores its pages.

use crate::grid::split::draw;
use crate::grid::train::train_and_score;
use crate::grid::{Cell, Method, Role, Split};
use crate::metrics::{CalibrationBin, Metric};
use crate::{
    Entry, Kind, Outcome, Predictions, Registries, Round, Row, Scored, run_system, score, train_and_run,
};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use threshr_core::Result;
use threshr_core::progress::{Progress, Quiet};
use threshr_extract::baseline::SystemChoice;
use threshr_extract::decision::DecisionOptions;
use threshr_extract::filters::FilterChoice;
use threshr_extract::model::SetInfo;
use threshr_extract::recipe::Recipe;
use threshr_sets::gold::DataSet;
use threshr_train::Corpus;

/// Scores of a page.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
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
    /// Fold whose test pages contain the page, if there are folds.
    pub fold: Option<usize>,
    /// One value for each metric column; `None` if the column does not apply.
    pub values: Vec<Option<f64>>,
}

/// Results of a cell other than the scores of its pages.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Extras {
    /// Hash of all data and settings that affect the scores of the cell.
    pub cell: String,
    /// Reason why the cell is skipped: the learning curve requires more training pages than exist.
    pub skipped: Option<String>,
    /// Pages of the cell's sets that could not be read.
    pub failed_pages: Vec<String>,
    /// Information about each model of the cell.
    pub rounds: Vec<RoundInfo>,
    /// Results over all blocks of each tested set.
    pub tested: Vec<TestedSet>,
}

/// Information about one model of a cell.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RoundInfo {
    /// Number of training pages.
    pub num_train: usize,
    /// Number of test pages.
    pub num_test: usize,
    /// Number of pages excluded from training because they are copies of tested pages or belong to a tested site.
    pub num_overlapping: usize,
    /// Parameter of the decision rule; for the rule `threshold`, the minimum score of a kept block. `None` for
    /// systems.
    pub parameter: Option<f32>,
}

/// Results over all blocks of a tested set.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TestedSet {
    /// The set.
    pub set: SetInfo,
    /// Pooled scores (all pages scored as one), by column.
    pub pooled: BTreeMap<String, f64>,
    /// 95 % bootstrap intervals of the pooled scores.
    pub pooled_ci: BTreeMap<String, [f64; 2]>,
    /// ROC AUC over all blocks.
    pub pooled_auc: Option<f64>,
    /// Calibration over all blocks.
    pub calibration: Vec<CalibrationBin>,
}

/// Inputs that all cells of an experiment share.
pub(crate) struct Context<'a> {
    pub metrics: &'a [&'static Metric],
    pub sets: &'a [DataSet],
    /// Settings that the grid does not vary. The seed is the experiment's seed.
    pub recipe: &'a Recipe,
    pub seed: u64,
    pub registries: &'a Registries,
    pub progress: &'a dyn Progress,
}

/// Outcomes of the tested pages, in order.
struct CellRun {
    outcomes: Vec<Outcome>,
    folds: Option<Vec<usize>>,
    rounds: Vec<RoundInfo>,
}

/// Trains the models of a cell and scores its pages. If the cell trains models with a recipe, the corpus must have
/// the feature columns of this recipe.
///
/// # Errors
/// If no tested page has gold, a model cannot be trained, or predictions cannot be read.
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
    let mut extras = Extras { rounds: ran.rounds, ..Extras::default() };
    let mut rows = Vec::new();
    for &set in cell.split.tested() {
        let of_set: Vec<usize> = (0..pages.len()).filter(|&i| corpus.pages[pages[i]].set == set).collect();
        let ids: Vec<usize> = of_set.iter().map(|&i| pages[i]).collect();
        let outcomes: Vec<&Outcome> = of_set.iter().map(|&i| &ran.outcomes[i]).collect();
        let entry =
            Entry { name: String::new(), filter: String::new(), kind: Kind::Other, outcomes: Vec::new() };
        let row = score(corpus, &ids, &entry, &outcomes, context.metrics, context.seed);
        extras.tested.push(tested(&corpus.sets[set], &row));
        for ((&page, &i), scores) in ids.iter().zip(&of_set).zip(row.pages) {
            let fold = ran.folds.as_ref().map(|f| f[i]);
            rows.push(page_row(corpus, page, fold, scores.values));
        }
    }
    Ok((rows, extras))
}

/// Runs a system. If the split has training pages, the system is trained first.
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
    let outcomes = train_and_run(
        choice,
        corpus,
        context.sets,
        pages,
        &rounds,
        context.recipe,
        context.registries,
        context.progress,
    )?;
    Ok(CellRun {
        folds: (rounds.len() > 1).then(|| pages.iter().map(|&p| folds[p]).collect()),
        rounds: rounds.iter().map(|r| info(r, None)).collect(),
        ..plain(outcomes)
    })
}

fn plain(outcomes: Vec<Outcome>) -> CellRun {
    CellRun { outcomes, folds: None, rounds: Vec::new() }
}

/// Trains and scores the models of all rounds. The inner error is the reason why the cell is skipped.
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
    let mut scored: Vec<Option<(Scored, usize)>> = vec![None; corpus.pages.len()];
    let mut infos: Vec<RoundInfo> = Vec::new();
    for (number, round) in rounds.iter().enumerate() {
        let classifiers = &context.registries.classifiers;
        let trained = train_and_score(corpus, &round.train, &round.test, recipe, classifiers, &Quiet)?;
        infos.push(info(round, Some(trained.parameter)));
        round.test.iter().zip(trained.scored).for_each(|(&p, s)| scored[p] = Some((s, number)));
        context.progress.step();
    }
    let scored: Vec<(Scored, usize)> = pages.iter().filter_map(|&p| scored[p].take()).collect();
    let decide = |(&page, s): (&usize, &(Scored, usize))| {
        s.0.decide(corpus, page, &DecisionOptions::default(), filter)
    };
    let outcomes = pages.iter().zip(&scored).map(decide).collect();
    let folds = (rounds.len() > 1).then(|| scored.iter().map(|s| s.1).collect());
    Ok(Ok(CellRun { outcomes, folds, rounds: infos }))
}

fn info(round: &Round, parameter: Option<f32>) -> RoundInfo {
    let (num_train, num_test) = (round.train.len(), round.test.len());
    RoundInfo { num_train, num_test, num_overlapping: round.num_overlapping, parameter }
}

fn tested(set: &SetInfo, row: &Row) -> TestedSet {
    let pooled = row.summaries.iter().filter_map(|s| Some((s.column.to_owned(), s.pooled?)));
    let pooled_ci = row.summaries.iter().filter_map(|s| Some((s.column.to_owned(), s.pooled_ci?)));
    TestedSet {
        set: set.clone(),
        pooled: pooled.collect(),
        pooled_ci: pooled_ci.collect(),
        pooled_auc: row.pooled_auc.filter(|a| a.is_finite()),
        calibration: row.calibration.clone(),
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
        values: values.into_iter().map(|v| (!v.is_nan()).then_some(v)).collect(),
    }
}

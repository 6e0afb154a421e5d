//! Runs the cells that have no valid stored scores.

use crate::grid::cell;
use crate::grid::cell::Context;
use crate::grid::fingerprint::fingerprint;
use crate::grid::store::Store;
use crate::grid::{Cell, Experiment, Extras, Method, PageRow, Plan, Results, Role};
use crate::{Registries, needs};
use rustc_hash::FxHashSet;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use threshr_core::progress::Progress;
use threshr_core::{Error, Result};
use threshr_extract::recipe::Recipe;
use threshr_features::Families;
use threshr_html::geometry_path;
use threshr_io::read_bytes;
use threshr_sets::gold::DataSet;
use threshr_train::{Corpus, Needs};

/// The scores of a cell, or the reason why it failed.
pub(crate) type CellOutcome = std::result::Result<(Vec<PageRow>, Extras), String>;

/// Runs an experiment.
///
/// Scores of every cell are stored in `dir`. A cell does not run again if its stored scores were computed
/// from the same data, recipe, seed and program version. If `fresh` is true, every cell runs. A failed cell
/// is listed in the results, and the other cells still run.
///
/// # Errors
/// If the experiment is invalid, no page can be read, or `dir` cannot be written.
pub fn run(
    experiment: &Experiment,
    sets: &[DataSet],
    dir: &Path,
    fresh: bool,
    registries: &Registries,
    progress: &dyn Progress,
) -> Result<Results> {
    let names: Vec<String> = sets.iter().map(|s| s.name.clone()).collect();
    let plan = Plan::new(experiment, &names, registries)?;
    let store = Store::open(dir, &plan.metrics)?;
    let fingerprints: Vec<Option<String>> = sets.iter().map(fingerprint).collect();
    let program = program()?;
    let hash = |cell| hash(cell, experiment, &plan, &program, &fingerprints, &registries.families);
    let hashes: Vec<String> = plan.cells.iter().map(hash).collect::<Result<_>>()?;
    let readable = fingerprints.iter().all(Option::is_some);
    let mut outcomes: Vec<Option<CellOutcome>> = plan
        .cells
        .iter()
        .zip(&hashes)
        .map(|(cell, hash)| store.load(&cell.file, hash).filter(|_| readable && !fresh).map(Ok))
        .collect();
    let to_run: Vec<usize> = (0..outcomes.len()).filter(|&i| outcomes[i].is_none()).collect();
    let mut failures = Vec::new();
    if !to_run.is_empty() {
        let features = plan.features.as_ref();
        let needs = needs_of(&plan);
        let mut corpus = Corpus::read(sets, &experiment.recipe, features, needs, progress)?;
        failures = std::mem::take(&mut corpus.failures);
        let recipe = Recipe { seed: experiment.seed(), ..experiment.recipe.clone() };
        let context = Context {
            metrics: &plan.metrics,
            sets,
            recipe: &recipe,
            seed: experiment.seed(),
            registries,
            progress,
        };
        progress.start("training and testing", to_run.iter().map(|&i| num_steps(&plan.cells[i])).sum());
        for i in to_run {
            let cell = &plan.cells[i];
            let outcome = guarded(cell, &corpus, &context);
            let outcome = outcome.map(|(rows, extras)| {
                let failed_pages = failed_pages(&failures, cell.split.sets().iter().map(|&set| &sets[set]));
                (rows, Extras { cell: hashes[i].clone(), failed_pages, ..extras })
            });
            if let Ok((rows, extras)) = &outcome {
                store.save(&cell.file, rows, extras)?;
            }
            outcomes[i] = Some(outcome.map_err(|e| e.to_string()));
        }
        progress.finish();
    }
    let outcomes = outcomes.into_iter().flatten().collect();
    let mut results = Results::assemble(experiment, plan, outcomes, &names, failures)?;
    // stored results do not contain these sentences
    for panel in &mut results.panels {
        let set = sets.iter().find(|set| set.name == panel.set.name);
        panel.set.labels_of_models = set.and_then(|set| set.labels_of_models.clone());
    }
    Ok(results)
}

/// Returns the parts of pages that the systems of the plan need.
fn needs_of(plan: &Plan) -> Needs {
    needs(plan.cells.iter().filter_map(|cell| match &cell.method {
        Method::System(choice) => Some(&**choice),
        _ => None,
    }))
}

/// Lists the pages of these sets that could not be read, as `set/id`.
fn failed_pages<'s>(failures: &[Error], sets: impl Iterator<Item = &'s DataSet>) -> Vec<String> {
    let failed: FxHashSet<&Path> = failures.iter().filter_map(|e| e.place.path.as_deref()).collect();
    let has_failed = |path: &Path| failed.contains(path) || failed.contains(&*geometry_path(path));
    let of_set = |set: &'s DataSet| {
        let pages = set.pages.iter().filter(|p| has_failed(&p.path));
        pages.map(|p| format!("{}/{}", set.name, p.id)).collect::<Vec<_>>()
    };
    if failed.is_empty() { Vec::new() } else { sets.flat_map(of_set).collect() }
}

fn num_steps(cell: &Cell) -> u64 {
    if matches!(cell.method, Method::Model(_)) { cell.split.num_rounds() as u64 } else { 0 }
}

/// Runs a cell. A panic is reported as an error of this cell and does not stop the others.
fn guarded(cell: &Cell, corpus: &Corpus, context: &Context) -> Result<(Vec<PageRow>, Extras)> {
    let mut with_columns = None;
    if let Method::Model(recipe) = &cell.method {
        let set = recipe.feature_set(&context.registries.families)?;
        if corpus.columns() != &set.names()[..] {
            with_columns = Some(corpus.with_columns(set.names())?);
        }
    }
    let corpus = with_columns.as_ref().unwrap_or(corpus);
    catch_unwind(AssertUnwindSafe(|| cell::run(cell, corpus, context)))
        .unwrap_or_else(|_| Err(Error::classifier("internal error; please report this cell")))
}

/// Returns the hash of the running program's executable.
fn program() -> Result<String> {
    let path = std::env::current_exe().map_err(|e| Error::io("the running program", e))?;
    let bytes = std::fs::read(&path).map_err(|e| Error::io(&path, e))?;
    Ok(threshr_core::hex(&Sha256::digest(bytes)))
}

/// Hashes all data and settings that affect the scores of a cell.
fn hash(
    cell: &Cell,
    experiment: &Experiment,
    plan: &Plan,
    program: &str,
    fingerprints: &[Option<String>],
    families: &Families,
) -> Result<String> {
    let method = match &cell.method {
        Method::System(choice) => json!({
            "system": choice.system().name,
            "settings": choice.settings()?,
            "filter": choice.filter().name(),
            "recipe": choice.recipe(experiment.seed())?,
        }),
        Method::Predictions(path) => {
            json!({"predictions": threshr_core::hex(&Sha256::digest(read_bytes(path)?))})
        }
        Method::Model(recipe) => {
            json!({"recipe": recipe, "definitions": recipe.feature_set(families)?.definitions_hash()})
        }
    };
    let size = match cell.role {
        Role::Curve { num_pages, .. } => json!(num_pages),
        _ => Value::Null,
    };
    let description = json!({
        // another build of the program may give other scores
        "program": program,
        "sets": cell.split.sets().iter().map(|&set| &fingerprints[set]).collect::<Vec<_>>(),
        "split": cell.split,
        "method": method,
        "page": experiment.recipe.page,
        "block": experiment.recipe.block,
        "labels": experiment.recipe.labels,
        "seed": experiment.seed(),
        "num_pages": size,
        "metrics": plan.metrics.iter().map(|m| m.name).collect::<Vec<_>>(),
    });
    Ok(threshr_core::hex(&Sha256::digest(description.to_string())))
}

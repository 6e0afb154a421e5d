//! `threshr evaluate`: models, methods and predictions from elsewhere against gold.

use super::args::{self, DataArgs, RecipeArgs, SystemArgs};
use super::evaluate_rows::{Rows, stem};
use super::evaluate_table::{self as report, Report, Speed};
use super::policy_args::PolicyArgs;
use super::train::{nothing_to_cache, report_cache, report_failures};
use super::{Ending, remark, write_file, write_stdout};
use crate::atomic::AtomicFile;
use crate::decision::DecisionOptions;
use crate::error::{Error, Result};
use crate::experiment::{self, Entry, Outcome, Predictions};
use crate::filter::FilterChoice;
use crate::gold::{self, DataSet};
use crate::metrics::{self, Metric};
use crate::page;
use crate::pipeline::{Corpus, Pipeline, PolicyRecipe, Recipe, TrainingSummary, VariantRecipe};
use crate::policy::PolicyChoice;
use crate::progress::Progress;
use crate::systems::{Method, SystemChoice, Trained};
use std::path::{Path, PathBuf};

/// Measure a model, methods, or predictions from elsewhere on annotated pages
///
/// Every table has the floor (keep-everything) and the ceiling (oracle: gold labels on our blocks). Values are means over
/// pages, with 95 % bootstrap intervals.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  threshr evaluate --data SET --model my.json
  threshr evaluate --data SET --folds 5 --classifier tree --features all     cross-validation by site
  threshr evaluate --data SET --folds 5 --filter none,tree --filter-depth 1,2,3,4,5 --versus none
  threshr evaluate --data SET --folds 5 --decision threshold,expected-f1 --versus threshold
  threshr evaluate --data SET --system bte,boilerpipe-article+tree2          published methods
  threshr evaluate --data SET --system genieknows --folds 5                  one that learns, by site
  threshr evaluate --data SET --predictions other.jsonl --format csv         {\"id\", \"text\"} a line
  threshr evaluate --data SET --model my.json --bar token_f1=0.90            exit 1 below it")]
pub struct Args {
    #[command(flatten)]
    data: DataArgs,
    /// Model file to measure; `default` is the one compiled in
    #[arg(long, value_name = "FILE", conflicts_with_all = ["folds", "recipe", "features", "classifier"])]
    pub(super) model: Option<PathBuf>,
    /// Predictions to measure: JSON lines with `id` and `text`; a page that is not there counts as empty
    #[arg(long, num_args = 1.., value_name = "FILE")]
    pub(super) predictions: Vec<PathBuf>,
    /// Train and test in turn on so many folds, grouped by site
    #[arg(long, value_name = "K")]
    pub(super) folds: Option<usize>,
    #[command(flatten)]
    system: SystemArgs,
    /// Filters after models and methods, each a row: none, tree, tree-confident, smooth, largest-run, repeats, comments; + joins several [default: for models as the recipe says, for methods none]
    #[arg(long, value_delimiter = ',', value_name = "NAME,…")]
    filter: Vec<String>,
    /// Depths of the filters that have one, each a row
    #[arg(long, value_delimiter = ',', value_name = "N,…", requires = "filter")]
    filter_depth: Vec<u32>,
    /// Least score of a block that is kept, on every page [default: by the model's decision rule]
    #[arg(long, value_name = "T", allow_negative_numbers = true, conflicts_with_all = ["decision", "favor"])]
    threshold: Option<f32>,
    /// What the model is to count as content: auto, main, article, full, with switches such as main+comments-title
    /// [default: what its recipe says of the set, else of others]
    #[arg(long, value_name = "POLICY", requires = "model")]
    policy: Option<String>,
    /// How models find the least score, each a row: threshold, expected-f1, nested-f1 [default: as the recipe says]
    #[arg(long, value_delimiter = ',', value_name = "NAME,…")]
    decision: Vec<String>,
    /// Which errors models avoid, each a row: balance (best F1), precision (best F0.5), recall (best F2)
    #[arg(long, value_delimiter = ',', value_name = "WHAT,…")]
    favor: Vec<String>,
    /// Metrics: token, order, character, shingle, rouge, snippet, cleaneval, block, auc [default: all]
    #[arg(long, value_delimiter = ',', value_name = "NAME,…")]
    metrics: Vec<String>,
    /// Compare every row with this one: intervals of the difference and tests. Rows are called as in the table, such as gbt+tree:2; an end behind a + is enough
    #[arg(long, value_name = "ROW")]
    versus: Option<String>,
    /// Token F1 by lang, page_type or site too
    #[arg(long, value_name = "FIELD")]
    by: Option<String>,
    /// table, markdown, json or csv [default: by the ending of --out, else table]
    #[arg(long, value_name = "NAME")]
    format: Option<String>,
    /// File to write, whole or not at all [default: standard output]
    #[arg(long, short, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Write every page's scores as CSV
    #[arg(long, value_name = "FILE")]
    per_page: Option<PathBuf>,
    /// Write every row's texts as DIR/SET.ROW.jsonl
    #[arg(long, value_name = "DIR")]
    write_predictions: Option<PathBuf>,
    /// Exit with 1 if a mean of a model's, method's or prediction's row is below this; may be given several times
    #[arg(long, value_name = "COLUMN=VALUE")]
    bar: Vec<String>,
    /// Pages and sites that the model was trained on: error, skip (measure the others), allow (measure them too)
    #[arg(long, value_name = "WHAT", default_value = "error", value_parser = ["error", "skip", "allow"])]
    overlap: String,
    /// Measure the speed of the model, and of systems that run without training, too: pages/s, MB/s, CPU time on one core, peak memory
    #[arg(long)]
    speed: bool,
    /// Keep the pages' feature rows and alignments in this file, and take them from there the next time
    #[arg(long, value_name = "FILE")]
    cache: Option<PathBuf>,
    #[command(flatten)]
    recipe: RecipeArgs,
}

pub fn run(args: &Args, progress: &dyn Progress) -> Result<Ending> {
    let write = report::writer(args.format.as_deref().unwrap_or_else(|| format_of(args.out.as_deref())))?;
    check(args)?;
    let metrics =
        if args.metrics.is_empty() { metrics::REGISTRY.to_vec() } else { metrics::by_names(&args.metrics)? };
    let bars = args.bar.iter().map(|b| bar(b, &metrics)).collect::<Result<Vec<_>>>()?;
    let trained = args.model.as_deref().map(args::trained).transpose()?;
    let model = match &trained {
        Some(Trained::Model(model)) => Some(&**model),
        _ => None,
    };
    let choices = args.system.choices()?;
    let trains_model = args.folds.is_some()
        && (args.recipe.is_given() || !choices.iter().any(|c| c.system().is_trainable()));
    let mut recipe = model.map_or_else(|| args.recipe.recipe(), |m| Ok(m.recipe().clone()))?;
    args.recipe.choose_parser(&mut recipe)?;
    let policy = match (&args.policy, model) {
        (Some(text), Some(model)) => PolicyArgs::named(text).choice(model, first_filter(args, model)?)?,
        (Some(text), None) => Some(PolicyChoice::parse(text)?),
        (None, _) => None,
    };
    if let Some(default) = policy {
        recipe.policy = PolicyRecipe { default, ..PolicyRecipe::default() };
    }
    if args.recipe.is_given() && args.folds.is_none() {
        return Err(Error::recipe("training options without training")
            .expected("--folds K with them, or --model alone"));
    }
    check_decided(args, model.is_some() || trains_model)?;
    let filters = filters(args, &recipe)?;
    let system_filters = if args.filter.is_empty() { vec![FilterChoice::default()] } else { filters.clone() };
    let decisions = decisions(args)?;
    let mut sets = args.data.open()?;
    args.recipe.check_set_policies(&sets)?;
    if policy.is_some() {
        sets.iter_mut().for_each(|set| set.policy = None);
    }
    let features = match model {
        Some(model) => Some(model.features().clone()),
        None => trains_model.then(|| recipe.feature_set()).transpose()?,
    };
    let predictions = args.predictions.iter().map(|p| Predictions::read(p)).collect::<Result<Vec<_>>>()?;
    let rows = Rows {
        args,
        sets: &sets,
        recipe: &recipe,
        filters: &filters,
        system_filters: &system_filters,
        decisions: &decisions,
        predictions: &predictions,
        progress,
    };
    let names = rows.names(trained.as_ref(), trains_model, &choices)?;
    check_versus(args, &names)?;
    let trained_choice = match &trained {
        Some(Trained::System(system)) => Some(system.choice()),
        _ => None,
    };
    let needs = experiment::needs(choices.iter().chain(trained_choice));
    if args.cache.is_some() && features.is_none() {
        return Err(nothing_to_cache());
    }
    let cache = args.cache.as_deref();
    // what only training looks at is not made
    let variants = if trains_model { recipe.variants.clone() } else { VariantRecipe::default() };
    let reading = Recipe { variants, ..recipe.clone() };
    let mut corpus = Corpus::read_keeping(&sets, &reading, features.as_ref(), needs, cache, progress)?;
    report_failures(&corpus);
    report_cache(&corpus, cache);
    let pages = pages(args, &corpus, trained.as_ref().map(Trained::summary))?;
    let entries = rows.entries(&mut corpus, &pages, trained.as_ref(), trains_model, &choices)?;
    debug_assert!(entries.len() == names.len() && entries.iter().all(|e| names.contains(&e.name)));
    let mut reports = Vec::new();
    for set in 0..corpus.sets.len() {
        reports.push(report_of(args, &corpus, set, &pages, &entries, &metrics, &recipe, trained.is_some())?);
    }
    if args.speed {
        for (report, set) in reports.iter_mut().zip(&sets) {
            report.speeds = speeds(args, set, &recipe, trained.as_ref(), &choices)?;
        }
    }
    emit(args, &reports, write)?;
    if let Some(dir) = &args.write_predictions {
        write_predictions(dir, &corpus, &pages, &entries)?;
    }
    let below: Vec<String> = reports.iter().flat_map(|r| r.below(&bars)).collect();
    below.iter().for_each(|b| remark(b));
    if !below.is_empty() {
        return Ok(Ending::BarFailed);
    }
    Ok(if corpus.failures.is_empty() { Ending::Fine } else { Ending::PagesFailed })
}

/// The pages to measure on: those with gold, and of those none that the model was trained on.
fn pages(args: &Args, corpus: &Corpus, summary: Option<&TrainingSummary>) -> Result<Vec<usize>> {
    let mut pages = corpus.with_gold();
    if pages.is_empty() {
        return Err(Error::data("no page has gold").expected(gold::EXPECTED).at_path(&args.data.data[0]));
    }
    let Some(summary) = summary.filter(|_| args.overlap != "allow") else {
        return Ok(pages);
    };
    let seen = summary.overlap(corpus);
    if seen.is_empty() {
        return Ok(pages);
    }
    if args.overlap == "error" {
        return Err(Error::data(format!(
            "the model was trained on {} of the {} pages or on their sites",
            seen.len(),
            corpus.pages.len()
        ))
        .expected("pages of other sites; --overlap skip measures those alone; --folds K, without --model, cross-validates"));
    }
    pages.retain(|p| !seen.contains(p));
    remark(&format!("{} pages of sites that the model was trained on are left out", seen.len()));
    if pages.is_empty() {
        return Err(Error::data("the model was trained on the sites of all pages"));
    }
    Ok(pages)
}

/// How fast the model and the systems are that run without folds.
fn speeds(
    args: &Args,
    set: &DataSet,
    recipe: &Recipe,
    trained: Option<&Trained>,
    choices: &[SystemChoice],
) -> Result<Vec<Speed>> {
    let system = |name: &str, choice: &SystemChoice, method: &dyn Method| {
        Speed::measure(name, set, recipe, |bytes, options| {
            let doc = page::parse(bytes, options);
            let html = choice.system().needs_html.then(|| page::plain_html(bytes, options));
            Ok(choice.predict(method, &doc, html.as_deref(), recipe.visibility().unweighed()))
        })
    };
    let mut found = Vec::new();
    let name = args.model.as_deref().map(stem).unwrap_or_default();
    match trained {
        None => {}
        Some(Trained::Model(model)) => {
            let predict = |bytes: &[u8], options: &_| model.predict(&page::parse(bytes, options));
            found.push(Speed::measure(&name, set, recipe, predict)?);
        }
        Some(Trained::System(trained)) => found.push(system(&name, trained.choice(), trained.method())?),
    }
    let runs = |c: &&SystemChoice| !c.system().must_be_trained() && !c.system().needs_gold;
    for choice in choices.iter().filter(runs) {
        found.push(system(choice.name(), choice, &*choice.method()?)?);
    }
    Ok(found)
}

/// Finds what cannot work before hours of it.
fn check(args: &Args) -> Result<()> {
    if let Some(by) = args.by.as_deref().filter(|by| !report::GROUP_FIELDS.contains(by)) {
        return Err(Error::recipe(format!("--by {by} is unknown")).expected(report::GROUP_FIELDS.join(", ")));
    }
    if args.speed && args.model.is_none() && args.system.system.is_empty() {
        return Err(
            Error::recipe("--speed measures a model or systems").expected("--model FILE or --system NAME")
        );
    }
    let has_row = args.model.is_some()
        || args.folds.is_some()
        || !args.predictions.is_empty()
        || !args.system.system.is_empty();
    if !has_row {
        remark("floor and oracle alone: name what to measure by --model, --folds, --predictions or --system");
    }
    if !args.bar.is_empty() && !has_row {
        return Err(Error::recipe("--bar has nothing to measure")
            .expected("--model, --folds, --predictions or --system"));
    }
    if args.model.is_some() && args.recipe.seed.is_some() {
        return Err(Error::recipe("--seed has no effect on a trained model").expected("--folds K with it"));
    }
    if !args.filter_depth.is_empty() && args.filter.iter().all(|f| f == "none" || f.contains(':')) {
        return Err(Error::recipe("--filter-depth without the filter it is for")
            .expected("--filter tree, or another that does not say already how far it looks"));
    }
    let files = args.out.iter().chain(&args.per_page).filter(|p| *p != Path::new("-"));
    files.into_iter().try_for_each(|p| AtomicFile::create(p).map(drop))
}

/// That there is something to decide on and to filter.
fn check_decided(args: &Args, has_model: bool) -> Result<()> {
    let is_decided = args.threshold.is_some() || !args.decision.is_empty() || !args.favor.is_empty();
    if is_decided && !has_model {
        return Err(Error::recipe("--threshold, --decision and --favor have no scores to decide on")
            .expected("--model FILE with a model, or --folds K with --classifier, --recipe or --features"));
    }
    if !args.filter.is_empty() && !has_model && args.model.is_none() && args.system.system.is_empty() {
        return Err(
            Error::recipe("--filter has nothing to filter").expected("--model, --folds K or --system")
        );
    }
    Ok(())
}

/// The format that the ending of a file asks for.
fn format_of(out: Option<&Path>) -> &'static str {
    match out.and_then(Path::extension).and_then(|e| e.to_str()) {
        Some("csv") => "csv",
        Some("json") => "json",
        Some("md") => "markdown",
        _ => "table",
    }
}

fn bar(text: &str, metrics: &[&Metric]) -> Result<(String, f64)> {
    let wrong =
        || Error::recipe(format!("`{text}` is no bar")).expected("COLUMN=VALUE, such as token_f1=0.9");
    let (column, value) = text.split_once('=').ok_or_else(wrong)?;
    if !metrics.iter().any(|m| m.columns.iter().any(|c| c.name == column)) {
        let columns: Vec<_> = metrics.iter().flat_map(|m| m.columns).map(|c| c.name).collect();
        return Err(Error::recipe(format!("no metric that is measured has a column `{column}`"))
            .expected(format!("one of {}", columns.join(", "))));
    }
    let value: f64 = value.parse().ok().filter(|v: &f64| v.is_finite()).ok_or_else(wrong)?;
    Ok((column.to_owned(), value))
}

/// The filter of the model's first row, which may do what the model has not learned.
fn first_filter(args: &Args, model: &Pipeline) -> Result<FilterChoice> {
    Ok(filters(args, model.recipe())?.first().copied().unwrap_or(model.filter()))
}

/// The filters asked for, each depth one of its own.
fn filters(args: &Args, recipe: &Recipe) -> Result<Vec<FilterChoice>> {
    if args.filter.is_empty() {
        return Ok(vec![FilterChoice::parse(&recipe.decision.filter)?]);
    }
    let mut found = Vec::new();
    for name in &args.filter {
        if name == "none" || name.contains(':') || args.filter_depth.is_empty() {
            found.push(FilterChoice::parse(name)?);
            continue;
        }
        for &depth in &args.filter_depth {
            found.push(FilterChoice::new(name, Some(depth))?);
        }
    }
    Ok(found)
}

/// The decisions asked for: every rule with everything that is favoured.
fn decisions(args: &Args) -> Result<Vec<DecisionOptions>> {
    let all = |names: &[String]| -> Vec<Option<String>> {
        if names.is_empty() { vec![None] } else { names.iter().cloned().map(Some).collect() }
    };
    let mut found = Vec::new();
    for rule in all(&args.decision) {
        for favor in all(&args.favor) {
            found.push(args::decision(args.threshold, rule.as_deref(), favor.as_deref())?);
        }
    }
    Ok(found)
}

/// Whether `name` is the row's name or an end of it.
fn is_called(row: &str, name: &str) -> bool {
    row == name || row.strip_suffix(name).is_some_and(|start| start.ends_with('+'))
}

/// That there will be a row to compare with: said before what may take hours.
fn check_versus(args: &Args, names: &[String]) -> Result<()> {
    match &args.versus {
        Some(versus) if !names.iter().any(|name| is_called(name, versus)) => {
            Err(Error::recipe(format!("there is no row `{versus}`"))
                .expected(format!("one of {}", names.join(", "))))
        }
        _ => Ok(()),
    }
}

#[allow(clippy::too_many_arguments)] // all of it stands in the report
fn report_of(
    args: &Args,
    corpus: &Corpus,
    set: usize,
    pages: &[usize],
    entries: &[Entry],
    metrics: &[&'static Metric],
    recipe: &Recipe,
    has_model: bool,
) -> Result<Report> {
    let of_set: Vec<usize> = (0..pages.len()).filter(|&i| corpus.pages[pages[i]].set == set).collect();
    let ids: Vec<usize> = of_set.iter().map(|&i| pages[i]).collect();
    let rows: Vec<_> = entries
        .iter()
        .map(|entry| {
            let outcomes: Vec<&Outcome> = of_set.iter().map(|&i| &entry.outcomes[i]).collect();
            experiment::score(corpus, &ids, entry, &outcomes, metrics, recipe.seed)
        })
        .collect();
    let versus = args.versus.as_ref().and_then(|name| rows.iter().find(|r| is_called(&r.name, name)));
    let comparisons = versus
        .map(|row| experiment::compare(&rows, row, experiment::COMPARED, recipe.seed))
        .unwrap_or_default();
    let folds: Option<Vec<usize>> = args.folds.map(|k| {
        let fold_of = corpus.folds(pages, k, recipe.seed);
        of_set.iter().map(|&i| fold_of[i]).collect()
    });
    let split = match (args.folds, has_model) {
        (Some(k), _) => {
            let sizes = fold_sizes(folds.as_deref().unwrap_or_default(), k);
            format!("{k} folds by site ({} pages)", sizes.join("+"))
        }
        (None, true) if args.overlap == "allow" => "all pages, overlap with training allowed".to_owned(),
        (None, true) => "all pages, none of the training's pages or sites".to_owned(),
        (None, false) => "all pages".to_owned(),
    };
    let groups = args.by.as_deref().map(|field| report::groups(corpus, &ids, &rows, field)).transpose()?;
    Ok(Report {
        set: corpus.sets[set].clone(),
        split,
        recipe: recipe.clone(),
        metrics: metrics.to_vec(),
        page_ids: ids.iter().map(|&p| corpus.pages[p].id.clone()).collect(),
        folds,
        rows,
        comparisons,
        groups,
        speeds: Vec::new(),
    })
}

/// Pages of each fold.
fn fold_sizes(fold_of: &[usize], num_folds: usize) -> Vec<String> {
    let size = |fold| fold_of.iter().filter(|&&f| f == fold).count().to_string();
    (0..num_folds).map(size).collect()
}

fn emit(args: &Args, reports: &[Report], write: report::Writer) -> Result<()> {
    let text = write(reports)?;
    match args.out.as_deref().filter(|p| *p != Path::new("-")) {
        None => write_stdout(|out| out.write_all(text.as_bytes()))?,
        Some(path) => write_file(path, text.as_bytes())?,
    }
    match &args.per_page {
        Some(path) => write_file(path, report::per_page(reports)?.as_bytes()),
        None => Ok(()),
    }
}

fn write_predictions(dir: &Path, corpus: &Corpus, pages: &[usize], entries: &[Entry]) -> Result<()> {
    std::fs::create_dir_all(dir).map_err(|e| Error::io(dir, e))?;
    for (index, set) in corpus.sets.iter().enumerate() {
        for entry in entries {
            let mut out = Vec::new();
            for (&page, outcome) in
                pages.iter().zip(&entry.outcomes).filter(|p| corpus.pages[*p.0].set == index)
            {
                let line =
                    serde_json::json!({"id": corpus.pages[page].id, "text": outcome.text(corpus, page)});
                out.extend_from_slice(format!("{line}\n").as_bytes());
            }
            let name = format!("{}.{}.jsonl", set.name, entry.name).replace([':', '/'], "-");
            write_file(&dir.join(name), &out)?;
        }
    }
    Ok(())
}

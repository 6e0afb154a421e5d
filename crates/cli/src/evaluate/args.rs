//! The options of `threshr evaluate`.

use crate::args;
use crate::args::{DataArgs, RecipeArgs, SystemArgs};
use crate::evaluate::report;
use crate::guard::Guard;
use crate::out_format;
use crate::remark;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use threshr_core::{Error, Result};
use threshr_evaluate::metrics::Metric;
use threshr_extract::decision::{self, DecisionOptions, Favor, Rule};
use threshr_extract::filters::FilterChoice;
use threshr_extract::recipe::Recipe;
use threshr_io::atomic::AtomicFile;
use threshr_sets::gold::DataSet;
use threshr_train::Overlap;

/// Evaluate a model, systems, or predictions of other tools on annotated pages
///
/// Every table has a row for the floor (keep-everything) and for the ceiling (oracle: gold labels on
/// threshr's blocks). Values are means over pages, with 95 % bootstrap intervals.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  threshr evaluate --data SET --model my.json
  threshr evaluate --data SET --folds 5 --classifier tree --features all     cross-validation by site
  threshr evaluate --data SET --folds 5 --filter none,tree --filter-depth 1,2,3,4,5 --versus none
  threshr evaluate --data SET --folds 5 --decision threshold,expected-f1 --versus threshold
  threshr evaluate --data SET --system bte,boilerpipe-article+tree2          published methods
  threshr evaluate --data SET --system genieknows --folds 5                  a system that learns
  threshr evaluate --data SET --predictions other.jsonl --format csv         lines of {\"id\", \"text\"}
  threshr evaluate --data SET --predictions out.parquet texts/ x.json.gz     of any tool
  threshr evaluate --data pages.jsonl --text-field body --model my.json      records with html and body
  threshr evaluate --data SET --model my.json --bar token_f1=0.90            exit code 1 below it")]
pub(crate) struct Args {
    #[command(flatten)]
    pub(crate) data: DataArgs,
    /// Model to evaluate: a file, or `default`, `fast` or `tiny` (compiled in)
    #[arg(long, value_name = "FILE", conflicts_with_all = ["folds", "recipe", "features", "classifier"])]
    pub(crate) model: Option<PathBuf>,
    /// Predictions to evaluate: output of `predict` (jsonl, parquet or folder) or of another tool (JSON, JSON lines,
    /// CSV, or a folder of texts; plain or compressed). A missing page counts as failed and scores 0
    #[arg(long, num_args = 1.., value_name = "FILE")]
    pub(crate) predictions: Vec<PathBuf>,
    /// Field or column of the text in --predictions [default: text, else another common name]
    #[arg(long, value_name = "NAME", requires = "predictions")]
    pub(crate) prediction_text: Option<String>,
    /// Field or column of the id in --predictions [default: id, else another common name]
    #[arg(long, value_name = "NAME", requires = "predictions")]
    pub(crate) prediction_id: Option<String>,
    /// Cross-validate on K folds, grouped by site
    #[arg(long, value_name = "K")]
    pub(crate) folds: Option<usize>,
    #[command(flatten)]
    pub(crate) system: SystemArgs,
    /// Filters; each model or system gets one row per filter: {names}; `+` joins several. Decision rules keep the
    /// thresholds that they learned with the recipe's filter; `threshr compare` learns them for each filter
    /// [default: for models the recipe's filter, for systems none]
    #[arg(long, value_delimiter = ',', value_name = "NAME,…")]
    pub(crate) filter: Vec<String>,
    /// Depths, for filters that take one; each model or system gets one row per depth
    #[arg(long, value_delimiter = ',', value_name = "N,…", requires = "filter")]
    pub(crate) filter_depth: Vec<u32>,
    /// Minimum score of a block that is kept [default: by the model's decision rule]
    #[arg(long, value_name = "T", value_parser = args::share, allow_negative_numbers = true, conflicts_with_all = ["decision", "favor"])]
    pub(crate) threshold: Option<f32>,
    /// Policy of models (states what counts as content): auto, main, article, full, with overrides such as
    /// main+title-headings [default: the recipe's policy of the set, else its default policy]
    #[arg(long, value_name = "POLICY", requires = "model")]
    pub(crate) policy: Option<String>,
    /// Decision rules; the model gets one row per rule: {names} [default: the recipe's rule]
    #[arg(long, value_delimiter = ',', value_name = "NAME,…", value_parser = decision::by_name)]
    pub(crate) decision: Vec<&'static Rule>,
    /// Trade-offs between precision and recall; the model gets one row per value: balance (best F1), precision (best
    /// F0.5), recall (best F2)
    #[arg(long, value_delimiter = ',', value_name = "WHAT,…", value_parser = Favor::parse)]
    pub(crate) favor: Vec<Favor>,
    /// Metrics: {names} [default: all]
    #[arg(long, value_delimiter = ',', value_name = "NAME,…")]
    pub(crate) metrics: Vec<String>,
    /// Compare every row with this row: differences with intervals, and significance tests. ROW is a name in
    /// the table, such as gbt+tree:2, or its part after a `+`
    #[arg(long, value_name = "ROW")]
    pub(crate) versus: Option<String>,
    /// Also show token F1 by lang, page_type or site
    #[arg(long, value_name = "FIELD")]
    pub(crate) by: Option<String>,
    /// Print all tables: every metric with quartiles and pooled values, and the calibration. Files written by
    /// --out always contain them
    #[arg(long)]
    pub(crate) verbose: bool,
    /// Output format: table, markdown, json or csv [default: by the file extension of --out, else table]
    #[arg(long, value_name = "NAME", value_parser = ["table", "markdown", "json", "csv"], hide_possible_values = true)]
    pub(crate) format: Option<String>,
    /// Output file, written atomically [default: standard output]
    #[arg(long, short, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// Write the scores of every page as CSV
    #[arg(long, value_name = "FILE")]
    pub(crate) per_page: Option<PathBuf>,
    /// Write the text that each row of the result table (a model or system) extracts from every page, one file per
    /// set and row: DIR/SET.ROW.jsonl
    #[arg(long, value_name = "DIR")]
    pub(crate) write_predictions: Option<PathBuf>,
    /// Exit with code 1 if a mean of any row other than floor and oracle is below this value; repeatable
    #[arg(long, value_name = "COLUMN=VALUE")]
    pub(crate) bar: Vec<String>,
    /// Treatment of pages of sites that the model was trained on: error, skip (leave them out), allow (use them)
    #[arg(long, value_name = "WHAT", default_value = "error", value_parser = Overlap::NAMES)]
    pub(crate) overlap: String,
    /// Also measure the speed of the model and of systems that need no training: pages/s, MB/s, CPU time on
    /// one core, peak memory
    #[arg(long)]
    pub(crate) speed: bool,
    #[command(flatten)]
    pub(crate) recipe: RecipeArgs,
}

impl Args {
    /// Returns the treatment of pages that the model was trained on.
    pub(crate) fn overlap(&self) -> Result<Overlap> {
        Overlap::parse(&self.overlap)
    }
}

/// Rejects combinations of options that cannot work, before any page is read.
pub(crate) fn check(args: &Args) -> Result<()> {
    if let Some(by) = args.by.as_deref().filter(|by| !report::GROUP_FIELDS.contains(by)) {
        return Err(
            Error::invalid_option(format!("--by {by} is unknown")).expected(report::GROUP_FIELDS.join(", "))
        );
    }
    if args.speed && args.model.is_none() && args.system.system.is_empty() {
        return Err(Error::invalid_option("--speed needs a model or a system")
            .expected("--model FILE or --system NAME"));
    }
    if format(args)? == "csv" && (args.by.is_some() || args.versus.is_some()) {
        return Err(Error::invalid_option("the format csv does not support --by and --versus")
            .expected("--format table, markdown or json"));
    }
    let has_row = args.model.is_some()
        || args.folds.is_some()
        || !args.predictions.is_empty()
        || !args.system.system.is_empty();
    if !has_row {
        remark("only floor and oracle are evaluated; add --model, --folds, --predictions or --system");
    }
    if !args.bar.is_empty() && !has_row {
        return Err(Error::invalid_option("--bar applies to no row")
            .expected("--model, --folds, --predictions or --system"));
    }
    if args.model.is_some() && args.recipe.seed.is_some() {
        return Err(Error::invalid_option("--seed has no effect on a trained model")
            .expected("--folds K, or no --seed"));
    }
    if !args.filter_depth.is_empty() && args.filter.iter().all(|f| f == "none" || f.contains(':')) {
        return Err(Error::invalid_option("--filter-depth needs a filter that takes a depth")
            .expected("--filter tree, or another filter without `:DEPTH`"));
    }
    Ok(())
}

/// Checks all outputs before any page is read. `names` contains the names of the rows.
pub(super) fn check_outputs(args: &Args, sets: &[DataSet], names: &[String]) -> Result<()> {
    let mut guard = Guard::reading(args.model.iter().chain(&args.predictions).chain(&args.recipe.recipe));
    guard.reads_sets(sets);
    for (option, path) in [("--out", &args.out), ("--per-page", &args.per_page)] {
        if let Some(path) = path {
            guard.file(option, path, false)?;
        }
    }
    if let Some(dir) = &args.write_predictions {
        guard.folder("--write-predictions", dir, true)?;
        let of_set =
            |set: &DataSet| names.iter().map(|name| predictions_file(dir, &set.name, name)).collect();
        // A system may occur twice: as the floor and by its name.
        let files: BTreeSet<PathBuf> = sets.iter().flat_map::<Vec<_>, _>(of_set).collect();
        files.iter().try_for_each(|file| guard.file("--write-predictions", file, false))?;
    }
    let files = args.out.iter().chain(&args.per_page).filter(|p| *p != Path::new("-"));
    files.into_iter().try_for_each(|p| AtomicFile::create(p).map(drop))
}

/// Returns the file that `--write-predictions` writes for a row of a set.
pub(super) fn predictions_file(dir: &Path, set: &str, row: &str) -> PathBuf {
    dir.join(format!("{set}.{row}.jsonl").replace([':', '/'], "-"))
}

/// Rejects decision and filter options that apply to no row.
pub(crate) fn check_decided(args: &Args, has_model: bool) -> Result<()> {
    let is_decided = args.threshold.is_some() || !args.decision.is_empty() || !args.favor.is_empty();
    if is_decided && !has_model {
        return Err(Error::invalid_option("--threshold, --decision and --favor apply only to models")
            .expected("--model FILE with a model, or --folds K with --classifier, --recipe or --features"));
    }
    if !args.filter.is_empty() && !has_model && args.model.is_none() && args.system.system.is_empty() {
        return Err(
            Error::invalid_option("--filter applies to no row").expected("--model, --folds K or --system")
        );
    }
    Ok(())
}

/// Returns the value of `--format`. If it is not given, the format is selected by the file extension of
/// `--out`.
///
/// # Errors
/// If no format has the extension, or `--per-page` is not CSV.
pub(crate) fn format(args: &Args) -> Result<&str> {
    out_format::of(None, args.per_page.as_deref(), out_format::CSV)?;
    out_format::of(args.format.as_deref(), args.out.as_deref(), out_format::TABLES)
}

/// Parses a `--bar`.
pub(crate) fn bar(text: &str, metrics: &[&Metric]) -> Result<(String, f64)> {
    let wrong = || {
        Error::invalid_option(format!("invalid --bar {text}")).expected("COLUMN=VALUE, such as token_f1=0.9")
    };
    let (column, value) = text.split_once('=').ok_or_else(wrong)?;
    if !metrics.iter().any(|m| m.columns.iter().any(|c| c.name == column)) {
        let columns: Vec<_> = metrics.iter().flat_map(|m| m.columns).map(|c| c.name).collect();
        return Err(Error::invalid_option(format!("no evaluated metric has a column `{column}`"))
            .expected(format!("one of {}", columns.join(", "))));
    }
    let value: f64 = value.parse().ok().filter(|v: &f64| v.is_finite()).ok_or_else(wrong)?;
    Ok((column.to_owned(), value))
}

/// Returns the filters, one for each depth. There is at least one.
pub(crate) fn filters(args: &Args, recipe: &Recipe) -> Result<Vec<FilterChoice>> {
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

/// Returns the decision options: every combination of a rule and a `--favor`.
pub(crate) fn decisions(args: &Args) -> Vec<DecisionOptions> {
    let rules: Vec<_> =
        if args.decision.is_empty() { vec![None] } else { args.decision.iter().copied().map(Some).collect() };
    let favors = if args.favor.is_empty() { &[Favor::Balance] } else { &args.favor[..] };
    let of_rule =
        |rule| favors.iter().map(move |&favor| DecisionOptions { threshold: args.threshold, rule, favor });
    rules.into_iter().flat_map(of_rule).collect()
}

/// Returns whether `name` is the name of a row, or its suffix after a `+`.
pub(crate) fn is_called(row: &str, name: &str) -> bool {
    row == name || row.strip_suffix(name).is_some_and(|start| start.ends_with('+'))
}

/// Rejects `--versus` with an unknown row, before any page is read.
pub(crate) fn check_versus(args: &Args, names: &[String]) -> Result<()> {
    match &args.versus {
        Some(versus) if !names.iter().any(|name| is_called(name, versus)) => {
            Err(Error::invalid_option(format!("there is no row `{versus}`"))
                .expected(format!("one of {}", names.join(", "))))
        }
        _ => Ok(()),
    }
}

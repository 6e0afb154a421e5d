//! The options of `threshr evaluate`, and what they ask for.

use crate::cli::args;
use crate::cli::args::{DataArgs, RecipeArgs, SystemArgs};
use crate::cli::evaluate_table as report;
use crate::cli::remark;
use std::path::{Path, PathBuf};
use threshr_core::{Error, Result};
use threshr_evaluate::metrics::Metric;
use threshr_extract::decision::DecisionOptions;
use threshr_extract::filters::FilterChoice;
use threshr_extract::recipe::Recipe;
use threshr_io::atomic::AtomicFile;

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
    pub(crate) data: DataArgs,
    /// Model file to measure; `default` is the one compiled in
    #[arg(long, value_name = "FILE", conflicts_with_all = ["folds", "recipe", "features", "classifier"])]
    pub(crate) model: Option<PathBuf>,
    /// Predictions to measure: JSON lines with `id` and `text`; a page that is not there counts as empty
    #[arg(long, num_args = 1.., value_name = "FILE")]
    pub(crate) predictions: Vec<PathBuf>,
    /// Train and test in turn on so many folds, grouped by site
    #[arg(long, value_name = "K")]
    pub(crate) folds: Option<usize>,
    #[command(flatten)]
    pub(crate) system: SystemArgs,
    /// Filters after models and methods, each a row: none, tree, tree-confident, smooth, largest-run, repeats, comments, headings; + joins several; decision rules keep the numbers
    /// that they learned with the recipe's filter (`compare` learns them anew for each) [default: for models as the recipe says, for methods none]
    #[arg(long, value_delimiter = ',', value_name = "NAME,…")]
    pub(crate) filter: Vec<String>,
    /// Depths of the filters that have one, each a row
    #[arg(long, value_delimiter = ',', value_name = "N,…", requires = "filter")]
    pub(crate) filter_depth: Vec<u32>,
    /// Least score of a block that is kept, on every page [default: by the model's decision rule]
    #[arg(long, value_name = "T", allow_negative_numbers = true, conflicts_with_all = ["decision", "favor"])]
    pub(crate) threshold: Option<f32>,
    /// What the model is to count as content: auto, main, article, full, with switches such as main+title-headings
    /// [default: what its recipe says of the set, else of others]
    #[arg(long, value_name = "POLICY", requires = "model")]
    pub(crate) policy: Option<String>,
    /// How models find the least score, each a row: threshold, expected-f1, nested-f1 [default: as the recipe says]
    #[arg(long, value_delimiter = ',', value_name = "NAME,…")]
    pub(crate) decision: Vec<String>,
    /// Which errors models avoid, each a row: balance (best F1), precision (best F0.5), recall (best F2)
    #[arg(long, value_delimiter = ',', value_name = "WHAT,…")]
    pub(crate) favor: Vec<String>,
    /// Metrics: token, order, character, shingle, rouge, snippet, cleaneval, block, auc [default: all]
    #[arg(long, value_delimiter = ',', value_name = "NAME,…")]
    pub(crate) metrics: Vec<String>,
    /// Compare every row with this one: intervals of the difference and tests. Rows are called as in the table, such as gbt+tree:2; an end behind a + is enough
    #[arg(long, value_name = "ROW")]
    pub(crate) versus: Option<String>,
    /// Token F1 by lang, page_type or site too
    #[arg(long, value_name = "FIELD")]
    pub(crate) by: Option<String>,
    /// table, markdown, json or csv [default: by the ending of --out, else table]
    #[arg(long, value_name = "NAME")]
    pub(crate) format: Option<String>,
    /// File to write, whole or not at all [default: standard output]
    #[arg(long, short, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// Write every page's scores as CSV
    #[arg(long, value_name = "FILE")]
    pub(crate) per_page: Option<PathBuf>,
    /// Write every row's texts as DIR/SET.ROW.jsonl
    #[arg(long, value_name = "DIR")]
    pub(crate) write_predictions: Option<PathBuf>,
    /// Exit with 1 if a mean of a model's, method's or prediction's row is below this; may be given several times
    #[arg(long, value_name = "COLUMN=VALUE")]
    pub(crate) bar: Vec<String>,
    /// Pages and sites that the model was trained on: error, skip (measure the others), allow (measure them too)
    #[arg(long, value_name = "WHAT", default_value = "error", value_parser = ["error", "skip", "allow"])]
    pub(crate) overlap: String,
    /// Measure the speed of the model, and of systems that run without training, too: pages/s, MB/s, CPU time on one core, peak memory
    #[arg(long)]
    pub(crate) speed: bool,
    /// Keep the pages' feature rows and alignments in this file, and take them from there the next time
    #[arg(long, value_name = "FILE")]
    pub(crate) cache: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) recipe: RecipeArgs,
}

/// Finds what cannot work before hours of it.
pub(crate) fn check(args: &Args) -> Result<()> {
    if let Some(by) = args.by.as_deref().filter(|by| !report::GROUP_FIELDS.contains(by)) {
        return Err(Error::recipe(format!("--by {by} is unknown")).expected(report::GROUP_FIELDS.join(", ")));
    }
    if args.speed && args.model.is_none() && args.system.system.is_empty() {
        return Err(
            Error::recipe("--speed measures a model or systems").expected("--model FILE or --system NAME")
        );
    }
    if format(args) == "csv" && (args.by.is_some() || args.versus.is_some()) {
        return Err(Error::recipe("csv has no place for --by and --versus")
            .expected("--format table, markdown or json"));
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
pub(crate) fn check_decided(args: &Args, has_model: bool) -> Result<()> {
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

/// The format that was asked for, else that by the ending of the file.
pub(crate) fn format(args: &Args) -> &str {
    args.format.as_deref().unwrap_or_else(|| format_of(args.out.as_deref()))
}

fn format_of(out: Option<&Path>) -> &'static str {
    match out.and_then(Path::extension).and_then(|e| e.to_str()) {
        Some("csv") => "csv",
        Some("json") => "json",
        Some("md") => "markdown",
        _ => "table",
    }
}

pub(crate) fn bar(text: &str, metrics: &[&Metric]) -> Result<(String, f64)> {
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

/// The filters asked for, each depth one of its own; one at least.
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

/// The decisions asked for: every rule with everything that is favoured.
pub(crate) fn decisions(args: &Args) -> Result<Vec<DecisionOptions>> {
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
pub(crate) fn is_called(row: &str, name: &str) -> bool {
    row == name || row.strip_suffix(name).is_some_and(|start| start.ends_with('+'))
}

/// That there will be a row to compare with: said before what may take hours.
pub(crate) fn check_versus(args: &Args, names: &[String]) -> Result<()> {
    match &args.versus {
        Some(versus) if !names.iter().any(|name| is_called(name, versus)) => {
            Err(Error::recipe(format!("there is no row `{versus}`"))
                .expected(format!("one of {}", names.join(", "))))
        }
        _ => Ok(()),
    }
}

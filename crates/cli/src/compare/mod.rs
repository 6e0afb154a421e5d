//! `threshr compare`: experiments over grids of settings.

mod tables;

use crate::args::{GoldArgs, SystemArgs, distances, recipe_of, say_remarks};
use crate::guard::Guard;
use crate::train::{reads_geometry, report_geometry};
use crate::{Status, print_error, remark, say_at_interrupt, write_file, write_stdout};
use std::path::{Path, PathBuf};
use threshr::registries;
use threshr_core::progress::Progress;
use threshr_core::{Error, Result};
use threshr_evaluate::grid;
use threshr_evaluate::grid::{Ablation, ClassifierSpec, DataSpec, Experiment, FeatureSpec, SystemSpec};
use threshr_evaluate::report;
use threshr_features::FeatureSet;
use threshr_io::atomic::lock_folder;
use threshr_sets::gold::DataSet;

/// Compare feature sets, classifiers and filters over data sets; learning curves, ablation
///
/// An experiment is a TOML file, options, or both; options override the file. Every combination of feature
/// set, classifier and filter is a row, evaluated on every split. The floor (keep-everything) and the ceiling
/// (oracle) are also rows. DIR receives report.html, results.md, results.csv, results.json, and the scores of
/// every page in pages/. Results in DIR with the same data, settings, seed and program version are reused.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  threshr compare --data datasets/sample --folds 3 --features all shallow+density --classifier tree,logistic --out DIR
  threshr compare notebooks-free-scripts/experiments/feature_sets.toml --data-root SETS --out DIR
  threshr compare --data SET1 SET2 SET3 --leave-one-set-out --filter none,tree --out DIR
  threshr compare --data SET --folds 5 --learning-curve 10,30,100,300 --out DIR
  threshr compare --data SET --folds 5 --ablation leave-one-out --out DIR
  threshr compare --data SET --folds 5 --features all --features=-group --out DIR")]
pub(super) struct Args {
    /// Experiment as TOML; options override it
    #[arg(value_name = "EXPERIMENT.toml")]
    experiment: Option<PathBuf>,
    /// Folder for the results; created if missing
    #[arg(long, short, value_name = "DIR")]
    out: PathBuf,
    /// Annotated pages: a folder, or a file of records (see --gold-format); repeatable
    #[arg(long, num_args = 1.., value_name = "SET")]
    data: Vec<PathBuf>,
    /// Base folder of relative paths of sets [default for an experiment file: $DATA, else the folder of the
    /// file]
    #[arg(long, value_name = "DIR")]
    data_root: Option<PathBuf>,
    #[command(flatten)]
    gold: GoldArgs,
    /// Cross-validate every set on K folds, grouped by site
    #[arg(long, value_name = "K", help_heading = "Splits")]
    folds: Option<usize>,
    /// Cross-validate on folds of all sets together
    #[arg(long, help_heading = "Splits")]
    union: bool,
    /// Sets to train on, by folder name
    #[arg(long, value_delimiter = ',', value_name = "SET,…", help_heading = "Splits", requires = "test")]
    train: Vec<String>,
    /// Sets to test on, by folder name
    #[arg(long, value_delimiter = ',', value_name = "SET,…", help_heading = "Splits", requires = "train")]
    test: Vec<String>,
    /// For every set, train on the other sets and test on it
    #[arg(long, help_heading = "Splits")]
    leave_one_set_out: bool,
    /// Feature sets, each an expression (see `threshr features list`); repeatable
    #[arg(long, num_args = 1.., value_name = "SET", help_heading = "Grid")]
    features: Vec<String>,
    /// Classifiers
    #[arg(long, value_delimiter = ',', value_name = "NAME,…", help_heading = "Grid")]
    classifier: Vec<String>,
    /// Filters: {names}. NAME:DEPTH sets the depth of a filter; `+` joins several
    #[arg(long, value_delimiter = ',', value_name = "NAME,…", help_heading = "Grid")]
    filter: Vec<String>,
    #[command(flatten)]
    system: SystemArgs,
    /// Settings that the grid does not vary: a TOML file, or a model file whose recipe is used
    #[arg(long, value_name = "FILE", help_heading = "Grid")]
    recipe: Option<PathBuf>,
    /// Also use the features of the blocks at these distances before and after; `none` for no neighbours. `threshr
    /// features list` shows which columns allow this [default: 1,2]
    #[arg(long, value_delimiter = ',', value_name = "N,…", help_heading = "Grid")]
    neighbours: Option<Vec<String>>,
    /// Numbers of training pages; each number is a point of the learning curve
    #[arg(long, value_delimiter = ',', value_name = "N,…", help_heading = "Questions")]
    learning_curve: Vec<usize>,
    /// Leave out one feature family at a time (leave-one-out), or add one after another (add-one)
    #[arg(long, value_name = "HOW", value_parser = ["leave-one-out", "add-one"], help_heading = "Questions")]
    ablation: Option<String>,
    /// Metrics: {names} [default: all]
    #[arg(long, value_delimiter = ',', value_name = "NAME,…")]
    metrics: Vec<String>,
    /// Metric column that the figures show [default: token_f1]
    #[arg(long, value_name = "NAME")]
    column: Option<String>,
    /// Row that all others are compared with [default: the first]
    #[arg(long, value_name = "ROW")]
    baseline: Option<String>,
    /// Heading of the report
    #[arg(long, value_name = "TEXT")]
    title: Option<String>,
    /// Random seed [default: 0]
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// Run every cell again, even if DIR has its results
    #[arg(long)]
    fresh: bool,
}

pub(super) fn run(args: &Args, progress: &dyn Progress) -> Result<Status> {
    let experiment = experiment(args)?;
    let sets = open(args, &experiment)?;
    check_outputs(args, &experiment, &sets)?;
    let parsed = experiment.features.iter().filter_map(|f| FeatureSet::parse(&f.set, &[]).ok());
    report_geometry(parsed.into_iter().find(reads_geometry).as_ref(), &sets);
    std::fs::create_dir_all(&args.out).map_err(|e| Error::io(&args.out, e))?;
    let _lock = lock_folder(&args.out)?;
    let (dir, how) = (args.out.display().to_string(), if args.fresh { "without --fresh " } else { "" });
    say_at_interrupt(move || {
        Some(format!("finished cells are in {dir}; repeat the command {how}to continue with the others"))
    });
    let results = grid::run(&experiment, &sets, &args.out, args.fresh, &registries(), progress)?;
    results.failures.iter().chain(&results.unmeasured).for_each(print_error);
    let sections = report::sections(&results);
    let files = [
        ("results.csv", tables::csv(&results)?),
        ("results.json", tables::json(&results)),
        ("results.md", tables::markdown(&results, &sections)),
        ("report.html", report::html(&results, &sections)),
    ];
    for (name, text) in &files {
        write_file(&args.out.join(name), text.as_bytes())?;
    }
    write_stdout(|out| out.write_all(tables::plain(&results, &sections).as_bytes()))?;
    remark(&format!("the report is in {}", args.out.join("report.html").display()));
    for (cell, error) in results.errors() {
        remark(&format!("{}, {}: {error}", cell.row, cell.design));
    }
    if results.num_failed_pages > 0 {
        remark(&format!("failed pages: {}", results.num_failed_pages));
    }
    let failed =
        results.num_failed_pages > 0 || !results.unmeasured.is_empty() || results.errors().next().is_some();
    Ok(if failed { Status::Failures } else { Status::Success })
}

/// Checks all outputs before any page is read.
fn check_outputs(args: &Args, experiment: &Experiment, sets: &[DataSet]) -> Result<()> {
    let predictions = experiment.predictions.iter().flat_map(|p| p.files.values());
    let mut guard = Guard::reading(args.experiment.iter().chain(&args.recipe).chain(predictions));
    guard.reads_sets(sets);
    let extension = args.out.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    if ["html", "md", "csv", "json"].contains(&extension) && !args.out.is_dir() {
        return Err(Error::invalid_option("--out has the name of a file")
            .expected(
                "the name of a folder, which gets report.html, results.md, results.csv and results.json",
            )
            .at_path(&args.out));
    }
    let is_own = args.out.join("results.json").is_file() || args.out.join("cells").is_dir();
    guard.folder("--out", &args.out, is_own)?;
    ["cells", "pages"].iter().try_for_each(|name| guard.folder("--out", &args.out.join(name), true))?;
    FILES.iter().try_for_each(|name| guard.file("--out", &args.out.join(name), true))
}

/// Files in the folder of results.
const FILES: [&str; 4] = ["results.csv", "results.json", "results.md", "report.html"];

/// Rejects an experiment file that follows an option with several values, because clap reads it as one of
/// these values.
fn refuse_swallowed(args: &Args) -> Result<()> {
    let is_file = |path: &Path| path.extension().is_some_and(|e| e == "toml") && path.is_file();
    let values = args.data.iter().map(PathBuf::as_path).chain(args.features.iter().map(Path::new));
    match values.into_iter().find(|path| is_file(path)) {
        Some(path) => Err(Error::invalid_option("the experiment file follows --data or --features")
            .expected("the file before all options")
            .at_path(path)),
        None => Ok(()),
    }
}

/// Reads the experiment file and overrides it by the given options.
fn experiment(args: &Args) -> Result<Experiment> {
    refuse_swallowed(args)?;
    let mut e = args.experiment.as_deref().map(Experiment::from_file).transpose()?.unwrap_or_default();
    if let Some(path) = &args.recipe {
        e.recipe = recipe_of(path)?;
    }
    if let Some(list) = &args.neighbours {
        e.recipe.features.neighbours = distances(list)?;
        e.features.iter_mut().for_each(|f| f.neighbours = None);
    }
    replace(&mut e.features, args.features.iter().cloned().map(FeatureSpec::from).collect());
    replace(&mut e.classifiers, args.classifier.iter().cloned().map(ClassifierSpec::from).collect());
    replace(&mut e.filters, args.filter.clone());
    let systems = args.system.choices()?.into_iter().map(|c| SystemSpec {
        label: None,
        name: c.name().to_owned(),
        params: c.given(),
    });
    replace(&mut e.systems, systems.collect());
    replace(&mut e.train, args.train.clone());
    replace(&mut e.test, args.test.clone());
    replace(&mut e.learning_curve, args.learning_curve.clone());
    replace(&mut e.metrics, args.metrics.clone());
    e.folds = args.folds.or(e.folds);
    e.union |= args.union;
    e.leave_one_set_out |= args.leave_one_set_out;
    e.ablation = match args.ablation.as_deref() {
        None => e.ablation,
        Some("add-one") => Some(Ablation::AddOne),
        Some(_) => Some(Ablation::LeaveOneOut),
    };
    e.column = args.column.clone().or(e.column);
    e.baseline = args.baseline.clone().or(e.baseline);
    e.title = args.title.clone().unwrap_or(e.title);
    e.seed = args.seed.or(e.seed);
    match e.data.is_empty() && args.data.is_empty() {
        true => Err(Error::invalid_option("the experiment has no data sets")
            .expected("--data DIR, or `data` in the experiment")),
        false => Ok(e),
    }
}

fn replace<T>(list: &mut Vec<T>, given: Vec<T>) {
    if !given.is_empty() {
        *list = given;
    }
}

/// Opens the sets that the options name. If there are none, opens those of the experiment.
fn open(args: &Args, experiment: &Experiment) -> Result<Vec<DataSet>> {
    if !args.data.is_empty() {
        // Without --data-root, paths on the command line are relative to the current folder.
        let under = |path: &PathBuf| args.data_root.as_ref().map_or(path.clone(), |root| root.join(path));
        return args.gold.open(&args.data.iter().map(under).collect::<Vec<_>>());
    }
    let own_folder = || args.experiment.as_deref().and_then(Path::parent).map(Path::to_path_buf);
    let of_environment = || std::env::var_os("DATA").map(PathBuf::from);
    let root = args.data_root.clone().or_else(of_environment).or_else(own_folder).unwrap_or_default();
    let open = |spec: &DataSpec| -> Result<DataSet> {
        let mut set = DataSet::open(&root.join(&spec.path), &spec.options()?)?;
        say_remarks(&set);
        set.name = spec.label.clone().unwrap_or(set.name);
        Ok(set)
    };
    experiment.data.iter().map(open).collect()
}

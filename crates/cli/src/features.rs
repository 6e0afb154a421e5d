//! `threshr features`: lists the features, and computes the features of pages.

use crate::args;
use crate::args::{GoldArgs, distances, say_remarks};
use crate::block_features::{BlockTable, Columns, PageRows};
use crate::guard::Guard;
use crate::out_format::{self, Extensions};
use crate::table;
use crate::train::report_geometry;
use crate::{Status, remark};
use rayon::prelude::*;
use std::borrow::Cow;
use std::collections::HashSet;
use std::io::Write;
use std::path::{Path, PathBuf};
use threshr_core::guard;
use threshr_core::policy::PolicyChoice;
use threshr_core::progress::Progress;
use threshr_core::{Error, Result};
use threshr_extract::recipe::PolicyRecipe;
use threshr_features::{FeatureSet, NAMED_SETS, REGISTRY};
use threshr_html::blocks as block;
use threshr_io::RawPage;
use threshr_io::atomic::AtomicFile;
use threshr_sets::gold::{DataSet, GoldPage, Html, ReadOptions};

/// List the features, or compute the features of pages
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  threshr features list                              all columns and sets
  threshr features list policy position.is_headline  the columns of a family, and one column
  threshr features list victor,-position             the columns of an expression
  threshr features list --format json
  threshr features page.html --features shallow+density --format csv
  threshr features DIR --format csv --out blocks.csv  an annotated folder: with labels")]
pub(super) struct Args {
    /// HTML files, folders of HTML files, annotated sets (folders or files of records), or - for standard input; or `list`, optionally
    /// followed by names of families, columns or sets, or expressions of them
    #[arg(required = true, value_name = "PAGE")]
    inputs: Vec<PathBuf>,
    /// Feature set, such as all, victor, all,-group or shallow+density; position@1 adds the values of the
    /// blocks before and after
    #[arg(long, value_name = "SET", default_value = "all")]
    features: String,
    /// Also write the features of the blocks at these distances before and after; `threshr train` uses 1,2
    #[arg(long, value_delimiter = ',', value_name = "N,…", default_value = "none")]
    neighbours: Vec<String>,
    /// Model whose columns and vocabularies are used: a file, or `default`, `fast` or `tiny` (compiled in).
    /// Without a model, columns of learned families are 0
    #[arg(long, value_name = "FILE", conflicts_with_all = ["features", "neighbours"])]
    model: Option<PathBuf>,
    /// How pages are split into blocks: {names}
    #[arg(long, value_name = "NAME", default_value = "paragraph")]
    segmentation: String,
    /// Output format: csv, tsv or json (one JSON object per line). For `list`: table, markdown, csv or json. [default:
    /// by the file extension of --out; without an extension or --out: csv, or table for `list`]
    #[arg(long, value_name = "NAME")]
    format: Option<String>,
    /// Output file, written atomically [default: standard output]
    #[arg(long, short, value_name = "FILE")]
    out: Option<PathBuf>,
    #[command(flatten)]
    gold: GoldArgs,
}

/// Formats of blocks by file extension.
const FORMATS: &[Extensions] =
    &[("csv", &["csv"]), ("tsv", &["tsv"]), ("json", &["json", "jsonl", "ndjson"])];
/// Formats of `list` by file extension.
const LIST_FORMATS: &[Extensions] =
    &[("table", &["txt"]), ("markdown", &["md"]), ("csv", &["csv"]), ("json", &["json", "jsonl", "ndjson"])];

pub(super) fn run(args: &Args, progress: &dyn Progress) -> Result<Status> {
    if let Some(names) = listed(&args.inputs) {
        let is_default =
            args.features == "all" && args.neighbours == ["none"] && args.segmentation == "paragraph";
        if !is_default || args.model.is_some() {
            return Err(
                Error::invalid_option("`list` takes only --format and --out").expected("no other options")
            );
        }
        if let Some(path) = &args.out {
            Guard::default().file("--out", path, false)?;
        }
        let text = list(&names, out_format::of(args.format.as_deref(), args.out.as_deref(), LIST_FORMATS)?)?;
        return crate::write_text(args.out.as_deref(), &text).map(|()| Status::Success);
    }
    let write = match out_format::of(args.format.as_deref(), args.out.as_deref(), FORMATS)? {
        "csv" => |t: &BlockTable, out: &mut dyn Write| t.write_csv(out, b','),
        "tsv" => |t: &BlockTable, out: &mut dyn Write| t.write_csv(out, b'\t'),
        "json" => |t: &BlockTable, out: &mut dyn Write| t.write_json(out),
        other => {
            return Err(
                Error::invalid_option(format!("there is no format `{other}`")).expected("csv, tsv or json")
            );
        }
    };
    if let Some(path) = &args.out {
        Guard::reading(args.inputs.iter().chain(&args.model)).file("--out", path, false)?;
    }
    let table = table_of(args, progress)?;
    match &args.out {
        None => {
            let mut out = std::io::BufWriter::new(crate::stdout::stdout()?);
            write(&table, &mut out)?;
            out.flush().map_err(|e| Error::io("-", e))?;
        }
        Some(path) => {
            let mut out = AtomicFile::create(path)?;
            write(&table, &mut out).map_err(|e| e.at_path(path))?;
            out.finish()?;
        }
    }
    Ok(Status::Success)
}

/// Returns the names after `list`. Returns `None` if the first input is not `list`.
fn listed(inputs: &[PathBuf]) -> Option<Vec<String>> {
    let (first, names) = inputs.split_first()?;
    (first.as_os_str() == "list").then(|| names.iter().map(|n| n.to_string_lossy().into_owned()).collect())
}

/// Lists the columns of the named families, sets, columns and expressions. If `names` is empty, lists all
/// columns and sets.
fn list(names: &[String], format: &str) -> Result<String> {
    let mut rows = Vec::new();
    for family in REGISTRY {
        for c in family.columns() {
            let neighbours = if c.neighbours { "yes" } else { "" };
            let name = format!("{}.{}", family.name(), c.name);
            rows.push(vec![
                name,
                c.unit.to_owned(),
                neighbours.to_owned(),
                c.definition.into_owned(),
                c.source.to_owned(),
            ]);
        }
    }
    for set in NAMED_SETS {
        let what = if set.expression.is_empty() { set.source } else { set.expression };
        let row = [set.name, "set of columns", "", what, set.source];
        rows.push(row.map(str::to_owned).to_vec());
    }
    let is_of = |row: &[String], name: &str| {
        row[0] == name || row[0].strip_prefix(name).is_some_and(|rest| rest.starts_with('.'))
    };
    let mut wanted = HashSet::new();
    for unknown in names.iter().filter(|name| !rows.iter().any(|row| is_of(row, name))) {
        if unknown.contains(['+', ',', '-', '@']) {
            let set = FeatureSet::parse(unknown, &[])?;
            // The value of a neighbour, NAME@1, is listed as its column, NAME.
            wanted.extend(set.names().iter().filter_map(|n| n.split('@').next()).map(str::to_owned));
            continue;
        }
        let known = rows.iter().map(|row| row[0].as_str()).chain(REGISTRY.iter().map(|f| f.name()));
        return Err(Error::invalid_option(format!("there is no feature, family or set `{unknown}`"))
            .expected(format!(
                "{}a name that `threshr features list` shows",
                similar_names(unknown, known)
            )));
    }
    rows.retain(|row| {
        names.is_empty() || wanted.contains(&row[0]) || names.iter().any(|name| is_of(row, name))
    });
    let head = ["name", "unit", "neighbours", "definition", "source"];
    Ok(match format {
        "table" => {
            let row = |r: &Vec<String>| [&r[..3], &[table::with_source(&r[3], &r[4])]].concat();
            let rows: Vec<Vec<String>> = rows.iter().map(row).collect();
            table::plain(&["name", "unit", "neighbours", "definition [source]"], &rows, 4)
        }
        "markdown" => table::markdown(&head, &rows),
        "csv" => table::csv(&head, &rows)?,
        "json" => {
            let object = |row: &Vec<String>| -> serde_json::Map<String, serde_json::Value> {
                head.iter().map(|h| (*h).to_owned()).zip(row.iter().map(|c| c.clone().into())).collect()
            };
            rows.iter().map(|r| serde_json::Value::Object(object(r)).to_string() + "\n").collect()
        }
        other => {
            return Err(Error::invalid_option(format!("there is no format `{other}`"))
                .expected("table, markdown, csv or json"));
        }
    })
}

/// Returns suggestions for an unknown name, each followed by a comma.
fn similar_names<'n>(unknown: &str, known: impl Iterator<Item = &'n str>) -> String {
    const MAX_NAMES: usize = 3;
    const MIN_SIMILARITY: f64 = 0.6;
    // The user may have typed a column without its family.
    let scored = |name: &'n str| {
        let column = name.split_once('.').map_or(name, |n| n.1);
        let similarity = |name| strsim::normalized_damerau_levenshtein(unknown, name);
        (similarity(name).max(similarity(column)), name)
    };
    let mut found: Vec<(f64, &str)> = known.map(scored).filter(|n| n.0 >= MIN_SIMILARITY).collect();
    found.sort_by(|a, b| b.0.total_cmp(&a.0));
    found.truncate(MAX_NAMES);
    found.into_iter().map(|n| format!("`{}`, ", n.1)).collect()
}

fn table_of(args: &Args, progress: &dyn Progress) -> Result<BlockTable> {
    let model = args.model.as_deref().map(|m| args::model(Some(m))).transpose()?;
    let set = match &model {
        Some(model) => model.features().clone(),
        None => FeatureSet::parse(&args.features, &distances(&args.neighbours)?)?,
    };
    let learned: Vec<&str> = set.learned_families().iter().map(|f| f.name()).collect();
    if model.is_none() && !learned.is_empty() {
        remark(&format!(
            "the columns of {} are 0 because they are learned; use --model to fill them",
            learned.join(", ")
        ));
    }
    if set.needs_crawl() {
        remark("the columns of site_repeat are 0: only train and evaluate read the other pages of a site");
    }
    let columns = Columns {
        set: &set,
        vocabularies: model.as_ref().map(|m| &m.fitted().vocabularies),
        segmentation: block::by_name(&args.segmentation)?,
    };
    let policies = model.as_ref().map(|m| m.recipe().policy.clone()).unwrap_or_default();
    let pages = pages(args, &policies)?;
    let of_pages = DataSet { pages: pages.iter().map(|p| p.1.clone()).collect(), ..DataSet::default() };
    report_geometry(Some(&set), &[of_pages]);
    progress.start("computing features", pages.len() as u64);
    let of_page = |(set, page, policy): &(String, GoldPage, PolicyChoice)| {
        let rows = guard(&page.id, || columns.of_page(set, with_stdin(page)?.as_ref(), *policy));
        progress.step();
        rows
    };
    let done: Vec<Result<PageRows>> = pages.par_iter().map(of_page).collect();
    progress.finish();
    columns.table(done.into_iter().collect::<Result<_>>()?)
}

/// Reads a page from standard input into memory. Returns other pages unchanged.
fn with_stdin(page: &GoldPage) -> Result<Cow<'_, GoldPage>> {
    if page.path.as_os_str() != "-" {
        return Ok(Cow::Borrowed(page));
    }
    let bytes = RawPage::at(&page.path).load(None)?.bytes;
    Ok(Cow::Owned(GoldPage { html: Html::bytes(&bytes)?, ..page.clone() }))
}

/// Returns the pages with the names of their sets and with their policies. Pages of annotated sets have gold; other pages
/// have no set.
fn pages(args: &Args, policies: &PolicyRecipe) -> Result<Vec<(String, GoldPage, PolicyChoice)>> {
    let options = args.gold.options()?;
    let mut found = Vec::new();
    for path in &args.inputs {
        if path.exists() && is_annotated(path, &options) {
            let set = DataSet::open(path, &options)?;
            say_remarks(&set);
            let policy = policies.of_set(&set.name, set.policy);
            found.extend(set.pages.into_iter().map(|page| (set.name.clone(), page, policy)));
            continue;
        }
        let listing = threshr_io::sources(std::slice::from_ref(path), Some("html"))?;
        if let Some(error) = listing.failures.into_iter().next() {
            return Err(error);
        }
        let page = |source: threshr_io::Source| GoldPage {
            id: source.named(RawPage::at(&source.path)).id,
            path: source.path,
            ..GoldPage::default()
        };
        found.extend(
            listing.sources.into_iter().map(|source| (String::new(), page(source), policies.default)),
        );
    }
    Ok(found)
}

/// Returns whether an input is an annotated set. HTML files are not, unless `--gold-format` is given.
fn is_annotated(path: &Path, options: &ReadOptions) -> bool {
    let is_page = path.is_file() && threshr_io::names::is_html(path);
    options.format.is_some() || (!is_page && DataSet::has_form(path, options))
}

//! The options of `threshr diff`.

use crate::args;
use crate::guard::Guard;
use crate::page_args::PageArgs;
use crate::predict::PAGE_SECONDS;
use std::path::{Path, PathBuf};
use threshr_core::Limits;
use threshr_core::{Error, Result};
use threshr_io::Source;
use threshr_io::names;

/// Show which blocks of a crawl two models, policies, systems or tools label differently
///
/// Differing blocks are grouped by site and by the path of their element, so that a group is a position in a template. Gold is not
/// needed. Pages are read one after another in bounded memory.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  threshr diff default my.json crawl/*.warc.gz --out diff.html
  threshr diff default default pages/ --b-policy article --out diff.html     two policies
  threshr diff default boilerpipe-article+tree2 pages/ --out diff.html       a model and a system
  threshr diff default other-tool.jsonl pages/ --out diff.html               lines of {\"id\", \"text\"}
  threshr diff before.jsonl after.jsonl pages.parquet --format json          two files of predictions
  threshr diff default my.json pages/ --format jsonl | jq 'select(.letters.agreement < 0.5).id'")]
pub(crate) struct Args {
    /// First method: a model file, `default`, `fast` or `tiny` (compiled in), a system (see `threshr systems`;
    /// NAME+FILTER adds a filter), or predictions of another tool in a format that `evaluate --predictions` reads. If
    /// both a file and a system have this name, the file is used
    #[arg(value_name = "A")]
    pub(crate) a: String,
    /// Second method, specified in the same way as A
    #[arg(value_name = "B")]
    pub(crate) b: String,
    /// The pages: HTML files, saved pages (MHTML), WARC, ARC, JSONL or Parquet files, folders of pages, lists of
    /// files, or - for standard input; each may be compressed by gzip or zstd
    #[arg(required = true, value_name = "INPUT")]
    pub(crate) inputs: Vec<PathBuf>,
    /// Policy of A, if A is a model: main, article, full, with overrides such as main+title-headings; or auto
    /// [default: the model's]
    #[arg(long, value_name = "POLICY")]
    pub(crate) a_policy: Option<String>,
    /// Policy of B, like --a-policy
    #[arg(long, value_name = "POLICY")]
    pub(crate) b_policy: Option<String>,
    /// Option of a system, such as justext.max_link_density=0.3 (`threshr systems NAME` lists them); repeatable
    #[arg(long, value_name = "NAME.KEY=VALUE")]
    pub(crate) system_param: Vec<String>,
    /// Field or column of the text in predictions [default: text, else another common name]
    #[arg(long, value_name = "NAME")]
    pub(crate) prediction_text: Option<String>,
    /// Field or column of the id in predictions [default: id, else another common name]
    #[arg(long, value_name = "NAME")]
    pub(crate) prediction_id: Option<String>,
    /// Report as one HTML file, written atomically
    #[arg(long, short, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// Output format: {names}. table has the totals and the first groups, json the whole report, jsonl one line per page
    #[arg(long, value_name = "NAME", value_enum, default_value = "table", hide_possible_values = true)]
    pub(super) format: Format,
    /// Maximum number of groups in the report
    #[arg(long, value_name = "N", default_value_t = 300)]
    pub(crate) groups: usize,
    /// Compare only the first N pages
    #[arg(long, value_name = "N", value_parser = args::count)]
    pub(crate) limit: Option<u64>,
    #[command(flatten)]
    pub(crate) pages: PageArgs,
    /// Limit of CPU time per page for each of A and B, in seconds; 0 for no limit
    #[arg(long, value_name = "S", default_value_t = PAGE_SECONDS, allow_negative_numbers = true, help_heading = "Crawls")]
    pub(crate) page_seconds: f64,
}

/// Format of the printed results.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Format {
    Table,
    Json,
    Jsonl,
}

impl Args {
    /// Returns the limits for a page. The time limit is doubled, because both sides share it.
    pub(super) fn limits(&self) -> Result<Limits> {
        let limits = self.pages.limits(self.page_seconds)?;
        Ok(Limits { time: limits.time.map(|time| 2 * time), ..limits })
    }

    /// Checks the path of the report before any page is read.
    pub(super) fn check_output(&self, sources: &[Source], folders: &[PathBuf]) -> Result<()> {
        let Some(out) = &self.out else { return Ok(()) };
        if out.as_os_str() == "-" || !["html", "htm", ""].contains(&names::extension(out).as_str()) {
            return Err(Error::invalid_option("the report is HTML")
                .expected("a file name that ends in .html; --format json and jsonl print to standard output")
                .at_path(out));
        }
        let sides = [&self.a, &self.b].map(PathBuf::from);
        let mut guard = Guard::reading(self.inputs.iter().chain(&sides));
        sources.iter().for_each(|source| guard.reads(&source.path));
        folders.iter().for_each(|folder| guard.reads(folder));
        guard.file("--out", out, false)
    }
}

/// Returns the name of a file as it appears in the report.
pub(super) fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}

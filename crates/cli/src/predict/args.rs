//! The options of `threshr predict`.

use crate::args;
use crate::args::SystemArgs;
use crate::page_args::PageArgs;
use crate::policy_args::PolicyArgs;
use crate::predict::job::Job;
use crate::predict::render::RenderArgs;
use crate::predict::selection::Selection;
use std::path::{Path, PathBuf};
use threshr_core::Limits;
use threshr_core::{Error, Result};
use threshr_crawl as crawl;
use threshr_crawl::Compression;
use threshr_extract::decision::{self, DecisionOptions, Favor, Rule};
use threshr_extract::filters::FilterChoice;
use threshr_extract::model::Trained;
use threshr_extract::{Extractor, Labeller, Options};
use threshr_html::{ParseOptions, Selector, Visibility, check_charset};
use threshr_output::formats::{Format, Layout};
use threshr_sets::gold::CleanevalWrapper;

/// Default limit of CPU time for a page, in seconds.
pub(crate) const PAGE_SECONDS: f64 = 2.0;

/// Extract the content of pages
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  threshr predict page.html
  curl -fsSL URL | threshr predict - --charset utf-8
  threshr predict pages/ --model my.json --filter tree --out pages.jsonl
  threshr predict crawl/*.warc.gz --out pages.parquet --jobs 8    a crawl; --resume continues it
  threshr predict pages.jsonl.zst --html-field content --out texts.jsonl.zst
  threshr predict page.html --favor recall           keep more blocks
  threshr predict page.html --format blocks          every block with its score and label
  threshr predict page.html --explain=0,3            the columns behind the scores of blocks 0 and 3
  threshr predict page.html --out page.md --url https://example.org/page.html
  threshr predict page.html --policy article         only the text of the article
  threshr predict page.html --system boilerpipe-article+tree2    a published method, then a filter
  threshr predict page.html --system justext --system-param justext.language=de")]
pub(crate) struct Args {
    /// HTML files, saved pages (MHTML), WARC, ARC, JSONL or Parquet files, folders of pages, lists of
    /// files, or - for standard input; each may be compressed by gzip or zstd
    #[arg(required = true, value_name = "INPUT")]
    pub(crate) inputs: Vec<PathBuf>,
    /// Model: a file, or `default`, `fast` or `tiny` (compiled in) [default: default]
    #[arg(long, value_name = "FILE", conflicts_with = "system")]
    pub(crate) model: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) system: SystemArgs,
    /// Filter after the decision rule: {names}. NAME:DEPTH sets its depth; `+` joins several [default: the filter of the model's
    /// recipe]
    #[arg(long, value_name = "NAME")]
    pub(crate) filter: Option<String>,
    /// Depth of the filter. Without --filter, this selects the filter `tree`. `tree` groups the blocks by an ancestor and
    /// keeps the group with the most text; the depth selects the ancestor: 1 the parent, 2 the grandparent, up to 5
    #[arg(long, value_name = "N")]
    pub(crate) filter_depth: Option<u32>,
    /// Minimum score of a block that is kept, 0 to 1 [default: by the model's decision rule]
    #[arg(long, value_name = "T", value_parser = args::share, allow_negative_numbers = true, conflicts_with_all = ["system", "decision", "favor"])]
    pub(crate) threshold: Option<f32>,
    #[command(flatten)]
    pub(crate) policy: PolicyArgs,
    /// Decision rule that sets the minimum score: {names}. `threshold` sets one for all pages, the others
    /// one for each page [default: the rule of the model's recipe]
    #[arg(long, value_name = "NAME", value_parser = decision::by_name, conflicts_with = "system")]
    pub(crate) decision: Option<&'static Rule>,
    /// Trade-off between precision and recall: precision (fewer blocks, best F0.5), recall (more blocks, best F2), balance (best F1)
    /// [default: balance]
    #[arg(long, value_name = "WHAT", value_parser = Favor::parse, conflicts_with = "system")]
    pub(crate) favor: Option<Favor>,
    /// Write an explanation of each block instead of the content: its label, the filter that dropped it, and
    /// how much each column raises or lowers its decision value. BLOCK selects blocks by number (see --format
    /// blocks)
    #[arg(long, value_name = "BLOCK,…", num_args = 0..=1, require_equals = true, default_missing_value = "all", conflicts_with_all = ["system", "format", "select", "drop"])]
    pub(crate) explain: Option<String>,
    /// Output format: {names} [default: by the file extension of --out, else text]
    #[arg(long, value_name = "NAME", value_parser = crawl::format_by_name)]
    pub(crate) format: Option<&'static Format>,
    /// Output file or folder, written atomically: FILE.part until it is complete [default: standard output]
    #[arg(long, short, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// Compression of the output: none, gz, zst [default: by the file extension of --out]
    #[arg(long, value_name = "NAME", value_parser = Compression::by_name, help_heading = "Crawls")]
    pub(crate) compress: Option<Compression>,
    #[command(flatten)]
    pub(crate) render: RenderArgs,
    /// Write only pages in these languages: BCP 47 tags such as de or pt-BR, compared by their language subtag.
    /// Others are skipped and counted
    #[arg(
        long,
        value_name = "LANG,…",
        value_delimiter = ',',
        conflicts_with = "explain",
        help_heading = "Crawls"
    )]
    pub(crate) language: Vec<String>,
    /// Write only pages whose expected token F1 is at least Q (for models that predict it). Others are skipped
    /// and counted
    #[arg(long, value_name = "Q", value_parser = args::share, allow_negative_numbers = true, conflicts_with_all = ["system", "explain"], help_heading = "Crawls")]
    pub(crate) min_quality: Option<f32>,
    /// Read only the first N pages
    #[arg(long, value_name = "N", value_parser = args::count, conflicts_with = "explain", help_heading = "Crawls")]
    pub(crate) limit: Option<u64>,
    /// Continue an incomplete run, with the same inputs and options. A complete output file is never changed
    #[arg(long, requires = "out", help_heading = "Crawls")]
    pub(crate) resume: bool,
    /// Report an error (exit code 2) instead of a warning for each page that may be incomplete, because its
    /// file is truncated or damaged
    #[arg(long, conflicts_with = "explain", help_heading = "Crawls")]
    pub(crate) strict: bool,
    /// Read all pages twice; the first pass counts which texts repeat on the pages of a site (for models with
    /// `site_repeat`)
    #[arg(long, conflicts_with_all = ["system", "explain"], help_heading = "Crawls")]
    pub(crate) site_stats: bool,
    /// Memory for the counts of --site-stats, in MB; larger crawls need more
    #[arg(long, value_name = "MB", default_value_t = 256, help_heading = "Crawls")]
    pub(crate) site_stats_mb: usize,
    #[command(flatten)]
    pub(crate) pages: PageArgs,
    /// Limit of CPU time for a page, in seconds; 0 for no limit [default: 2; with --explain no limit]
    #[arg(long, value_name = "S", allow_negative_numbers = true, help_heading = "Crawls")]
    pub(crate) page_seconds: Option<f64>,
    /// Keep only blocks inside these elements
    #[arg(long, value_name = "CSS")]
    pub(crate) select: Option<String>,
    /// Leave out blocks inside these elements
    #[arg(long, value_name = "CSS")]
    pub(crate) drop: Option<String>,
    /// Charset of the pages, as in an HTTP header
    #[arg(long, value_name = "LABEL")]
    pub(crate) charset: Option<String>,
    /// Also read hidden text, cookie banners and tool marks (¶, line numbers)
    #[arg(long)]
    pub(crate) keep_hidden: bool,
    /// Leave out hidden text, such as closed panels, even if the model reads it
    #[arg(long, conflicts_with = "keep_hidden")]
    pub(crate) no_hidden: bool,
    /// Leave out hidden text even on pages where nearly all text is hidden. By default such a page is read as
    /// if its scripts had run
    #[arg(long, conflicts_with = "keep_hidden")]
    pub(crate) strict_visibility: bool,
}

impl Args {
    pub(crate) fn limits(&self) -> Result<Limits> {
        // Explanations take much longer than scores.
        let seconds = if self.explain.is_some() { 0.0 } else { PAGE_SECONDS };
        self.pages.limits(self.page_seconds.unwrap_or(seconds))
    }

    /// Returns whether Markdown and HTML begin with the title.
    pub(crate) fn title(&self) -> bool {
        !self.policy.leaves_out("title")
    }

    /// Returns the output path. Returns `None` for standard output.
    pub(crate) fn target(&self) -> Option<&Path> {
        let path = self.out.as_deref().filter(|p| *p != Path::new("-"));
        // Removes the slash at the end of `texts/`, because the folder may not exist yet.
        path.map(|p| p.components().as_path())
    }

    /// Rejects an output file with an unknown extension, unless `--format` is given.
    pub(crate) fn check_ending(&self) -> Result<()> {
        // Explanations have their own format.
        let has_format = self.format.is_some() || self.explain.is_some();
        match self.target() {
            Some(path) if !has_format => crawl::check_ending(path),
            _ => Ok(()),
        }
    }

    pub(crate) fn format(&self) -> Result<(&'static Format, Compression)> {
        let (format, compressed) = self.target().map(crawl::suggest).unwrap_or_default();
        let format = self.format.or(format).unwrap_or(crawl::formats()[0]);
        self.render.check(format)?;
        let is_folder = self.out.as_deref().is_some_and(|p| p.as_os_str().as_encoded_bytes().ends_with(b"/"));
        if is_folder && format.layout != Layout::Folder {
            return Err(Error::invalid_option(format!(
                "--out is a folder, but the format `{}` writes a file",
                format.name
            ))
            .expected("--format folder, or a file name"));
        }
        let compression = self.compress.unwrap_or(compressed);
        let is_packable = matches!(format.layout, Layout::Stream | Layout::Members);
        if compression != Compression::None && !is_packable {
            return Err(Error::invalid_option(format!("the format `{}` cannot be compressed", format.name))
                .expected("no --compress, and an --out without .gz or .zst"));
        }
        Ok((format, compression))
    }
}

/// Creates the job that is run on each page from the options.
pub(crate) fn job(args: &Args) -> Result<Job> {
    // If only --filter-depth is given, the filter is `tree`.
    let name = args.filter.as_deref().or(args.filter_depth.map(|_| "tree"));
    if args.filter_depth.is_some() && name.is_some_and(|name| name.contains(':')) {
        return Err(Error::invalid_option("--filter already sets a depth").expected("no --filter-depth"));
    }
    let filter = name.map(|name| match args.filter_depth {
        None => FilterChoice::parse(name),
        depth => FilterChoice::new(name, depth),
    });
    let filter = filter.transpose()?;
    args.charset.as_deref().map_or(Ok(()), check_charset)?;
    let (name, labeller) = labeller(args)?;
    let policy = match labeller.model() {
        Some(model) => args.policy.choice(model, filter.unwrap_or(model.filter()))?,
        None => None,
    };
    let writes_type = ["jsonl", "parquet"].contains(&args.format()?.0.name);
    let options = Options {
        decision: DecisionOptions {
            threshold: args.threshold,
            rule: args.decision,
            favor: args.favor.unwrap_or_default(),
        },
        filter,
        policy,
        visibility: match (args.keep_hidden, args.no_hidden) {
            (true, _) => Some(Visibility::WithHidden),
            (_, true) => Some(Visibility::Visible),
            _ => None,
        },
        parse: ParseOptions {
            charset: args.charset.clone(),
            strict_visibility: args.strict_visibility,
            source_map: args.render.units(),
            // CleanEval pages are read in the same way as in `evaluate`.
            unwrap: Some(&CleanevalWrapper),
            ..ParseOptions::default()
        },
        page_type: writes_type,
        quality: writes_type || args.min_quality.is_some(),
        keep_counts: false,
        select: args.select.as_deref().map(Selector::parse).transpose()?,
        drop: args.drop.as_deref().map(Selector::parse).transpose()?,
    };
    let predicts_quality = labeller.model().is_some_and(|m| m.fitted().type_and_quality.quality.is_some());
    if args.min_quality.is_some() && !predicts_quality {
        return Err(Error::invalid_option(
            "the model does not predict quality, so --min-quality has no effect",
        )
        .expected("a model whose recipe has `page_level.quality`"));
    }
    let selection = Selection::new(&args.language, args.min_quality)?;
    Job::new(Extractor::new(labeller, options), &name, selection)
}

/// Returns the model or system that labels the pages, and its name.
fn labeller(args: &Args) -> Result<(String, Labeller)> {
    let Some(choice) = args.system.choice()? else {
        let Some(path) = args.model.as_deref() else {
            return Ok(("default".to_owned(), Labeller::Model(Box::new(args::model(None)?))));
        };
        let has_model_options = args.policy.is_of_models()
            || args.decision.is_some()
            || args.favor.is_some()
            || args.threshold.is_some()
            || args.explain.is_some();
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        return match args::trained(path)? {
            Trained::Model(model) => Ok((name, Labeller::Model(model))),
            Trained::System(system) if has_model_options => {
                system_has_no_scores(system.choice().name()).map(|()| (name, Labeller::Trained(system)))
            }
            Trained::System(system) => Ok((name, Labeller::Trained(system))),
        };
    };
    Ok((choice.name().to_owned(), Labeller::system(choice)?))
}

fn system_has_no_scores(name: &str) -> Result<()> {
    Err(Error::invalid_option(format!(
        "the trained system `{name}` has no scores, so these options have no effect: --threshold, \
         --decision, --favor, --policy, --explain, and options such as --comments or --no-headings"
    ))
    .expected("none of these options"))
}

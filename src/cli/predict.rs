//! `threshr predict`: pages → content.

use super::args::{self, SystemArgs};
use super::policy_args::PolicyArgs;
use super::predict_inputs::{refuse_input_as_output, refuse_stdin, warn_of_equal_ids, warn_of_left_out};
use super::predict_job::{Job, Way};
use super::{Ending, explain, remark};
use crate::atomic::AtomicFile;
use crate::crawl::{
    self, Compression, Done, Fields, Limits, Outcome, Output, Plan, Position, Reuse, Source, Sources,
};
use crate::error::{Error, Result};
use crate::features::SiteStats;
use crate::filter::FilterChoice;
use crate::output::{self, FailedPage, Format, Layout};
use crate::page::{self, ParseOptions, Parser, Selector, Visibility};
use crate::pipeline::{PageRecipe, PredictOptions};
use crate::progress::Progress;
use crate::systems::Trained;
use sha2::{Digest, Sha256};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// CPU time that a page may take where nothing else is said, in seconds.
const PAGE_SECONDS: f64 = 2.0;

/// Write the content of pages
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  threshr predict page.html
  curl -s URL | threshr predict - --charset utf-8
  threshr predict pages/ --model my.json --filter tree --out pages.jsonl
  threshr predict crawl/*.warc.gz --out pages.parquet --jobs 8    a crawl; --resume goes on after a stop
  threshr predict pages.jsonl.zst --html-field content --out texts.jsonl.zst
  threshr predict page.html --favor recall           rather too much than too little
  threshr predict page.html --format blocks          what was thought of every block
  threshr predict page.html --explain=0,3            which columns moved the scores of blocks 0 and 3
  threshr predict page.html --policy article         the running text of the article alone
  threshr predict page.html --system boilerpipe-article+tree2    a published method, with a filter after it
  threshr predict page.html --system justext --system-param justext.language=de")]
pub struct Args {
    /// HTML files, folders of them, WARC, JSONL or Parquet files, lists of files, or - for standard input
    #[arg(required = true, value_name = "INPUT")]
    inputs: Vec<PathBuf>,
    /// Model file; `default` is the one compiled in [default: default]
    #[arg(long, value_name = "FILE", conflicts_with = "system")]
    model: Option<PathBuf>,
    #[command(flatten)]
    system: SystemArgs,
    /// Filter after it: none, tree, tree-confident, smooth, largest-run, repeats, comments; NAME:DEPTH:SHARE sets its numbers, + joins several [default: as the model's recipe says]
    #[arg(long, value_name = "NAME")]
    filter: Option<String>,
    /// How far the filter looks; for tree the ancestor whose groups it compares: 1 parent, 2 grandparent, … 5
    #[arg(long, value_name = "N")]
    filter_depth: Option<u32>,
    /// Least score of a block that is kept, 0 to 1, on every page [default: by the model's decision rule]
    #[arg(long, value_name = "T", conflicts_with_all = ["system", "decision", "favor"])]
    threshold: Option<f32>,
    #[command(flatten)]
    policy: PolicyArgs,
    /// How the least score is found: threshold, or page by page expected-f1, nested-f1 [default: as the model's recipe says]
    #[arg(long, value_name = "NAME", conflicts_with = "system")]
    decision: Option<String>,
    /// Which errors to avoid: precision (fewer blocks, for the best F0.5), recall (more blocks, for the best F2)
    #[arg(long, value_name = "WHAT", conflicts_with = "system")]
    favor: Option<String>,
    /// Write why blocks have their scores instead: all blocks, or those with these numbers (see --format blocks); for models of tree, linfa-tree, gbt, forest and logistic
    #[arg(long, value_name = "BLOCK,…", num_args = 0..=1, require_equals = true, default_missing_value = "all", conflicts_with_all = ["system", "format", "select"])]
    explain: Option<String>,
    /// What is written: text, jsonl, cleaneval, blocks, markdown, wet, folder, parquet [default: by the ending of --out, else text]
    #[arg(long, value_name = "NAME")]
    format: Option<String>,
    /// File to write, or folder, whole or not at all; FILE.part while it is unfinished [default: standard output]
    #[arg(long, short, value_name = "FILE")]
    out: Option<PathBuf>,
    /// How what is written is packed: none, gz, zst [default: by the ending of --out]
    #[arg(long, value_name = "NAME", help_heading = "Crawls")]
    compress: Option<String>,
    /// Write the text as Markdown, too, where the format has fields (jsonl, parquet)
    #[arg(long, help_heading = "Crawls")]
    markdown: bool,
    /// Go on with an unfinished run, with the same inputs and options; a finished one is left as it is
    #[arg(long, requires = "out", help_heading = "Crawls")]
    resume: bool,
    /// Read all pages twice, and count first which texts repeat over the pages of each site (for models with `site_repeat`)
    #[arg(long, conflicts_with_all = ["system", "explain"], help_heading = "Crawls")]
    site_stats: bool,
    /// Memory for these counts, in MB; more pages need more
    #[arg(long, value_name = "MB", default_value_t = 256, help_heading = "Crawls")]
    site_stats_mb: usize,
    /// Format of all inputs that are files: html, list, jsonl, warc, parquet [default: by their endings]
    #[arg(long, value_name = "NAME", help_heading = "Crawls")]
    input_format: Option<String>,
    /// Field or column that holds the HTML, in JSONL and Parquet
    #[arg(long, value_name = "NAME", default_value = "html", help_heading = "Crawls")]
    html_field: String,
    /// Field or column that holds the page's id
    #[arg(long, value_name = "NAME", default_value = "id", help_heading = "Crawls")]
    id_field: String,
    /// Field or column that holds the page's address
    #[arg(long, value_name = "NAME", default_value = "url", help_heading = "Crawls")]
    url_field: String,
    /// Field or column that says when the page was fetched
    #[arg(long, value_name = "NAME", default_value = "date", help_heading = "Crawls")]
    date_field: String,
    /// CPU time after which a page is given up, in seconds; 0 for no limit [default: 2; with --explain none]
    #[arg(long, value_name = "S", help_heading = "Crawls")]
    page_seconds: Option<f64>,
    /// Size beyond which a page is not read, in MB, decoded; 0 for no limit
    #[arg(long, value_name = "MB", default_value_t = 16.0, help_heading = "Crawls")]
    page_mb: f64,
    /// Keep only what stands inside these elements
    #[arg(long, value_name = "CSS")]
    select: Option<String>,
    /// Charset of the pages, as an HTTP header would give it
    #[arg(long, value_name = "LABEL")]
    charset: Option<String>,
    /// Look at text that the page hides, and at dialogs for consent to cookies, too
    #[arg(long)]
    keep_hidden: bool,
    /// Leave out what the page hides, such as closed panels, even where the model has learned to tell which of it is content
    #[arg(long, conflicts_with = "keep_hidden")]
    no_hidden: bool,
    /// Leave hidden text out even where it is nearly all there is (else a page is read as if its scripts had run)
    #[arg(long, conflicts_with = "keep_hidden")]
    strict_visibility: bool,
    /// What builds the tree of a page: fast, conforming, html5ever [default: as the model was trained]
    #[arg(long, value_name = "NAME")]
    parser: Option<String>,
}

impl Args {
    fn fields(&self) -> Fields {
        Fields {
            html: self.html_field.clone(),
            id: self.id_field.clone(),
            url: self.url_field.clone(),
            date: self.date_field.clone(),
        }
    }

    fn limits(&self) -> Result<Limits> {
        let limit =
            |name: &str, value: f64| match value {
                0.0 => Ok(None),
                v if v > 0.0 && v < 1e9 => Ok(Some(v)),
                v => Err(Error::recipe(format!("--{name} is {v}"))
                    .expected("a positive number, or 0 for no limit")),
            };
        // how a score came about takes far longer than the score
        let seconds = if self.explain.is_some() { 0.0 } else { PAGE_SECONDS };
        Ok(Limits {
            time: limit("page-seconds", self.page_seconds.unwrap_or(seconds))?.map(Duration::from_secs_f64),
            bytes: limit("page-mb", self.page_mb)?.map(|mb| (mb * f64::from(1 << 20)) as u64),
        })
    }

    /// The file to write; `None` for standard output.
    fn target(&self) -> Option<&Path> {
        self.out.as_deref().filter(|p| *p != Path::new("-"))
    }

    fn format(&self) -> Result<(&'static Format, Compression)> {
        let (format, packed) = self.target().map(crawl::suggest).unwrap_or_default();
        let format = match &self.format {
            Some(name) => output::by_name(name)?,
            None => match format {
                Some(format) => format,
                None => {
                    self.target().map_or(Ok(()), crawl::check_ending)?;
                    output::REGISTRY[0]
                }
            },
        };
        let compression = self.compress.as_deref().map_or(Ok(packed), Compression::by_name)?;
        let is_packable = matches!(format.layout, Layout::Stream | Layout::Members);
        if compression != Compression::None && !is_packable {
            return Err(Error::recipe(format!("the format `{}` is not packed as a whole", format.name))
                .expected("no --compress, and no .gz or .zst at the end of --out"));
        }
        Ok((format, compression))
    }
}

pub fn run(args: &Args, progress: &dyn Progress) -> Result<Ending> {
    let mut job = job(args)?;
    let (format, compression) = args.format()?;
    let explain = args.explain.as_deref().map(explain::blocks).transpose()?;
    let Sources { sources, failures, left_out } = crawl::sources(&args.inputs, args.input_format.as_deref())?;
    failures.iter().for_each(super::print_error);
    warn_of_left_out(&left_out);
    warn_of_equal_ids(&sources);
    if let Some(out) = args.target() {
        let others: Vec<&PathBuf> = args.inputs.iter().chain(&args.model).collect();
        refuse_input_as_output(out, &others, &sources)?;
    }
    if sources.is_empty() {
        return Ok(Ending::PagesFailed);
    }
    if args.site_stats {
        refuse_stdin("--site-stats", &sources)?;
    }
    let is_done = args.resume && args.target().is_some_and(crawl::is_finished);
    if args.site_stats && !is_done {
        job.sites = Some(count_sites(args, &job, &sources, progress)?);
    }
    let ending = match &explain {
        Some(blocks) => explain_pages(args, &job, blocks.as_deref(), &sources)?,
        None => {
            let settings = settings(args, &job, format, compression, &sources)?;
            match (args.target(), args.resume) {
                (Some(out), _) if is_done => {
                    remark(&format!(
                        "{} is there and finished; there is nothing to go on with",
                        out.display()
                    ));
                    Ending::Fine
                }
                (Some(out), resume) => {
                    if resume {
                        refuse_stdin("--resume", &sources)?;
                    }
                    let reuse = if resume { Reuse::Resume } else { Reuse::Fresh };
                    let output = Output::create(out, format, compression, args.markdown, reuse, &settings)?;
                    write_pages(args, &job, format, &sources, output, progress).map_err(|e| e.at_path(out))?
                }
                (None, _) => {
                    let stdout = std::io::BufWriter::new(std::io::stdout().lock());
                    let output = Output::stream(stdout, format, compression, args.markdown)?;
                    write_pages(args, &job, format, &sources, output, progress)?
                }
            }
        }
    };
    Ok(if failures.is_empty() { ending } else { Ending::PagesFailed })
}

/// Labels all pages; one that fails is reported, gets its row, and stops no other.
fn write_pages(
    args: &Args,
    job: &Job,
    format: &'static Format,
    sources: &[Source],
    mut output: Output<'_>,
    progress: &dyn Progress,
) -> Result<Ending> {
    let bytes_read = Arc::new(AtomicU64::new(0));
    let (started, before) = (Instant::now(), output.tally().num_pages);
    let start = output.start();
    let done_before: u64 = sources.iter().take(start.source).map(Source::size).sum();
    progress.start_amount("predicting", sources.iter().map(Source::size).sum());
    let (mut any_kept, mut last) = (false, start);
    let limits = args.limits()?;
    let work = |raw: crawl::RawPage| job.write(raw, limits.bytes, format, args.markdown);
    let take = |done: Done<(output::Entry, bool)>| {
        last = done.position;
        let entry = match done.outcome {
            Outcome::Page((entry, has_content)) => {
                any_kept |= has_content;
                output.tally_mut().num_pages += 1;
                Some(entry)
            }
            Outcome::Failed(unread) => {
                output.tally_mut().num_failed += 1;
                let page = FailedPage {
                    id: &unread.id,
                    url: unread.url.as_deref(),
                    date: unread.date.as_deref(),
                    error: &unread.error.with_causes(),
                    model: &job.model,
                };
                super::print_error(&unread.error);
                (format.failed)(&page)
            }
            Outcome::Skipped(why) => {
                *output.tally_mut().skipped.entry(why.to_owned()).or_default() += 1;
                None
            }
            Outcome::InputFailed { path, error } => {
                output.tally_mut().num_failed += 1;
                let (id, error) = (path.display().to_string(), error.at_path(path));
                let text = error.with_causes();
                let input = FailedPage { id: &id, url: None, date: None, error: &text, model: &job.model };
                super::print_error(&error);
                (format.failed)(&input)
            }
            Outcome::InputDone => None,
        };
        output.add(entry, done.position)?;
        let tally = output.tally();
        let per_second = (tally.num_pages - before) as f64 / started.elapsed().as_secs_f64();
        let note = format!("{} pages, {per_second:.0}/s, {} failed", tally.num_pages, tally.num_failed);
        progress.reach(done_before + bytes_read.load(Relaxed), &note);
        Ok(())
    };
    let fields = args.fields();
    crawl::run(&plan(sources, &fields, start, limits, &bytes_read), work, take)?;
    progress.finish();
    let tally = output.finish(last)?;
    if tally.num_pages == 1 && tally.num_failed == 0 && !any_kept && start == Position::default() {
        remark("no content was found (--format blocks shows every block, --threshold 0 keeps all)");
    }
    if tally.num_pages + tally.num_failed == 0 {
        remark("no page was found in what was read");
    }
    if !tally.skipped.is_empty() {
        let kinds: Vec<_> = tally.skipped.iter().map(|(why, count)| format!("{count} {why}")).collect();
        remark(&format!("left out: {}", kinds.join(", ")));
    }
    if tally.num_failed == 0 {
        return Ok(Ending::Fine);
    }
    remark(&format!(
        "{} of {} pages could not be read",
        tally.num_failed,
        tally.num_failed + tally.num_pages
    ));
    Ok(Ending::PagesFailed)
}

fn plan<'a>(
    sources: &'a [Source],
    fields: &'a Fields,
    start: Position,
    limits: Limits,
    bytes_read: &'a Arc<AtomicU64>,
) -> Plan<'a> {
    Plan { sources, fields, start, jobs: rayon::current_num_threads(), limits, bytes_read }
}

/// The first pass: what the pages of each site have in common. Pages that fail are reported by the second.
fn count_sites(args: &Args, job: &Job, sources: &[Source], progress: &dyn Progress) -> Result<SiteStats> {
    if !job.needs_sites() {
        return Err(Error::recipe("no column of the model rests on the pages of a site")
            .expected("a model trained with --features all,site_repeat, or no --site-stats"));
    }
    let mut stats = SiteStats::new(args.site_stats_mb.saturating_mul(1 << 20))
        .map_err(|e| e.expected("a smaller --site-stats-mb"))?;
    let bytes_read = Arc::new(AtomicU64::new(0));
    progress.start_amount("counting", sources.iter().map(Source::size).sum());
    let limits = args.limits()?;
    let work = |raw| job.site_keys(raw, limits.bytes);
    let take = |done: Done<Option<(String, Vec<u64>)>>| {
        if let Outcome::Page(Some((site, keys))) = done.outcome {
            stats.add(&site, &keys);
        }
        progress.reach(bytes_read.load(Relaxed), &format!("{} pages", stats.num_pages()));
        Ok(())
    };
    let fields = args.fields();
    crawl::run(&plan(sources, &fields, Position::default(), limits, &bytes_read), work, take)?;
    progress.finish();
    if stats.num_pages() == 0 {
        remark("no page has an address, so nothing is known of its site");
    }
    if stats.fullness() > 0.5 {
        remark("many texts were counted in too little room: counts may be too large (--site-stats-mb)");
    }
    Ok(stats)
}

/// Explains page after page; a page that cannot be read does not stop the others.
fn explain_pages(args: &Args, job: &Job, blocks: Option<&[usize]>, sources: &[Source]) -> Result<Ending> {
    let limits = args.limits()?;
    let write_all = |out: &mut dyn Write, path: &Path| {
        let mut ending = Ending::Fine;
        let work = |raw| job.explain(raw, limits.bytes, blocks);
        let take = |done: Done<String>| {
            match done.outcome {
                Outcome::Page(page) => out.write_all(page.as_bytes()).map_err(|e| Error::io(path, e))?,
                Outcome::Failed(crawl::Unread { error, .. }) => {
                    super::print_error(&error);
                    ending = Ending::PagesFailed;
                }
                Outcome::InputFailed { path, error } => {
                    super::print_error(&error.at_path(path));
                    ending = Ending::PagesFailed;
                }
                Outcome::Skipped(_) | Outcome::InputDone => {}
            }
            Ok(())
        };
        let (fields, bytes_read) = (args.fields(), Arc::default());
        crawl::run(&plan(sources, &fields, Position::default(), limits, &bytes_read), work, take)?;
        out.flush().map_err(|e| Error::io(path, e)).map(|()| ending)
    };
    match args.target() {
        None => write_all(&mut std::io::stdout().lock(), Path::new("-")),
        Some(path) => {
            let mut file = AtomicFile::create(path)?;
            let ending = write_all(&mut file, path)?;
            file.finish().map(|()| ending)
        }
    }
}

/// What the output depends on; a run with other settings is not gone on with.
fn settings(
    args: &Args,
    job: &Job,
    format: &Format,
    compression: Compression,
    sources: &[Source],
) -> Result<serde_json::Value> {
    let mut inputs = Sha256::new();
    for source in sources {
        // a file that was replaced by one of the same size is another one
        let changed = std::fs::metadata(&source.path).and_then(|m| m.modified()).ok();
        let since = changed.and_then(|t| t.duration_since(std::time::UNIX_EPOCH).ok());
        let (path, size) = (source.path.display(), source.size());
        inputs.update(format!("{path}\0{}\0{size}\0{since:?}\n", source.reader.name));
    }
    let fields = [&args.html_field, &args.id_field, &args.url_field, &args.date_field];
    let options = format!("{} {:?}", job.settings()?, args.select);
    Ok(serde_json::json!({
        "version": env!("CARGO_PKG_VERSION"),
        "inputs": crate::hex(&inputs.finalize()),
        "fields": fields,
        "format": format.name,
        "compression": format!("{compression:?}"),
        "markdown": args.markdown,
        "model": job.model,
        "site_stats": args.site_stats.then_some(args.site_stats_mb),
        "limits": [args.page_seconds.unwrap_or(PAGE_SECONDS), args.page_mb],
        "options": options,
    }))
}

fn job(args: &Args) -> Result<Job> {
    // a depth alone asks for the filter that has one
    let name = args.filter.as_deref().or(args.filter_depth.map(|_| "tree"));
    let filter = name.map(|name| match args.filter_depth {
        None => FilterChoice::parse(name),
        Some(depth) if !name.contains('+') => {
            FilterChoice::new(name.split(':').next().unwrap_or(name), Some(depth))
        }
        depth => FilterChoice::new(name, depth),
    });
    if let Some(label) = args.charset.as_deref().filter(|l| !page::is_charset(l)) {
        return Err(Error::recipe(format!("`{label}` is no charset"))
            .expected("a label such as utf-8 or windows-1252"));
    }
    let way = way(args)?;
    let page = match &way {
        Way::Model(_, pipeline) => pipeline.recipe().page.clone(),
        Way::System(..) | Way::Trained(_) => PageRecipe::default(),
    };
    let policy = match &way {
        Way::Model(_, pipeline) => args.policy.choice(pipeline)?,
        Way::System(..) | Way::Trained(_) => None,
    };
    let options = PredictOptions {
        decision: args::decision(args.threshold, args.decision.as_deref(), args.favor.as_deref())?,
        filter: filter.transpose()?,
        policy,
        visibility: match (args.keep_hidden, args.no_hidden) {
            (true, _) => Some(Visibility::WithHidden),
            (_, true) => Some(Visibility::Visible),
            _ => None,
        },
    };
    let parse = ParseOptions {
        charset: args.charset.clone(),
        annotation: None,
        strict_visibility: page.strict_visibility || args.strict_visibility,
        parser: args.parser.as_deref().map_or(Ok(page.parser), Parser::parse)?,
    };
    let select = args.select.as_deref().map(Selector::parse).transpose()?;
    Job::new(way, options, parse, select)
}

/// What labels the pages.
fn way(args: &Args) -> Result<Way> {
    let Some(choice) = args.system.choice()? else {
        let Some(path) = args.model.as_deref() else {
            return Ok(Way::Model("default".to_owned(), Box::new(args::model(None)?)));
        };
        let has_model_options = args.policy.is_given()
            || args.decision.is_some()
            || args.favor.is_some()
            || args.threshold.is_some()
            || args.explain.is_some();
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        return match args::trained(path)? {
            Trained::Model(model) => Ok(Way::Model(name, model)),
            Trained::System(system) if has_model_options => {
                system_has_no_scores(system.choice().name()).map(|()| Way::Trained(system))
            }
            Trained::System(system) => Ok(Way::Trained(system)),
        };
    };
    if choice.system().needs_gold {
        return Err(Error::recipe(format!("the system `{}` needs gold", choice.name()))
            .expected("it in `threshr evaluate`"));
    }
    let method = choice.method()?;
    Ok(Way::System(choice, method))
}

fn system_has_no_scores(name: &str) -> Result<()> {
    Err(Error::recipe(format!("the trained system `{name}` has no scores"))
        .expected("no --threshold, --decision, --favor, --policy, switch of it, or --explain"))
}

//! `threshr predict`: extracts the content of pages.

mod args;
mod explain;
mod inputs;
mod job;
mod render;
mod selection;
mod told;

pub(super) use args::{Args, PAGE_SECONDS};
pub(super) use inputs::{warn_of_equal_ids, warn_of_left_out};
pub(super) use job::with_hint;

use crate::{Status, remark};
pub(crate) use job::CHECKSUM_DIGITS;

use inputs::{check_outputs, may_be_several, refuse_stdin};
use job::{Extracted, Job};
use selection::{LOW_QUALITY, OTHER_LANGUAGE};
use sha2::{Digest, Sha256};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};
use threshr_core::progress::Progress;
use threshr_core::{Budget, Error, Limits, Result, Setting};
use threshr_crawl as crawl;
use threshr_crawl::{Compression, Done, Outcome, Output, Plan, Position, Reuse, Tally};
use threshr_features::SiteStats;
use threshr_io::atomic::AtomicFile;
use threshr_io::{Fields, RawPage, Source, Sources, Unread, sources};
use threshr_output::formats as output;
use threshr_output::formats::{FailedPage, Format};
use told::Told;

pub(super) fn run(args: &Args, progress: &dyn Progress) -> Result<Status> {
    let mut job = args::job(args)?;
    let (format, compression) = args.format()?;
    let explain = args.explain.as_deref().map(explain::blocks).transpose()?;
    if args.explain.is_some() {
        refuse_numbers_as_pages(&args.inputs)?;
    }
    let Sources { sources, failures, left_out, folders, skipped } =
        sources(&args.inputs, args.pages.input_format.as_deref())?;
    failures.iter().for_each(crate::print_error);
    warn_of_left_out(&left_out, &skipped);
    warn_of_equal_ids(&sources);
    let may_be_several = may_be_several(&sources);
    if may_be_several && args.render.url.is_some() {
        remark("--url applies to every page without an address in the input");
    }
    check_outputs(args, format, (&sources, &folders))?;
    args.check_ending()?;
    if sources.is_empty() {
        return Ok(Status::Failures);
    }
    if args.site_stats {
        refuse_stdin("--site-stats", &sources)?;
    }
    if args.resume && explain.is_none() && args.target().is_some() {
        refuse_stdin("--resume", &sources)?;
    }
    let is_done = args.resume && args.target().is_some_and(crawl::is_finished);
    if args.site_stats && !is_done {
        let stats = count_sites(args, &job, &sources, progress)?;
        job = job.with_sites(stats);
    }
    let status = match &explain {
        Some(blocks) => explain_pages(args, &job, blocks.as_deref(), &sources)?,
        None => {
            let settings = settings(args, &job, format, compression, &sources)?;
            match (args.target(), args.resume) {
                (Some(out), _) if is_done => {
                    let is_known = crawl::check_finished(out, format, &settings)?;
                    let unknown = " (not checked: the inputs and options that it was made from; --force without \
                                   --resume writes it again)";
                    remark(&format!(
                        "{} is complete; there is nothing to resume{}",
                        out.display(),
                        if is_known { "" } else { unknown }
                    ));
                    Status::Success
                }
                (Some(out), resume) => {
                    let reuse = if resume { Reuse::Resume } else { Reuse::Fresh };
                    let output =
                        Output::create(out, format, compression, args.render.added(), reuse, &settings)?
                            .framed(may_be_several);
                    write_pages(args, &job, format, &sources, output, progress).map_err(|e| e.at_path(out))?
                }
                (None, _) => {
                    let stdout = std::io::BufWriter::new(crate::stdout::stdout()?);
                    let output = Output::stream(stdout, format, compression, args.render.added())?
                        .framed(may_be_several);
                    write_pages(args, &job, format, &sources, output, progress)?
                }
            }
        }
    };
    Ok(if failures.is_empty() { status } else { Status::Failures })
}

/// Labels and writes all pages. If a page fails, its error is reported, it is written as a failed page, and
/// the run continues.
fn write_pages(
    args: &Args,
    job: &Job,
    format: &'static Format,
    sources: &[Source],
    mut output: Output<'_>,
    progress: &dyn Progress,
) -> Result<Status> {
    let bytes_read = Arc::new(AtomicU64::new(0));
    let (started, before) = (Instant::now(), output.tally().num_pages);
    let start = output.start();
    let done_before: u64 = sources.iter().take(start.source).map(Source::size).sum();
    progress.start_amount("predicting", sources.iter().map(Source::size).sum());
    let (mut any_kept, mut last, mut unknown_charset, mut is_full) = (false, start, None, false);
    let (mut failures, mut defects, mut no_html) =
        (Told::default(), Told::default(), inputs::NoHtml::default());
    let limits = args.limits()?;
    let render = args.render.render(args.title());
    let work = |raw: RawPage, budget: &Budget| job.write(raw, limits.bytes, format, &render, budget);
    let take = |mut done: Done<Extracted>| {
        if let Some(error) = inputs::cut_pipe(&done, sources) {
            return Err(error);
        }
        // Without a page so far, the option is wrong. A later input may still be of another kind.
        let is_wrong_field = |error: &Error| {
            matches!(error.setting, Some(Setting::HtmlField | Setting::FieldNames))
                && num_read(output.tally()) == 0
        };
        done.outcome = match done.outcome {
            Outcome::InputFailed { path, error } if is_wrong_field(&error) => return Err(error.at_path(path)),
            outcome => outcome,
        };
        last = done.position;
        any_kept |= matches!(&done.outcome, Outcome::Page(page) if page.has_content);
        if let Outcome::Page(page) = &mut done.outcome
            && let Some(defect) = page.defect.take()
        {
            let defect =
                sources.get(done.position.source).into_iter().fold(defect, |e, s| e.at_path(&s.path));
            match args.strict {
                true => failures.tell(&defect, crate::print_error),
                false => defects.tell(&defect, |e| remark(&format!("warning: {}", e.with_causes()))),
            }
            output.tally_mut().num_defects += 1;
        }
        if let Outcome::Page(page) = &mut done.outcome
            && let Some(label) = page.unknown_charset.take()
        {
            output.tally_mut().num_unknown_charsets += 1;
            unknown_charset.get_or_insert(label);
        }
        no_html.see(&done, sources);
        let entry = entry(done.outcome, job, format, output.tally_mut(), &mut failures);
        output.add(entry, done.position)?;
        let tally = output.tally();
        let per_second = (tally.num_pages - before) as f64 / started.elapsed().as_secs_f64();
        let note = format!("{} pages, {per_second:.0}/s, {} failed", tally.num_pages, tally.num_failed);
        progress.set_done(done_before + bytes_read.load(Relaxed), &note);
        is_full = args.limit.is_some_and(|limit| num_read(tally) >= limit);
        if is_full { Err(Error::data("the limit is reached")) } else { Ok(()) }
    };
    let fields = args.pages.fields();
    let ended = crawl::run(&plan(sources, &fields, start, limits, &bytes_read), work, take);
    progress.finish();
    if !is_full {
        ended?;
    }
    let tally = output.finish(last)?;
    no_html.remark().iter().for_each(|text| remark(text));
    if tally.num_pages == 1
        && tally.num_failed + tally.num_defects == 0
        && !any_kept
        && start == Position::default()
    {
        // The hint is left out if its options are already given. Systems have no scores.
        let has_hint = args.select.is_some() || args.threshold == Some(0.0) || format.name == "blocks";
        let hint = " (--format blocks lists every block; --threshold 0 --filter none keeps every block)";
        remark(&format!("no content was found{}", if has_hint || !job.has_scores() { "" } else { hint }));
    }
    // Printed even with --quiet, because it summarizes errors.
    failures.summary().iter().for_each(|text| crate::write_stderr(&format!("threshr: {text}\n")));
    defects.summary().iter().for_each(|text| remark(&format!("warning: {text}")));
    let status = report(&tally, unknown_charset.as_deref(), started.elapsed());
    Ok(if args.strict && tally.num_defects > 0 { Status::Failures } else { status })
}

/// Counts an outcome, prints its error, and creates its entry. Returns `None` if the outcome has no entry.
fn entry(
    outcome: Outcome<Extracted>,
    job: &Job,
    format: &Format,
    tally: &mut Tally,
    failures: &mut Told,
) -> Option<output::Entry> {
    match outcome {
        Outcome::Page(Extracted { entry: Err(why), .. }) => {
            *tally.skipped.entry(why.to_owned()).or_default() += 1;
            None
        }
        Outcome::Page(Extracted { entry: Ok(entry), .. }) => {
            tally.num_pages += 1;
            Some(entry)
        }
        Outcome::Failed(unread) => {
            tally.num_failed += 1;
            let page = FailedPage {
                id: &unread.id,
                url: unread.url.as_deref(),
                date: unread.date.as_deref(),
                error: &unread.error.with_causes(),
                model: &job.model,
            };
            failures.tell(&unread.error, crate::print_error);
            (format.failed)(&page)
        }
        Outcome::Skipped(why) => {
            *tally.skipped.entry(why.to_owned()).or_default() += 1;
            None
        }
        Outcome::InputFailed { path, error } => {
            tally.num_failed += 1;
            let (id, error) = (path.display().to_string(), error.at_path(path));
            let text = error.with_causes();
            let input = FailedPage { id: &id, url: None, date: None, error: &text, model: &job.model };
            failures.tell(&error, crate::print_error);
            (format.failed)(&input)
        }
        Outcome::InputDone => None,
    }
}

/// Returns the number of pages that were read: written, failed, and not selected.
fn num_read(tally: &Tally) -> u64 {
    let selected = [OTHER_LANGUAGE, LOW_QUALITY].iter().filter_map(|why| tally.skipped.get(*why));
    tally.num_pages + tally.num_failed + selected.sum::<u64>()
}

/// Reports what was skipped and the number of failed pages.
fn report(tally: &Tally, unknown_charset: Option<&str>, elapsed: Duration) -> Status {
    if num_read(tally) == 0 {
        remark("the input contains no pages");
    }
    if !tally.skipped.is_empty() {
        let kinds: Vec<_> = tally.skipped.iter().map(|(why, count)| format!("{count} {why}")).collect();
        remark(&format!("skipped: {}", kinds.join(", ")));
    }
    if tally.num_unknown_charsets > 0 {
        let example = unknown_charset.map(|label| format!(", such as `{label}`")).unwrap_or_default();
        remark(&format!(
            "{} of {} pages declare an unknown charset{example}; the charset is detected from the bytes",
            tally.num_unknown_charsets, tally.num_pages
        ));
    }
    if tally.num_defects > 0 {
        remark(&format!("{} of {} pages may be incomplete", tally.num_defects, tally.num_pages));
    }
    told::long_run(tally, elapsed).iter().for_each(|text| remark(text));
    if tally.num_failed == 0 {
        return Status::Success;
    }
    remark(&format!("{} of {} pages failed", tally.num_failed, tally.num_failed + tally.num_pages));
    Status::Failures
}

fn plan<'a>(
    sources: &'a [Source],
    fields: &'a Fields,
    start: Position,
    limits: Limits,
    bytes_read: &'a Arc<AtomicU64>,
) -> Plan<'a> {
    // A single page needs no threads. Asking rayon for their number would start all of them.
    let jobs = if may_be_several(sources) { rayon::current_num_threads() } else { 1 };
    Plan { sources, fields, start, jobs, limits, bytes_read }
}

/// Counts the texts of each site, as the first pass of `--site-stats`. Pages that fail are reported by the
/// second pass.
fn count_sites(args: &Args, job: &Job, sources: &[Source], progress: &dyn Progress) -> Result<SiteStats> {
    if !job.needs_sites() {
        return Err(Error::invalid_option(
            "the model has no columns about the site of a page, so --site-stats has no effect",
        )
        .expected("a model trained with --features all,site_repeat, or no --site-stats"));
    }
    let mut stats = SiteStats::new(args.site_stats_mb.saturating_mul(1 << 20))
        .map_err(|e| e.expected("a smaller --site-stats-mb"))?;
    let bytes_read = Arc::new(AtomicU64::new(0));
    progress.start_amount("counting", sources.iter().map(Source::size).sum());
    let limits = args.limits()?;
    let url = args.render.url.as_deref();
    let work = |raw: RawPage, budget: &Budget| job.site_keys(raw, limits.bytes, url, budget);
    let take = |done: Done<Option<(String, Vec<u64>)>>| {
        if let Outcome::Page(Some((site, keys))) = done.outcome {
            stats.add(&site, &keys);
        }
        progress.set_done(bytes_read.load(Relaxed), &format!("{} pages", stats.num_pages()));
        Ok(())
    };
    let fields = args.pages.fields();
    crawl::run(&plan(sources, &fields, Position::default(), limits, &bytes_read), work, take)?;
    progress.finish();
    if stats.num_pages() == 0 {
        remark("no page has a URL, so the statistics of sites are empty");
    }
    if stats.fullness() > 0.5 {
        remark(
            "the memory for the statistics of sites is nearly full; counts may be too large (raise --site-stats-mb)",
        );
    }
    Ok(stats)
}

/// Rejects `--explain 3`, which clap reads as `--explain` and a page named 3.
fn refuse_numbers_as_pages(inputs: &[PathBuf]) -> Result<()> {
    let is_numbers = |text: &str| text.bytes().all(|b| b.is_ascii_digit() || b == b',');
    match inputs.iter().find(|p| p.to_str().is_some_and(is_numbers) && !p.exists()) {
        None => Ok(()),
        Some(numbers) => Err(Error::invalid_option(format!("there is no file `{}`", numbers.display()))
            .expected(format!("--explain={} to explain these blocks", numbers.display()))),
    }
}

/// Explains all pages. If a page fails, its error is reported and the run continues.
fn explain_pages(args: &Args, job: &Job, blocks: Option<&[usize]>, sources: &[Source]) -> Result<Status> {
    let limits = args.limits()?;
    let write_all = |out: &mut dyn Write, path: &Path| {
        let (mut status, mut failures) = (Status::Success, Told::default());
        let url = args.render.url.as_deref();
        let work = |raw: RawPage, budget: &Budget| job.explain(raw, limits.bytes, blocks, url, budget);
        let take = |done: Done<String>| {
            match done.outcome {
                Outcome::Page(page) => out.write_all(page.as_bytes()).map_err(|e| Error::io(path, e))?,
                Outcome::Failed(Unread { error, .. }) => {
                    failures.tell(&error, crate::print_error);
                    status = Status::Failures;
                }
                Outcome::InputFailed { path, error } => {
                    failures.tell(&error.at_path(path), crate::print_error);
                    status = Status::Failures;
                }
                Outcome::Skipped(_) | Outcome::InputDone => {}
            }
            Ok(())
        };
        let (fields, bytes_read) = (args.pages.fields(), Arc::default());
        crawl::run(&plan(sources, &fields, Position::default(), limits, &bytes_read), work, take)?;
        failures.summary().iter().for_each(|text| crate::write_stderr(&format!("threshr: {text}\n")));
        out.flush().map_err(|e| Error::io(path, e)).map(|()| status)
    };
    match args.target() {
        None => write_all(&mut crate::stdout::stdout()?, Path::new("-")),
        Some(path) => {
            let mut file = AtomicFile::create(path)?;
            let status = write_all(&mut file, path)?;
            file.finish().map(|()| status)
        }
    }
}

/// Maximum number of inputs that are listed in the settings.
const MAX_LISTED: usize = 10_000;

/// Returns everything that affects the output. `--resume` requires equal settings.
fn settings(
    args: &Args,
    job: &Job,
    format: &Format,
    compression: Compression,
    sources: &[Source],
) -> Result<serde_json::Value> {
    let (mut inputs, mut listed) = (Sha256::new(), serde_json::Map::new());
    for source in sources {
        // The modification time detects a file that was replaced by another file of the same size.
        let changed = std::fs::metadata(&source.path).and_then(|m| m.modified()).ok();
        let since = changed.and_then(|t| t.duration_since(std::time::UNIX_EPOCH).ok());
        let (path, size) = (source.path.display(), source.size());
        if listed.len() < MAX_LISTED {
            listed.insert(path.to_string(), format!("{size} {since:?}").into());
        }
        inputs.update(format!("{path}\0{}\0{size}\0{since:?}\n", source.reader.name));
    }
    let pages = &args.pages;
    let fields = format!("{:?}", pages.fields());
    let options = format!("{} {:?}", job.settings()?, [&args.select, &args.drop]);
    Ok(serde_json::json!({
        "version": env!("CARGO_PKG_VERSION"),
        "inputs": threshr_core::hex(&inputs.finalize()),
        "fields": fields,
        "format": format.name,
        "compression": format!("{compression:?}"),
        "render": format!("{:?}", args.render.render(args.title())),
        "model": job.model,
        "site_stats": args.site_stats.then_some(args.site_stats_mb),
        "limit": args.limit,
        "limits": [args.page_seconds.unwrap_or(PAGE_SECONDS), pages.page_mb, pages.page_memory],
        "options": options,
        "given": crate::given(),
        "listed": (sources.len() <= MAX_LISTED).then_some(listed),
    }))
}

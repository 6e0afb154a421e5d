//! `threshr diff`: differences between two models, policies, systems or tools in the text that they keep.

mod args;
mod side;

pub(super) use args::Args;

use crate::predict::{warn_of_equal_ids, warn_of_left_out, with_hint};
use crate::{Status, print_error, remark, table, write_file, write_stdout};
use args::Format;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Instant;
use threshr_core::progress::Progress;
use threshr_core::{Budget, Error, Result};
use threshr_crawl::{Done, LoadedPage, Outcome, Plan, Position, run as run_crawl};
use threshr_evaluate::difference::{Difference, PageDifference, Side, SideMethod, Summary, compare_page};
use threshr_evaluate::report;
use threshr_io::{RawPage, Source, Sources, sources};

/// Maximum number of groups in the table.
const NUM_SHOWN: usize = 15;
/// Maximum number of characters of a path in the table.
const MAX_PATH: usize = 60;

pub(super) fn run(args: &Args, progress: &dyn Progress) -> Result<Status> {
    let format = args.format;
    let limits = args.limits()?;
    let sides = side::sides(args)?;
    let Sources { sources, failures, left_out, folders, skipped } =
        sources(&args.inputs, args.pages.input_format.as_deref())?;
    failures.iter().for_each(print_error);
    warn_of_left_out(&left_out, &skipped);
    warn_of_equal_ids(&sources);
    args.check_output(&sources, &folders)?;
    if sources.is_empty() {
        return Ok(Status::Failures);
    }
    let mut stdout = std::io::BufWriter::new(crate::stdout::stdout()?);
    let lines = (format == Format::Jsonl).then_some(&mut stdout as &mut dyn Write);
    let difference = compare(args, &sides, &sources, limits, lines, progress)?;
    stdout.flush().map_err(|e| Error::io("-", e))?;
    drop(stdout);
    let [a, b] = &sides;
    let summary = difference.finish([a.name.clone(), b.name.clone()], args.groups);
    tell(&summary);
    check_texts(&sides, &summary)?;
    if let Some(out) = &args.out {
        write_file(out, report::difference(&summary).as_bytes())?;
    }
    match format {
        Format::Table => write_stdout(|out| out.write_all(plain(&summary).as_bytes()))?,
        Format::Json => write_stdout(|out| {
            serde_json::to_writer_pretty(&mut *out, &summary)?;
            out.write_all(b"\n")
        })?,
        Format::Jsonl => {}
    }
    let is_complete = failures.is_empty() && summary.num_failed == 0;
    Ok(if is_complete { Status::Success } else { Status::Failures })
}

/// Compares all pages. If a page fails, its error is reported and the run continues. If `lines` is given,
/// writes one line for each page to it.
fn compare(
    args: &Args,
    sides: &[Side; 2],
    sources: &[Source],
    limits: threshr_core::Limits,
    mut lines: Option<&mut dyn Write>,
    progress: &dyn Progress,
) -> Result<Difference> {
    let bytes_read = Arc::new(AtomicU64::new(0));
    let started = Instant::now();
    progress.start_amount("comparing", sources.iter().map(Source::size).sum());
    let mut all = Difference::default();
    let mut is_full = false;
    let work = |raw: RawPage, budget: &Budget| -> Result<(PageDifference, Option<Error>)> {
        let id = raw.id.clone();
        let mut loaded = LoadedPage::new(raw, limits.bytes, None)?;
        budget.check()?;
        let page = compare_page(sides, &id, &loaded.input(), budget).map_err(with_hint)?;
        Ok((page, loaded.defect.take()))
    };
    let take = |done: Done<(PageDifference, Option<Error>)>| {
        if args.limit.is_some_and(|limit| all.num_pages() + all.num_failed() >= limit) {
            is_full = true;
            return Err(Error::data("the limit is reached"));
        }
        match done.outcome {
            Outcome::Page((page, defect)) => {
                if let Some(defect) = defect {
                    let source = sources.get(done.position.source);
                    let defect = source.into_iter().fold(defect, |e, source| e.at_path(&source.path));
                    remark(&format!("warning: {}", defect.with_causes()));
                    all.add_defect();
                }
                if let Some(out) = &mut lines {
                    let line = serde_json::to_string(&page)
                        .map_err(|e| Error::data("a page cannot be written as JSON").because(e))?;
                    writeln!(out, "{line}").map_err(|e| Error::io("-", e))?;
                }
                all.add(page);
            }
            Outcome::Failed(unread) => {
                print_error(&unread.error);
                all.add_failed(&unread.id, &unread.error.with_causes());
            }
            Outcome::InputFailed { path, error } => {
                let error = error.at_path(&path);
                print_error(&error);
                all.add_failed(&path.display().to_string(), &error.with_causes());
            }
            Outcome::Skipped(_) | Outcome::InputDone => {}
        }
        let per_second = all.num_pages() as f64 / started.elapsed().as_secs_f64();
        let note = format!("{} pages, {per_second:.0}/s, {} failed", all.num_pages(), all.num_failed());
        progress.set_done(bytes_read.load(Relaxed), &note);
        Ok(())
    };
    let fields = args.pages.fields();
    let jobs = rayon::current_num_threads();
    let plan =
        Plan { sources, fields: &fields, start: Position::default(), jobs, limits, bytes_read: &bytes_read };
    let ended = run_crawl(&plan, work, take);
    progress.finish();
    match ended {
        Err(_) if is_full => Ok(all),
        ended => ended.map(|()| all),
    }
}

/// Prints the numbers of pages that failed and of pages that may be incomplete.
fn tell(summary: &Summary) {
    let Summary { num_pages, num_failed, num_defects, .. } = *summary;
    if num_pages + num_failed == 0 {
        remark("the input contains no pages");
    }
    if num_defects > 0 {
        remark(&format!("{num_defects} of {num_pages} pages may be incomplete"));
    }
    if num_failed > 0 {
        remark(&format!("{num_failed} of {} pages failed", num_failed + num_pages));
    }
    for (name, missing) in summary.names.iter().zip(summary.missing).filter(|(_, missing)| *missing > 0) {
        remark(&format!("{name} has no text of {missing} of {num_pages} pages; they count as empty"));
    }
}

/// Rejects predictions that contain none of the pages.
fn check_texts(sides: &[Side; 2], summary: &Summary) -> Result<()> {
    for (side, missing) in sides.iter().zip(summary.missing) {
        let SideMethod::Texts(texts) = &side.method else { continue };
        if !texts.is_empty() && summary.num_pages > 0 && missing == summary.num_pages {
            let first = summary.top_pages.first().map_or("none", |page| page.id.as_str());
            return Err(Error::data("none of the pages is in the predictions")
                .expected(format!("the ids or URLs of the pages, such as {first}"))
                .at_path(Path::new(&side.name)));
        }
    }
    Ok(())
}

/// Formats the totals and the first groups as plain text.
fn plain(summary: &Summary) -> String {
    let [a, b] = &summary.names;
    let share = |share: Option<f64>| share.map_or_else(|| "–".to_owned(), |share| format!("{share:.3}"));
    let mut out = format!("A {a}\nB {b}\n{} pages, {} differ\n\n", summary.num_pages, summary.num_different);
    let counts = [("letters", &summary.letters), ("blocks", &summary.blocks)].map(|(name, counts)| {
        let numbers = [counts.both, counts.only_a, counts.only_b, counts.neither].map(|n| n.to_string());
        [vec![name.to_owned()], numbers.to_vec(), vec![share(counts.agreement()), share(counts.kappa())]]
            .concat()
    });
    out += &table::plain(&["", "both", "only A", "only B", "neither", "agreement", "kappa"], &counts, 1);
    let mut groups: Vec<_> =
        summary.sites.iter().flat_map(|site| site.groups.iter().map(move |group| (site, group))).collect();
    if groups.is_empty() {
        return out;
    }
    groups.sort_by_key(|(_, group)| std::cmp::Reverse(group.letters.different()));
    let rows: Vec<Vec<String>> = groups
        .iter()
        .take(NUM_SHOWN)
        .map(|(site, group)| {
            let numbers =
                [group.num_pages, group.letters.only_a, group.letters.only_b].map(|n| n.to_string());
            let site = table_text(site.site.as_deref().unwrap_or("site unknown"));
            [vec![site, table_text(&group.path)], numbers.to_vec()].concat()
        })
        .collect();
    out.push('\n');
    out += &table::plain(&["site", "path", "pages", "only A", "only B"], &rows, 2);
    let more = groups.len().saturating_sub(NUM_SHOWN) as u64 + summary.left_out.num_groups;
    if more > 0 {
        out += &format!("and {more} more groups\n");
    }
    out
}

/// Returns the last characters of a page text, with control characters replaced.
fn table_text(text: &str) -> String {
    let text: String = text.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect();
    match text.char_indices().rev().nth(MAX_PATH - 1) {
        Some((start, _)) if start > 0 => format!("…{}", &text[start..]),
        _ => text,
    }
}

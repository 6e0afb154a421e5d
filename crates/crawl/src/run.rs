//! The bounded pipeline. It has one reader thread, several worker threads, and the calling thread, which
//! takes the results. With one worker, the calling thread does everything.
//!
//! A page is in flight from the time it is read until its result is taken. The number and the total size of
//! the pages in flight are limited, so memory use does not depend on the size of the inputs. Results are
//! taken in input order, so the output does not depend on the number of workers.

use crate::queue::{EndOnDrop, Queue, StopOnDrop};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use threshr_core::{Budget, Error, Limits, Result, guard};
use threshr_io::raw_page::{Item, RawPage, Unread};
use threshr_io::readers::{Fields, Source, guarded};

/// A position in the inputs of a run.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize,
)]
pub struct Position {
    /// Number of finished inputs.
    pub source: usize,
    /// Number of finished items of the input that is being read.
    pub item: u64,
}

/// The inputs and settings of a run.
#[derive(Debug)]
pub struct Plan<'a> {
    /// The inputs.
    pub sources: &'a [Source],
    /// Field names of the inputs.
    pub fields: &'a Fields,
    /// Position at which reading starts. Earlier items are skipped.
    pub start: Position,
    /// Number of worker threads. If the number is 1, no thread is started: the calling thread reads a page,
    /// processes the page and takes its result, and then reads the next page. This takes the least CPU time.
    pub jobs: usize,
    /// Limits for each page.
    pub limits: Limits,
    /// Counts the bytes that are read from the inputs.
    pub bytes_read: &'a Arc<AtomicU64>,
}

/// The outcome of one item with its position.
#[derive(Debug)]
pub struct Done<T> {
    /// The position after the item.
    pub position: Position,
    /// The outcome.
    pub outcome: Outcome<T>,
}

/// The outcome of one item.
#[derive(Debug)]
pub enum Outcome<T> {
    /// The result of the work on the page.
    Page(T),
    /// The page cannot be read, or the work on it failed.
    Failed(Unread),
    /// The item is not a page. Contains the reason.
    Skipped(&'static str),
    /// The rest of an input cannot be read.
    InputFailed {
        /// The input.
        path: PathBuf,
        /// The reason.
        error: Error,
    },
    /// An input was read to its end.
    InputDone,
}

/// Reads the inputs of a plan and calls `work` for every page in worker threads. Passes the outcomes to
/// `take` in input order, on the calling thread. An error of `take` ends the run.
///
/// If a page fails, panics or exceeds a limit, its outcome is [`Outcome::Failed`] and the run continues. If
/// a page exceeds the time limit, its work ends at the next call of [`Budget::check`].
///
/// # Errors
/// Errors of `take`, and an error of kind [`ErrorKind::Io`](threshr_core::ErrorKind::Io) if a thread cannot
/// be started.
pub fn run<T: Send>(
    plan: &Plan<'_>,
    work: impl Fn(RawPage, &Budget) -> Result<T> + Sync,
    mut take: impl FnMut(Done<T>) -> Result<()>,
) -> Result<()> {
    if plan.jobs <= 1 {
        return run_here(plan, work, take);
    }
    let queue = Queue::new();
    std::thread::scope(|scope| {
        // Stops the threads when this function returns, even with an error.
        let _stop = StopOnDrop(&queue);
        let reader = || {
            let _end = EndOnDrop(&queue);
            read(plan, |position, item| match item {
                Read::Page(page) => queue.put_page(position, page, plan.jobs),
                Read::Done(outcome) => queue.put_done(position, outcome, plan.jobs),
            });
        };
        std::thread::Builder::new().spawn_scoped(scope, reader).map_err(no_thread)?;
        for _ in 0..plan.jobs {
            let worker = || queue.work(plan.sources, plan.limits, &work);
            std::thread::Builder::new().spawn_scoped(scope, worker).map_err(no_thread)?;
        }
        let mut next = 0;
        loop {
            let ready = queue.ready(next);
            if ready.is_empty() {
                return Ok(());
            }
            let (number, bytes) = (ready.len(), ready.iter().map(|(size, _)| size).sum());
            next += number as u64;
            ready.into_iter().try_for_each(|(_, done)| take(done))?;
            queue.release(number, bytes, plan.jobs);
        }
    })
}

/// Variant of [`run`] that does everything on the calling thread.
fn run_here<T>(
    plan: &Plan<'_>,
    work: impl Fn(RawPage, &Budget) -> Result<T>,
    mut take: impl FnMut(Done<T>) -> Result<()>,
) -> Result<()> {
    let mut result = Ok(());
    read(plan, |position, item| {
        let outcome = match item {
            Read::Page(page) => outcome_of(plan.sources, plan.limits, position, page, &work),
            Read::Done(outcome) => outcome,
        };
        result = take(Done { position, outcome });
        result.is_ok()
    });
    result
}

/// Calls `work` on a page and returns the outcome. An error or a panic gives a failed page.
pub(crate) fn outcome_of<T>(
    sources: &[Source],
    limits: Limits,
    position: Position,
    page: RawPage,
    work: impl Fn(RawPage, &Budget) -> Result<T>,
) -> Outcome<T> {
    let (id, url, date) = (page.id.clone(), page.url.clone(), page.date.clone());
    match guard(&id, || work(page, &limits.budget()?)) {
        Ok(page) => Outcome::Page(page),
        Err(error) => {
            // Adds the path, because pages of different files may have the same id.
            let error = match sources.get(position.source) {
                Some(source) => error.at_path(&source.path),
                None => error,
            };
            Outcome::Failed(Unread { id, url, date, error })
        }
    }
}

fn no_thread(e: impl std::error::Error + Send + Sync + 'static) -> Error {
    Error::new(threshr_core::ErrorKind::Io, "a thread cannot be started").because(e)
}

/// An item that was read: a page, or an outcome that needs no work.
enum Read<T> {
    Page(RawPage),
    Done(Outcome<T>),
}

/// Reads all inputs from the start position. Passes each item, with the position after it, to `put`, which
/// returns whether the run continues.
fn read<T>(plan: &Plan<'_>, mut put: impl FnMut(Position, Read<T>) -> bool) {
    let &Plan { sources, fields, start, bytes_read, .. } = plan;
    for (index, source) in sources.iter().enumerate().skip(start.source) {
        let mut position = Position { source: index, item: 0 };
        let to_skip = if index == start.source { start.item } else { 0 };
        let mut pages = match guarded(|| source.open(fields, bytes_read)) {
            Ok(pages) => Some(pages),
            Err(error) => {
                let outcome = Outcome::InputFailed { path: source.path.clone(), error };
                position = Position { source: index + 1, item: 0 };
                if !put(position, Read::Done(outcome)) {
                    return;
                }
                continue;
            }
        };
        while let Some(reader) = &mut pages {
            let item = guarded(|| reader.next());
            position.item += 1;
            let continues = match item {
                Ok(Some(_)) if position.item <= to_skip => true,
                Ok(Some(Item::Page(page))) => put(position, Read::Page(source.named(page))),
                Ok(Some(Item::Failed(unread))) => put(position, Read::Done(Outcome::Failed(unread))),
                Ok(Some(Item::Skipped(why))) => put(position, Read::Done(Outcome::Skipped(why))),
                ended => {
                    pages = None;
                    let outcome = match ended {
                        Err(error) => Outcome::InputFailed { path: source.path.clone(), error },
                        Ok(_) => Outcome::InputDone,
                    };
                    put(Position { source: index + 1, item: 0 }, Read::Done(outcome))
                }
            };
            if !continues {
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::queue::PAGES_IN_FLIGHT;
    use std::time::Duration;
    use threshr_io::readers::sources;

    fn lines(dir: &std::path::Path, name: &str, count: usize) -> PathBuf {
        let path = dir.join(name);
        let lines: String = (0..count)
            .map(|i| format!("{{\"id\":\"{name}{i}\",\"html\":\"{}\"}}\n", "x".repeat(i % 7)))
            .collect();
        std::fs::write(&path, lines).expect("written");
        path
    }

    /// Returns a plan that starts at the first input and has no limits.
    fn plan<'a>(
        sources: &'a [Source],
        fields: &'a Fields,
        bytes_read: &'a Arc<AtomicU64>,
        jobs: usize,
    ) -> Plan<'a> {
        Plan { sources, fields, start: Position::default(), jobs, limits: Limits::default(), bytes_read }
    }

    fn all(sources: &[Source], start: Position, jobs: usize, limits: Limits) -> Vec<(Position, String)> {
        let mut seen = Vec::new();
        let work = |page: RawPage, budget: &Budget| -> Result<String> {
            match page.id.as_str() {
                "a3" => panic!("a fault"),
                "a5" => loop {
                    budget.check()?;
                },
                _ => {}
            }
            let id = page.id.clone();
            Ok(format!("{id} {}", page.load(limits.bytes)?.bytes.len()))
        };
        let take = |done: Done<String>| {
            let text = match done.outcome {
                Outcome::Page(text) => text,
                Outcome::Failed(unread) => format!("{}: {}", unread.id, unread.error.message),
                Outcome::Skipped(why) => why.to_owned(),
                Outcome::InputFailed { error, .. } => format!("input: {}", error.message),
                Outcome::InputDone => return Ok(()),
            };
            seen.push((done.position, text));
            Ok(())
        };
        let (fields, bytes_read) = (Fields::default(), Arc::default());
        let plan = Plan { start, limits, ..plan(sources, &fields, &bytes_read, jobs) };
        run(&plan, work, take).expect("it ends");
        seen
    }

    #[test]
    fn results_are_in_order_and_bad_pages_fail_alone() {
        let dir = tempfile::tempdir().expect("a folder");
        let paths = [lines(dir.path(), "a", 200), dir.path().join("gone"), lines(dir.path(), "b", 300)];
        std::fs::write(&paths[1], "x").expect("written");
        let found = sources(&paths, Some("jsonl")).expect("found").sources;
        std::fs::remove_file(&paths[1]).expect("removed");
        let limits = Limits { time: Some(Duration::from_millis(50)), bytes: Some(5), memory: None };
        let one = all(&found, Position::default(), 1, limits);
        assert_eq!(one.len(), 501);
        assert_eq!(one[1].1, "a1 1");
        assert!(one[3].1.starts_with("a3: an internal error"));
        assert_eq!(one[5].1, "a5: given up after 0.05 s");
        assert_eq!(one[6].1, "a6: the page is too large");
        assert_eq!(one[200].1, "input: no such file or folder");
        assert_eq!(all(&found, Position::default(), 4, limits), one);
        assert_eq!(all(&found, Position::default(), 2, limits), one);
        for from in [0, 7, 199, 200, 201, 350, 500] {
            assert_eq!(all(&found, one[from].0, 2, limits), one[from + 1..], "{from}");
        }
    }

    #[test]
    fn a_slow_page_does_not_end_the_reading() {
        // the first page waits until all other pages that fit in flight are done
        let work = |page: usize, num_done: &std::sync::atomic::AtomicUsize| {
            while page == 0 && num_done.load(std::sync::atomic::Ordering::SeqCst) < 4 * PAGES_IN_FLIGHT - 1 {
                std::thread::yield_now();
            }
        };
        assert_eq!(order(4, work), (0..400).map(|i| format!("a.jsonl{i}")).collect::<Vec<_>>());
    }

    /// Returns the ids of 400 pages in the order in which they are taken. `work` gets the index of a page
    /// and the number of pages that are done.
    fn order(jobs: usize, work: impl Fn(usize, &std::sync::atomic::AtomicUsize) + Sync) -> Vec<String> {
        let dir = tempfile::tempdir().expect("a folder");
        let found = sources(&[lines(dir.path(), "a.jsonl", 400)], None).expect("found").sources;
        let (fields, bytes_read) = (Fields::default(), Arc::default());
        let num_done = std::sync::atomic::AtomicUsize::new(0);
        let work = |page: RawPage, _: &Budget| {
            work(page.id["a.jsonl".len()..].parse().expect("a number"), &num_done);
            num_done.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
            Ok(page.id)
        };
        let mut taken = Vec::new();
        let take = |done: Done<String>| {
            if let Outcome::Page(id) = done.outcome {
                taken.push(id);
            }
            Ok(())
        };
        run(&plan(&found, &fields, &bytes_read, jobs), work, take).expect("it ends");
        taken
    }

    #[test]
    fn reading_goes_on_when_one_of_two_slow_pages_is_done() {
        let wait_for = |num_done: &std::sync::atomic::AtomicUsize, number: usize| {
            while num_done.load(std::sync::atomic::Ordering::SeqCst) < number {
                std::thread::yield_now();
            }
        };
        // page 0 delays the results until all other pages in flight except page 5 are done; page 5 waits
        // until more pages are done
        let work = |page: usize, num_done: &std::sync::atomic::AtomicUsize| match page {
            0 => wait_for(num_done, 3 * PAGES_IN_FLIGHT - 2),
            5 => wait_for(num_done, 3 * PAGES_IN_FLIGHT + 2),
            _ => {}
        };
        let expected: Vec<String> = (0..400).map(|i| format!("a.jsonl{i}")).collect();
        assert_eq!(order(3, work), expected);
    }

    #[test]
    fn an_error_of_take_ends_the_run() {
        let dir = tempfile::tempdir().expect("a folder");
        let found = sources(&[lines(dir.path(), "a.jsonl", 5_000)], None).expect("found").sources;
        for jobs in [1, 3] {
            let mut taken = 0;
            let take = |_: Done<()>| {
                taken += 1;
                if taken == 10 { Err(Error::data("full")) } else { Ok(()) }
            };
            let (fields, bytes_read) = (Fields::default(), Arc::default());
            let done = run(&plan(&found, &fields, &bytes_read, jobs), |_, _| Ok(()), take);
            assert!(done.is_err_and(|e| e.message == "full"));
            assert_eq!(taken, 10);
        }
    }
}

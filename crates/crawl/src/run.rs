//! The bounded pipeline: one reader, some workers, and whoever takes the results, in order.
//!
//! A page is in flight from when it is read until its result has been taken. Pages in flight are limited in number and
//! bytes, so memory does not depend on how much there is to read; results are taken in the order of reading, so
//! output does not depend on the number of workers.

use std::collections::{BTreeMap, VecDeque};
use std::path::PathBuf;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use threshr_core::Budget;
use threshr_core::guard;
use threshr_core::{Error, Result};
use threshr_io::raw_page::{Item, RawPage, Unread};
use threshr_io::readers::{Fields, Source, guarded};

/// Pages in flight for each worker.
const PAGES_IN_FLIGHT: usize = 16;
/// Bytes of pages in flight, as stored.
const BYTES_IN_FLIGHT: usize = 64 << 20;

/// Where in the inputs a run is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Position {
    /// Inputs that are done with.
    pub source: usize,
    /// Items of the next one that are done with.
    pub item: u64,
}

/// What one page may cost.
#[derive(Debug, Clone, Copy, Default)]
pub struct Limits {
    /// CPU time.
    pub time: Option<Duration>,
    /// Bytes of the decoded page.
    pub bytes: Option<u64>,
}

/// What is read, and how.
#[derive(Debug)]
pub struct Plan<'a> {
    /// The inputs.
    pub sources: &'a [Source],
    /// What their fields are called.
    pub fields: &'a Fields,
    /// What is before it is left out.
    pub start: Position,
    /// Threads that work on pages.
    pub jobs: usize,
    /// What one page may cost.
    pub limits: Limits,
    /// ArticleMetadata how many bytes of the inputs have been read.
    pub bytes_read: &'a Arc<AtomicU64>,
}

/// What became of one item.
#[derive(Debug)]
pub struct Done<T> {
    /// Where the inputs are after it.
    pub position: Position,
    /// The result.
    pub outcome: Outcome<T>,
}

/// What became of one item.
#[derive(Debug)]
pub enum Outcome<T> {
    /// What the work made of the page.
    Page(T),
    /// The page could not be read or worked on.
    Failed(Unread),
    /// It is no page, with what it is.
    Skipped(&'static str),
    /// The rest of an input cannot be read.
    InputFailed {
        /// The input.
        path: PathBuf,
        /// Why.
        error: Error,
    },
    /// An input has been read to its end.
    InputDone,
}

struct Queue<T> {
    state: Mutex<State<T>>,
    changed: Condvar,
}

struct State<T> {
    /// Pages that wait for a worker.
    waiting: VecDeque<(u64, Position, RawPage)>,
    /// Results that wait to be taken.
    done: BTreeMap<u64, (usize, Done<T>)>,
    num_read: u64,
    in_flight: usize,
    bytes: usize,
    has_ended: bool,
    is_stopped: bool,
}

/// Reads the sources of a plan, has `work` done on every page by its threads, and gives the results to `take` in the
/// order of reading, on the calling thread. An error of `take` ends the run.
///
/// A page that fails, panics, or goes beyond the limits is [`Outcome::Failed`]; the run goes on. Work that takes longer than
/// its limit ends at its next [`Budget::check`].
///
/// # Errors
/// Those of `take`.
pub fn run<T: Send>(
    plan: &Plan<'_>,
    work: impl Fn(RawPage, &Budget) -> Result<T> + Sync,
    mut take: impl FnMut(Done<T>) -> Result<()>,
) -> Result<()> {
    let jobs = plan.jobs.max(1);
    let queue = Queue::new();
    std::thread::scope(|scope| {
        // whatever ends this function ends the threads, too
        let _stop = Stops(&queue);
        let reader = || {
            let _end = Ends(&queue);
            read(plan, &queue);
        };
        std::thread::Builder::new().spawn_scoped(scope, reader).map_err(no_thread)?;
        for _ in 0..jobs {
            let worker = || queue.work(plan.sources, plan.limits, &work);
            std::thread::Builder::new().spawn_scoped(scope, worker).map_err(no_thread)?;
        }
        let mut next = 0;
        while let Some(done) = queue.take(next) {
            take(done)?;
            next += 1;
        }
        Ok(())
    })
}

fn no_thread(e: impl std::error::Error + Send + Sync + 'static) -> Error {
    Error::new(threshr_core::ErrorKind::Io, "a thread cannot be started").because(e)
}

/// Says that nothing more will be read, when it goes; a panic of the reader is no reason to wait for ever.
struct Ends<'a, T>(&'a Queue<T>);

impl<T> Drop for Ends<'_, T> {
    fn drop(&mut self) {
        self.0.lock().has_ended = true;
        self.0.changed.notify_all();
    }
}

/// Ends all threads, when it goes.
struct Stops<'a, T>(&'a Queue<T>);

impl<T> Drop for Stops<'_, T> {
    fn drop(&mut self) {
        self.0.lock().is_stopped = true;
        self.0.changed.notify_all();
    }
}

/// Reads all sources, but for what is before the start.
fn read<T>(plan: &Plan<'_>, queue: &Queue<T>) {
    let &Plan { sources, fields, start, bytes_read, .. } = plan;
    let jobs = plan.jobs.max(1);
    for (index, source) in sources.iter().enumerate().skip(start.source) {
        let mut position = Position { source: index, item: 0 };
        let to_skip = if index == start.source { start.item } else { 0 };
        let mut pages = match guarded(|| source.open(fields, bytes_read)) {
            Ok(pages) => Some(pages),
            Err(error) => {
                let outcome = Outcome::InputFailed { path: source.path.clone(), error };
                position = Position { source: index + 1, item: 0 };
                if !queue.put_done(position, outcome, jobs) {
                    return;
                }
                continue;
            }
        };
        while let Some(reader) = &mut pages {
            let item = guarded(|| reader.next());
            position.item += 1;
            let goes_on = match item {
                Ok(Some(_)) if position.item <= to_skip => true,
                Ok(Some(Item::Page(page))) => queue.put_page(position, source.named(page), jobs),
                Ok(Some(Item::Failed(unread))) => queue.put_done(position, Outcome::Failed(unread), jobs),
                Ok(Some(Item::Skipped(why))) => queue.put_done(position, Outcome::Skipped(why), jobs),
                ended => {
                    pages = None;
                    let outcome = match ended {
                        Err(error) => Outcome::InputFailed { path: source.path.clone(), error },
                        Ok(_) => Outcome::InputDone,
                    };
                    queue.put_done(Position { source: index + 1, item: 0 }, outcome, jobs)
                }
            };
            if !goes_on {
                return;
            }
        }
    }
}

impl<T> Queue<T> {
    fn new() -> Self {
        let state = State {
            waiting: VecDeque::new(),
            done: BTreeMap::new(),
            num_read: 0,
            in_flight: 0,
            bytes: 0,
            has_ended: false,
            is_stopped: false,
        };
        Queue { state: Mutex::new(state), changed: Condvar::new() }
    }

    fn lock(&self) -> MutexGuard<'_, State<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait_while(&self, condition: impl FnMut(&mut State<T>) -> bool) -> MutexGuard<'_, State<T>> {
        self.changed.wait_while(self.lock(), condition).unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for room; gives the number of the item, or `None` where the run is stopped.
    fn room(&self, size: usize, jobs: usize) -> Option<(u64, MutexGuard<'_, State<T>>)> {
        let is_full = |s: &mut State<T>| {
            let fits = s.in_flight < jobs * PAGES_IN_FLIGHT && s.bytes + size <= BYTES_IN_FLIGHT;
            // a page beyond all bounds goes alone
            !s.is_stopped && !fits && s.in_flight > 0
        };
        let mut state = self.wait_while(is_full);
        if state.is_stopped {
            return None;
        }
        state.in_flight += 1;
        state.bytes += size;
        state.num_read += 1;
        Some((state.num_read - 1, state))
    }

    /// Whether the run goes on.
    fn put_page(&self, position: Position, page: RawPage, jobs: usize) -> bool {
        let Some((number, mut state)) = self.room(page.size(), jobs) else { return false };
        state.waiting.push_back((number, position, page));
        drop(state);
        self.changed.notify_all();
        true
    }

    /// Whether the run goes on.
    fn put_done(&self, position: Position, outcome: Outcome<T>, jobs: usize) -> bool {
        let Some((number, mut state)) = self.room(0, jobs) else { return false };
        state.done.insert(number, (0, Done { position, outcome }));
        drop(state);
        self.changed.notify_all();
        true
    }

    /// What a worker does until all is done.
    fn work(
        &self,
        sources: &[Source],
        limits: Limits,
        work: &(impl Fn(RawPage, &Budget) -> Result<T> + Sync),
    ) {
        loop {
            let mut state = self.wait_while(|s| !s.is_stopped && !s.has_ended && s.waiting.is_empty());
            if state.is_stopped {
                return;
            }
            let Some((number, position, page)) = state.waiting.pop_front() else { return };
            drop(state);
            let (id, url, date, size) = (page.id.clone(), page.url.clone(), page.date.clone(), page.size());
            let outcome = guard(&id, || work(page, &Budget::start(limits.time)));
            let outcome = outcome.map_or_else(
                |error| {
                    // pages of several files may have one id
                    let error = match sources.get(position.source) {
                        Some(source) => error.at_path(&source.path),
                        None => error,
                    };
                    Outcome::Failed(Unread { id, url, date, error })
                },
                Outcome::Page,
            );
            self.lock().done.insert(number, (size, Done { position, outcome }));
            self.changed.notify_all();
        }
    }

    /// The result with this number; `None` where there are fewer.
    fn take(&self, number: u64) -> Option<Done<T>> {
        let mut state =
            self.wait_while(|s| !(s.done.contains_key(&number) || s.has_ended && number >= s.num_read));
        let (size, done) = state.done.remove(&number)?;
        state.in_flight -= 1;
        state.bytes -= size;
        drop(state);
        self.changed.notify_all();
        Some(done)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use threshr_io::raw_page::Body;
    use threshr_io::readers::sources;

    fn lines(dir: &std::path::Path, name: &str, count: usize) -> PathBuf {
        let path = dir.join(name);
        let lines: String = (0..count)
            .map(|i| format!("{{\"id\":\"{name}{i}\",\"html\":\"{}\"}}\n", "x".repeat(i % 7)))
            .collect();
        std::fs::write(&path, lines).expect("written");
        path
    }

    /// A run from the start without limits.
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
    fn results_come_in_order_and_bad_pages_alone() {
        let dir = tempfile::tempdir().expect("a folder");
        let paths = [lines(dir.path(), "a", 200), dir.path().join("gone"), lines(dir.path(), "b", 300)];
        std::fs::write(&paths[1], "x").expect("written");
        let found = sources(&paths, Some("jsonl")).expect("found").sources;
        std::fs::remove_file(&paths[1]).expect("removed");
        let limits = Limits { time: Some(Duration::from_millis(50)), bytes: Some(5) };
        let one = all(&found, Position::default(), 1, limits);
        assert_eq!(one.len(), 501);
        assert_eq!(one[1].1, "a1 1");
        assert!(one[3].1.starts_with("a3: an internal error"));
        assert_eq!(one[5].1, "a5: given up after 0.05 s");
        assert_eq!(one[6].1, "a6: the page is too large");
        assert_eq!(one[200].1, "input: no such file or folder");
        assert_eq!(all(&found, Position::default(), 4, limits), one);
        for from in [0, 7, 199, 200, 201, 350, 500] {
            assert_eq!(all(&found, one[from].0, 2, limits), one[from + 1..], "{from}");
        }
    }

    #[test]
    fn an_error_of_the_taker_ends_the_run() {
        let dir = tempfile::tempdir().expect("a folder");
        let found = sources(&[lines(dir.path(), "a.jsonl", 5_000)], None).expect("found").sources;
        let mut taken = 0;
        let take = |_: Done<()>| {
            taken += 1;
            if taken == 10 { Err(Error::data("full")) } else { Ok(()) }
        };
        let (fields, bytes_read) = (Fields::default(), Arc::default());
        let plan = plan(&found, &fields, &bytes_read, 3);
        let done = run(&plan, |_, _| Ok(()), take);
        assert!(done.is_err_and(|e| e.message == "full"));
        assert_eq!(taken, 10);
    }

    #[test]
    fn a_page_beyond_all_bounds_goes_alone() {
        let queue: Queue<()> = Queue::new();
        let page = |size| RawPage {
            id: String::new(),
            url: None,
            date: None,
            charset: None,
            body: Body::Bytes(vec![0; size]),
        };
        assert!(queue.put_page(Position::default(), page(BYTES_IN_FLIGHT + 1), 1));
        assert_eq!(queue.lock().in_flight, 1);
    }
}

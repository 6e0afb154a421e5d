//! The bounded pipeline: one reader thread, several worker threads, and the caller, which takes the results. With one
//! worker the caller does all.
//!
//! A page is in flight from its reading until its result is taken. The number and the bytes of pages in
//! flight are limited, so memory does not depend on the size of the inputs. Results are taken in input order,
//! so output does not depend on the number of workers.

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

/// Maximum number of pages in flight per worker.
const PAGES_IN_FLIGHT: usize = 16;
/// Maximum number of bytes of pages in flight, as stored.
const BYTES_IN_FLIGHT: usize = 64 << 20;

/// A position in the inputs of a run.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize,
)]
pub struct Position {
    /// Number of finished inputs.
    pub source: usize,
    /// Number of finished items of the next input.
    pub item: u64,
}

/// Limits of one page.
#[derive(Debug, Clone, Copy, Default)]
pub struct Limits {
    /// CPU time; `None` means no limit.
    pub time: Option<Duration>,
    /// Bytes of the decoded page; `None` means no limit.
    pub bytes: Option<u64>,
    /// Bytes of memory that the stages take; `None` means no limit.
    pub memory: Option<u64>,
}

impl Limits {
    /// Starts the budget of a page on this thread.
    pub fn budget(&self) -> Budget {
        Budget::start(self.time).with_memory(self.memory)
    }
}

/// The inputs and settings of a run.
#[derive(Debug)]
pub struct Plan<'a> {
    /// The inputs.
    pub sources: &'a [Source],
    /// The names of their fields.
    pub fields: &'a Fields,
    /// The position to start at. Earlier items are skipped.
    pub start: Position,
    /// Number of worker threads. With 1 no thread is started, which takes the least CPU time: the calling thread reads a
    /// page, works on it and takes its result before it reads the next one.
    pub jobs: usize,
    /// Limits of one page.
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
    /// It is not a page, with the reason.
    Skipped(&'static str),
    /// The rest of an input cannot be read.
    InputFailed {
        /// The input.
        path: PathBuf,
        /// The reason.
        error: Error,
    },
    /// An input is read to its end.
    InputDone,
}

/// Fewest results that wake the caller while pages wait for a worker. To wake a thread takes as long as a tenth of a page.
const RESULTS_AT_ONCE: usize = 8;

/// What the threads share. Each waits for its own condition, so a page does not wake threads that it does not concern.
struct Queue<T> {
    state: Mutex<State<T>>,
    /// Workers wait for a page.
    has_page: Condvar,
    /// The reader waits for room in flight.
    has_room: Condvar,
    /// The caller waits for results.
    has_result: Condvar,
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

/// Reads the inputs of a plan and calls `work` for every page in worker threads. Passes the outcomes to
/// `take` in input order, on the calling thread. An error of `take` ends the run.
///
/// A page that fails, panics or exceeds a limit is [`Outcome::Failed`]; the run continues. Work above the
/// time limit ends at its next [`Budget::check`].
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
        // Stops the threads when this function ends, also after an error.
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

/// As [`run`], on the calling thread.
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

/// The outcome of the work on a page; an error or a panic is a failed page.
fn outcome_of<T>(
    sources: &[Source],
    limits: Limits,
    position: Position,
    page: RawPage,
    work: impl Fn(RawPage, &Budget) -> Result<T>,
) -> Outcome<T> {
    let (id, url, date) = (page.id.clone(), page.url.clone(), page.date.clone());
    match guard(&id, || work(page, &limits.budget())) {
        Ok(page) => Outcome::Page(page),
        Err(error) => {
            // Pages of different files may have the same id.
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

/// Marks the end of reading when it is dropped, also after a panic of the reader.
struct EndOnDrop<'a, T>(&'a Queue<T>);

impl<T> Drop for EndOnDrop<'_, T> {
    fn drop(&mut self) {
        self.0.lock().has_ended = true;
        self.0.wake_all();
    }
}

/// Stops all threads when it is dropped.
struct StopOnDrop<'a, T>(&'a Queue<T>);

impl<T> Drop for StopOnDrop<'_, T> {
    fn drop(&mut self) {
        self.0.lock().is_stopped = true;
        self.0.wake_all();
    }
}

/// What is read.
enum Read<T> {
    Page(RawPage),
    Done(Outcome<T>),
}

/// Reads all inputs from the start position and passes each item with the position after it to `put`, which returns
/// whether the run continues.
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
        let state = Mutex::new(state);
        Queue { state, has_page: Condvar::new(), has_room: Condvar::new(), has_result: Condvar::new() }
    }

    fn lock(&self) -> MutexGuard<'_, State<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait_while(
        &self,
        changed: &Condvar,
        condition: impl FnMut(&mut State<T>) -> bool,
    ) -> MutexGuard<'_, State<T>> {
        changed.wait_while(self.lock(), condition).unwrap_or_else(PoisonError::into_inner)
    }

    fn wake_all(&self) {
        [&self.has_page, &self.has_room, &self.has_result].into_iter().for_each(Condvar::notify_all);
    }

    /// Waits until another item fits and returns its number; `None` if the run is stopped.
    fn reserve(&self, size: usize, jobs: usize) -> Option<(u64, MutexGuard<'_, State<T>>)> {
        let is_full = |s: &mut State<T>| {
            let fits = s.in_flight < jobs * PAGES_IN_FLIGHT && s.bytes + size <= BYTES_IN_FLIGHT;
            // A page above the byte limit is processed alone.
            !s.is_stopped && !fits && s.in_flight > 0
        };
        let mut state = self.wait_while(&self.has_room, is_full);
        if state.is_stopped {
            return None;
        }
        state.in_flight += 1;
        state.bytes += size;
        state.num_read += 1;
        Some((state.num_read - 1, state))
    }

    /// Adds a page for the workers. Returns whether the run continues.
    fn put_page(&self, position: Position, page: RawPage, jobs: usize) -> bool {
        let Some((number, mut state)) = self.reserve(page.size(), jobs) else { return false };
        state.waiting.push_back((number, position, page));
        drop(state);
        self.has_page.notify_one();
        true
    }

    /// Adds an outcome without work. Returns whether the run continues.
    fn put_done(&self, position: Position, outcome: Outcome<T>, jobs: usize) -> bool {
        let Some((number, state)) = self.reserve(0, jobs) else { return false };
        self.add_done(state, number, 0, Done { position, outcome });
        true
    }

    /// Adds an outcome for the caller.
    fn add_done(&self, mut state: MutexGuard<'_, State<T>>, number: u64, size: usize, done: Done<T>) {
        state.done.insert(number, (size, done));
        self.wake_caller(state);
    }

    /// Wakes the caller if it takes results now.
    fn wake_caller(&self, state: MutexGuard<'_, State<T>>) {
        let wakes = state.wakes_caller();
        drop(state);
        if wakes {
            self.has_result.notify_one();
        }
    }

    /// The loop of a worker thread.
    fn work(
        &self,
        sources: &[Source],
        limits: Limits,
        work: &(impl Fn(RawPage, &Budget) -> Result<T> + Sync),
    ) {
        loop {
            let has_none = |s: &mut State<T>| !s.is_stopped && !s.has_ended && s.waiting.is_empty();
            let mut state = self.wait_while(&self.has_page, has_none);
            if state.is_stopped {
                return;
            }
            let Some((number, position, page)) = state.waiting.pop_front() else { return };
            if state.waiting.is_empty() {
                self.has_room.notify_one();
            }
            self.wake_caller(state);
            let size = page.size();
            let outcome = outcome_of(sources, limits, position, page, work);
            self.add_done(self.lock(), number, size, Done { position, outcome });
        }
    }

    /// Waits for the outcome with this number, and returns it with those behind it that are ready, and their sizes; nothing
    /// after the last one.
    fn ready(&self, number: u64) -> Vec<(usize, Done<T>)> {
        let mut state = self.wait_while(&self.has_result, |s| {
            let is_ready = s.done.contains_key(&number) && s.wakes_caller();
            !(is_ready || s.has_ended && number >= s.num_read)
        });
        let mut ready = Vec::new();
        while let Some(done) = state.done.remove(&(number + ready.len() as u64)) {
            ready.push(done);
        }
        ready
    }

    /// Gives back the room of results that are taken.
    fn release(&self, number: usize, bytes: usize, jobs: usize) {
        let mut state = self.lock();
        state.in_flight -= number;
        state.bytes -= bytes;
        // the reader goes on with half of the room, with much room for bytes in use, or if workers wait for pages
        let is_half_free = 2 * state.in_flight <= jobs * PAGES_IN_FLIGHT;
        let wakes = is_half_free || 2 * state.bytes > BYTES_IN_FLIGHT || state.waiting.is_empty();
        drop(state);
        if wakes {
            self.has_room.notify_one();
        }
    }
}

impl<T> State<T> {
    /// Whether the caller takes results now: there are enough, or some and no page waits for a worker.
    fn wakes_caller(&self) -> bool {
        self.done.len() >= RESULTS_AT_ONCE || !self.done.is_empty() && self.waiting.is_empty()
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

    /// A plan from the start of the inputs without limits.
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
        // the first page waits until all others that fit are done
        let work = |page: usize, num_done: &std::sync::atomic::AtomicUsize| {
            while page == 0 && num_done.load(std::sync::atomic::Ordering::SeqCst) < 4 * PAGES_IN_FLIGHT - 1 {
                std::thread::yield_now();
            }
        };
        assert_eq!(order(4, work), (0..400).map(|i| format!("a.jsonl{i}")).collect::<Vec<_>>());
    }

    /// The ids of 400 pages in the order in which they are taken. `work` gets the number of a page, and the number of pages
    /// that are done.
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
        // page 0 holds the results back until all that fit are done but for page 5, which waits for more pages than that
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

    #[test]
    fn a_page_above_the_byte_limit_is_processed_alone() {
        let queue: Queue<()> = Queue::new();
        let page = |size| RawPage {
            id: String::new(),
            url: None,
            date: None,
            charset: None,
            body: Body::Bytes(vec![0; size]),
            defect: None,
        };
        assert!(queue.put_page(Position::default(), page(BYTES_IN_FLIGHT + 1), 1));
        assert_eq!(queue.lock().in_flight, 1);
    }
}

//! State that the threads of the pipeline share: pages that wait for a worker, and results that wait for
//! the caller.

use crate::run::{Done, Outcome, Position, outcome_of};
use std::collections::{BTreeMap, VecDeque};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use threshr_core::{Budget, Limits, Result};
use threshr_io::raw_page::RawPage;
use threshr_io::readers::Source;

/// Maximum number of pages in flight per worker.
pub(crate) const PAGES_IN_FLIGHT: usize = 16;
/// Maximum total size of the pages in flight, in bytes as stored.
const BYTES_IN_FLIGHT: usize = 64 << 20;

/// Minimum number of results at which the caller is woken while pages wait for a worker. Waking a thread
/// takes about a tenth of the time of a page.
const RESULTS_AT_ONCE: usize = 8;

/// State that the threads share. Each kind of thread has its own condition variable, so that only the
/// affected threads are woken.
pub(crate) struct Queue<T> {
    state: Mutex<State<T>>,
    /// Wakes workers, which wait for a page.
    has_page: Condvar,
    /// Wakes the reader, which waits while too many pages are being processed.
    has_room: Condvar,
    /// Wakes the caller, which waits for results.
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

/// When it is dropped, records that reading has ended. It is also dropped after a panic of the reader.
pub(crate) struct EndOnDrop<'a, T>(pub &'a Queue<T>);

impl<T> Drop for EndOnDrop<'_, T> {
    fn drop(&mut self) {
        self.0.lock().has_ended = true;
        self.0.wake_all();
    }
}

/// Stops all threads when it is dropped.
pub(crate) struct StopOnDrop<'a, T>(pub &'a Queue<T>);

impl<T> Drop for StopOnDrop<'_, T> {
    fn drop(&mut self) {
        self.0.lock().is_stopped = true;
        self.0.wake_all();
    }
}

impl<T> Queue<T> {
    pub(crate) fn new() -> Self {
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

    /// Waits until another item fits in flight and returns its index. Returns `None` if the run is stopped.
    fn reserve(&self, size: usize, jobs: usize) -> Option<(u64, MutexGuard<'_, State<T>>)> {
        let is_full = |s: &mut State<T>| {
            let fits = s.in_flight < jobs * PAGES_IN_FLIGHT && s.bytes + size <= BYTES_IN_FLIGHT;
            // A page above the byte limit is processed when no other page is in flight.
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
    pub(crate) fn put_page(&self, position: Position, page: RawPage, jobs: usize) -> bool {
        let Some((number, mut state)) = self.reserve(page.size(), jobs) else { return false };
        state.waiting.push_back((number, position, page));
        drop(state);
        self.has_page.notify_one();
        true
    }

    /// Adds the outcome of an item that needs no work. Returns whether the run continues.
    pub(crate) fn put_done(&self, position: Position, outcome: Outcome<T>, jobs: usize) -> bool {
        let Some((number, state)) = self.reserve(0, jobs) else { return false };
        self.add_done(state, number, 0, Done { position, outcome });
        true
    }

    /// Adds an outcome for the caller.
    fn add_done(&self, mut state: MutexGuard<'_, State<T>>, number: u64, size: usize, done: Done<T>) {
        state.done.insert(number, (size, done));
        self.wake_caller(state);
    }

    /// Wakes the caller if there are enough results.
    fn wake_caller(&self, state: MutexGuard<'_, State<T>>) {
        let wakes = state.wakes_caller();
        drop(state);
        if wakes {
            self.has_result.notify_one();
        }
    }

    /// The loop of a worker thread.
    pub(crate) fn work(
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

    /// Waits for the outcome with this index. Returns this outcome and the consecutive outcomes after it
    /// that are ready, each with the size of its page. Returns an empty list after the last outcome.
    pub(crate) fn ready(&self, number: u64) -> Vec<(usize, Done<T>)> {
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

    /// Releases the space that processed results occupied in flight.
    pub(crate) fn release(&self, number: usize, bytes: usize, jobs: usize) {
        let mut state = self.lock();
        state.in_flight -= number;
        state.bytes -= bytes;
        // Wakes the reader only if half of the page limit is free, if more than half of the byte limit is
        // in use, or if no page waits for a worker.
        let is_half_free = 2 * state.in_flight <= jobs * PAGES_IN_FLIGHT;
        let wakes = is_half_free || 2 * state.bytes > BYTES_IN_FLIGHT || state.waiting.is_empty();
        drop(state);
        if wakes {
            self.has_room.notify_one();
        }
    }
}

impl<T> State<T> {
    /// Returns whether the caller must be woken: there are enough results, or there are some results and no
    /// page waits for a worker.
    fn wakes_caller(&self) -> bool {
        self.done.len() >= RESULTS_AT_ONCE || !self.done.is_empty() && self.waiting.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use threshr_io::raw_page::Body;

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

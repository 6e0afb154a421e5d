//! Reads a file ahead and unpacks its gzip members in other threads.
//!
//! What is unpacked is a store of complete members without damage, by their position in the file. The reader of
//! [`Parts`](super::Parts) decides what is read: it takes a member from here instead of unpacking it. So what it
//! returns does not depend on the threads.
//!
//! One thread reads the file, so that a slow pipe holds up nothing that has arrived. The others unpack.

use super::members::{Cutter, Job, Sizes, Unpacked};
use super::rewind::CHUNK;
use std::collections::VecDeque;
use std::io::{self, Read};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{Builder, JoinHandle};
use threshr_core::guard;

/// Jobs for each thread that wait, run or are done.
const JOBS_PER_THREAD: usize = 2;
/// Jobs that are more than those of the threads.
const MORE_JOBS: usize = 2;
/// What a piece of the file costs beside its bytes.
const PIECE: usize = 1 << 10;
/// Jobs in a row without a member after which only one in [`FEWER`] is tried. Then the members are too large, or
/// the file is damaged.
const MOST_USELESS: usize = 4;
/// See [`MOST_USELESS`].
const FEWER: usize = 8;

/// A file that is read ahead with some threads, or as it is with none.
pub(super) struct Ahead<R> {
    /// The file, until the threads have it.
    from: Option<R>,
    threads: Option<Threads>,
    num_unpackers: usize,
    sizes: Sizes,
    /// Number of bytes that were read without threads.
    position: u64,
}

impl<R> Ahead<R> {
    pub(super) fn new(from: R, num_unpackers: usize, sizes: Sizes) -> Self {
        Ahead { from: Some(from), threads: None, num_unpackers, sizes, position: 0 }
    }

    /// The members from a position on that are unpacked. A member that is being unpacked is waited for.
    pub(super) fn unpacked(&self, position: u64) -> Option<Unpacked> {
        self.threads.as_ref()?.unpacked(position)
    }

    /// Skips bytes that the threads have read.
    pub(super) fn skip(&mut self, num_bytes: u64) {
        if let Some(threads) = &self.threads {
            threads.skip(num_bytes);
        }
    }

    /// Waits until the threads have nothing to do.
    #[cfg(test)]
    pub(super) fn settle(&self) {
        let is_busy = |shared: &Shared| {
            let state = shared.lock();
            let all_done = state.jobs.iter().all(|job| matches!(job.progress, Progress::Done(_)));
            !state.has_ended && (state.reads_on(shared.sizes) || !all_done)
        };
        let start = std::time::Instant::now();
        while self.threads.as_ref().is_some_and(|threads| is_busy(&threads.shared)) {
            assert!(start.elapsed().as_secs() < 60, "the threads do not come to an end");
            std::thread::yield_now();
        }
    }

    /// Takes memory back for other members.
    pub(super) fn take_back(&self, done: Unpacked) {
        if let Some(threads) = &self.threads {
            threads.shared.lock().take_back(done);
        }
    }
}

impl<R: Read + Send + 'static> Ahead<R> {
    /// Starts the threads. If that fails, reading goes on without them.
    fn start(&mut self) {
        let state = State { most_jobs: MORE_JOBS, ..State::default() };
        let shared = Shared { sizes: self.sizes, state: Mutex::new(state), ..Shared::default() };
        let mut threads = Threads { shared: Arc::new(shared), unpackers: Vec::new() };
        for _ in 0..std::mem::take(&mut self.num_unpackers) {
            let shared = threads.shared.clone();
            let Ok(unpacker) = Builder::new().name("unpacker".to_owned()).spawn(move || shared.unpack())
            else {
                break;
            };
            threads.unpackers.push(unpacker);
            threads.shared.lock().most_jobs += JOBS_PER_THREAD;
        }
        if threads.unpackers.is_empty() {
            return;
        }
        // The file stays here if the thread cannot be started.
        let from = Arc::new(Mutex::new(self.from.take()));
        let (shared, source, position) = (threads.shared.clone(), from.clone(), self.position);
        let feed = move || {
            let _end = EndOnDrop(&shared);
            let from = lock(&source).take();
            if let Some(from) = from {
                shared.feed(from, position);
            }
        };
        match Builder::new().name("reader".to_owned()).spawn(feed) {
            // It is not joined: it may wait for a pipe.
            Ok(_) => self.threads = Some(threads),
            Err(_) => self.from = lock(&from).take(),
        }
    }
}

impl<R: Read + Send + 'static> Read for Ahead<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if self.num_unpackers > 0 && self.position >= self.sizes.before {
            self.start();
        }
        match (&mut self.from, &self.threads) {
            (Some(from), _) => {
                let read = from.read(out)?;
                self.position += read as u64;
                Ok(read)
            }
            (None, Some(threads)) => threads.read(out),
            (None, None) => Ok(0),
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The threads of a file. They end when it is dropped.
struct Threads {
    shared: Arc<Shared>,
    unpackers: Vec<JoinHandle<()>>,
}

impl Threads {
    /// The next bytes of the file, or the error in their place.
    fn read(&self, out: &mut [u8]) -> io::Result<usize> {
        let shared = &*self.shared;
        let mut state = shared.lock();
        if state.pieces.is_empty() {
            state.is_waited_for = true;
            shared.has_room.notify_one();
            state = Shared::wait_while(&shared.has_news, state, |s| s.pieces.is_empty() && !s.has_ended);
        }
        let piece = match state.pieces.front() {
            None => return Err(io::Error::other("the thread that reads the file has failed")),
            Some(Ok(piece)) => &piece[state.at..],
            Some(Err(_)) => &[],
        };
        let (size, rest) = (piece.len().min(out.len()), piece.len());
        out[..size].copy_from_slice(&piece[..size]);
        state.at += size;
        let piece = if size == rest { state.next_piece() } else { None };
        drop(state);
        shared.has_room.notify_one();
        match piece {
            Some(Err(error)) => Err(error),
            _ => Ok(size),
        }
    }

    /// Skips bytes that are read.
    fn skip(&self, mut num_bytes: u64) {
        let mut state = self.shared.lock();
        while num_bytes > 0
            && let Some(Ok(piece)) = state.pieces.front()
        {
            let rest = (piece.len() - state.at) as u64;
            if rest > num_bytes {
                state.at += num_bytes as usize;
                break;
            }
            num_bytes -= rest;
            state.next_piece();
        }
        drop(state);
        self.shared.has_room.notify_one();
    }

    /// The members from a position on that are unpacked. A job that starts there and runs is waited for.
    fn unpacked(&self, position: u64) -> Option<Unpacked> {
        let mut state = self.shared.lock();
        state.forget_before(position);
        let runs = |s: &mut State| s.jobs.front().is_some_and(|job| job.start == position && job.runs());
        let mut state = Shared::wait_while(&self.shared.has_news, state, runs);
        let unpacked = state.take(position);
        drop(state);
        self.shared.has_room.notify_one();
        unpacked
    }
}

impl Drop for Threads {
    fn drop(&mut self) {
        self.shared.lock().is_stopped = true;
        self.shared.has_job.notify_all();
        self.shared.has_room.notify_all();
        for unpacker in self.unpackers.drain(..) {
            // Nothing depends on a thread that has failed.
            let _ = unpacker.join();
        }
    }
}

/// What the threads share. Each waits for its own condition.
#[derive(Default)]
struct Shared {
    sizes: Sizes,
    state: Mutex<State>,
    /// Unpackers wait for a job.
    has_job: Condvar,
    /// The thread that reads the file waits for room.
    has_room: Condvar,
    /// The caller waits for a piece of the file, or for a job to be done.
    has_news: Condvar,
}

#[derive(Default)]
struct State {
    /// What reading the file gave, each as one read: the caller meets the same pieces as without threads.
    pieces: VecDeque<io::Result<Vec<u8>>>,
    /// Number of bytes of the first piece that the caller has.
    at: usize,
    /// What the pieces cost, in bytes.
    cost: usize,
    /// Jobs by position.
    jobs: VecDeque<Entry>,
    most_jobs: usize,
    /// Number of jobs that were found.
    num_jobs: usize,
    /// Jobs in a row without a member.
    num_useless: usize,
    /// Memory for members.
    rooms: Vec<Vec<u8>>,
    /// Whether the caller has no piece and waits for one.
    is_waited_for: bool,
    /// Whether the file was at its end, or could not be read.
    is_past_end: bool,
    /// Whether the thread that reads the file has failed.
    has_ended: bool,
    is_stopped: bool,
}

/// A job and what became of it.
struct Entry {
    start: u64,
    end: u64,
    progress: Progress,
}

enum Progress {
    Waits(Vec<u8>),
    Runs,
    Done(Unpacked),
}

impl Entry {
    fn runs(&self) -> bool {
        matches!(self.progress, Progress::Runs)
    }
}

impl State {
    /// Adds a job that waits for a thread.
    fn add(&mut self, job: Job) {
        self.num_jobs += 1;
        let is_tried = self.num_useless < MOST_USELESS || self.num_jobs.is_multiple_of(FEWER);
        if is_tried {
            let end = job.start + job.bytes.len() as u64;
            self.jobs.push_back(Entry { start: job.start, end, progress: Progress::Waits(job.bytes) });
        }
    }

    /// The first job that waits. It runs from now on.
    fn next_job(&mut self) -> Option<Job> {
        let entry = self.jobs.iter_mut().find(|job| matches!(job.progress, Progress::Waits(_)))?;
        match std::mem::replace(&mut entry.progress, Progress::Runs) {
            Progress::Waits(bytes) => Some(Job { start: entry.start, bytes }),
            _ => None,
        }
    }

    /// Keeps what a job has unpacked, if the caller is not past it.
    fn finish(&mut self, start: u64, unpacked: Unpacked) {
        self.num_useless = if unpacked.is_empty() { self.num_useless + 1 } else { 0 };
        match self.jobs.iter_mut().find(|job| job.start == start) {
            Some(entry) => entry.progress = Progress::Done(unpacked),
            None => self.take_back(unpacked),
        }
    }

    /// Keeps the memory of members that were read.
    fn take_back(&mut self, done: Unpacked) {
        if self.rooms.len() < self.most_jobs {
            self.rooms.push(done.into_room());
        }
    }

    /// Removes the first piece.
    fn next_piece(&mut self) -> Option<io::Result<Vec<u8>>> {
        let piece = self.pieces.pop_front()?;
        self.at = 0;
        self.cost -= cost(&piece);
        Some(piece)
    }

    /// Removes the jobs before a position.
    fn forget_before(&mut self, position: u64) {
        while self.jobs.front().is_some_and(|job| job.end <= position) {
            if let Some(Entry { progress: Progress::Done(unpacked), .. }) = self.jobs.pop_front() {
                self.take_back(unpacked);
            }
        }
    }

    /// The members from a position on, if the first job has them. A job that no thread has begun with is given up,
    /// since the caller itself unpacks its members.
    fn take(&mut self, position: u64) -> Option<Unpacked> {
        let first = self.jobs.front_mut().filter(|job| job.start <= position)?;
        let is_taken = match &mut first.progress {
            Progress::Waits(_) => true,
            Progress::Runs => false,
            Progress::Done(unpacked) => unpacked.go_to(position),
        };
        match self.jobs.pop_front_if(|_| is_taken)?.progress {
            Progress::Done(unpacked) => Some(unpacked),
            _ => None,
        }
    }

    /// Whether the thread that reads the file reads on. After an end or an error it reads only what is waited for.
    fn reads_on(&self, sizes: Sizes) -> bool {
        let most = self.most_jobs * sizes.job + sizes.most_packed;
        self.is_waited_for || !self.is_past_end && self.cost < most && self.has_room()
    }

    /// Whether there is room for a job.
    fn has_room(&self) -> bool {
        self.jobs.len() < self.most_jobs
    }
}

/// Tells that the thread that reads the file has ended, also after a panic.
struct EndOnDrop<'a>(&'a Shared);

impl Drop for EndOnDrop<'_> {
    fn drop(&mut self) {
        self.0.lock().has_ended = true;
        self.0.has_news.notify_one();
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }

    fn wait_while<'a>(
        changed: &Condvar,
        state: MutexGuard<'a, State>,
        condition: impl FnMut(&mut State) -> bool,
    ) -> MutexGuard<'a, State> {
        changed.wait_while(state, condition).unwrap_or_else(PoisonError::into_inner)
    }

    /// The loop of the thread that reads the file.
    fn feed(&self, mut from: impl Read, position: u64) {
        let mut cutter = Cutter::new(position, self.sizes);
        let mut buffer = vec![0; CHUNK];
        loop {
            let full = |s: &mut State| !s.is_stopped && !s.reads_on(self.sizes);
            let state = Shared::wait_while(&self.has_room, self.lock(), full);
            if state.is_stopped {
                return;
            }
            // The caller may wait for a piece inside of a long member, while the jobs before it are done.
            let has_room = state.has_room();
            drop(state);
            let read = from.read(&mut buffer);
            let mut jobs = Vec::new();
            match read {
                Ok(0) => jobs.extend(cutter.end()),
                Ok(read) => jobs = cutter.add(&buffer[..read]),
                // The caller has met the error before bytes after it are read.
                Err(_) => {}
            }
            let is_past_end = !matches!(read, Ok(1..));
            let piece = read.map(|read| buffer[..read].to_vec());
            let has_jobs = has_room && !jobs.is_empty();
            let mut state = self.lock();
            jobs.into_iter().filter(|_| has_room).for_each(|job| state.add(job));
            state.is_past_end = is_past_end;
            state.cost += cost(&piece);
            state.pieces.push_back(piece);
            let is_waited_for = std::mem::take(&mut state.is_waited_for);
            drop(state);
            if has_jobs {
                self.has_job.notify_all();
            }
            if is_waited_for {
                self.has_news.notify_one();
            }
        }
    }

    /// The loop of a thread that unpacks.
    fn unpack(&self) {
        let mut state = self.lock();
        while !state.is_stopped {
            let Some(job) = state.next_job() else {
                state = self.has_job.wait(state).unwrap_or_else(PoisonError::into_inner);
                continue;
            };
            let room = state.rooms.pop().unwrap_or_default();
            drop(state);
            // After a panic nothing is unpacked.
            let unpacked = guard("", || Ok(Unpacked::of(&job, room, self.sizes))).unwrap_or_default();
            state = self.lock();
            state.finish(job.start, unpacked);
            self.has_news.notify_one();
        }
    }
}

/// What a piece costs, in bytes.
fn cost(piece: &io::Result<Vec<u8>>) -> usize {
    PIECE + piece.as_ref().map_or(0, Vec::len)
}

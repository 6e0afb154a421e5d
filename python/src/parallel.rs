//! Work on many pages, on the calling thread and others that end with the call.

use crate::extractor::without_page;
use pyo3::prelude::*;
use std::num::NonZero;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};
use threshr_core::stop::Stop;
use threshr_core::{Error, ErrorKind, Result, guard};

/// How often the calling thread looks for signals such as Ctrl-C.
const SIGNAL_INTERVAL: Duration = Duration::from_millis(50);
/// More threads would fail or take long to start.
const MAX_THREADS: usize = 1024;

/// The number of threads: 0 means one for each core.
///
/// # Errors
/// If there are too many.
pub(crate) fn num_threads(given: usize) -> Result<usize> {
    match given {
        0 => Ok(thread::available_parallelism().map_or(1, NonZero::get)),
        n if n > MAX_THREADS => {
            Err(Error::recipe(format!("`threads` is {n}")).expected(format!("at most {MAX_THREADS}")))
        }
        n => Ok(n),
    }
}

/// Results of `work` for `0..count`, in order. The caller must not hold the interpreter lock.
///
/// # Errors
/// An exception of a signal handler, such as `KeyboardInterrupt`; [`ErrorKind::Io`] if no thread can be started.
pub(crate) fn map<T: Send>(
    count: usize,
    threads: usize,
    work: impl Fn(usize) -> T + Sync,
) -> Result<PyResult<Vec<T>>> {
    let (next, is_stopped) = (AtomicUsize::new(0), AtomicBool::new(false));
    let take = || {
        let index = next.fetch_add(1, Ordering::Relaxed);
        (index < count && !is_stopped.load(Ordering::Relaxed)).then_some(index)
    };
    let collect = || {
        let mut found = Vec::new();
        while let Some(index) = take() {
            found.push((index, work(index)));
        }
        found
    };
    let mut all = thread::scope(|scope| {
        let mut started = Vec::new();
        for _ in 1..threads.min(count) {
            let thread = thread::Builder::new().spawn_scoped(scope, collect);
            match thread {
                Ok(thread) => started.push(thread),
                Err(error) => {
                    is_stopped.store(true, Ordering::Relaxed);
                    return Err(Error::new(ErrorKind::Io, "a thread cannot be started").because(error));
                }
            }
        }
        let own = on_caller(take, &work);
        if own.is_err() {
            is_stopped.store(true, Ordering::Relaxed);
        }
        let mut parts = vec![];
        for thread in started {
            parts.push(thread.join().map_err(|_| Error::data("an internal error in a thread"))?);
        }
        Ok(own.map(|own| {
            parts.push(own);
            parts.into_iter().flatten().collect::<Vec<_>>()
        }))
    })?;
    if let Ok(found) = &mut all {
        found.sort_unstable_by_key(|f| f.0);
    }
    Ok(all.map(|found| found.into_iter().map(|f| f.1).collect()))
}

/// The work of the calling thread, which also handles signals.
fn on_caller<T>(take: impl Fn() -> Option<usize>, work: &impl Fn(usize) -> T) -> PyResult<Vec<(usize, T)>> {
    let (mut found, mut checked) = (Vec::new(), Instant::now());
    while let Some(index) = take() {
        found.push((index, work(index)));
        if checked.elapsed() > SIGNAL_INTERVAL {
            Python::attach(|py| py.check_signals())?;
            checked = Instant::now();
        }
    }
    Ok(found)
}

/// Runs `work` in a pool of threads that ends with the call. Without it, the library would start a pool that a forked
/// process does not have. The calling thread handles signals and stops the work at an exception. It must not hold the
/// interpreter lock.
///
/// # Errors
/// An exception of a signal handler, such as `KeyboardInterrupt`; the errors of `work`, and [`ErrorKind::Io`] if the
/// threads cannot be started.
pub(crate) fn in_pool<T: Send>(
    threads: usize,
    work: impl FnOnce() -> Result<T> + Send,
) -> Result<PyResult<T>> {
    let stop = Stop::default();
    let watching = stop.clone();
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(num_threads(threads)?)
        .start_handler(move |_| watching.watch())
        .build()
        .map_err(|e| Error::new(ErrorKind::Io, "the threads cannot be started").because(e))?;
    let (sender, receiver) = mpsc::channel();
    pool.in_place_scope(|scope| {
        scope.spawn(move |_| {
            let done = guard("", work);
            // the receiver is gone after an exception
            let _ = sender.send(done);
        });
        loop {
            match receiver.recv_timeout(SIGNAL_INTERVAL) {
                Ok(done) => return done.map(Ok).map_err(without_page),
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(Error::data("an internal error in a thread"));
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
            if let Err(raised) = Python::attach(|py| py.check_signals()) {
                stop.request();
                // the scope waits for the end of the work
                return Ok(Err(raised));
            }
        }
    })
}

//! Parallel work on many pages, in threads that end with the call.

use pyo3::prelude::*;
use rayon::iter::{IntoParallelIterator, ParallelIterator};
use std::num::NonZero;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;
use threshr_core::stop::{self, Stop};
use threshr_core::{Error, ErrorKind, Result, guard};

/// Interval at which the calling thread checks for signals such as Ctrl-C.
const SIGNAL_INTERVAL: Duration = Duration::from_millis(50);
/// Maximum number of threads. Starting more could fail or take long.
const MAX_THREADS: usize = 1024;

/// Returns the number of threads. 0 means one thread for each core.
///
/// # Errors
/// If the number is too large.
fn num_threads(given: usize) -> Result<usize> {
    match given {
        0 => Ok(thread::available_parallelism().map_or(1, NonZero::get)),
        n if n > MAX_THREADS => {
            Err(Error::invalid_option(format!("`threads` is {n}")).expected(format!("at most {MAX_THREADS}")))
        }
        n => Ok(n),
    }
}

/// Calls `work` for `0..count` in a pool of threads. Returns the results in order.
///
/// # Errors
/// Like [`in_pool`].
pub(crate) fn map<T: Send>(
    count: usize,
    threads: usize,
    work: impl Fn(usize) -> T + Sync + Send,
) -> Result<PyResult<Vec<T>>> {
    let threads = num_threads(threads)?.min(count.max(1));
    let one = |index| stop::check().map(|()| work(index));
    in_pool(threads, || (0..count).into_par_iter().map(one).collect())
}

/// Runs `work` in a pool of threads that ends with the call. Otherwise, rayon would start a global pool,
/// which does not exist in a forked process. The calling thread handles signals, and stops the work if a
/// handler raises an exception. It must not hold the interpreter lock.
///
/// # Errors
/// An exception of a signal handler, such as `KeyboardInterrupt`; the errors of `work`; and
/// [`ErrorKind::Io`] if the threads cannot be started.
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
            // After an exception, the receiver no longer exists.
            let _ = sender.send(done);
        });
        loop {
            match receiver.recv_timeout(SIGNAL_INTERVAL) {
                Ok(done) => return done.map(Ok),
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(Error::data("an internal error in a thread"));
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
            if let Err(raised) = Python::attach(|py| py.check_signals()) {
                stop.request();
                // The scope waits until the work has stopped.
                return Ok(Err(raised));
            }
        }
    })
}

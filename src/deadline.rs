//! A limit on the time that one page may take.
//!
//! Long loops call [`check`], which unwinds out of [`within`] once the time is over: no result needs to be threaded
//! through every stage, and no thread is left behind. Time is the thread's own CPU time, so that a busy machine
//! gives up on no page that a quiet one would finish.

use crate::error::{Error, Result};
use cpu_time::ThreadTime;
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::time::{Duration, Instant};

thread_local! {
    static LIMIT: Cell<Option<Limit>> = const { Cell::new(None) };
}

/// A running limit.
#[derive(Debug, Clone, Copy)]
struct Limit {
    began: Instant,
    /// CPU time of the thread at that moment.
    cpu: ThreadTime,
    time: Duration,
}

impl Limit {
    /// Whether the time is over. The clock, which costs no system call, is asked first: CPU time never runs faster.
    fn is_over(&self) -> bool {
        self.began.elapsed() > self.time && self.cpu.elapsed() > self.time
    }
}

/// What unwinds; it never leaves [`within`].
struct TimeIsUp;

/// Runs `work`, which [`check`] ends as soon as the thread has worked on it for longer than `limit`.
///
/// # Errors
/// Where the time was over.
pub fn within<T>(limit: Option<Duration>, work: impl FnOnce() -> T) -> Result<T> {
    let Some(limit) = limit else { return Ok(work()) };
    let before = LIMIT.replace(Some(Limit { began: Instant::now(), cpu: ThreadTime::now(), time: limit }));
    let done = catch_unwind(AssertUnwindSafe(work));
    LIMIT.set(before);
    done.map_err(|cause| match cause.downcast::<TimeIsUp>() {
        Ok(_) => Error::data(format!("given up after {} s", limit.as_secs_f64())),
        Err(other) => resume_unwind(other),
    })
}

/// Unwinds out of the [`within`] that this runs in, if its time is over. Looks at a clock: not for inner loops.
pub fn check() {
    if LIMIT.get().is_some_and(|limit| limit.is_over()) {
        LIMIT.set(None);
        // no panic: the hook that prints them is not run
        resume_unwind(Box::new(TimeIsUp));
    }
}

/// [`check`] at every 4,096th of some steps.
#[inline]
pub fn check_at(step: usize) {
    if step.is_multiple_of(4096) {
        check();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_ends_when_its_time_is_over() {
        let endless = || -> u32 {
            loop {
                check();
            }
        };
        let error = within(Some(Duration::from_millis(20)), endless).expect_err("it never ends");
        assert_eq!(error.to_string(), "given up after 0.02 s");
        // the next piece of work has its own time, and none has none
        assert_eq!(within(Some(Duration::from_secs(60)), || 7).expect("in time"), 7);
        check();
        assert_eq!(within(None, || 8).expect("no limit"), 8);
    }

    #[test]
    fn waiting_is_no_work() {
        let waited = within(Some(Duration::from_millis(10)), || {
            std::thread::sleep(Duration::from_millis(30));
            check();
        });
        assert!(waited.is_ok());
    }

    #[test]
    fn other_panics_go_on() {
        let caught = catch_unwind(|| within(Some(Duration::from_secs(60)), || resume_unwind(Box::new(5u8))));
        assert!(caught.is_err_and(|cause| cause.downcast_ref() == Some(&5u8)));
    }
}

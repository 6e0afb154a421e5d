//! The CPU time that one page may take.
//!
//! A [`Budget`] is passed down from the runner to every stage. Long loops call [`Budget::check`] and return its error.
//! Time is the CPU time of the page's own thread, so a busy machine gives up on no page that an idle one finishes.

use crate::{Error, ErrorKind, Result};
use cpu_time::ThreadTime;
use std::time::{Duration, Instant};

/// How much time is left for a page.
#[derive(Debug, Clone, Copy, Default)]
pub struct Budget(Option<Running>);

#[derive(Debug, Clone, Copy)]
struct Running {
    limit: Duration,
    started: Instant,
    /// CPU time of the thread at that moment.
    cpu: ThreadTime,
}

impl Budget {
    /// No limit.
    pub const UNLIMITED: Budget = Budget(None);

    /// A budget that starts now, on this thread; `None` is no limit.
    pub fn start(limit: Option<Duration>) -> Self {
        Budget(limit.map(|limit| Running { limit, started: Instant::now(), cpu: ThreadTime::now() }))
    }

    /// Returns an error of kind [`ErrorKind::Timeout`] once the thread has worked for longer than the limit.
    ///
    /// Reads a clock: do not call it in inner loops. The wall clock is read first since it needs no system call, and
    /// CPU time never runs faster.
    ///
    /// # Errors
    /// Where the time is over.
    pub fn check(&self) -> Result<()> {
        match self.0 {
            Some(running)
                if running.started.elapsed() > running.limit && running.cpu.elapsed() > running.limit =>
            {
                Err(Error::new(
                    ErrorKind::Timeout,
                    format!("given up after {} s", running.limit.as_secs_f64()),
                ))
            }
            _ => Ok(()),
        }
    }

    /// [`Budget::check`] at every 4,096th of some steps.
    ///
    /// # Errors
    /// Where the time is over.
    #[inline]
    pub fn check_at(&self, step: usize) -> Result<()> {
        if step.is_multiple_of(4096) { self.check() } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_ends_when_its_time_is_over() {
        let budget = Budget::start(Some(Duration::from_millis(20)));
        let error = loop {
            if let Err(error) = budget.check() {
                break error;
            }
        };
        assert_eq!((error.kind, error.to_string().as_str()), (ErrorKind::Timeout, "given up after 0.02 s"));
        Budget::start(Some(Duration::from_secs(60))).check().expect("in time");
        Budget::UNLIMITED.check().expect("no limit");
    }

    #[test]
    fn waiting_is_not_work() {
        let budget = Budget::start(Some(Duration::from_millis(10)));
        std::thread::sleep(Duration::from_millis(30));
        budget.check().expect("the thread slept");
    }
}

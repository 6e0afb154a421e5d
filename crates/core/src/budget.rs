//! Limit on the CPU time of one page.
//!
//! The runner passes a [`Budget`] to every stage. Long loops call [`Budget::check`] and return its error. A
//! budget counts the CPU time of the thread that started it. The load of the machine therefore does not
//! decide which pages time out.

use crate::{Error, ErrorKind, Result};
use cpu_time::ThreadTime;
use std::time::{Duration, Instant};

/// A time limit for one page, started on the thread that works on it.
#[derive(Debug, Clone, Copy, Default)]
pub struct Budget(Option<Running>);

#[derive(Debug, Clone, Copy)]
struct Running {
    limit: Duration,
    started: Instant,
    /// CPU time of the thread at the start.
    cpu: ThreadTime,
}

impl Budget {
    /// No limit.
    pub const UNLIMITED: Budget = Budget(None);

    /// Starts a budget on this thread; `None` means no limit.
    pub fn start(limit: Option<Duration>) -> Self {
        Budget(limit.map(|limit| Running { limit, started: Instant::now(), cpu: ThreadTime::now() }))
    }

    /// Returns an error of kind [`ErrorKind::Timeout`] if the thread has used more CPU time than the limit.
    ///
    /// Reads a clock: do not call it in inner loops. It reads the wall clock first, which needs no system
    /// call. CPU time never exceeds wall-clock time.
    ///
    /// # Errors
    /// [`ErrorKind::Timeout`] if the limit is exceeded.
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

    /// Calls [`Budget::check`] if `step` is a multiple of 4,096.
    ///
    /// # Errors
    /// [`ErrorKind::Timeout`] if the limit is exceeded.
    #[inline]
    pub fn check_at(&self, step: usize) -> Result<()> {
        if step.is_multiple_of(4096) { self.check() } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_beyond_the_limit_is_a_timeout() {
        let budget = Budget::start(Some(Duration::from_millis(20)));
        let error = loop {
            if let Err(error) = budget.check() {
                break error;
            }
        };
        assert_eq!((error.kind, error.to_string().as_str()), (ErrorKind::Timeout, "given up after 0.02 s"));
        Budget::start(Some(Duration::from_secs(60))).check().expect("within the limit");
        Budget::UNLIMITED.check().expect("no limit");
    }

    #[test]
    fn sleeping_uses_no_budget() {
        let budget = Budget::start(Some(Duration::from_millis(10)));
        std::thread::sleep(Duration::from_millis(30));
        budget.check().expect("the thread slept");
    }
}

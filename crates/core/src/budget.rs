//! Limits on the CPU time and on the memory of one page.
//!
//! The runner passes a [`Budget`] to every stage. Long loops call [`Budget::check`] and return its error. A
//! budget counts the CPU time of the thread that started it. The load of the machine therefore does not
//! decide which pages time out.
//!
//! Memory is what the stages count, not what the process takes. The same pages fail on every machine.

use crate::{Error, ErrorKind, Result};
use clock::ThreadTime;
use std::time::{Duration, Instant};

/// The limits of one page, started on the thread that works on it.
#[derive(Debug, Clone, Copy, Default)]
pub struct Budget {
    time: Option<Running>,
    /// Bytes.
    memory: Option<u64>,
}

#[derive(Debug, Clone, Copy)]
struct Running {
    limit: Duration,
    started: Instant,
    /// CPU time of the thread at the start.
    cpu: ThreadTime,
}

impl Budget {
    /// No limit.
    pub const UNLIMITED: Budget = Budget { time: None, memory: None };

    /// Starts a budget on this thread; `None` means no limit of time. Memory has no limit.
    ///
    /// # Errors
    /// [`ErrorKind::Recipe`] if there is a limit and the platform has no clock of the CPU time of a thread.
    /// WebAssembly has none.
    pub fn start(limit: Option<Duration>) -> Result<Self> {
        let Some(limit) = limit else { return Ok(Budget::UNLIMITED) };
        // the thread's clock first: on platforms without it, `Instant::now` may panic
        let cpu = ThreadTime::now()?;
        let time = Some(Running { limit, started: Instant::now(), cpu });
        Ok(Budget { time, memory: None })
    }

    /// Sets the limit of memory, in bytes; `None` means no limit.
    #[must_use]
    pub fn with_memory(self, memory: Option<u64>) -> Self {
        Budget { memory, ..self }
    }

    /// Returns an error of kind [`ErrorKind::TooLarge`] if `bytes`, the memory that the page takes, exceed the limit.
    ///
    /// # Errors
    /// [`ErrorKind::TooLarge`] if the limit is exceeded.
    pub fn check_memory(&self, bytes: usize) -> Result<()> {
        match self.memory {
            Some(limit) if bytes as u64 > limit => {
                let mb = |bytes: u64| bytes as f64 / f64::from(1 << 20);
                let message = format!("the page takes more than {:.1} MB of memory", mb(bytes as u64));
                Err(Error::new(ErrorKind::TooLarge, message)
                    .expected(format!("at most {:.1} MB", mb(limit)))
                    .with_setting("most_memory"))
            }
            _ => Ok(()),
        }
    }

    /// Returns an error of kind [`ErrorKind::Timeout`] if the thread has used more CPU time than the limit.
    ///
    /// Reads a clock: do not call it in inner loops. It reads the wall clock first, which needs no system
    /// call. CPU time never exceeds wall-clock time.
    ///
    /// # Errors
    /// [`ErrorKind::Timeout`] if the limit is exceeded.
    pub fn check(&self) -> Result<()> {
        match self.time {
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

#[cfg(not(target_family = "wasm"))]
mod clock {
    //! The CPU time of a thread, as the operating system counts it.

    use super::{Duration, Result, no_clock};

    #[derive(Debug, Clone, Copy)]
    pub(super) struct ThreadTime(cpu_time::ThreadTime);

    impl ThreadTime {
        pub(super) fn now() -> Result<Self> {
            cpu_time::ThreadTime::try_now().map(ThreadTime).map_err(|e| no_clock().because(e))
        }

        pub(super) fn elapsed(self) -> Duration {
            self.0.elapsed()
        }
    }
}

#[cfg(target_family = "wasm")]
mod clock {
    //! WebAssembly has no clock of the CPU time of a thread, so no value of [`ThreadTime`] exists.

    use super::{Duration, Result, no_clock};

    #[derive(Debug, Clone, Copy)]
    pub(super) enum ThreadTime {}

    impl ThreadTime {
        pub(super) fn now() -> Result<Self> {
            Err(no_clock())
        }

        pub(super) fn elapsed(self) -> Duration {
            match self {}
        }
    }
}

fn no_clock() -> Error {
    Error::recipe(
        "a limit of time needs a clock of the CPU time of a thread, which this platform does not have",
    )
    .expected("no limit of time")
    .with_setting("time_limit")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_beyond_the_limit_is_a_timeout() {
        let budget = Budget::start(Some(Duration::from_millis(20))).expect("a clock");
        let error = loop {
            if let Err(error) = budget.check() {
                break error;
            }
        };
        assert_eq!((error.kind, error.to_string().as_str()), (ErrorKind::Timeout, "given up after 0.02 s"));
        Budget::start(Some(Duration::from_secs(60))).expect("a clock").check().expect("within the limit");
        Budget::UNLIMITED.check().expect("no limit");
    }

    #[test]
    fn memory_beyond_the_limit_is_too_large() {
        let budget = Budget::UNLIMITED.with_memory(Some(3 << 20));
        budget.check_memory(3 << 20).expect("within the limit");
        let error = budget.check_memory(4 << 20).expect_err("above the limit");
        assert_eq!(error.kind, ErrorKind::TooLarge);
        assert_eq!(error.to_string(), "the page takes more than 4.0 MB of memory; expected at most 3.0 MB");
        Budget::UNLIMITED.check_memory(usize::MAX).expect("no limit");
    }

    #[test]
    fn sleeping_uses_no_budget() {
        let budget = Budget::start(Some(Duration::from_millis(10))).expect("a clock");
        std::thread::sleep(Duration::from_millis(30));
        budget.check().expect("the thread slept");
    }
}

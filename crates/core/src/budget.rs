//! CPU-time and memory limits for the processing of one page.
//!
//! The runner passes a [`Budget`] to every stage. Long loops call [`Budget::check`] and return its error. A budget
//! measures the CPU time of the thread that started it, so the load of the machine does not affect which pages time
//! out.
//!
//! The memory of a page is computed from the sizes of the stages' data structures. It is not the memory of the
//! process, so the same pages exceed the limit on every machine.

use crate::{Error, ErrorKind, Result, Setting};
use clock::ThreadTime;
use std::time::{Duration, Instant};

/// The limits of one page. `None` means no limit.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Limits {
    /// Maximum CPU time of the thread that processes the page.
    pub time: Option<Duration>,
    /// Maximum size of the decompressed page in bytes.
    pub bytes: Option<u64>,
    /// Maximum memory in bytes, as the stages compute it.
    pub memory: Option<u64>,
}

impl Limits {
    /// Starts the budget of one page on this thread.
    ///
    /// # Errors
    /// Returns the error of [`Budget::start`].
    pub fn budget(&self) -> Result<Budget> {
        Ok(Budget::start(self.time)?.with_memory(self.memory))
    }

    /// Checks the size of a page.
    ///
    /// # Errors
    /// [`ErrorKind::TooLarge`] if the page has more bytes than the limit.
    pub fn check_size(&self, page: &[u8]) -> Result<()> {
        match self.bytes.filter(|&limit| page.len() as u64 > limit) {
            None => Ok(()),
            Some(limit) => {
                let message = format!("the page has {} bytes", page.len());
                let error = Error::new(ErrorKind::TooLarge, message).expected(format!("at most {limit}"));
                Err(error.with_setting(Setting::MaxBytes))
            }
        }
    }
}

/// The limits of one page, measured from a start time on the thread that processes it.
#[derive(Debug, Clone, Copy, Default)]
pub struct Budget {
    time: Option<Running>,
    /// Maximum memory in bytes.
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

    /// Starts a budget on this thread with a CPU-time limit and without a memory limit. `None` means no CPU-time
    /// limit.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidOption`] if `limit` is set and the platform, such as WebAssembly, has no clock for the
    /// CPU time of a thread.
    pub fn start(limit: Option<Duration>) -> Result<Self> {
        let Some(limit) = limit else { return Ok(Budget::UNLIMITED) };
        // read the thread's clock first: on platforms that lack it, `Instant::now` may panic
        let cpu = ThreadTime::now()?;
        let time = Some(Running { limit, started: Instant::now(), cpu });
        Ok(Budget { time, memory: None })
    }

    /// Sets the memory limit in bytes. `None` means no limit.
    #[must_use]
    pub fn with_memory(self, memory: Option<u64>) -> Self {
        Budget { memory, ..self }
    }

    /// Returns an error if the page's memory, `bytes`, exceeds the limit.
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
                    .with_setting(Setting::MaxMemory))
            }
            _ => Ok(()),
        }
    }

    /// Returns an error if the thread has used more CPU time than the limit.
    ///
    /// Every call reads a clock, so do not call this function in inner loops. The wall clock is read first, because
    /// this needs no system call. CPU time never exceeds wall-clock time, so the CPU clock is read only if the
    /// wall-clock time exceeds the limit.
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

    /// Calls [`Budget::check`] if `step` is a multiple of 4,096, so that loops can call it for each step.
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
    //! The CPU time of a thread, as reported by the operating system.

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
    //! WebAssembly has no clock for the CPU time of a thread, so no value of [`ThreadTime`] can exist.

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
    Error::invalid_option("a time limit needs the CPU time of a thread, which this platform does not report")
        .expected("no time limit")
        .with_setting(Setting::Timeout)
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

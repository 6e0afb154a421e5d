//! Progress reports for long-running work. Library crates never print; implementations of [`Progress`] do.

/// Receives progress reports of long-running work. An implementation may ignore any of them.
pub trait Progress: Sync {
    /// Reports the start of work that consists of `total` steps. `what` is the name of the work.
    fn start(&self, what: &str, total: u64);
    /// Reports the start of work that is measured by an amount, such as `total` bytes. [`Progress::set_done`] then
    /// reports the amount that is done.
    fn start_amount(&self, what: &str, total: u64);
    /// Reports the total amount that is done, with a note for the user.
    fn set_done(&self, done: u64, note: &str);
    /// Reports that one step is done.
    fn step(&self);
    /// Reports the end of the work.
    fn finish(&self);
}

/// Ignores all reports.
#[derive(Debug, Clone, Copy)]
pub struct Quiet;

impl Progress for Quiet {
    fn start(&self, _: &str, _: u64) {}
    fn start_amount(&self, _: &str, _: u64) {}
    fn set_done(&self, _: u64, _: &str) {}
    fn step(&self) {}
    fn finish(&self) {}
}

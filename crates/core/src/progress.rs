//! Reports on long work. Library crates never print; a [`Progress`] does.

/// Receives reports on long work. Every method may do nothing.
pub trait Progress: Sync {
    /// Work of `total` steps starts; `what` names it.
    fn start(&self, what: &str, total: u64);
    /// Work on an amount starts, such as `total` bytes; [`Progress::set_done`] reports how much is done.
    fn start_amount(&self, what: &str, total: u64);
    /// Sets the amount that is done, with a note for the user.
    fn set_done(&self, done: u64, note: &str);
    /// One step is done.
    fn step(&self);
    /// The work is done.
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

//! How the library tells of long work without printing.

/// ArticleMetadata of long work; every method may do nothing.
pub trait Progress: Sync {
    /// `total` steps of `what` begin.
    fn start(&self, what: &str, total: u64);
    /// Work of so large an amount (bytes, say) begins; [`Progress::reach`] tells how far it is.
    fn start_amount(&self, what: &str, total: u64);
    /// So much of the amount is done, with something to say of it.
    fn reach(&self, done: u64, note: &str);
    /// One step is done.
    fn step(&self);
    /// The work is done.
    fn finish(&self);
}

/// Says nothing.
#[derive(Debug, Clone, Copy)]
pub struct Quiet;

impl Progress for Quiet {
    fn start(&self, _: &str, _: u64) {}
    fn start_amount(&self, _: &str, _: u64) {}
    fn reach(&self, _: u64, _: &str) {}
    fn step(&self) {}
    fn finish(&self) {}
}

//! How the library tells of long work without printing.

/// Told of long work; every method may do nothing.
pub trait Progress: Sync {
    /// `total` steps of `what` begin.
    fn start(&self, what: &str, total: u64);
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
    fn step(&self) {}
    fn finish(&self) {}
}

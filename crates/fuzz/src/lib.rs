//! Fuzz targets: functions of bytes that panic if a guarantee of the project is violated.
//!
//! Each program in the folder `fuzz` runs one of the [`TARGETS`] with libFuzzer. The test `corpus` of this
//! crate replays the committed corpus of every target with the stable compiler.
//!
//! # How to add a target
//!
//! 1. Write `NAME.rs` with a `static TARGET: Target`. It ignores input that it cannot use, and checks guarantees by
//!    assertions for all other input. Add it to [`TARGETS`].
//! 2. Write `fuzz/programs/NAME.rs` like the others, and add it to `fuzz/Cargo.toml`.
//! 3. Put small inputs into `fuzz/corpus/NAME`. `fuzz/run` contains the dictionary and the maximum input size
//!    of a target.

mod annotations;
mod files;
mod gold;
mod model;
mod own_panics;
mod page;
mod page_formats;
mod page_html;
mod page_json;
mod readers;
mod recipe;
mod selector;
mod tree;

/// A fuzz target.
#[derive(Debug)]
pub struct Target {
    /// Name of the target, of its program, and of its archive in `fuzz/corpus`.
    pub name: &'static str,
    /// One-line description of what the target reads and checks.
    pub summary: &'static str,
    /// The checked code. It panics if a guarantee is violated.
    body: fn(&[u8]),
}

/// All targets.
pub static TARGETS: &[&Target] = &[
    &page::TARGET,
    &readers::WARC,
    &readers::JSONL,
    &readers::PARQUET,
    &model::TARGET,
    &recipe::TARGET,
    &gold::TARGET,
    &annotations::TARGET,
    &selector::TARGET,
    &tree::TARGET,
];

impl Target {
    /// Runs the target on an input.
    ///
    /// # Panics
    /// If a guarantee is violated, or if code of this project panics, even if the panic is caught.
    pub fn run(&self, bytes: &[u8]) {
        own_panics::none_in(|| (self.body)(bytes));
    }
}

/// Runs the target with this name on an input.
///
/// # Panics
/// Like [`Target::run`], and if there is no target with this name.
pub fn run(name: &str, bytes: &[u8]) {
    let target = TARGETS.iter().find(|target| target.name == name);
    target.unwrap_or_else(|| panic!("there is no target {name}")).run(bytes);
}

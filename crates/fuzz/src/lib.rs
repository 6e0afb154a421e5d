//! Fuzz targets: functions of bytes that panic if a promise of the project does not hold.
//!
//! [`TARGETS`] lists them. The programs in the folder `fuzz` run one target each with libFuzzer. The test `corpus`
//! of this crate replays the committed corpus of every target with the usual compiler.
//!
//! # How to add a target
//!
//! 1. Write `NAME.rs` with a `static TARGET: Target`. It returns at input that it cannot use, and asserts what must hold
//!    for any other. Add it to [`TARGETS`].
//! 2. Write `fuzz/programs/NAME.rs` like the others, and add it to `fuzz/Cargo.toml`.
//! 3. Put small inputs into `fuzz/corpus/NAME`. `fuzz/run` names the dictionary and the largest input of a target.

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

/// A target.
#[derive(Debug)]
pub struct Target {
    /// Its name: that of its program, and of its archive in `fuzz/corpus`.
    pub name: &'static str,
    /// What it reads and checks, in one line.
    pub summary: &'static str,
    /// The body. It panics if a promise does not hold.
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
    /// If a promise does not hold, or if code of this project panics, even where that panic is caught.
    pub fn run(&self, bytes: &[u8]) {
        own_panics::none_in(|| (self.body)(bytes));
    }
}

/// Runs the target of this name on an input.
///
/// # Panics
/// As [`Target::run`], and if there is no such target.
pub fn run(name: &str, bytes: &[u8]) {
    let target = TARGETS.iter().find(|target| target.name == name);
    target.unwrap_or_else(|| panic!("there is no target {name}")).run(bytes);
}

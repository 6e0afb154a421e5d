//! Extracts the pages of a folder in parallel: one extractor, shared by all threads.
//!
//! `cargo run --example extract_folder -- datasets/sample/pages`

#![allow(clippy::print_stdout)]

use rayon::prelude::*;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::time::Duration;
use threshr::{ErrorKind, Extractor};

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args().nth(1).unwrap_or_else(|| "datasets/sample/pages".to_owned());
    let mut paths: Vec<PathBuf> =
        std::fs::read_dir(folder)?.map(|entry| entry.map(|e| e.path())).collect::<Result<_, _>>()?;
    paths.sort();
    let extractor = Extractor::builder().timeout(Duration::from_secs(2)).max_bytes(16 << 20).build()?;
    let lines: Vec<String> = paths.par_iter().map(|path| line(&extractor, path)).collect();
    println!("{}", lines.join("\n"));
    Ok(())
}

/// Extracts a page. Returns a line with its name and its result or error, so that a page that fails does not stop
/// the others.
fn line(extractor: &Extractor, path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let html = match std::fs::read(path) {
        Ok(html) => html,
        Err(error) => return format!("{name}\tcannot be read: {error}"),
    };
    match extractor.extract(&html) {
        Ok(extraction) => format!("{name}\t{} characters", extraction.text().chars().count()),
        Err(error) if error.kind == ErrorKind::Timeout => format!("{name}\ttoo slow"),
        Err(error) => format!("{name}\t{error}"),
    }
}

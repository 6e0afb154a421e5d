//! The side output of `threshr predict --min-quality`: pages of low expected quality, as JSON lines.

use crate::predict::args::Args;
use std::path::{Path, PathBuf};
use threshr_core::{Error, Result};
use threshr_crawl as crawl;
use threshr_crawl::{Compression, Output, Position, Reuse};
use threshr_extract::formats::{Added, Entry, Format};

/// Pages below the minimum quality, in a file of their own.
///
/// The file has its own journal. A resumed run begins where the output that is less far ends, and each output
/// ignores what it has already.
pub(super) struct SideOutput {
    output: Output<'static>,
    start: Position,
    path: PathBuf,
}

/// The format of the side output.
pub(super) fn format() -> Result<&'static Format> {
    crawl::format_by_name("jsonl")
}

/// The file of the side output, if `--min-quality` is given: `--low-out`, else `OUT.low.jsonl` without the
/// extension of OUT.
pub(super) fn path(args: &Args) -> Result<Option<PathBuf>> {
    let Some(quality) = args.min_quality else { return Ok(None) };
    if !(0.0..=1.0).contains(&quality) {
        return Err(Error::recipe(format!("--min-quality is {quality}")).expected("a number from 0 to 1"));
    }
    if let Some(path) = &args.low_out {
        return Ok(Some(path.clone()));
    }
    let Some(out) = args.target() else {
        return Err(Error::recipe("--min-quality has no file for the pages below it")
            .expected("--out FILE or --low-out FILE"));
    };
    Ok(Some(beside(out)))
}

/// `pages.low.jsonl` for `pages.parquet`, `pages.jsonl.zst` and the folder `pages`.
fn beside(out: &Path) -> PathBuf {
    let name = out.file_name().unwrap_or_default().to_string_lossy();
    let packed = [".gz", ".zst"].iter().find_map(|end| name.strip_suffix(end));
    let name = packed.unwrap_or(&name);
    let has_format = |ending: &str| crawl::formats().iter().any(|f| f.endings.contains(&ending));
    let stem = name.rsplit_once('.').filter(|(_, ending)| has_format(ending)).map_or(name, |(stem, _)| stem);
    out.with_file_name(format!("{stem}.low.jsonl"))
}

impl SideOutput {
    /// Creates the file, or continues an unfinished one.
    pub(super) fn create(path: &Path, reuse: Reuse, settings: &serde_json::Value) -> Result<Self> {
        let output = Output::create(path, format()?, Compression::None, Added::default(), reuse, settings);
        let output = output.map_err(|e| e.at_path(path))?;
        Ok(SideOutput { start: output.start(), output, path: path.to_path_buf() })
    }

    /// Where it begins.
    pub(super) fn start(&self) -> Position {
        self.start
    }

    /// Its file.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Adds a page, unless the file has it already. `position` is the position after the page.
    pub(super) fn add(&mut self, entry: Entry, position: Position) -> Result<()> {
        if position <= self.start {
            return Ok(());
        }
        self.output.tally_mut().num_pages += 1;
        self.output.add(Some(entry), position).map_err(|e| e.at_path(&self.path))
    }

    /// Makes all pages up to `position` permanent, so that a resumed run begins there.
    pub(super) fn checkpoint(&mut self, position: Position) -> Result<()> {
        if position <= self.start {
            return Ok(());
        }
        self.output.checkpoint(position).map_err(|e| e.at_path(&self.path))
    }

    /// Completes the file.
    pub(super) fn finish(self, position: Position) -> Result<()> {
        self.output.finish(position).map(drop).map_err(|e| e.at_path(&self.path))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_side_output_is_beside_the_output() {
        for (out, low) in [
            ("a/pages.parquet", "a/pages.low.jsonl"),
            ("pages.jsonl.zst", "pages.low.jsonl"),
            ("texts", "texts.low.jsonl"),
            ("v1.2", "v1.2.low.jsonl"),
        ] {
            assert_eq!(beside(Path::new(out)), Path::new(low), "{out}");
        }
    }
}

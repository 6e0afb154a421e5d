//! Checks and warnings about the inputs of `threshr predict`.

use crate::cli::remark;
use std::path::{Path, PathBuf};
use threshr_core::{Error, Result};
use threshr_io::RawPage;
use threshr_io::readers::Source;

/// Rejects an output that would replace an input: a page, a list of files or a model. Also checks the names
/// of the temporary files of the output.
pub(super) fn refuse_input_as_output(out: &Path, others: &[&PathBuf], sources: &[Source]) -> Result<()> {
    let with = |suffix: &str| {
        let mut path = out.as_os_str().to_owned();
        path.push(suffix);
        PathBuf::from(path).canonicalize().ok().filter(|path| path.is_file())
    };
    let written: Vec<PathBuf> = ["", ".part", ".journal"].into_iter().filter_map(with).collect();
    let mut read = sources.iter().map(|s| &s.path).chain(others.iter().copied());
    let is_written = |path: &PathBuf| path.canonicalize().is_ok_and(|p| written.contains(&p));
    match read.find(|path| is_written(path)) {
        Some(path) => Err(Error::recipe("the output would replace an input").at_path(path)),
        None => Ok(()),
    }
}

/// Rejects standard input for options that need to read it again.
pub(super) fn refuse_stdin(option: &str, sources: &[Source]) -> Result<()> {
    if sources.iter().any(|s| s.path.as_os_str() == "-") {
        let expected = format!("files as input with {option}");
        return Err(Error::recipe("standard input cannot be read again").expected(expected));
    }
    Ok(())
}

/// Warns of WARC, JSONL and Parquet files inside input folders, which are not read.
pub(super) fn warn_of_left_out(left_out: &[PathBuf]) {
    let Some((first, more)) = left_out.split_first() else { return };
    let more = if more.is_empty() { String::new() } else { format!(" and {} more", more.len()) };
    remark(&format!("{}{more} not read: name such a file itself to read it", first.display()));
}

/// Warns of pages with equal ids, which the output cannot distinguish.
pub(super) fn warn_of_equal_ids(sources: &[Source]) {
    let pages = sources.iter().filter(|s| s.reader.name == "html");
    let mut ids: Vec<String> = pages.map(|s| s.named(RawPage::at(&s.path)).id).collect();
    ids.sort_unstable();
    if let Some(twice) = ids.windows(2).find(|w| w[0] == w[1]) {
        remark(&format!("several pages have the id `{}`", twice[0]));
    }
}

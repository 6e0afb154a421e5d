//! Checks and warnings about the inputs of `threshr predict`.

use crate::cli::remark;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use threshr_core::{Error, Result};
use threshr_io::RawPage;
use threshr_io::readers::Source;

/// Number of kinds of skipped files that are named.
const MAX_KINDS: usize = 12;

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

/// Says which files inside input folders are not read: files of many pages, and files that are no pages.
pub(super) fn warn_of_left_out(left_out: &[PathBuf], skipped: &BTreeMap<String, u64>) {
    if let Some((first, more)) = left_out.split_first() {
        let more = if more.is_empty() { String::new() } else { format!(" and {} more", more.len()) };
        remark(&format!("{}{more} not read: name such a file itself to read it", first.display()));
    }
    let num_skipped: u64 = skipped.values().sum();
    if num_skipped > 0 {
        let kind = |(ending, count): (&String, &u64)| {
            let ending = if ending.is_empty() { "without an ending" } else { ending };
            format!("{count} {ending}")
        };
        let kinds: Vec<String> = skipped.iter().take(MAX_KINDS).map(kind).collect();
        let more = if skipped.len() > MAX_KINDS { ", …" } else { "" };
        remark(&format!("{num_skipped} files in folders are no pages: {}{more}", kinds.join(", ")));
    }
}

/// Warns of pages with equal ids, which the output cannot distinguish.
pub(super) fn warn_of_equal_ids(sources: &[Source]) {
    let pages = sources.iter().filter(|s| matches!(s.reader.name, "html" | "mhtml"));
    let mut ids: Vec<String> = pages.map(|s| s.named(RawPage::at(&s.path)).id).collect();
    ids.sort_unstable();
    if let Some(twice) = ids.windows(2).find(|w| w[0] == w[1]) {
        remark(&format!("several pages have the id `{}`", twice[0]));
    }
}

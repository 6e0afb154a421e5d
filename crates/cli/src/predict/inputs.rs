//! Checks and warnings about the inputs of `threshr predict`.

use crate::guard::Guard;
use crate::predict::Args;
use crate::remark;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use threshr_core::{Error, Result};
use threshr_io::RawPage;
use threshr_io::readers::Source;
use threshr_output::formats::{Format, Layout};

/// Number of kinds of skipped files that are named.
const MAX_KINDS: usize = 12;

/// Checks the outputs, before any page is read: `side` is the side output of --min-quality.
pub(super) fn check_outputs(
    args: &Args,
    format: &'static Format,
    side: Option<&Path>,
    (sources, folders): (&[Source], &[PathBuf]),
) -> Result<()> {
    let mut guard = Guard::reading(args.inputs.iter().chain(&args.model));
    sources.iter().for_each(|source| guard.reads(&source.path));
    folders.iter().for_each(|folder| guard.reads(folder));
    if let Some(out) = args.target() {
        match (format.layout, args.explain.is_some()) {
            (Layout::Folder, false) => guard.folder("--out", out, args.resume)?,
            _ => guard.file("--out", out, args.resume)?,
        }
    }
    side.map_or(Ok(()), |path| guard.file("--low-out", path, args.resume))
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
pub(crate) fn warn_of_left_out(left_out: &[PathBuf], skipped: &BTreeMap<String, u64>) {
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

/// Whether the inputs may have several pages.
pub(super) fn may_be_several(sources: &[Source]) -> bool {
    !matches!(sources, [source] if matches!(source.reader.name, "html" | "mhtml"))
}

/// Warns of pages with equal ids, which the output cannot distinguish.
pub(crate) fn warn_of_equal_ids(sources: &[Source]) {
    let pages = sources.iter().filter(|s| matches!(s.reader.name, "html" | "mhtml"));
    let mut ids: Vec<String> = pages.map(|s| s.named(RawPage::at(&s.path)).id).collect();
    ids.sort_unstable();
    if let Some(twice) = ids.windows(2).find(|w| w[0] == w[1]) {
        remark(&format!("several pages have the id `{}`", twice[0]));
    }
}

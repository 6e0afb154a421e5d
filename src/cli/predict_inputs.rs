//! What `threshr predict` does not take for its inputs, and what it says of them.

use crate::cli::remark;
use std::path::{Path, PathBuf};
use threshr_core::{Error, Result};
use threshr_io::RawPage;
use threshr_io::readers::Source;

/// No file that is read may be written: neither pages, lists and models, nor by the names that an output has on its way.
pub fn refuse_input_as_output(out: &Path, others: &[&PathBuf], sources: &[Source]) -> Result<()> {
    let with = |ending: &str| {
        let mut path = out.as_os_str().to_owned();
        path.push(ending);
        PathBuf::from(path).canonicalize().ok().filter(|path| path.is_file())
    };
    let written: Vec<PathBuf> = ["", ".part", ".journal"].into_iter().filter_map(with).collect();
    let mut read = sources.iter().map(|s| &s.path).chain(others.iter().copied());
    let is_written = |path: &PathBuf| path.canonicalize().is_ok_and(|p| written.contains(&p));
    match read.find(|path| is_written(path)) {
        Some(path) => Err(Error::recipe("the output would replace what is read").at_path(path)),
        None => Ok(()),
    }
}

/// Standard input cannot be read twice.
pub fn refuse_stdin(option: &str, sources: &[Source]) -> Result<()> {
    if sources.iter().any(|s| s.path.as_os_str() == "-") {
        let expected = format!("files, for {option}");
        return Err(Error::recipe("standard input cannot be read again").expected(expected));
    }
    Ok(())
}

/// Says which crawls lie in folders that were named: they are not read.
pub fn warn_of_left_out(left_out: &[PathBuf]) {
    let Some((first, more)) = left_out.split_first() else { return };
    let more = if more.is_empty() { String::new() } else { format!(" and {} more", more.len()) };
    remark(&format!(
        "a crawl in a folder is read where it is named alone: {}{more} left out",
        first.display()
    ));
}

/// Pages of one id, such as those of a file that is named twice, cannot be told apart in the output.
pub fn warn_of_equal_ids(sources: &[Source]) {
    let pages = sources.iter().filter(|s| s.reader.name == "html");
    let mut ids: Vec<String> = pages.map(|s| s.named(RawPage::at(&s.path)).id).collect();
    ids.sort_unstable();
    if let Some(twice) = ids.windows(2).find(|w| w[0] == w[1]) {
        remark(&format!("several pages have the id `{}`", twice[0]));
    }
}

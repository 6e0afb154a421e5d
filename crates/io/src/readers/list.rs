//! Lists of files.

use crate::readers::{Reader, stream};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use threshr_core::{Error, Result};

/// A path per line, as `find` prints it. Relative paths start at the working folder.
pub(super) static READER: Reader = Reader {
    name: "list",
    summary: "a path per line: files, folders or crawls",
    endings: &["list", "paths"],
    // `sources` replaces lists by their entries before anything is opened.
    open: |path, _, _| Err(Error::data("a list contains paths, not pages").at_path(path)),
};

/// The paths of a list, up to the first error. Empty lines are skipped.
pub(crate) fn paths(list: &Path, failures: &mut Vec<Error>) -> Vec<PathBuf> {
    let mut paths = Vec::new();
    let mut read = || -> Result<()> {
        let lines = BufReader::new(stream::decoded(list, &Default::default())?).split(b'\n');
        for (line, number) in lines.zip(1..) {
            let line = line.map_err(|e| Error::io(list, e).at_line(number))?;
            // A path that is not UTF-8 becomes one that does not exist, which is reported.
            let line = String::from_utf8_lossy(&line);
            let line = line.trim_start_matches('\u{feff}').trim_end_matches('\r');
            if !line.is_empty() {
                paths.push(PathBuf::from(line));
            }
        }
        Ok(())
    };
    let read = read();
    let is_empty = read.is_ok() && paths.is_empty();
    failures.extend(read.err());
    failures
        .extend(is_empty.then(|| Error::data("the list is empty").expected("a path per line").at_path(list)));
    paths
}

//! Files that list paths.

use crate::json::without_mark;
use crate::names::path_of_bytes;
use crate::readers::{Reader, stream};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use threshr_core::{Error, Result};

/// Reader for one path per line, as `find` prints them. Relative paths start at the working folder.
pub(super) static READER: Reader = Reader {
    name: "list",
    summary: "one path per line: files, folders or crawls",
    extensions: &["list", "paths"],
    // `sources` replaces lists by their entries before it opens a reader.
    open: |path, _, _| Err(Error::data("a list contains paths, not pages").at_path(path)),
};

/// Returns the paths of a list up to the first error. Skips empty lines.
pub(crate) fn paths(list: &Path, failures: &mut Vec<Error>) -> Vec<PathBuf> {
    let mut paths = Vec::new();
    let mut read = || -> Result<()> {
        let lines = BufReader::new(stream::decoded(list, &Default::default())?).split(b'\n');
        for (line, number) in lines.zip(1..) {
            let line = line.map_err(|e| Error::io(list, e).at_line(number))?;
            let line = without_mark(&line);
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            if !line.is_empty() {
                paths.push(path_of_bytes(line.to_vec()));
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

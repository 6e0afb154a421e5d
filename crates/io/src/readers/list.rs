//! Lists of files.

use crate::readers::{Reader, stream};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use threshr_core::{Error, Result};

/// A path a line, as `find` writes them; relative ones from the working folder.
pub static READER: Reader = Reader {
    name: "list",
    summary: "a path a line: files, folders or crawls",
    endings: &["list", "paths"],
    // what is listed takes the list's place before anything is opened
    open: |path, _, _| Err(Error::data("a list holds no pages itself").at_path(path)),
};

/// The paths of a list, as far as it can be read; empty lines are left out.
pub(crate) fn paths(list: &Path, failures: &mut Vec<Error>) -> Vec<PathBuf> {
    let mut paths = Vec::new();
    let mut read = || -> Result<()> {
        let lines = BufReader::new(stream::decoded(list, &Default::default())?).split(b'\n');
        for (line, number) in lines.zip(1..) {
            let line = line.map_err(|e| Error::io(list, e).at_line(number))?;
            // a name that is no UTF-8 will be one that is not there
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
    failures.extend(
        is_empty.then(|| Error::data("the list names no file").expected("a path a line").at_path(list)),
    );
    paths
}

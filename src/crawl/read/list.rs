//! Lists of files.

use super::{Reader, stream};
use crate::error::{Error, Result};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

/// A path a line, as `find` writes them; relative ones from the working folder.
pub static READER: Reader = Reader {
    name: "list",
    summary: "a path a line: files, folders or crawls",
    endings: &["list", "paths"],
    // what is listed takes the list's place before anything is opened
    open: |path, _, _| Err(Error::data("a list holds no pages itself").at_path(path)),
};

/// The paths of a list; empty lines are left out.
pub(super) fn paths(list: &Path) -> Result<Vec<PathBuf>> {
    let lines = BufReader::new(stream::decoded(list, &Default::default())?).lines();
    let mut paths = Vec::new();
    for (line, number) in lines.zip(1..) {
        let line = line.map_err(|e| Error::io(list, e).at_line(number))?;
        let line = line.trim_start_matches('\u{feff}').trim_end_matches('\r');
        if !line.is_empty() {
            paths.push(PathBuf::from(line));
        }
    }
    Ok(paths)
}

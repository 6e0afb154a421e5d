//! Files that list paths.

use crate::json::without_mark;
use crate::names::path_of_bytes;
use crate::readers::{Reader, stream};
use crate::sniff::is_address;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use threshr_core::{Error, Result};

/// Reader for one path per line, as `find` prints them. Relative paths start at the working folder.
pub(super) static READER: Reader = Reader {
    name: "list",
    summary: "one path per line: files, folders or crawls",
    extensions: &["list", "paths"],
    // `readers::sources` replaces a list by its entries, so no reader is opened for the list itself.
    open: |input| Err(Error::data("a list contains paths, not pages").at_path(input.path)),
};

/// Returns the paths of a list up to the first error. Skips empty lines. Reports all URLs in the list as one
/// failure.
pub(crate) fn paths(list: &Path, failures: &mut Vec<Error>) -> Vec<PathBuf> {
    let (mut paths, mut num_addresses, mut address) = (Vec::new(), 0, None);
    let mut read = || -> Result<()> {
        let lines = BufReader::new(stream::decoded(list, &Default::default())?).split(b'\n');
        for (line, number) in lines.zip(1..) {
            let line = line.map_err(|e| Error::io(list, e).at_line(number))?;
            let line = without_mark(&line);
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            if let Some(text) = std::str::from_utf8(line).ok().map(str::trim).filter(|text| is_address(text))
            {
                num_addresses += 1;
                address.get_or_insert_with(|| (number, text.to_owned()));
            } else if !line.is_empty() {
                paths.push(path_of_bytes(line.to_vec()));
            }
        }
        Ok(())
    };
    let read = read();
    let is_empty = read.is_ok() && paths.is_empty() && address.is_none();
    if let Some((line, address)) = address {
        let error = match num_addresses {
            1 => Error::data(format!("the list has an address, {address}")),
            num => Error::data(format!("the list has {num} addresses, such as {address}")),
        };
        failures.push(
            error
                .expected("paths of files; `wget -i LIST -P pages` or `threshr-render ADDRESS… --out pages` saves the pages")
                .at_path(list)
                .at_line(line),
        );
    }
    failures.extend(read.err());
    failures
        .extend(is_empty.then(|| Error::data("the list is empty").expected("a path per line").at_path(list)));
    paths
}

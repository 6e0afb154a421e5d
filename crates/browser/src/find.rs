//! Finds an installed Chromium.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use threshr_core::{Error, Result};

/// Usual names of the program, tried in order in the folders of `$PATH`. The headless shell has no windows, and takes
/// half the time of the whole browser for a page.
const NAMES: [&str; 6] = [
    "chromium-headless-shell",
    "chrome-headless-shell",
    "chromium",
    "chromium-browser",
    "google-chrome-stable",
    "google-chrome",
];

/// Usual places outside of `$PATH`.
const PLACES: [&str; 2] = [
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
];

/// The program at `given`, else the one that `$CHROMIUM` names, else one of a usual name.
///
/// # Errors
/// If there is no such program.
pub fn find(given: Option<&Path>) -> Result<PathBuf> {
    let variable = std::env::var_os("CHROMIUM").filter(|v| !v.is_empty()).map(PathBuf::from);
    let path = std::env::var_os("PATH").unwrap_or_default();
    let (what, named) = match (given, &variable) {
        (Some(given), _) => ("--chromium", given),
        (None, Some(variable)) => ("$CHROMIUM", variable.as_path()),
        (None, None) => {
            let usual = NAMES.iter().find_map(|name| in_path(OsStr::new(name), &path));
            let place = || PLACES.iter().map(PathBuf::from).find(|p| p.is_file());
            return usual.or_else(place).ok_or_else(|| {
                Error::recipe("no Chromium is installed")
                    .expected("an installed Chromium or Chrome; --chromium or $CHROMIUM names its program")
            });
        }
    };
    let found = if named.components().count() == 1 { in_path(named.as_os_str(), &path) } else { None };
    found.or_else(|| named.is_file().then(|| named.to_path_buf())).ok_or_else(|| {
        Error::recipe(format!("{what} names no file")).expected("the program of Chromium").at_path(named)
    })
}

/// The file with a name in the folders of `$PATH`.
fn in_path(name: &OsStr, path: &OsStr) -> Option<PathBuf> {
    std::env::split_paths(path).map(|dir| dir.join(name)).find(|p| p.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_program_is_an_error() {
        let error = find(Some(Path::new("no/such/chromium"))).expect_err("there is none").to_string();
        assert!(error.contains("--chromium names no file"), "{error}");
        let dir = tempfile::tempdir().expect("a folder");
        let program = dir.path().join("chromium");
        std::fs::write(&program, "").expect("written");
        assert_eq!(find(Some(&program)).expect("found"), program);
        assert_eq!(in_path(OsStr::new("chromium"), dir.path().as_os_str()), Some(program));
    }
}

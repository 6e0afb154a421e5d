//! Resolves page paths in a set. The resolved paths are always inside the folder of the set.

use std::path::{Path, PathBuf};
use threshr_core::{Error, Result};
use threshr_io::names;

/// Returns the file at a relative path inside the folder of a set. Path components are separated by `/`, or
/// by `\` as on Windows. Names that are not UTF-8 are given in the format of [`names::text_of`].
///
/// # Errors
/// If the path is absolute, or leads outside the folder.
pub(super) fn inside(dir: &Path, stated: &str) -> Result<PathBuf> {
    let path = Path::new(stated);
    if path.is_absolute() || is_windows_absolute(stated) || parts(stated).any(|part| part == "..") {
        return Err(Error::data(format!("`{stated}` is outside the folder of the set"))
            .expected("a path inside the folder"));
    }
    let as_written = dir.join(path);
    let bytes = dir.join(names::path_of(stated));
    // on some systems, a file name may contain `\`
    let written = [as_written, bytes].into_iter().find(|path| path.is_file());
    Ok(written.unwrap_or_else(|| dir.join(parts(stated).map(names::path_of).collect::<PathBuf>())))
}

/// Finds the file for a path that may come from another computer. The longest suffix of the path that exists in the
/// folder is used: for `C:\data\pages\1.html`, first `data/pages/1.html`, then `pages/1.html`, then `1.html`.
///
/// # Errors
/// If there is no such file.
pub(super) fn nearest(dir: &Path, stated: &str) -> Result<PathBuf> {
    let as_written = dir.join(stated.trim());
    let inner: Vec<&str> = inner(stated).collect();
    let is_own = |path: &Path| {
        let (path, dir) = (path.canonicalize(), dir.canonicalize());
        path.is_ok_and(|p| p.is_file() && dir.is_ok_and(|d| p.starts_with(d)))
    };
    if is_own(&as_written) {
        return Ok(as_written);
    }
    let ends = (0..inner.len()).map(|skipped| dir.join(inner[skipped..].iter().collect::<PathBuf>()));
    ends.into_iter().find(|path| is_own(path)).ok_or_else(|| {
        Error::data(format!("there is no file `{}`", stated.trim()))
            .expected(format!("a file in {} or below it", dir.display()))
    })
}

/// Returns the path below the folder, whether or not the file exists. `..` components are removed.
pub(super) fn below(dir: &Path, stated: &str) -> PathBuf {
    dir.join(inner(stated).collect::<PathBuf>())
}

/// Returns the components of a path without `..`.
fn inner(path: &str) -> impl Iterator<Item = &str> {
    parts(path.trim()).filter(|part| *part != "..")
}

/// Returns the components of a path without a drive letter.
fn parts(path: &str) -> impl Iterator<Item = &str> {
    path.split(['/', '\\']).filter(|part| !part.is_empty() && *part != "." && !is_drive(part))
}

fn is_drive(part: &str) -> bool {
    matches!(part.as_bytes(), [letter, b':'] if letter.is_ascii_alphabetic())
}

fn is_windows_absolute(path: &str) -> bool {
    path.starts_with('\\') || matches!(path.as_bytes(), [letter, b':', ..] if letter.is_ascii_alphabetic())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_stay_in_the_folder() {
        let dir = tempfile::tempdir().expect("a folder");
        let dir = dir.path();
        std::fs::create_dir(dir.join("pages")).expect("made");
        std::fs::write(dir.join("pages/1.html"), "x").expect("written");
        let page = dir.join("pages/1.html");
        for stated in ["pages/1.html", "pages\\1.html", "./pages/1.html", ".\\pages\\1.html"] {
            assert_eq!(inside(dir, stated).expect(stated).canonicalize().ok(), page.canonicalize().ok());
            assert!(nearest(dir, stated).expect(stated).is_file(), "{stated}");
        }
        for stated in ["../x", "a\\..\\..\\x", "/etc/passwd", "C:\\x", "\\\\server\\x"] {
            assert!(inside(dir, stated).is_err(), "{stated}");
        }
        for stated in ["C:\\data\\pages\\1.html", "/home/a/pages/1.html", "../pages/1.html", "1.html"] {
            let found = nearest(dir, stated).ok().map(|p| p.ends_with("pages/1.html"));
            assert_eq!(found, (stated != "1.html").then_some(true), "{stated}");
        }
        for stated in ["../../x", "/x", "a\\..\\..\\x", "C:\\x"] {
            assert!(below(dir, stated).starts_with(dir) && !below(dir, stated).ends_with(".."), "{stated}");
        }
        assert_eq!(below(dir, "../../x"), dir.join("x"));
        assert!(nearest(dir, "/etc/passwd").is_err() && nearest(dir, "").is_err());
    }
}

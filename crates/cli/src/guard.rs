//! Checks of output paths.
//!
//! All outputs obey the same rules. An existing output is replaced only with `--force`. An output is never
//! an input, and never inside a folder that is read. All commands check all their outputs here before they
//! read a page.

use crate::is_forced;
use std::path::{Component, Path, PathBuf};
use threshr_core::{Error, Result};
use threshr_sets::gold::DataSet;

/// Suffixes of the files that are written for an output: the output itself, and the files next to it while
/// it is incomplete.
const SUFFIXES: [&str; 3] = ["", ".part", ".journal"];

/// The inputs of a command, and the outputs that were already checked.
#[derive(Debug, Default)]
pub(super) struct Guard {
    files: Vec<PathBuf>,
    /// Resolved paths of folders.
    folders: Vec<PathBuf>,
    /// Option and resolved path of each checked output.
    outputs: Vec<(&'static str, PathBuf)>,
}

impl Guard {
    /// Creates a guard for a command that reads these files and folders.
    pub(super) fn reading<'a>(paths: impl IntoIterator<Item = &'a PathBuf>) -> Guard {
        let mut guard = Guard::default();
        paths.into_iter().for_each(|path| guard.reads(path));
        guard
    }

    /// Adds a file or folder that is read.
    pub(super) fn reads(&mut self, path: &Path) {
        match path.is_dir() {
            true => self.folders.push(resolve(path)),
            false => self.files.push(path.to_path_buf()),
        }
    }

    /// Adds annotated sets. The pages of a set may be outside the folder of the set.
    pub(super) fn reads_sets(&mut self, sets: &[DataSet]) {
        for set in sets {
            self.reads(&set.path);
            let pages = set.pages.iter().filter_map(|page| page.own_file());
            self.files.extend(pages.map(Path::to_path_buf));
        }
    }

    /// Checks an output file. If `is_continued` is true, the command continues an existing file.
    ///
    /// # Errors
    /// If the file is an input or another output, is inside an input, is a folder, or exists and `--force`
    /// is not given.
    pub(super) fn file(&mut self, option: &'static str, path: &Path, is_continued: bool) -> Result<()> {
        let existing = std::fs::metadata(path).ok();
        let is_special = existing.as_ref().is_some_and(|m| !m.is_file() && !m.is_dir());
        if path.as_os_str() == "-" || is_special {
            return Ok(());
        }
        if path.is_dir() {
            return Err(Error::io(path, std::io::ErrorKind::IsADirectory.into())
                .expected(format!("a file for {option}")));
        }
        for suffix in SUFFIXES {
            let mut written = path.as_os_str().to_owned();
            written.push(suffix);
            // A new file cannot be an input. This check saves the comparison with possibly millions of
            // inputs.
            let Some(written) = identity(Path::new(&written)) else { continue };
            let is_it = |read: &PathBuf| identity(read).as_ref() == Some(&written);
            if self.files.iter().any(is_it) || self.folders.iter().any(|folder| holds(folder, &is_it)) {
                return Err(Error::invalid_option(format!("{option} would replace an input"))
                    .expected("another file")
                    .at_path(path));
            }
        }
        self.add(option, path)?;
        check_existing(option, path, existing.is_none() || is_continued, "file")
    }

    /// Checks an output folder. If `is_continued` is true, the command adds files to an existing folder.
    ///
    /// # Errors
    /// If the folder is a file or another output, is inside an input, or is not empty and `--force` is not
    /// given.
    pub(super) fn folder(&mut self, option: &'static str, path: &Path, is_continued: bool) -> Result<()> {
        if path.exists() && !path.is_dir() {
            return Err(Error::invalid_option(format!("{option} is a file"))
                .expected("a folder for the results")
                .at_path(path));
        }
        self.add(option, path)?;
        let is_empty = std::fs::read_dir(path).map_or(true, |mut entries| entries.next().is_none());
        check_existing(option, path, is_empty || is_continued, "folder")
    }

    /// Adds an output. Rejects it if it is another output or is inside an input.
    fn add(&mut self, option: &'static str, path: &Path) -> Result<()> {
        let resolved = resolve(path);
        if let Some((other, _)) = self.outputs.iter().find(|(_, other)| *other == resolved) {
            return Err(Error::invalid_option(format!("{other} and {option} are the same file"))
                .expected("two files")
                .at_path(path));
        }
        if let Some(read) = self.folders.iter().find(|read| resolved.starts_with(read)) {
            let what =
                format!("{option} is inside the input {}; writing it would change the input", read.display());
            return Err(Error::invalid_option(what).expected("a path outside of the inputs").at_path(path));
        }
        self.outputs.push((option, resolved));
        Ok(())
    }
}

fn check_existing(option: &str, path: &Path, is_free: bool, kind: &str) -> Result<()> {
    if is_free || is_forced() {
        return Ok(());
    }
    Err(Error::invalid_option(format!("{option}: the {kind} exists"))
        .expected(format!("another {kind}, or --force to replace it"))
        .at_path(path))
}

/// Returns whether `is_it` is true for any file below a folder.
fn holds(folder: &Path, is_it: &dyn Fn(&PathBuf) -> bool) -> bool {
    let mut entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries.any(|entry| match entry.file_type().is_ok_and(|kind| kind.is_dir()) {
        true => holds(&entry.path(), is_it),
        false => is_it(&entry.path()),
    })
}

/// Returns the absolute path without symbolic links and `..`. Components that do not exist yet are kept
/// unchanged.
fn resolve(path: &Path) -> PathBuf {
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
    let mut resolved = PathBuf::new();
    for part in absolute.components() {
        if part == Component::ParentDir {
            resolved.pop();
        } else {
            resolved.push(part);
            resolved = resolved.canonicalize().unwrap_or(resolved);
        }
    }
    resolved
}

/// Returns device and inode of an existing file. They are the same under all names of the file.
#[cfg(unix)]
fn identity(path: &Path) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;
    std::fs::metadata(path).ok().map(|m| (m.dev(), m.ino()))
}

/// Returns the path of an existing file without symbolic links. Hard links are not detected.
#[cfg(not(unix))]
fn identity(path: &Path) -> Option<PathBuf> {
    path.canonicalize().ok()
}

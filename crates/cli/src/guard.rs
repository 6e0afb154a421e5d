//! Where commands may write.
//!
//! One rule for all outputs: an existing one is replaced only with `--force`, none is an input, and none lies in a
//! folder that is read. All commands check all of their outputs here before they read a page.

use crate::is_forced;
use std::path::{Component, Path, PathBuf};
use threshr_core::{Error, Result};
use threshr_io::gold::DataSet;

/// Suffixes of the files that are written for an output: itself, and what is beside it until it is complete.
const SUFFIXES: [&str; 3] = ["", ".part", ".journal"];

/// What a command reads, and the outputs that it has checked.
#[derive(Debug, Default)]
pub(super) struct Guard {
    files: Vec<PathBuf>,
    /// Resolved.
    folders: Vec<PathBuf>,
    /// The option and the resolved path of each.
    outputs: Vec<(&'static str, PathBuf)>,
}

impl Guard {
    /// A command that reads these files and folders.
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

    /// Adds annotated sets. The pages of a set may lie outside of its folder.
    pub(super) fn reads_sets(&mut self, sets: &[DataSet]) {
        for set in sets {
            self.reads(&set.path);
            let pages = set.pages.iter().filter_map(|page| page.own_file());
            self.files.extend(pages.map(Path::to_path_buf));
        }
    }

    /// Checks an output file. If it `is_continued`, the command goes on with an existing file, such as a cache.
    ///
    /// # Errors
    /// If it is an input or another output, lies in an input, is a folder, or exists and `--force` is not given.
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
            // a new file is none of the inputs, of which there may be millions
            let Some(written) = identity(Path::new(&written)) else { continue };
            let is_it = |read: &PathBuf| identity(read).as_ref() == Some(&written);
            if self.files.iter().any(is_it) || self.folders.iter().any(|folder| holds(folder, &is_it)) {
                return Err(Error::recipe(format!("{option} would replace an input"))
                    .expected("another file")
                    .at_path(path));
            }
        }
        self.add(option, path)?;
        check_existing(option, path, existing.is_none() || is_continued, "file")
    }

    /// Checks an output folder. If it `is_continued`, the command adds files to an existing folder.
    ///
    /// # Errors
    /// If it is a file or another output, lies in an input, or has files in it and `--force` is not given.
    pub(super) fn folder(&mut self, option: &'static str, path: &Path, is_continued: bool) -> Result<()> {
        if path.exists() && !path.is_dir() {
            return Err(Error::recipe(format!("{option} is a file"))
                .expected("a folder for the results")
                .at_path(path));
        }
        self.add(option, path)?;
        let is_empty = std::fs::read_dir(path).map_or(true, |mut entries| entries.next().is_none());
        check_existing(option, path, is_empty || is_continued, "folder")
    }

    /// Adds an output that is no other output and lies in no input.
    fn add(&mut self, option: &'static str, path: &Path) -> Result<()> {
        let resolved = resolve(path);
        if let Some((other, _)) = self.outputs.iter().find(|(_, other)| *other == resolved) {
            return Err(Error::recipe(format!("{other} and {option} are the same file"))
                .expected("two files")
                .at_path(path));
        }
        if let Some(read) = self.folders.iter().find(|read| resolved.starts_with(read)) {
            let what =
                format!("{option} lies in an input, {}, and would change what is read", read.display());
            return Err(Error::recipe(what).expected("a path outside of it").at_path(path));
        }
        self.outputs.push((option, resolved));
        Ok(())
    }
}

fn check_existing(option: &str, path: &Path, is_free: bool, kind: &str) -> Result<()> {
    if is_free || is_forced() {
        return Ok(());
    }
    Err(Error::recipe(format!("{option}: the {kind} exists"))
        .expected(format!("another {kind}, or --force to replace it"))
        .at_path(path))
}

/// Whether a file below a folder is the one that is looked for.
fn holds(folder: &Path, is_it: &dyn Fn(&PathBuf) -> bool) -> bool {
    let mut entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries.any(|entry| match entry.file_type().is_ok_and(|kind| kind.is_dir()) {
        true => holds(&entry.path(), is_it),
        false => is_it(&entry.path()),
    })
}

/// The absolute path without links and relative parts. Parts that do not exist yet are taken as they are.
pub(super) fn resolve(path: &Path) -> PathBuf {
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

/// What all names of an existing file share.
#[cfg(unix)]
fn identity(path: &Path) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;
    std::fs::metadata(path).ok().map(|m| (m.dev(), m.ino()))
}

/// The path of an existing file without links. Hard links are not recognised.
#[cfg(not(unix))]
fn identity(path: &Path) -> Option<PathBuf> {
    path.canonicalize().ok()
}

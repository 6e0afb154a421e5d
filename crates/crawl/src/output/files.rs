//! `OUT.part`: an unfinished output.

use crate::output::journal::{GroupLine, Journal};
use crate::output::{Reuse, record};
use std::collections::{HashMap, HashSet};
use std::fs::{File, OpenOptions};
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use threshr_core::Setting;
use threshr_core::{Error, Result};
use threshr_io::atomic;
use threshr_io::names::file_name;
use threshr_output::formats::Entry;

/// An unfinished output and its journal.
pub(crate) struct Part {
    target: PathBuf,
    /// Path of `OUT.part`, which is a file or a folder.
    pub path: PathBuf,
    journal_path: PathBuf,
    /// The open file. `None` if the output is a folder.
    file: Option<File>,
    pub journal: Journal,
    /// For outputs to a folder: the last number that was appended to each file name.
    numbers: HashMap<String, u64>,
    settings: serde_json::Value,
    is_finished: bool,
}

/// Appends `.suffix` to the file name in `path`.
pub(crate) fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".");
    name.push(suffix);
    PathBuf::from(name)
}

impl Part {
    pub(super) fn open(
        target: &Path,
        is_folder: bool,
        reuse: Reuse,
        settings: &serde_json::Value,
    ) -> Result<Part> {
        let (path, journal_path) = (with_suffix(target, "part"), with_suffix(target, "journal"));
        check_target(target, is_folder)?;
        check_foreign_files(&path, &journal_path, &record::path(target))?;
        let is_resumable = path.exists() && Journal::has_groups(&journal_path);
        let mut journal = match reuse {
            Reuse::Fresh if is_resumable => {
                return Err(Error::invalid_option("there is an unfinished run")
                    .expected("to resume the run, or to remove this file and start a new run")
                    .with_setting(Setting::Resume)
                    .at_path(&path));
            }
            Reuse::Resume if is_resumable => Journal::open(&journal_path, settings)?,
            // The output has no complete group yet.
            _ => Journal::start_over(&journal_path, settings)?,
        };
        if journal.groups.is_empty() {
            atomic::register_unfinished(&path);
            atomic::register_unfinished(&journal_path);
        } else {
            atomic::register_resumable(target);
        }
        let failed = |e| Error::io(&path, e);
        let file = if is_folder {
            std::fs::create_dir_all(&path).map_err(failed)?;
            for name in std::mem::take(&mut journal.leftovers) {
                remove(&path.join(name))?;
            }
            None
        } else {
            let file =
                OpenOptions::new().write(true).create(true).truncate(false).open(&path).map_err(failed)?;
            Some(file)
        };
        let (target, numbers) = (target.to_path_buf(), HashMap::new());
        let settings = settings.clone();
        let mut part =
            Part { target, path, journal_path, file, journal, numbers, settings, is_finished: false };
        part.truncate_to_groups()?;
        Ok(part)
    }

    /// Truncates the file after the last complete group of records (see [`Journal`]) and seeks to its end. If
    /// the file is shorter than the journal states, only groups that are completely in the file are kept.
    fn truncate_to_groups(&mut self) -> Result<()> {
        let Some(file) = &mut self.file else { return Ok(()) };
        let failed = |e| Error::io(&self.path, e);
        let there = file.metadata().map_err(failed)?.len();
        if there < self.journal.num_bytes() {
            self.journal.fall_back(there)?;
        }
        let length = self.journal.num_bytes();
        file.set_len(length).map_err(failed)?;
        file.seek(SeekFrom::Start(length)).map(drop).map_err(failed)
    }

    pub(super) fn write(&mut self, bytes: &[u8]) -> Result<()> {
        let Some(file) = &mut self.file else { return Ok(()) };
        file.write_all(bytes).map_err(|e| Error::io(&self.path, e))
    }

    pub(super) fn sync(&mut self) -> Result<()> {
        let Some(file) = &mut self.file else { return Ok(()) };
        file.sync_data().map_err(|e| Error::io(&self.path, e))
    }

    /// Records a complete group in the journal.
    pub(super) fn done(&mut self, group: GroupLine) -> Result<()> {
        self.journal.done(group)?;
        // After the first complete group, another run can resume.
        atomic::unregister_unfinished(&self.path);
        atomic::unregister_unfinished(&self.journal_path);
        atomic::register_resumable(&self.target);
        Ok(())
    }

    /// Writes files to the output folder. The files are on disk before the journal records their group. If
    /// an id occurs several times, a number is appended.
    pub(super) fn write_files(
        &mut self,
        entries: Vec<Entry>,
        line: impl FnOnce(u64) -> GroupLine,
    ) -> Result<()> {
        let mut names: Vec<String> = Vec::new();
        let mut taken: HashSet<String> = HashSet::new();
        for entry in &entries {
            let Entry::File { id, .. } = entry else { continue };
            let id = file_name(id);
            // Stores the last number, because a search from 1 would be slow if thousands of pages have the
            // same id.
            let number = self.numbers.entry(id.clone()).or_insert(0);
            let name = loop {
                *number += 1;
                let name = if *number == 1 { format!("{id}.txt") } else { format!("{id}-{number}.txt") };
                if !taken.contains(&name) && !self.path.join(&name).exists() {
                    break name;
                }
            };
            taken.insert(name.clone());
            names.push(name);
        }
        self.journal.writing(names.clone())?;
        let texts = entries.iter().filter_map(|entry| match entry {
            Entry::File { text, .. } => Some(text),
            _ => None,
        });
        let (mut num_bytes, mut paths) = (0, Vec::new());
        for (text, name) in texts.zip(names) {
            let path = self.path.join(name);
            std::fs::write(&path, text).map_err(|e| Error::io(&path, e))?;
            num_bytes += text.len() as u64;
            paths.push(path);
        }
        // All files are written before the first one is synced, so that the system can write them to disk
        // together.
        let sync = |path: &Path| OpenOptions::new().append(true).open(path).and_then(|file| file.sync_data());
        paths.iter().try_for_each(|path| sync(path).map_err(|e| Error::io(path, e)))?;
        sync_folder(&self.path)?;
        self.done(line(num_bytes))
    }

    /// Renames the output to its target. If `is_recorded` is true, keeps a record of the settings.
    pub(super) fn finish(mut self, is_recorded: bool) -> Result<()> {
        self.is_finished = true;
        let failed = |e| Error::io(&self.target, e);
        if let Some(file) = &self.file {
            if let Ok(existing) = std::fs::metadata(&self.target) {
                // If this fails, the file keeps the permissions of a new file.
                let _ = file.set_permissions(existing.permissions());
            }
            file.sync_all().map_err(failed)?;
        } else if self.target.is_dir() {
            // `check_target` verified that the folder is empty.
            std::fs::remove_dir(&self.target).map_err(failed)?;
        }
        // The record is written first, because an output without a record could not be checked.
        match is_recorded {
            true => record::write(&self.target, &self.path, &self.settings)?,
            false => remove(&record::path(&self.target))?,
        }
        std::fs::rename(&self.path, &self.target).map_err(failed)?;
        atomic::unregister_unfinished(&self.path);
        remove(&self.journal_path)?;
        atomic::unregister_unfinished(&self.journal_path);
        atomic::unregister_resumable(&self.target);
        Ok(())
    }

    /// Removes an unfinished output without a complete group.
    pub(super) fn abandon(&mut self) {
        if self.is_finished || !self.journal.groups.is_empty() {
            return;
        }
        // Files that cannot be removed here are removed by the next run.
        let _ = if self.file.is_some() {
            std::fs::remove_file(&self.path)
        } else {
            std::fs::remove_dir_all(&self.path)
        };
        let _ = std::fs::remove_file(&self.journal_path);
        atomic::unregister_unfinished(&self.path);
        atomic::unregister_unfinished(&self.journal_path);
    }
}

/// Syncs the file names in a folder to disk. Does nothing on Windows, where folders cannot be opened as
/// files.
fn sync_folder(path: &Path) -> Result<()> {
    if cfg!(windows) {
        return Ok(());
    }
    File::open(path).and_then(|folder| folder.sync_all()).map_err(|e| Error::io(path, e))
}

/// Rejects existing files with these names if they are not from an earlier run. A run creates the journal before the
/// output, and removes the journal after the output is renamed. A record begins like a journal.
fn check_foreign_files(part: &Path, journal: &Path, record: &Path) -> Result<()> {
    let foreign = match (part.exists(), journal.exists()) {
        (_, true) if !Journal::is_journal(journal) => journal,
        (true, false) => part,
        _ if record.exists() && !Journal::is_journal(record) => record,
        _ => return Ok(()),
    };
    Err(Error::invalid_option("a file with this name exists and is not from an unfinished run")
        .expected("another output path, or to move the file")
        .with_setting(Setting::Output)
        .at_path(foreign))
}

/// Checks that the target can be replaced by an output of this type.
fn check_target(target: &Path, is_folder: bool) -> Result<()> {
    match std::fs::metadata(target) {
        Ok(m) if m.is_dir() && !is_folder => Err(Error::io(target, std::io::ErrorKind::IsADirectory.into())
            .expected("a file, or a format that writes a folder")
            .with_setting(Setting::FolderLayout)),
        Ok(m) if !m.is_dir() && is_folder => Err(Error::invalid_option("this is a file")
            .expected("a folder that is empty or does not exist")
            .at_path(target)),
        Ok(_) if is_folder && std::fs::read_dir(target).is_ok_and(|mut d| d.next().is_some()) => {
            Err(Error::invalid_option("the folder is not empty")
                .expected("a folder that is empty or does not exist")
                .at_path(target))
        }
        Ok(_) => Ok(()),
        Err(_) => match target.parent().filter(|p| !p.as_os_str().is_empty()) {
            Some(parent) => std::fs::metadata(parent)
                .map(drop)
                .map_err(|e| Error::io(parent, e).expected("an existing folder")),
            None => Ok(()),
        },
    }
}

/// Removes a file, if it exists.
fn remove(path: &Path) -> Result<()> {
    match std::fs::remove_file(path) {
        Err(e) if e.kind() != std::io::ErrorKind::NotFound => Err(Error::io(path, e)),
        _ => Ok(()),
    }
}

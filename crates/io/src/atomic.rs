//! Files that are there whole or not at all.

use std::fs::{File, TryLockError};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use tempfile::NamedTempFile;
use threshr_core::{Error, Result};

/// Files being written, so that an interrupted program can remove them.
static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());
/// Outputs on their way that another run can go on with.
static RESUMABLE: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// How temporary files are called.
const PREFIX: &str = ".threshr-";
const SUFFIX: &str = ".tmp";

/// Removes what killed programs left of files in a folder that is this program's alone. What cannot be removed stays.
pub fn remove_leftovers(dir: &Path) {
    for entry in std::fs::read_dir(dir).into_iter().flatten().flatten() {
        let name = entry.file_name();
        if name.to_str().is_some_and(|n| n.starts_with(PREFIX) && n.ends_with(SUFFIX)) {
            let _ = std::fs::remove_file(entry.path());
        }
    }
}

/// Locks a folder as long as the result is kept; none where the system cannot lock folders.
///
/// # Errors
/// Where another program has it locked.
pub fn lock_folder(dir: &Path) -> Result<Option<File>> {
    let Ok(file) = File::open(dir) else { return Ok(None) };
    match file.try_lock() {
        Ok(()) => Ok(Some(file)),
        Err(TryLockError::WouldBlock) => Err(Error::data("another run is at work in this folder")
            .at_path(dir)
            .expected("another folder, or to wait until that run has ended")),
        Err(TryLockError::Error(_)) => Ok(None),
    }
}

/// A file that appears under its name only when [`AtomicFile::finish`] is called.
#[derive(Debug)]
pub struct AtomicFile {
    path: PathBuf,
    file: Option<Target>,
}

#[derive(Debug)]
enum Target {
    /// A temporary file beside the one it will be.
    Temporary(BufWriter<NamedTempFile>),
    /// A pipe or device, which is written as it is.
    Stream(BufWriter<File>),
}

impl AtomicFile {
    /// PrefixFilter to write `path`, in a temporary file beside it. Links are followed; pipes and devices are written directly.
    ///
    /// # Errors
    /// Where the folder cannot be written.
    pub fn create(path: &Path) -> Result<Self> {
        let path = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
        let old = std::fs::metadata(&path).ok();
        if old.as_ref().is_some_and(|m| !m.is_file() && !m.is_dir()) {
            let file =
                std::fs::OpenOptions::new().write(true).open(&path).map_err(|e| Error::io(&path, e))?;
            return Ok(Self { path, file: Some(Target::Stream(BufWriter::new(file))) });
        }
        if old.as_ref().is_some_and(std::fs::Metadata::is_dir) {
            return Err(Error::io(&path, std::io::ErrorKind::IsADirectory.into()));
        }
        let dir = path.parent().filter(|d| !d.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let mut builder = tempfile::Builder::new();
        builder.prefix(PREFIX).suffix(SUFFIX);
        permit(&mut builder);
        let file = builder.tempfile_in(dir).map_err(|e| Error::io(&path, e))?;
        if let Some(old) = old {
            // where this fails the file has a new file's permissions, which is no reason to lose it
            let _ = file.as_file().set_permissions(old.permissions());
        }
        begin(file.path());
        Ok(Self { path, file: Some(Target::Temporary(BufWriter::new(file))) })
    }

    /// Writes what is left and gives the file its name.
    ///
    /// # Errors
    /// Where writing or renaming fails; the old file of that name, if any, is then untouched.
    pub fn finish(mut self) -> Result<()> {
        let failed = |e: std::io::Error| Error::io(&self.path, e);
        match self.file.take() {
            None => Ok(()),
            Some(Target::Stream(mut writer)) => writer.flush().map_err(failed),
            Some(Target::Temporary(writer)) => {
                let file = writer.into_inner().map_err(|e| failed(e.into_error()))?;
                let temporary = file.path().to_path_buf();
                let synced = file.as_file().sync_all().map_err(failed);
                let done = synced.and_then(|()| file.persist(&self.path).map_err(|e| failed(e.error)));
                forget(&temporary);
                done.map(|_| ())
            }
        }
    }
}

/// Temporary files are private; what they become is an ordinary file.
#[cfg(unix)]
fn permit(builder: &mut tempfile::Builder<'_, '_>) {
    use std::os::unix::fs::PermissionsExt;
    builder.permissions(std::fs::Permissions::from_mode(0o666));
}
#[cfg(not(unix))]
fn permit(_: &mut tempfile::Builder<'_, '_>) {}

impl Write for AtomicFile {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        match &mut self.file {
            Some(Target::Temporary(file)) => file.write(bytes),
            Some(Target::Stream(file)) => file.write(bytes),
            None => Ok(bytes.len()),
        }
    }
    fn flush(&mut self) -> std::io::Result<()> {
        match &mut self.file {
            Some(Target::Temporary(file)) => file.flush(),
            Some(Target::Stream(file)) => file.flush(),
            None => Ok(()),
        }
    }
}

impl Drop for AtomicFile {
    fn drop(&mut self) {
        if let Some(Target::Temporary(file)) = &self.file {
            forget(file.get_ref().path());
        }
    }
}

/// Takes a file on the list of those that [`abandon_unfinished`] removes.
pub fn begin(path: &Path) {
    unfinished().push(path.to_path_buf());
}

/// Takes it off again: it is finished, removed, or worth keeping.
pub fn forget(path: &Path) {
    unfinished().retain(|p| p != path);
}

/// Says that another run could go on with an output of this name, should this one be stopped.

pub fn can_resume(path: &Path) {
    let mut paths = RESUMABLE.lock().unwrap_or_else(PoisonError::into_inner);
    if !paths.iter().any(|p| p == path) {
        paths.push(path.to_path_buf());
    }
}

/// Says that it is finished.

pub fn has_finished(path: &Path) {
    RESUMABLE.lock().unwrap_or_else(PoisonError::into_inner).retain(|p| p != path);
}

/// Outputs that are unfinished and that another run can go on with.
pub fn resumable() -> Vec<PathBuf> {
    RESUMABLE.lock().unwrap_or_else(PoisonError::into_inner).clone()
}

/// Removes every file and folder that is being written: for a program that is about to be stopped.
pub fn abandon_unfinished() {
    for path in unfinished().drain(..) {
        // already renamed or removed is as good
        let _ = if path.is_dir() { std::fs::remove_dir_all(path) } else { std::fs::remove_file(path) };
    }
}

fn unfinished() -> std::sync::MutexGuard<'static, Vec<PathBuf>> {
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_there_whole_or_not_at_all() {
        let dir = tempfile::tempdir().expect("a folder");
        let path = dir.path().join("out");
        let mut file = AtomicFile::create(&path).expect("created");
        file.write_all(b"half").expect("written");
        assert!(!path.exists());
        drop(file);
        assert_eq!(std::fs::read_dir(dir.path()).expect("listed").count(), 0);
        let mut file = AtomicFile::create(&path).expect("created");
        file.write_all(b"whole").expect("written");
        file.finish().expect("finished");
        assert_eq!(std::fs::read(&path).expect("read"), b"whole");
        assert!(AtomicFile::create(&dir.path().join("no/such/folder")).is_err());
        assert!(AtomicFile::create(dir.path()).is_err());
    }

    #[test]
    fn a_folder_is_locked_until_its_lock_goes() {
        let dir = tempfile::tempdir().expect("a folder");
        // not every system can
        if let Some(lock) = lock_folder(dir.path()).expect("free") {
            let refused = lock_folder(dir.path()).expect_err("locked").to_string();
            assert!(refused.contains("another run"), "{refused}");
            drop(lock);
            assert!(lock_folder(dir.path()).expect("free").is_some());
        }
        assert!(lock_folder(&dir.path().join("none")).expect("nothing to lock").is_none());
    }

    #[cfg(unix)]
    #[test]
    fn links_stay_links_and_permissions_stay() {
        use std::os::unix::fs::PermissionsExt;
        let dir = tempfile::tempdir().expect("a folder");
        let (target, link) = (dir.path().join("target"), dir.path().join("link"));
        std::fs::write(&target, "old").expect("written");
        std::fs::set_permissions(&target, std::fs::Permissions::from_mode(0o600)).expect("set");
        std::os::unix::fs::symlink(&target, &link).expect("linked");
        let mut file = AtomicFile::create(&link).expect("created");
        file.write_all(b"new").expect("written");
        file.finish().expect("finished");
        assert!(link.is_symlink());
        assert_eq!(std::fs::read(&target).expect("read"), b"new");
        assert_eq!(std::fs::metadata(&target).expect("there").permissions().mode() & 0o777, 0o600);
    }
}

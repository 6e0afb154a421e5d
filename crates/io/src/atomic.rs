//! Atomically written files: a file has its final name only when it is complete.

use std::fs::{File, TryLockError};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use tempfile::NamedTempFile;
use threshr_core::{Error, Result};

/// Files that are being written. They are removed if the program is interrupted.
static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());
/// Unfinished outputs that another run can resume.
static RESUMABLE: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// Prefix and suffix of the names of temporary files.
const PREFIX: &str = ".threshr-";
const SUFFIX: &str = ".tmp";

/// Removes temporary files in `dir` that remain from killed programs. No other program may be using `dir`. Ignores
/// errors: files that cannot be removed stay.
pub fn remove_leftovers(dir: &Path) {
    for entry in std::fs::read_dir(dir).into_iter().flatten().flatten() {
        let name = entry.file_name();
        if name.to_str().is_some_and(|n| n.starts_with(PREFIX) && n.ends_with(SUFFIX)) {
            let _ = std::fs::remove_file(entry.path());
        }
    }
}

/// Locks a folder until the returned file is dropped. Returns `None` if the operating system cannot lock
/// folders.
///
/// # Errors
/// If another program holds the lock.
pub fn lock_folder(dir: &Path) -> Result<Option<File>> {
    let Ok(file) = File::open(dir) else { return Ok(None) };
    match file.try_lock() {
        Ok(()) => Ok(Some(file)),
        Err(TryLockError::WouldBlock) => Err(Error::data("another run uses this folder")
            .at_path(dir)
            .expected("another folder, or to wait until that run ends")),
        Err(TryLockError::Error(_)) => Ok(None),
    }
}

/// A file that gets its final name only when [`AtomicFile::finish`] is called. If it is dropped before
/// `finish`, the target is not written.
///
/// ```
/// use std::io::Write;
/// use threshr_io::AtomicFile;
///
/// let dir = tempfile::tempdir()?;
/// let path = dir.path().join("report.csv");
/// let mut file = AtomicFile::create(&path)?;
/// file.write_all(b"page,score")?;
/// assert!(!path.exists());
/// file.finish()?;
/// assert!(path.exists());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct AtomicFile {
    path: PathBuf,
    file: Option<Target>,
}

#[derive(Debug)]
enum Target {
    /// A temporary file in the folder of the target file.
    Temporary(BufWriter<NamedTempFile>),
    /// A pipe or device. It is written directly, not atomically.
    Stream(BufWriter<File>),
}

impl AtomicFile {
    /// Creates a temporary file in the folder of `path`. Symbolic links are followed. Pipes and devices are
    /// opened and written directly.
    ///
    /// # Errors
    /// If the folder cannot be written.
    pub fn create(path: &Path) -> Result<Self> {
        let path = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
        let existing = std::fs::metadata(&path).ok();
        if existing.as_ref().is_some_and(|m| !m.is_file() && !m.is_dir()) {
            let file =
                std::fs::OpenOptions::new().write(true).open(&path).map_err(|e| Error::io(&path, e))?;
            return Ok(Self { path, file: Some(Target::Stream(BufWriter::new(file))) });
        }
        if existing.as_ref().is_some_and(std::fs::Metadata::is_dir) {
            return Err(Error::io(&path, std::io::ErrorKind::IsADirectory.into()));
        }
        let dir = path.parent().filter(|d| !d.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let mut builder = tempfile::Builder::new();
        builder.prefix(PREFIX).suffix(SUFFIX);
        permit(&mut builder);
        let file = builder.tempfile_in(dir).map_err(|e| Error::io(&path, e))?;
        if let Some(existing) = existing {
            // If this fails, the file keeps the default permissions of new files.
            let _ = file.as_file().set_permissions(existing.permissions());
        }
        register_unfinished(file.path());
        Ok(Self { path, file: Some(Target::Temporary(BufWriter::new(file))) })
    }

    /// Flushes buffered bytes and renames the temporary file to the target.
    ///
    /// # Errors
    /// If writing or renaming fails. In this case, an existing target file is unchanged.
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
                unregister_unfinished(&temporary);
                done.map(|_| ())
            }
        }
    }
}

/// Sets the permissions of ordinary new files, because temporary files are readable only by their owner by
/// default.
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
            unregister_unfinished(file.get_ref().path());
        }
    }
}

/// Registers a file or folder that [`abandon_unfinished`] removes.
pub fn register_unfinished(path: &Path) {
    unfinished().push(path.to_path_buf());
}

/// Unregisters a file or folder, so that [`abandon_unfinished`] does not remove it.
pub fn unregister_unfinished(path: &Path) {
    unfinished().retain(|p| p != path);
}

/// Registers an output that another run can resume if this run is stopped.
pub fn register_resumable(path: &Path) {
    let mut paths = RESUMABLE.lock().unwrap_or_else(PoisonError::into_inner);
    if !paths.iter().any(|p| p == path) {
        paths.push(path.to_path_buf());
    }
}

/// Unregisters a finished output, so that [`resumable`] does not return it.
pub fn unregister_resumable(path: &Path) {
    RESUMABLE.lock().unwrap_or_else(PoisonError::into_inner).retain(|p| p != path);
}

/// Returns the unfinished outputs that another run can resume.
pub fn resumable() -> Vec<PathBuf> {
    RESUMABLE.lock().unwrap_or_else(PoisonError::into_inner).clone()
}

/// Removes all registered unfinished files and folders. Call this function before the program exits early.
pub fn abandon_unfinished() {
    for path in unfinished().drain(..) {
        // A path that was already renamed or removed needs no action.
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
    fn a_file_appears_when_it_is_finished() {
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
    fn a_folder_is_locked_until_the_lock_is_dropped() {
        let dir = tempfile::tempdir().expect("a folder");
        // not every system can lock folders
        if let Some(lock) = lock_folder(dir.path()).expect("free") {
            let refused = lock_folder(dir.path()).expect_err("locked").to_string();
            assert!(refused.contains("another run"), "{refused}");
            drop(lock);
            assert!(lock_folder(dir.path()).expect("free").is_some());
        }
        assert!(lock_folder(&dir.path().join("none")).expect("no folder to lock").is_none());
    }

    #[cfg(unix)]
    #[test]
    fn links_and_permissions_are_kept() {
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

//! Files that are there whole or not at all.

use crate::error::{Error, Result};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use tempfile::NamedTempFile;

/// Files being written, so that an interrupted program can remove them.
static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// A file that appears under its name only when [`AtomicFile::finish`] is called.
#[derive(Debug)]
pub struct AtomicFile {
    path: PathBuf,
    file: Option<BufWriter<NamedTempFile>>,
}

impl AtomicFile {
    /// Begins to write `path`, in a temporary file beside it.
    ///
    /// # Errors
    /// Where the folder cannot be written.
    pub fn create(path: &Path) -> Result<Self> {
        let dir = path.parent().filter(|d| !d.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let file = tempfile::Builder::new().prefix(".threshr-").suffix(".tmp").tempfile_in(dir);
        let file = file.map_err(|e| Error::io(path, e))?;
        unfinished().push(file.path().to_path_buf());
        Ok(Self { path: path.to_path_buf(), file: Some(BufWriter::new(file)) })
    }

    /// Writes what is left and gives the file its name.
    ///
    /// # Errors
    /// Where writing or renaming fails; the old file of that name, if any, is then untouched.
    pub fn finish(mut self) -> Result<()> {
        let Some(writer) = self.file.take() else { return Ok(()) };
        let file = writer.into_inner().map_err(|e| Error::io(&self.path, e.into_error()))?;
        let temporary = file.path().to_path_buf();
        readable_by_all(&file);
        let done = file
            .as_file()
            .sync_all()
            .map_err(|e| Error::io(&self.path, e))
            .and_then(|()| file.persist(&self.path).map_err(|e| Error::io(&self.path, e.error)));
        forget(&temporary);
        done.map(|_| ())
    }
}

/// Temporary files are private; what they become is an ordinary file.
#[cfg(unix)]
fn readable_by_all(file: &NamedTempFile) {
    use std::os::unix::fs::PermissionsExt;
    // where this fails the file stays private, which is no reason to lose it
    let _ = file.as_file().set_permissions(std::fs::Permissions::from_mode(0o644));
}
#[cfg(not(unix))]
fn readable_by_all(_: &NamedTempFile) {}

impl Write for AtomicFile {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.file.as_mut().map_or(Ok(bytes.len()), |f| f.write(bytes))
    }
    fn flush(&mut self) -> std::io::Result<()> {
        self.file.as_mut().map_or(Ok(()), Write::flush)
    }
}

impl Drop for AtomicFile {
    fn drop(&mut self) {
        if let Some(file) = &self.file {
            forget(&file.get_ref().path().to_path_buf());
        }
    }
}

/// Removes every file that is being written: for a program that is about to be stopped.
pub fn abandon_unfinished() {
    for path in unfinished().drain(..) {
        // already renamed or removed is as good
        let _ = std::fs::remove_file(path);
    }
}

fn unfinished() -> std::sync::MutexGuard<'static, Vec<PathBuf>> {
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner)
}

fn forget(path: &PathBuf) {
    unfinished().retain(|p| p != path);
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
    }
}

//! A temporary folder for the files of one run.

use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// A temporary folder, in memory if possible. The folder is removed when the value is dropped.
pub(crate) struct Files(TempDir);

impl Files {
    pub(crate) fn new() -> Files {
        let in_memory = Path::new("/dev/shm");
        let made = if in_memory.is_dir() { tempfile::tempdir_in(in_memory) } else { tempfile::tempdir() };
        Files(made.expect("a folder for temporary files"))
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    /// Writes a file and creates its parent folders.
    pub(crate) fn write(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let path = self.path().join(name);
        let folder = path.parent().unwrap_or(self.path());
        std::fs::create_dir_all(folder).expect("a folder");
        std::fs::write(&path, bytes).expect("written");
        path
    }
}

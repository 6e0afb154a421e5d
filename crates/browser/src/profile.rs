//! The folder in which a Chromium keeps its profile and its temporary files.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::Duration;
use threshr_core::{Error, Result};
use threshr_io::atomic;

/// Prefix and suffix of the names of the folders.
const PREFIX: &str = ".threshr-";
const SUFFIX: &str = ".tmp";

/// The file in a folder that is locked as long as the program that made the folder runs.
const LOCK: &str = "threshr-lock";

/// Most attempts to remove a folder, and the time between them. Processes that are ending may write into it.
const MAX_ATTEMPTS: usize = 100;
const PAUSE: Duration = Duration::from_millis(20);

/// A folder for a Chromium. It is removed when it is dropped.
#[derive(Debug)]
pub(crate) struct Profile {
    path: PathBuf,
    /// Holds the lock; `None` on systems without locks.
    _lock: Option<File>,
}

impl Profile {
    /// Makes a new folder in `dir`, and removes folders there that killed programs of the same user left.
    ///
    /// # Errors
    /// If the folder cannot be made.
    pub(crate) fn create(dir: &Path) -> Result<Self> {
        let folder = tempfile::Builder::new().prefix(PREFIX).suffix(SUFFIX).tempdir_in(dir);
        let folder = folder.map_err(|e| Error::io(dir, e))?;
        let lock = lock(folder.path())?;
        let profile = Profile { path: folder.keep(), _lock: lock };
        atomic::register_unfinished(&profile.path);
        remove_stale(dir, &profile.path);
        Ok(profile)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Removes the folder until it stays away. It gives up after some seconds.
    pub(crate) fn remove(&self) {
        let mut num_away = 0;
        for _ in 0..MAX_ATTEMPTS {
            num_away = if self.path.symlink_metadata().is_err() { num_away + 1 } else { 0 };
            if num_away == 2 {
                break;
            }
            // the next turn sees whether it failed
            let _ = std::fs::remove_dir_all(&self.path);
            std::thread::sleep(PAUSE);
        }
    }
}

impl Drop for Profile {
    fn drop(&mut self) {
        if self.path.symlink_metadata().is_ok() {
            self.remove();
        }
        atomic::unregister_unfinished(&self.path);
    }
}

/// Locks a folder. The file gets its name when it is locked, so that [`remove_stale`] finds no file that is not
/// locked yet.
fn lock(folder: &Path) -> Result<Option<File>> {
    let new = folder.join("threshr-lock.new");
    let file = File::create(&new).map_err(|e| Error::io(&new, e))?;
    if file.try_lock().is_err() {
        return Ok(None);
    }
    std::fs::rename(&new, folder.join(LOCK)).map_err(|e| Error::io(&new, e))?;
    Ok(Some(file))
}

/// Removes the folders in `dir` whose programs have ended, and that belong to the owner of `own`.
#[cfg(unix)]
fn remove_stale(dir: &Path, own: &Path) {
    use std::os::unix::fs::MetadataExt;
    let Ok(owner) = own.symlink_metadata().map(|m| m.uid()) else { return };
    for entry in std::fs::read_dir(dir).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let is_named = name.to_str().is_some_and(|n| n.starts_with(PREFIX) && n.ends_with(SUFFIX));
        if !is_named {
            continue;
        }
        let path = entry.path();
        let is_own = path.symlink_metadata().is_ok_and(|m| m.is_dir() && m.uid() == owner);
        let lock = if is_own { File::open(path.join(LOCK)).ok() } else { None };
        if lock.is_some_and(|file| file.try_lock().is_ok()) {
            // what cannot be removed stays
            let _ = std::fs::remove_dir_all(&path);
        }
    }
}
#[cfg(not(unix))]
fn remove_stale(_: &Path, _: &Path) {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_of_ended_programs_are_removed() {
        let dir = tempfile::tempdir().expect("a folder");
        let running = Profile::create(dir.path()).expect("made");
        let stale = dir.path().join(".threshr-stale.tmp");
        let unlocked = dir.path().join(".threshr-other.tmp");
        for folder in [&stale, &unlocked] {
            std::fs::create_dir_all(folder.join("Default")).expect("made");
        }
        std::fs::write(stale.join(LOCK), "").expect("written");
        let next = Profile::create(dir.path()).expect("made");
        assert!(!stale.exists());
        assert!(running.path().exists() && next.path().exists() && unlocked.exists());
        let path = next.path().to_path_buf();
        drop(next);
        assert!(!path.exists());
    }

    #[test]
    fn a_folder_that_comes_back_is_removed_again() {
        let dir = tempfile::tempdir().expect("a folder");
        let profile = Profile::create(dir.path()).expect("made");
        let path = profile.path().to_path_buf();
        let writer = std::thread::spawn({
            let path = path.clone();
            move || {
                for _ in 0..10 {
                    std::fs::create_dir_all(path.join("Default/Session Storage")).expect("made");
                    std::thread::sleep(Duration::from_millis(5));
                }
            }
        });
        drop(profile);
        writer.join().expect("ended");
        assert!(!path.exists());
    }
}

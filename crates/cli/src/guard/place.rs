//! Where a path leads: through links, relative parts, and folders that do not exist yet.

use std::path::{Component, Path, PathBuf};

/// Depth of folders that are searched for hard links.
const MAX_DEPTH: usize = 6;

/// A file or folder that may not exist yet.
#[derive(Debug, Clone)]
pub(super) struct Place {
    /// Its path without links and relative parts.
    pub path: PathBuf,
    /// Device and number of an existing file, which all its hard links share.
    identity: Option<(u64, u64)>,
    exists: bool,
}

impl Place {
    pub(super) fn of(path: &Path) -> Place {
        let resolved = resolve(path);
        let metadata = std::fs::metadata(&resolved).ok();
        Place { identity: metadata.as_ref().and_then(identity), exists: metadata.is_some(), path: resolved }
    }

    pub(super) fn exists(&self) -> bool {
        self.exists
    }

    /// Whether a file that exists is this one.
    pub(super) fn is_file(&self, path: &Path) -> bool {
        match (self.exists, self.identity) {
            // faster than to resolve the path: there may be millions of inputs
            (true, Some(own)) => std::fs::metadata(path).is_ok_and(|m| identity(&m) == Some(own)),
            _ => Place::of(path).is_same(self),
        }
    }

    /// Whether both are one file. Names of new files that differ only in their case count as one: on some
    /// systems they are.
    pub(super) fn is_same(&self, other: &Place) -> bool {
        let is_one = self.identity.is_some() && self.identity == other.identity;
        let lower = |path: &Path| path.to_string_lossy().to_lowercase();
        let is_new = !self.exists && !other.exists;
        is_one || self.path == other.path || (is_new && lower(&self.path) == lower(&other.path))
    }
}

/// Whether a path is a folder or something below it. Both are resolved.
pub(super) fn is_below(path: &Path, folder: &Path) -> bool {
    path.starts_with(folder)
}

/// Whether a path is a pipe or a device.
pub(super) fn is_special(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|m| !m.is_file() && !m.is_dir())
}

/// The absolute path without links. Parts that do not exist yet are taken as they are; a link that leads to
/// nothing is followed.
fn resolve(path: &Path) -> PathBuf {
    if let Ok(path) = path.canonicalize() {
        return path;
    }
    if let Ok(target) = std::fs::read_link(path) {
        let folder = path.parent().unwrap_or(Path::new(""));
        return resolve_parts(&folder.join(target));
    }
    resolve_parts(path)
}

fn resolve_parts(path: &Path) -> PathBuf {
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
    let mut resolved = PathBuf::new();
    for part in absolute.components() {
        match part {
            Component::ParentDir => {
                resolved.pop();
            }
            Component::CurDir => {}
            part => {
                resolved.push(part);
                resolved = resolved.canonicalize().unwrap_or(resolved);
            }
        }
    }
    resolved
}

#[cfg(unix)]
fn identity(metadata: &std::fs::Metadata) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;
    Some((metadata.dev(), metadata.ino()))
}

#[cfg(not(unix))]
fn identity(_: &std::fs::Metadata) -> Option<(u64, u64)> {
    None
}

/// Whether a file or link below a folder is another name of an existing file.
pub(super) fn has_link_to(folder: &Path, file: &Place) -> bool {
    let mut folders = vec![(folder.to_path_buf(), 0)];
    while let Some((folder, depth)) = folders.pop() {
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            match entry.metadata() {
                Ok(m) if m.is_dir() && depth < MAX_DEPTH => folders.push((entry.path(), depth + 1)),
                Ok(m) if (m.is_symlink() || has_links(&m)) && Place::of(&entry.path()).is_same(file) => {
                    return true;
                }
                _ => {}
            }
        }
    }
    false
}

#[cfg(unix)]
fn has_links(metadata: &std::fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    metadata.nlink() > 1
}

#[cfg(not(unix))]
fn has_links(_: &std::fs::Metadata) -> bool {
    false
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn paths_of_one_file_are_the_same() {
        let dir = tempfile::tempdir().expect("a folder");
        let path = |name: &str| dir.path().join(name);
        std::fs::create_dir(path("a")).expect("made");
        std::fs::write(path("a/x"), "x").expect("written");
        std::fs::hard_link(path("a/x"), path("hard")).expect("linked");
        std::os::unix::fs::symlink(path("a"), path("soft")).expect("linked");
        std::os::unix::fs::symlink("a/new", path("dangling")).expect("linked");
        let same = |a: &str, b: &str| Place::of(&path(a)).is_same(&Place::of(&path(b)));
        assert!(same("a/x", "hard") && same("soft/x", "a/x") && same("a/../a/./x", "soft/x"));
        assert!(same("a/new", "soft/new") && same("new", "a/../new") && same("dangling", "a/new"));
        assert!(same("new.json", "NEW.json") && !same("a/x", "a/X") && !same("a", "a/x"));
        assert!(has_link_to(&path("a"), &Place::of(&path("hard"))));
        std::fs::write(path("other"), "x").expect("written");
        assert!(!has_link_to(&path("a"), &Place::of(&path("other"))));
        assert!(is_below(Path::new("/a/b"), Path::new("/a")) && !is_below(Path::new("/ab"), Path::new("/a")));
    }
}

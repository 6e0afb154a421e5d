//! Pages in files, folders and on standard input.

use crate::error::{Error, Result};
use std::io::Read;
use std::path::{Path, PathBuf};

/// A page to be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Input {
    /// Its id: the name of its file without the ending; `-` for standard input.
    pub id: String,
    /// Its file; `None` for standard input.
    pub path: Option<PathBuf>,
}

impl Input {
    fn file(path: &Path) -> Self {
        let id = path.file_stem().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default();
        Input { id, path: Some(path.to_path_buf()) }
    }

    /// Its bytes.
    ///
    /// # Errors
    /// Where they cannot be read.
    pub fn read(&self) -> Result<Vec<u8>> {
        match &self.path {
            Some(path) => std::fs::read(path).map_err(|e| Error::io(path, e)),
            None => {
                let mut bytes = Vec::new();
                std::io::stdin().lock().read_to_end(&mut bytes).map_err(|e| Error::io("-", e))?;
                Ok(bytes)
            }
        }
    }
}

/// What paths name: pages, and what could not be found.
#[derive(Debug, Default)]
pub struct Listing {
    /// The pages, in order.
    pub inputs: Vec<Input>,
    /// Paths that name none; the other pages are there all the same.
    pub failures: Vec<Error>,
}

/// Pages named by `paths`: files themselves, the HTML files of folders and their folders (`.html`, `.htm`, `.xhtml`,
/// `.shtml`, sorted by name), `-` standard input.
pub fn inputs(paths: &[PathBuf]) -> Listing {
    let mut found = Listing::default();
    for path in paths {
        if path.as_os_str() == "-" {
            found.inputs.push(Input { id: "-".to_owned(), path: None });
        } else if path.is_dir() {
            let before = found.inputs.len();
            match list(path, &mut found.inputs) {
                Err(e) => found.failures.push(e),
                Ok(()) if found.inputs.len() == before => found.failures.push(
                    Error::data("the folder has no HTML files")
                        .expected("*.html, *.htm, *.xhtml")
                        .at_path(path),
                ),
                Ok(()) => {}
            }
        } else if path.exists() {
            found.inputs.push(Input::file(path));
        } else {
            found.failures.push(Error::io(path, std::io::ErrorKind::NotFound.into()));
        }
    }
    found
}

/// Folders still to be listed stand on a list of their own, so that deep ones do not recurse; links to folders
/// are not followed, so that it ends.
fn list(dir: &Path, found: &mut Vec<Input>) -> Result<()> {
    let mut files = Vec::new();
    let mut folders = vec![dir.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).map_err(|e| Error::io(&folder, e))? {
            let entry = entry.map_err(|e| Error::io(&folder, e))?;
            let path = entry.path();
            if entry.file_type().is_ok_and(|t| t.is_dir()) {
                folders.push(path);
            } else if is_html(&path) && path.is_file() {
                files.push(path);
            }
        }
    }
    files.sort();
    found.extend(files.iter().map(|f| Input::file(f)));
    Ok(())
}

fn is_html(path: &Path) -> bool {
    let ending = path.extension().unwrap_or_default();
    ["html", "htm", "xhtml", "shtml"].iter().any(|e| ending.eq_ignore_ascii_case(e))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_give_their_pages_in_order() {
        let dir = tempfile::tempdir().expect("a folder");
        for name in ["b.html", "a.HTM", "x.txt", "sub/c.html"] {
            let path = dir.path().join(name);
            std::fs::create_dir_all(path.parent().expect("a parent")).expect("made");
            std::fs::write(path, "x").expect("written");
        }
        let listing = inputs(&[dir.path().into(), dir.path().join("none"), "-".into()]);
        let ids: Vec<_> = listing.inputs.into_iter().map(|i| i.id).collect();
        assert_eq!(ids, ["a", "b", "c", "-"]);
        assert_eq!(listing.failures.len(), 1);
    }
}

//! Pages in files of their own, in folders, and on standard input.

use super::{Fields, Pages, Reader};
use crate::crawl::page::{Item, RawPage};
use crate::error::{Error, Result};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// One page a file; its id is the name of the file without the ending.
pub static READER: Reader = Reader {
    name: "html",
    summary: "one page a file; of folders, the HTML files in them",
    endings: &["html", "htm", "xhtml", "shtml"],
    open: |path, _: &Fields, bytes_read: &Arc<AtomicU64>| {
        bytes_read.fetch_add(std::fs::metadata(path).map_or(0, |m| m.len()), Relaxed);
        Ok(Box::new(One(Some(RawPage::at(path)))))
    },
};

struct One(Option<RawPage>);

impl Pages for One {
    fn next(&mut self) -> Result<Option<Item>> {
        Ok(self.0.take().map(Item::Page))
    }
}

/// The HTML files in a folder and the folders in it, sorted by name.
///
/// Folders still to be listed stand on a list of their own, so that deep ones do not recurse; links to folders
/// are not followed, so that it ends. One that cannot be listed does not hide the others.
pub(super) fn folder(dir: &Path, failures: &mut Vec<Error>) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders = vec![dir.to_path_buf()];
    let num_failures = failures.len();
    while let Some(folder) = folders.pop() {
        let mut list = || -> std::io::Result<()> {
            for entry in std::fs::read_dir(&folder)? {
                let entry = entry?;
                let path = entry.path();
                if entry.file_type().is_ok_and(|t| t.is_dir()) {
                    folders.push(path);
                } else if is_html(&path) && path.is_file() {
                    files.push(path);
                }
            }
            Ok(())
        };
        failures.extend(list().err().map(|e| Error::io(&folder, e)));
    }
    if files.is_empty() && failures.len() == num_failures {
        let none = Error::data("the folder has no HTML files")
            .expected("*.html, *.htm, *.xhtml, *.shtml; name other files one by one, or in a list");
        failures.push(none.at_path(dir));
    }
    files.sort();
    files
}

fn is_html(path: &Path) -> bool {
    let ending = path.extension().unwrap_or_default();
    READER.endings.iter().any(|e| ending.eq_ignore_ascii_case(e))
}

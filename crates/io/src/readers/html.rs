//! HTML files, folders of HTML files, and a page on standard input.

use crate::raw_page::{Item, RawPage};
use crate::readers::{Fields, Pages, Reader, Source};
use std::collections::HashMap;
use std::ffi::OsStr;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use threshr_core::{Error, Result};

/// One page per file. Its id is the file name without extension; see [`disambiguate_ids`] for equal names.
pub(super) static READER: Reader = Reader {
    name: "html",
    summary: "one page per file; a folder stands for the HTML files in it",
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

/// The HTML files in a folder and its subfolders, and the other files, both sorted by name.
///
/// Does not recurse, so deep folders are safe. Does not follow links to folders, so it always ends. A folder
/// that cannot be listed is one failure; the others are listed.
pub(crate) fn folder(dir: &Path, failures: &mut Vec<Error>) -> (Vec<PathBuf>, Vec<PathBuf>) {
    let (mut files, mut others) = (Vec::new(), Vec::new());
    let mut folders = vec![dir.to_path_buf()];
    let num_failures = failures.len();
    while let Some(folder) = folders.pop() {
        let mut list = || -> std::io::Result<()> {
            for entry in std::fs::read_dir(&folder)? {
                let entry = entry?;
                let path = entry.path();
                if entry.file_type().is_ok_and(|t| t.is_dir()) {
                    folders.push(path);
                } else if path.is_file() {
                    if is_html(&path) { files.push(path) } else { others.push(path) }
                }
            }
            Ok(())
        };
        failures.extend(list().err().map(|e| Error::io(&folder, e)));
    }
    if files.is_empty() && failures.len() == num_failures {
        let error = Error::data("the folder has no HTML files")
            .expected("*.html, *.htm, *.xhtml, *.shtml; give other files one by one, or in a list");
        failures.push(error.at_path(dir));
    }
    files.sort();
    others.sort();
    (files, others)
}

fn is_html(path: &Path) -> bool {
    let ending = path.extension().unwrap_or_default();
    READER.endings.iter().any(|e| ending.eq_ignore_ascii_case(e))
}

/// Makes the ids of pages with equal file names unique. Adds the folders below the deepest common folder
/// (`a/index`, `b/index`), and the extension if the ids are still equal.
pub(crate) fn disambiguate_ids(sources: &mut [Source]) {
    let mut by_name: HashMap<&OsStr, Vec<usize>> = HashMap::new();
    for (i, source) in sources.iter().enumerate().filter(|s| std::ptr::eq(s.1.reader, &READER)) {
        by_name.entry(source.path.file_stem().unwrap_or_default()).or_default().push(i);
    }
    let mut ids: Vec<(usize, String)> = Vec::new();
    for group in by_name.into_values().filter(|group| group.len() > 1) {
        let path = |i: usize| &sources[i].path;
        let folders = |i: usize| path(i).parent().into_iter().flat_map(Path::components);
        let num_common = |&i: &usize| folders(group[0]).zip(folders(i)).take_while(|(a, b)| a == b).count();
        let num_common = group.iter().map(num_common).min().unwrap_or(0);
        let id = |i: usize, name: Option<&OsStr>| {
            let below = folders(i).skip(num_common).filter(|c| !matches!(c, Component::RootDir));
            let below = below.map(|c| c.as_os_str().to_string_lossy().into_owned());
            below.chain(name.map(|n| n.to_string_lossy().into_owned())).collect::<Vec<_>>().join("/")
        };
        let short: Vec<String> = group.iter().map(|&i| id(i, path(i).file_stem())).collect();
        let mut count: HashMap<&str, u32> = HashMap::new();
        short.iter().for_each(|id| *count.entry(id).or_default() += 1);
        ids.extend(group.iter().zip(&short).map(|(&i, short)| {
            (i, if count[short.as_str()] > 1 { id(i, path(i).file_name()) } else { short.clone() })
        }));
    }
    ids.into_iter().for_each(|(i, id)| sources[i].id = Some(id));
}

//! HTML files, and a page on standard input.

use crate::names::{self, text_of, unpacked_path};
use crate::raw_page::{Body, Item, RawPage, Stream};
use crate::readers::{Pages, Reader, Source, mhtml};
use std::collections::HashMap;
use std::ffi::OsString;
use std::path::{Component, Path};
use std::sync::atomic::Ordering::Relaxed;
use threshr_core::Result;

/// Reader for one page per file. The id is the file name without extension; see [`disambiguate_ids`] for
/// equal names.
pub(super) static READER: Reader = Reader {
    name: "html",
    summary: "one page per file, plain or compressed; a folder is replaced by the pages in it",
    extensions: &["html", "htm", "xhtml", "xht", "shtml"],
    open: |input| {
        let page = RawPage::at(input.path);
        Ok(Box::new(One(Some(match input.stream {
            Some(stream) => RawPage { body: Body::Stream(Stream(stream)), ..page },
            None => {
                let length = std::fs::metadata(input.path).map_or(0, |m| m.len());
                input.bytes_read.fetch_add(length, Relaxed);
                page
            }
        }))))
    },
};

struct One(Option<RawPage>);

impl Pages for One {
    fn next(&mut self) -> Result<Option<Item>> {
        Ok(self.0.take().map(Item::Page))
    }
}

/// Makes the ids of pages with equal file names unique. Prepends the folders below the deepest common
/// folder (`a/index`, `b/index`). Appends the extension if the ids are still equal.
pub(crate) fn disambiguate_ids(sources: &mut [Source]) {
    let is_page = |r: &Reader| std::ptr::eq(r, &READER) || std::ptr::eq(r, &mhtml::READER);
    let pages: Vec<usize> = (0..sources.len()).filter(|&i| is_page(sources[i].reader)).collect();
    let paths: Vec<&Path> = pages.iter().map(|&i| sources[i].path.as_path()).collect();
    for (at, id) in ids_of_equal_names(&paths) {
        sources[pages[at]].id = Some(id);
    }
}

/// Returns the ids of pages that have separate files. The id is the file name without extension. If names are
/// equal, the id also contains folders, which make it unique. All commands and annotated sets use these ids.
pub fn page_ids(paths: &[impl AsRef<Path>]) -> Vec<String> {
    let paths: Vec<&Path> = paths.iter().map(AsRef::as_ref).collect();
    let mut ids: Vec<String> = paths.iter().map(|path| names::stem(path)).collect();
    ids_of_equal_names(&paths).into_iter().for_each(|(at, id)| ids[at] = id);
    ids
}

/// Returns the indices and ids of the pages whose file name is not unique.
fn ids_of_equal_names(paths: &[&Path]) -> Vec<(usize, String)> {
    let mut by_name: HashMap<OsString, Vec<usize>> = HashMap::new();
    let stem = |path: &Path| unpacked_path(path).file_stem().map(OsString::from).unwrap_or_default();
    for (i, path) in paths.iter().enumerate() {
        by_name.entry(stem(path)).or_default().push(i);
    }
    let mut ids: Vec<(usize, String)> = Vec::new();
    for group in by_name.into_values().filter(|group| group.len() > 1) {
        let path = |i: usize| paths[i];
        let folders = |i: usize| path(i).parent().into_iter().flat_map(Path::components);
        let num_common = |&i: &usize| folders(group[0]).zip(folders(i)).take_while(|(a, b)| a == b).count();
        let num_common = group.iter().map(num_common).min().unwrap_or(0);
        let id = |i: usize, name: OsString| {
            let below = folders(i).skip(num_common).filter(|c| !matches!(c, Component::RootDir));
            let below = below.map(|c| text_of(c.as_os_str()));
            below.chain([text_of(&name)]).collect::<Vec<_>>().join("/")
        };
        let short: Vec<String> = group.iter().map(|&i| id(i, stem(path(i)))).collect();
        let mut count: HashMap<&str, u32> = HashMap::new();
        short.iter().for_each(|id| *count.entry(id).or_default() += 1);
        ids.extend(group.iter().zip(&short).map(|(&i, short)| {
            (
                i,
                if count[short.as_str()] > 1 {
                    id(i, path(i).file_name().map(OsString::from).unwrap_or_default())
                } else {
                    short.clone()
                },
            )
        }));
    }
    ids
}

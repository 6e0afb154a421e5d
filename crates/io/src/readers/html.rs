//! HTML files, and a page on standard input.

use crate::names::{text_of, unpacked_path};
use crate::raw_page::{Item, RawPage};
use crate::readers::{Fields, Pages, Reader, Source, mhtml};
use std::collections::HashMap;
use std::ffi::OsString;
use std::path::{Component, Path};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use threshr_core::Result;

/// Reader for one page per file. The id is the file name without extension; see [`disambiguate_ids`] for
/// equal names.
pub(super) static READER: Reader = Reader {
    name: "html",
    summary: "one page per file, plain or compressed; a folder stands for the pages in it",
    extensions: &["html", "htm", "xhtml", "xht", "shtml"],
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

/// Makes the ids of pages with equal file names unique. Prepends the folders below the deepest common
/// folder (`a/index`, `b/index`). Appends the extension if the ids are still equal.
pub(crate) fn disambiguate_ids(sources: &mut [Source]) {
    let mut by_name: HashMap<OsString, Vec<usize>> = HashMap::new();
    let stem = |path: &Path| unpacked_path(path).file_stem().map(OsString::from).unwrap_or_default();
    let is_page = |r: &Reader| std::ptr::eq(r, &READER) || std::ptr::eq(r, &mhtml::READER);
    for (i, source) in sources.iter().enumerate().filter(|s| is_page(s.1.reader)) {
        by_name.entry(stem(&source.path)).or_default().push(i);
    }
    let mut ids: Vec<(usize, String)> = Vec::new();
    for group in by_name.into_values().filter(|group| group.len() > 1) {
        let path = |i: usize| &sources[i].path;
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
    ids.into_iter().for_each(|(i, id)| sources[i].id = Some(id));
}

//! Readers of crawl files.

use crate::Target;
use crate::files::Files;
use crate::own_panics::allowing_others;
use std::path::Path;
use std::sync::Arc;
use threshr_io::{Fields, Item, sources};

/// Maximum size of a page, in bytes.
const LIMIT: u64 = 1 << 20;
/// Maximum number of items. No fuzzer input contains more.
const MAX_ITEMS: usize = 1 << 20;

pub(crate) static WARC: Target = Target {
    name: "warc",
    summary: "WARC files, compressed or not: two passes give the same items, no page is above the limit",
    body: |bytes| check("warc", bytes),
};

pub(crate) static JSONL: Target = Target {
    name: "jsonl",
    summary: "JSON Lines, compressed or not, with the checks of `warc`",
    body: |bytes| check("jsonl", bytes),
};

pub(crate) static PARQUET: Target = Target {
    name: "parquet",
    summary: "Parquet files, with the checks of `warc`; panics of the crate parquet must be caught",
    body: |bytes| allowing_others(|| check("parquet", bytes)),
};

fn check(format: &str, bytes: &[u8]) {
    let files = Files::new();
    let path = files.write(&format!("a.{format}"), bytes);
    // A resumed run counts items, so the items must be deterministic.
    let first = items(&path, format);
    assert_eq!(first, items(&path, format), "the second pass has other items");
}

/// Returns all items and, if there is one, the error that ends the file.
fn items(path: &Path, format: &str) -> Vec<String> {
    let found = sources(&[path.to_path_buf()], Some(format)).expect("a reader");
    let mut pages = match found.sources[0].open(&Fields::default(), &Arc::default()) {
        Ok(pages) => pages,
        Err(error) => return vec![error.with_causes()],
    };
    let mut items = Vec::new();
    loop {
        assert!(items.len() < MAX_ITEMS, "the reader does not end");
        match pages.next() {
            Ok(None) => return items,
            Ok(Some(Item::Page(page))) => {
                let head = format!("{} {:?} {:?} {:?}", page.id, page.url, page.date, page.charset);
                let body = page.load(Some(LIMIT)).map(|loaded| loaded.bytes);
                assert!(body.as_ref().map_or(0, Vec::len) as u64 <= LIMIT, "a page is above the limit");
                items.push(format!("{head} {body:?}"));
            }
            Ok(Some(item)) => items.push(format!("{item:?}")),
            Err(error) => {
                items.push(error.with_causes());
                return items;
            }
        }
    }
}

//! The sample set is complete, unchanged and small.

use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Maximum total size of the files in the folder, in bytes.
const MAX_BYTES: u64 = 4_000_000;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../datasets/sample")
}

/// Returns the checksums in `SHA256SUMS` by file.
fn listed() -> BTreeMap<String, String> {
    let list = fs::read_to_string(folder().join("SHA256SUMS")).expect("SHA256SUMS is readable");
    let entry = |line: &str| {
        let (sum, name) = line.split_once("  ").expect("a line is `SUM  FILE`");
        (name.to_owned(), sum.to_owned())
    };
    list.lines().map(entry).collect()
}

/// Returns the names of the files in `pages/`, in the format of the list.
fn pages() -> BTreeSet<String> {
    let entries = fs::read_dir(folder().join("pages")).expect("pages/ is readable");
    let name = |entry: std::io::Result<fs::DirEntry>| {
        format!("pages/{}", entry.expect("an entry is readable").file_name().to_string_lossy())
    };
    entries.map(name).collect()
}

#[test]
fn sums_hold() {
    let listed = listed();
    assert!(listed.len() > 30, "only {} files are listed", listed.len());
    for (name, sum) in listed {
        let bytes = fs::read(folder().join(&name)).unwrap_or_else(|e| panic!("{name}: {e}"));
        let found: String = Sha256::digest(&bytes).iter().map(|b| format!("{b:02x}")).collect();
        assert_eq!(found, sum, "{name} is not the file that was listed");
    }
}

#[test]
fn every_file_is_listed() {
    let mut expected = pages();
    expected.insert("gold.jsonl".to_owned());
    let listed: BTreeSet<String> = listed().into_keys().collect();
    assert_eq!(listed, expected);
}

#[test]
fn every_page_has_gold_and_every_type_four_pages() {
    let gold = fs::read_to_string(folder().join("gold.jsonl")).unwrap();
    let (mut files, mut types) = (BTreeSet::new(), BTreeMap::<String, usize>::new());
    for line in gold.lines() {
        let page: serde_json::Value = serde_json::from_str(line).unwrap();
        assert!(!page["gold"].as_str().unwrap().is_empty(), "{} has no gold", page["id"]);
        files.insert(page["file"].as_str().unwrap().to_owned());
        *types.entry(page["page_type"].as_str().unwrap().to_owned()).or_default() += 1;
    }
    assert_eq!(files, pages());
    assert_eq!(types.len(), 7, "{types:?}");
    assert!(types.values().all(|&n| n >= 4), "{types:?}");
}

#[test]
fn is_small() {
    let size_in = |dir: PathBuf| -> u64 {
        let sizes = fs::read_dir(dir).unwrap().map(|e| e.unwrap().metadata().unwrap());
        sizes.filter(fs::Metadata::is_file).map(|m| m.len()).sum()
    };
    let size = size_in(folder()) + size_in(folder().join("pages"));
    assert!(size < MAX_BYTES, "datasets/sample has {size} bytes; at most {MAX_BYTES} are allowed");
}

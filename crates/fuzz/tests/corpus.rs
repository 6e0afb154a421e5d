//! Replays the committed corpus of every target. A new target needs a program and a corpus.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use threshr_fuzz::TARGETS;

/// The most bytes that all corpora together may have.
const MAX_BYTES: u64 = 1 << 20;

fn fuzz(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz").join(path)
}

/// The files of a folder, sorted.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    files.sort();
    files
}

#[test]
fn every_target_passes_its_corpus() {
    let mut num_bytes = 0;
    for target in TARGETS {
        let corpus = files(&fuzz("corpus").join(target.name));
        assert!(!corpus.is_empty(), "{} has no corpus", target.name);
        for file in corpus {
            let bytes = std::fs::read(&file).expect("read");
            num_bytes += bytes.len() as u64;
            let result = std::panic::catch_unwind(|| target.run(&bytes));
            if let Err(cause) = result {
                let message = cause.downcast_ref::<String>().cloned().unwrap_or_default();
                panic!("{}: {message}", file.display());
            }
        }
    }
    assert!(num_bytes <= MAX_BYTES, "the corpora have {num_bytes} bytes; expected at most {MAX_BYTES}");
}

#[test]
fn every_target_has_a_program() {
    let names = |folder: &str| -> BTreeSet<String> {
        let stem = |path: PathBuf| path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        files(&fuzz(folder)).into_iter().map(stem).collect()
    };
    let targets: BTreeSet<String> = TARGETS.iter().map(|target| target.name.to_owned()).collect();
    assert_eq!(names("programs"), targets);
    assert_eq!(names("corpus"), targets);
}

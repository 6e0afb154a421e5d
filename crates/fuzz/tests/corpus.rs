//! Replays the committed corpus of every target. A new target needs a program and a corpus.

use flate2::read::GzDecoder;
use std::collections::BTreeSet;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use threshr_fuzz::TARGETS;

/// Maximum number of bytes of all corpora together.
const MAX_BYTES: usize = 1 << 20;

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

/// The inputs of a target: name and bytes, from `fuzz/corpus/TARGET.tar.gz`.
fn inputs(target: &str) -> Vec<(String, Vec<u8>)> {
    let path = fuzz("corpus").join(format!("{target}.tar.gz"));
    let file = File::open(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let mut archive = tar::Archive::new(GzDecoder::new(file));
    let entries = archive.entries().expect("an archive").map(|entry| {
        let mut entry = entry.expect("an entry");
        let name = entry.path().expect("a name").display().to_string();
        let mut bytes = Vec::new();
        entry.read_to_end(&mut bytes).expect("read");
        (name, bytes)
    });
    entries.collect()
}

#[test]
fn every_target_passes_its_corpus() {
    let mut num_bytes = 0;
    for target in TARGETS {
        let corpus = inputs(target.name);
        assert!(!corpus.is_empty(), "{} has no corpus", target.name);
        for (name, bytes) in corpus {
            num_bytes += bytes.len();
            let result = std::panic::catch_unwind(|| target.run(&bytes));
            if let Err(cause) = result {
                let message = cause.downcast_ref::<String>().cloned().unwrap_or_default();
                panic!("{} {name}: {message}", target.name);
            }
        }
    }
    assert!(num_bytes <= MAX_BYTES, "the corpora have {num_bytes} bytes; expected at most {MAX_BYTES}");
}

#[test]
fn every_target_has_a_program() {
    let names = |folder: &str| -> BTreeSet<String> {
        let stem = |path: PathBuf| {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            name.split('.').next().unwrap_or_default().to_owned()
        };
        files(&fuzz(folder)).into_iter().map(stem).collect()
    };
    let targets: BTreeSet<String> = TARGETS.iter().map(|target| target.name.to_owned()).collect();
    assert_eq!(names("programs"), targets);
    assert_eq!(names("corpus"), targets);
}

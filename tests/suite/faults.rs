//! File system faults: short reads and writes, `EINTR`, `EIO`, `ENOSPC`, and a kill at every system call.
//! After each fault, an output must be complete, unchanged or resumable, and never partial.
//!
//! The faults are injected by a C library that is loaded by `LD_PRELOAD`. If there is no C compiler, the
//! tests are skipped with a message.

use crate::support::{repository, toy_set};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

/// System calls, each with the faults that are injected.
const CALLS: [(&str, &[&str]); 4] = [
    ("write", &["short", "eintr", "eio", "enospc", "kill"]),
    ("read", &["short", "eintr", "eio", "kill"]),
    ("fsync", &["eio", "kill"]),
    ("rename", &["eio", "kill"]),
];

/// Compiles the library. Returns `None` if there is no C compiler.
fn shim(dir: &Path) -> Option<PathBuf> {
    let library = dir.join("shim.so");
    let compiled = Command::new("cc")
        .args(["-shared", "-fPIC", "-O1", "-o"])
        .args([library.as_path(), &repository("tests/suite/faults/shim.c")])
        .status();
    match compiled {
        Ok(status) => {
            assert!(status.success(), "the shim does not compile");
            Some(library)
        }
        Err(_) => None,
    }
}

/// A command under test.
struct Case {
    name: &'static str,
    arguments: Vec<String>,
    /// Arguments of the run after the fault.
    again: Vec<String>,
    /// Substrings that identify the paths of the outputs and of the inputs.
    outputs: &'static str,
    inputs: &'static str,
    /// The files that the command writes in the folder `out`, in the order in which they may appear.
    results: &'static [&'static str],
    /// Whether an earlier output of the same kind exists.
    replaces: bool,
}

fn cases(set: &Path, dir: &Path) -> Vec<Case> {
    let path = |p: PathBuf| p.to_string_lossy().into_owned();
    let (pages, set) = (path(set.join("pages")), path(set.to_path_buf()));
    let texts = |list: &[&str]| list.iter().map(|s| (*s).to_owned()).collect::<Vec<_>>();
    let out = |name: &str| path(dir.join("out").join(name));
    let tiny = path(repository("models/tiny.json"));
    let predict = |name: &str| {
        [texts(&["predict", &pages, "--model", &tiny, "--page-seconds", "0"]), texts(&["--out", &out(name)])]
            .concat()
    };
    let train = texts(&[
        "train",
        "--data",
        &set,
        "--features",
        "shallow",
        "--classifier",
        "tree",
        "--force",
        "--out",
        &out("m.json"),
    ]);
    let compare = texts(&[
        "compare",
        "--data",
        &set,
        "--folds",
        "2",
        "--features",
        "shallow",
        "--classifier",
        "tree",
        "--out",
        &out("grid"),
    ]);
    let resumed = |run: &[String]| [run.to_vec(), texts(&["--resume"])].concat();
    let case = |name, arguments: Vec<String>, again: Vec<String>, results| Case {
        name,
        arguments,
        again,
        outputs: "/out",
        inputs: "/toy/",
        results,
        replaces: name == "train",
    };
    let folder = [predict("texts"), texts(&["--format", "folder"])].concat();
    vec![
        case("predict --format folder", folder.clone(), resumed(&folder), &["texts"]),
        case("predict --out x.jsonl", predict("x.jsonl"), resumed(&predict("x.jsonl")), &["x.jsonl"]),
        case(
            "predict --out x.jsonl.gz",
            predict("x.jsonl.gz"),
            resumed(&predict("x.jsonl.gz")),
            &["x.jsonl.gz"],
        ),
        case("predict --out x.parquet", predict("x.parquet"), resumed(&predict("x.parquet")), &["x.parquet"]),
        case("train", train.clone(), train, &["m.json"]),
        case("compare", compare.clone(), compare, &["grid/results.csv"]),
    ]
}

/// Returns the results of a run by name. Files that do not exist are missing in the map.
fn results(dir: &Path, case: &Case) -> BTreeMap<&'static str, Vec<u8>> {
    let read = |name: &&'static str| Some((*name, contents(&dir.join("out").join(name))?));
    case.results.iter().filter_map(read).collect()
}

/// Returns the content of a file, or the names and contents of the files in a folder.
fn contents(path: &Path) -> Option<Vec<u8>> {
    let Ok(entries) = std::fs::read_dir(path) else { return std::fs::read(path).ok() };
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    files.sort();
    let of_file = |path: &PathBuf| {
        let name = path.file_name().expect("a name").as_encoded_bytes().to_vec();
        [name, vec![0], std::fs::read(path).expect("read"), vec![0]].concat()
    };
    Some(files.iter().flat_map(of_file).collect())
}

struct Fault<'a> {
    call: &'a str,
    kind: &'a str,
    at: usize,
}

/// Runs a command with a fault. Returns whether the command succeeded, and whether the fault was triggered.
fn run(
    shim: &Path,
    dir: &Path,
    case: &Case,
    arguments: &[String],
    fault: Option<&Fault<'_>>,
) -> (bool, bool) {
    let fired = dir.join("fired");
    let _ = std::fs::remove_file(&fired);
    let mut command = Command::new(env!("CARGO_BIN_EXE_threshr"));
    command.args(arguments).arg("--quiet").env("RAYON_NUM_THREADS", "1");
    if let Some(fault) = fault {
        let path = if fault.call == "read" { case.inputs } else { case.outputs };
        command.env("LD_PRELOAD", shim).env("FAULT_CALL", fault.call).env("FAULT_KIND", fault.kind);
        command.env("FAULT_AT", fault.at.to_string()).env("FAULT_PATH", path).env("FAULT_FIRED", &fired);
    }
    let output = command.output().expect("it runs");
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(!error.contains("internal error") && !error.contains("panicked"), "{arguments:?}: {error}");
    (output.status.success(), fired.exists())
}

/// Outcome of a fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum After {
    /// The run succeeded with the correct output.
    Whole,
    /// The run failed with an error. The next run created the correct output.
    Resumed,
    /// A page could not be read. The run reported it and processed the other pages.
    PageFailed,
}

/// Injects a fault in one call of a command and checks the outcome. Returns `None` if the command makes
/// fewer calls.
fn check(
    shim: &Path,
    dir: &Path,
    case: &Case,
    right: &BTreeMap<&'static str, Vec<u8>>,
    fault: &Fault<'_>,
) -> Option<After> {
    let out = dir.join("out");
    let _ = std::fs::remove_dir_all(&out);
    std::fs::create_dir_all(&out).expect("made");
    let before = case.replaces.then(|| std::fs::read(repository("models/tiny.json")).expect("read"));
    for (name, bytes) in case.results.iter().zip(&before) {
        std::fs::write(out.join(name), bytes).expect("written");
    }
    let (ended_well, fired) = run(shim, dir, case, &case.arguments, Some(fault));
    if !fired {
        return None;
    }
    let place = format!("{}: {} {} at {}", case.name, fault.call, fault.kind, fault.at);
    let found = results(dir, case);
    if ended_well {
        assert!(found == *right, "{place}: it ended well with another output");
        return Some(After::Whole);
    }
    assert!(before.is_none() || found.len() == case.results.len(), "{place}: the earlier output is gone");
    assert!(!["short", "eintr"].contains(&fault.kind), "{place}: it failed");
    if fault.call == "read" && fault.kind == "eio" && !case.name.starts_with("compare") && found != *right {
        // The readable pages are processed, and the exit code reports that pages are missing.
        assert_eq!(found.len(), right.len(), "{place}: there is no output");
        return Some(After::PageFailed);
    }
    for (name, bytes) in &found {
        let is_untouched = before.as_ref() == Some(bytes);
        assert!(is_untouched || right.get(name) == Some(bytes), "{place}: {name} is half");
    }
    let (ended_well, _) = run(shim, dir, case, &case.again, None);
    assert!(ended_well, "{place}: the next run fails");
    assert!(results(dir, case) == *right, "{place}: the next run gives another output");
    Some(After::Resumed)
}

/// Checks the first `most` calls of each kind, and prints a row of the table for each.
#[allow(clippy::print_stdout)] // the rows behind “Faults of the file system” in docs/results/python.md
fn check_all(most: usize, num_pages: usize) {
    let dir = tempfile::tempdir().expect("a folder");
    let Some(shim) = shim(dir.path()) else {
        println!("SKIPPED: there is no C compiler (cc)");
        return;
    };
    let set = toy_set(dir.path(), num_pages);
    println!("command,call,fault,places,whole,resumed,page failed");
    for case in cases(&set, dir.path()) {
        let _ = std::fs::remove_dir_all(dir.path().join("out"));
        std::fs::create_dir_all(dir.path().join("out")).expect("made");
        assert!(
            run(&shim, dir.path(), &case, &case.arguments, None).0,
            "{} fails without a fault",
            case.name
        );
        let right = results(dir.path(), &case);
        assert_eq!(right.len(), case.results.len(), "{}", case.name);
        for (call, kinds) in CALLS {
            let mut num_faults = 0;
            for kind in kinds {
                let places = (1..=most)
                    .map_while(|at| check(&shim, dir.path(), &case, &right, &Fault { call, kind, at }));
                let places: Vec<After> = places.collect();
                num_faults += places.len();
                if places.is_empty() {
                    continue;
                }
                let count = |after| places.iter().filter(|&&a| a == after).count();
                println!(
                    "{},{call},{kind},{},{},{},{}",
                    case.name,
                    places.len(),
                    count(After::Whole),
                    count(After::Resumed),
                    count(After::PageFailed)
                );
            }
            let is_called = matches!(call, "read" | "write");
            assert!(num_faults > 0 || !is_called, "{}: no call of {call} failed", case.name);
        }
    }
}

#[test]
fn no_output_is_half_after_a_fault() {
    check_all(1, 12);
}

#[test]
#[ignore = "takes minutes; .ci/nightly runs it"]
fn no_output_is_half_after_a_fault_at_any_place() {
    check_all(25, 12);
}

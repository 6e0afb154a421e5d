//! The golden corpus: stored outputs of the shipped models for every sample page.
//!
//! `tests/golden/MODEL.EXTENSION` contains the outputs of all pages. After an intended change, update the
//! files with `THRESHR_BLESS=1 cargo test --test suite golden`, and state the reason and the number of
//! changed pages in the commit.

use crate::support::{output, repository, sample, threshr};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;

/// The shipped models with the minimum mean token F1 on the sample.
///
/// The sample pages are training pages, so the minimum shows only that a model works, not how accurate it
/// is.
const MODELS: &[(&str, f64)] = &[("default", 0.945), ("cleaneval", 0.888), ("fast", 0.9), ("tiny", 0.886)];

/// Model, format and file extension of each stored file.
const FILES: &[(&str, &str, &str)] = &[
    ("default", "text", "txt"),
    ("default", "markdown", "md"),
    ("default", "jsonl", "jsonl"),
    ("cleaneval", "text", "txt"),
    ("fast", "text", "txt"),
    ("tiny", "text", "txt"),
];

/// Prefix of the line before each page in a file. JSON Lines files do not have such lines, because each
/// line contains the page id.
const PAGE: &str = "=== page ";

/// Outputs by page.
type Outputs = BTreeMap<String, String>;

/// Returns the value of `--model` for a shipped model.
fn option(model: &str) -> PathBuf {
    if model == "cleaneval" { repository("models/cleaneval.json") } else { model.into() }
}

fn pages() -> Vec<PathBuf> {
    let entries = fs::read_dir(sample().join("pages")).expect("the sample has pages");
    let mut pages: Vec<PathBuf> = entries.map(|e| e.expect("an entry").path()).collect();
    pages.sort();
    pages
}

/// Masks the name and the checksum of the model in a JSONL record.
fn masked(record: &str) -> String {
    const FIELD: &str = "\"model\":\"";
    let start = record.rfind(FIELD).expect("a record names its model") + FIELD.len();
    let end = start + record[start..].find('"').expect("the name ends");
    format!("{}MASKED{}\n", &record[..start], &record[end..])
}

/// Returns the records of a JSON Lines file by page.
fn by_id(records: &str) -> Outputs {
    let entry = |record: &str| {
        let value: serde_json::Value = serde_json::from_str(record).expect("a record is JSON");
        (value["id"].as_str().expect("an id").to_owned(), masked(record))
    };
    records.lines().map(entry).collect()
}

/// Returns the outputs of a model for every page in a format.
fn outputs(model: &str, format: &str) -> Outputs {
    let predict = || {
        let mut command = threshr();
        command
            .args(["predict", "--quiet", "--page-seconds", "0", "--format", format, "--model"])
            .arg(option(model));
        command
    };
    if format == "jsonl" {
        return by_id(&output(predict().arg(sample().join("pages"))));
    }
    let stem = |page: &PathBuf| page.file_stem().expect("a name").to_string_lossy().into_owned();
    pages().iter().map(|page| (stem(page), output(predict().arg(page)))).collect()
}

/// Parses a stored file to outputs.
fn stored(text: &str, format: &str) -> Outputs {
    if format == "jsonl" {
        return by_id(text);
    }
    let mut outputs = Outputs::new();
    let mut page = None;
    for line in text.split_inclusive('\n') {
        match line.strip_prefix(PAGE) {
            Some(id) => page = Some(outputs.entry(id.trim_end().to_owned()).or_default()),
            None => page.as_mut().expect("a page begins with its name").push_str(line),
        }
    }
    outputs
}

/// Formats outputs as a stored file.
fn to_store(outputs: &Outputs, format: &str) -> String {
    let entry = |(page, text): (&String, &String)| match format {
        "jsonl" => text.clone(),
        _ => format!("{PAGE}{page}\n{text}"),
    };
    outputs.iter().map(entry).collect()
}

#[test]
fn shipped_models_write_the_golden_corpus() {
    let bless = std::env::var_os("THRESHR_BLESS").is_some_and(|v| v == "1");
    let mut changed = Vec::new();
    for (model, format, extension) in FILES {
        let path = repository(&format!("tests/golden/{model}.{extension}"));
        let outputs = outputs(model, format);
        assert_eq!(outputs.len(), pages().len(), "{model}, {format}: an output for every page");
        let stored = stored(&fs::read_to_string(&path).unwrap_or_default(), format);
        let names: BTreeSet<_> = outputs.keys().chain(stored.keys()).collect();
        let differ = names.into_iter().filter(|&page| outputs.get(page) != stored.get(page));
        changed.extend(differ.map(|page| format!("{model}.{extension}: {page}")));
        if bless {
            fs::write(&path, to_store(&outputs, format)).expect("the file is written");
        }
    }
    if bless {
        eprintln!("{} outputs of pages changed", changed.len());
        return;
    }
    assert!(
        changed.is_empty(),
        "{} outputs of pages differ: {}; a change that is meant is written by THRESHR_BLESS=1 cargo test --test suite golden",
        changed.len(),
        changed.join(", ")
    );
}

#[test]
fn the_golden_corpus_has_no_other_files() {
    let entries = fs::read_dir(repository("tests/golden")).expect("the folder is there");
    let found: BTreeSet<String> =
        entries.map(|e| e.expect("an entry").file_name().to_string_lossy().into_owned()).collect();
    let expected = FILES.iter().map(|(model, _, extension)| format!("{model}.{extension}")).collect();
    assert_eq!(found, expected);
}

#[test]
fn shipped_models_reach_their_floors_on_the_sample() {
    for (model, floor) in MODELS {
        threshr()
            .args([
                "evaluate",
                "--quiet",
                "--data",
                "datasets/sample",
                "--overlap",
                "allow",
                "--metrics",
                "token",
            ])
            .args(["--bar", &format!("token_f1={floor}"), "--model"])
            .arg(option(model))
            .assert()
            .success();
    }
}

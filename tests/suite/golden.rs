//! The golden corpus: what every shipped model writes for every sample page, in every stored format.
//!
//! `tests/golden/MODEL/PAGE.EXTENSION` holds one output each. After a change that is meant, write them anew with
//! `THRESHR_BLESS=1 cargo test --test suite golden`, and name the reason and the number of pages in the commit.

use crate::support::{output, repository, sample, threshr};
use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

/// The shipped models, with the least mean token F1 that each must reach on the sample.
///
/// The sample pages are among the training pages, so a floor shows that a model works, not how good it is.
const MODELS: &[(&str, f64)] =
    &[("default", 0.945), ("research", 0.934), ("cleaneval", 0.888), ("tiny", 0.886)];

/// The stored formats, with the endings of their files.
const FORMATS: &[(&str, &str)] = &[("text", "txt"), ("markdown", "md"), ("jsonl", "jsonl")];

fn pages() -> Vec<PathBuf> {
    let entries = fs::read_dir(sample().join("pages")).expect("the sample has pages");
    let mut pages: Vec<PathBuf> = entries.map(|e| e.expect("an entry").path()).collect();
    pages.sort();
    pages
}

/// A JSONL record without the name and the checksum of the model.
fn masked(record: &str) -> String {
    const FIELD: &str = "\"model\":\"";
    let start = record.rfind(FIELD).expect("a record names its model") + FIELD.len();
    let end = start + record[start..].find('"').expect("the name ends");
    format!("{}MASKED{}\n", &record[..start], &record[end..])
}

/// What a model writes for every page in a format.
fn outputs(model: &str, format: &str) -> BTreeMap<String, String> {
    let model = repository(&format!("models/{model}.json"));
    let predict = |format: &str| {
        let mut command = threshr();
        command
            .args(["predict", "--quiet", "--page-seconds", "0", "--format", format, "--model"])
            .arg(&model);
        command
    };
    let stem = |page: &PathBuf| page.file_stem().expect("a name").to_string_lossy().into_owned();
    if format == "jsonl" {
        let records = output(predict(format).arg(sample().join("pages")));
        let entry = |record: &str| {
            let value: serde_json::Value = serde_json::from_str(record).expect("a record is JSON");
            (value["id"].as_str().expect("an id").to_owned(), masked(record))
        };
        return records.lines().map(entry).collect();
    }
    pages().iter().map(|page| (stem(page), output(predict(format).arg(page)))).collect()
}

#[test]
fn shipped_models_write_the_golden_corpus() {
    let bless = std::env::var_os("THRESHR_BLESS").is_some_and(|v| v == "1");
    let mut changed = Vec::new();
    for (model, _) in MODELS {
        let folder = repository(&format!("tests/golden/{model}"));
        for (format, ending) in FORMATS {
            let outputs = outputs(model, format);
            assert_eq!(outputs.len(), pages().len(), "{model}, {format}: an output for every page");
            for (page, text) in outputs {
                let path = folder.join(format!("{page}.{ending}"));
                if fs::read_to_string(&path).is_ok_and(|stored| stored == text) {
                    continue;
                }
                if bless {
                    fs::create_dir_all(&folder).expect("the folder is made");
                    fs::write(&path, text).expect("the file is written");
                }
                changed.push(format!("{model}/{page}.{ending}"));
            }
        }
    }
    if bless {
        eprintln!("{} golden files written", changed.len());
        return;
    }
    assert!(
        changed.is_empty(),
        "{} golden files differ: {}; a change that is meant is written by THRESHR_BLESS=1 cargo test --test suite golden",
        changed.len(),
        changed.join(", ")
    );
}

#[test]
fn the_golden_corpus_has_no_other_files() {
    for (model, _) in MODELS {
        let stored = fs::read_dir(repository(&format!("tests/golden/{model}"))).expect("the folder is there");
        assert_eq!(stored.count(), pages().len() * FORMATS.len(), "{model}");
    }
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
            .arg(repository(&format!("models/{model}.json")))
            .assert()
            .success();
    }
}

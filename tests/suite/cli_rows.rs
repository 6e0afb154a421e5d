//! The rows of `threshr predict`, and outputs that are kept, refused or not written.

use crate::cli_crawl::{html, predict, rows};
use crate::support::{failure, output, threshr};
use std::path::{Path, PathBuf};

#[test]
fn a_complete_output_is_checked_before_it_is_kept() {
    let dir = tempfile::tempdir().expect("a folder");
    let line = |id: u32| serde_json::json!({"id": id, "html": html("x")}).to_string() + "\n";
    let [a, b] = ["a.jsonl", "b.jsonl"].map(|name| dir.path().join(name));
    std::fs::write(&a, line(1)).expect("written");
    std::fs::write(&b, line(2)).expect("written");
    for name in ["out.jsonl", "out.parquet", "out.wet.gz"] {
        let out = dir.path().join(name);
        let record = dir.path().join(format!(".{name}.journal"));
        let resume = |inputs: &[&PathBuf], options: &[&str]| {
            let mut command = predict(&a);
            command.args(&inputs[1..]).args(options).arg("--resume").arg("--out").arg(&out);
            command
        };
        output(predict(&a).arg("--out").arg(&out));
        let said = |command: &mut assert_cmd::Command| {
            String::from_utf8_lossy(&command.assert().code(0).get_output().stderr).into_owned()
        };
        let same = said(&mut resume(&[&a], &["--jobs", "2"]));
        assert!(same.contains("nothing to resume") && !same.contains("not checked"), "{same}");
        let error = failure(&mut resume(&[&a, &b], &[]), 2);
        assert!(error.contains("other inputs (new: `") && error.contains("b.jsonl`)"), "{error}");
        assert!(error.contains("--force"), "{error}");
        let error = failure(&mut resume(&[&a], &["--keep-hidden"]), 2);
        assert!(error.contains("made from other --keep-hidden"), "{error}");
        // Without a record, only the kind of the file can be checked.
        std::fs::remove_file(&record).expect("there");
        let unknown = said(&mut resume(&[&a, &b], &[]));
        assert!(unknown.contains("not checked: the inputs and options"), "{unknown}");
        std::fs::write(&out, "hi").expect("written");
        let error = failure(&mut resume(&[&a], &[]), 2);
        assert!(error.contains("this is not an output of this program"), "{error}");
        output(predict(&a).arg("--force").arg("--out").arg(&out));
        std::fs::write(&out, "hi").expect("written");
        assert!(failure(&mut resume(&[&a], &[]), 2).contains("has changed since"));
        assert_eq!(std::fs::read(&out).expect("there"), b"hi");
    }
}

/// Without the field of the pages there is nothing to write.
#[test]
fn a_wrong_field_gives_no_output() {
    let dir = tempfile::tempdir().expect("a folder");
    let lines: String =
        (0..3).map(|id| serde_json::json!({"id": id, "html": html("x")}).to_string() + "\n").collect();
    let input = dir.path().join("x.jsonl");
    std::fs::write(&input, lines).expect("written");
    let pages = dir.path().join("pages.parquet");
    output(predict(&input).arg("--out").arg(&pages));
    for input in [&input, &pages] {
        let out = dir.path().join("out.jsonl");
        let error = failure(predict(input).args(["--html-field", "content", "--out"]).arg(&out), 2);
        assert!(error.contains("column content") && error.contains("--html-field"), "{error}");
        assert!(!out.exists() && !dir.path().join("out.jsonl.part").exists());
    }
    // A stream that ends inside a line is cut.
    let text = std::fs::read(&input).expect("there");
    let out = dir.path().join("out.jsonl");
    let mut cut = predict(Path::new("-"));
    cut.args(["--input-format", "jsonl", "--out"]).arg(&out).write_stdin(&text[..text.len() - 9]);
    let error = failure(&mut cut, 2);
    assert!(error.contains("the input ends too early") && !out.exists(), "{error}");
}

/// Rows of pages and of errors have the same fields.
#[test]
fn every_row_has_every_field() {
    let dir = tempfile::tempdir().expect("a folder");
    let input = dir.path().join("x.jsonl");
    std::fs::write(&input, "{\"id\": broken\n{\"id\": 2, \"html\": \"<p>a\"}\n").expect("written");
    for options in [&[][..], &["--system", "keep-everything"]] {
        let run = threshr().args(["predict", "--format", "jsonl"]).args(options).arg(&input).assert().code(2);
        let rows = rows(&String::from_utf8_lossy(&run.get_output().stdout));
        let keys: Vec<Vec<&String>> =
            rows.iter().map(|row| row.as_object().expect("an object").keys().collect()).collect();
        assert_eq!(keys[0], keys[1]);
        for key in
            ["url", "date", "title", "authors", "date_published", "language", "quality", "defect", "error"]
        {
            assert!(rows[1].get(key).is_some(), "{key}");
        }
        assert_eq!(rows[0]["authors"], serde_json::json!([]));
        assert!(rows[0]["text"].is_null() && rows[1]["text"] == "a");
    }
}

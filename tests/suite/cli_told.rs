//! Each error is reported exactly once, with its location.

use crate::support::{failure, output, sample, threshr, toy_set};
use std::fmt::Write as _;

#[test]
fn a_field_that_no_line_has_is_one_error() {
    let dir = tempfile::tempdir().expect("a folder");
    let path = dir.path().join("x.jsonl");
    for (num_lines, part) in
        [(5_000, "none of the first 1000 lines"), (3, "none of the first 3 lines"), (1, "no such field")]
    {
        let mut lines = String::new();
        (0..num_lines)
            .for_each(|i| writeln!(lines, "{{\"id\": {i}, \"content\": \"<p>x\"}}").expect("written"));
        std::fs::write(&path, lines).expect("written");
        let error = failure(threshr().arg("predict").arg(&path), 2);
        assert!(
            error.contains(part) && error.contains("id, content") && error.contains("--html-field"),
            "{error}"
        );
        assert!(error.lines().count() <= 4, "{error}");
        let error = failure(threshr().args(["data", "check"]).arg(&path), 2);
        assert!(error.contains("id, content") && error.lines().count() <= 2, "{error}");
    }
    // one line with the field is enough
    let lines = "{\"id\": 1}\n{\"id\": 2, \"html\": \"<p>Some words of a page\"}\n";
    std::fs::write(&path, lines).expect("written");
    let error = failure(threshr().arg("predict").arg(&path), 2);
    assert!(error.contains("x.jsonl:1:") && error.contains("1 of 2 pages failed"), "{error}");
}

#[test]
fn quiet_commands_say_nothing_but_errors() {
    let dir = tempfile::tempdir().expect("a folder");
    let set = toy_set(dir.path(), 6);
    for command in [
        vec!["train", "--features", "shallow+words+visual", "--out", "OUT", "--data", "SET"],
        vec!["evaluate", "--data", "SET", "--folds", "2", "--features", "shallow"],
        vec!["features", "SET", "--features", "words"],
        vec!["data", "check", "SET"],
    ] {
        let out = dir.path().join("m.json").display().to_string();
        let set = set.display().to_string();
        let args = command.iter().map(|&word| match word {
            "OUT" => out.as_str(),
            "SET" => set.as_str(),
            word => word,
        });
        let args: Vec<&str> = args.collect();
        let run = threshr().args(&args).arg("-q").assert().success();
        assert!(
            run.get_output().stderr.is_empty(),
            "{args:?}: {}",
            String::from_utf8_lossy(&run.get_output().stderr)
        );
    }
    assert!(!failure(threshr().args(["predict", "-q", "nowhere.html"]), 2).is_empty());
}

#[test]
fn errors_of_recipes_name_the_file() {
    let dir = tempfile::tempdir().expect("a folder");
    let set = toy_set(dir.path(), 3);
    let recipe = dir.path().join("my.toml");
    for (text, part) in [
        ("seed = 'x'", "my.toml:1"),
        ("features = { set = 'nonsense' }", "nonsense"),
        ("classifier = { name = 'nonsense' }", "nonsense"),
        ("[labels]\nthreshold = 7.0", "labels.threshold"),
        ("[decision]\nfilter = 'nonsense'", "nonsense"),
    ] {
        std::fs::write(&recipe, text).expect("written");
        for command in ["train", "evaluate --folds 2", "compare --folds 2"] {
            let out = dir.path().join("out");
            let mut run = threshr();
            run.args(command.split(' '))
                .arg("--data")
                .arg(&set)
                .arg("--recipe")
                .arg(&recipe)
                .arg("--out")
                .arg(out);
            let error = failure(&mut run, 2);
            assert!(error.contains("my.toml") && error.contains(part), "{command}: {error}");
        }
    }
}

#[test]
fn what_the_data_lack_is_said() {
    let dir = tempfile::tempdir().expect("a folder");
    let set = toy_set(dir.path(), 6);
    let said = |args: &[&str]| {
        let run = threshr().args(args).arg(&set).assert().success();
        String::from_utf8_lossy(&run.get_output().stderr).into_owned()
    };
    let features = said(&["features", "--features", "visual"]);
    assert!(features.contains("6 of 6 pages have no geometry file"), "{features}");
    crate::support::edit_gold(&set, |lines| {
        let mut lines: Vec<String> = lines.lines().map(str::to_owned).collect();
        lines[0] = r#"{"id": "0", "gold": "", "encoding": "klingon-8"}"#.to_owned();
        lines[1] = r#"{"id": "1", "gold": null}"#.to_owned();
        lines.join("\n")
    });
    let text = said(&["evaluate", "--metrics", "token", "--data"]);
    assert!(text.contains("1 of 6 pages have no gold"), "{text}");
    assert!(text.contains("the gold of 1 of 5 pages is empty"), "{text}");
    assert!(text.contains("`klingon-8` is unknown"), "{text}");
}

#[test]
fn predictions_of_predict_are_read_in_all_its_forms() {
    let dir = tempfile::tempdir().expect("a folder");
    let predict = |name: &str, more: &[&str]| {
        let out = dir.path().join(name);
        output(threshr().arg("predict").arg(sample().join("pages")).args(more).arg("--out").arg(&out));
        out
    };
    let files = [
        predict("a.jsonl", &[]),
        predict("b.jsonl.gz", &[]),
        predict("c.jsonl.zst", &[]),
        predict("d.parquet", &[]),
        predict("e", &["--format", "folder"]),
    ];
    let table = output(
        threshr()
            .args(["evaluate", "--overlap", "allow", "--metrics", "token", "--data"])
            .arg(sample())
            .arg("--predictions")
            .args(&files),
    );
    let score = |name: &str| {
        let row = table.lines().find(|line| line.starts_with(&format!("{name} "))).expect(&table);
        row.split_whitespace().nth(3).expect("a score").to_owned()
    };
    let scores = ["a", "b", "c", "d", "e"].map(score);
    assert!(scores.iter().all(|s| *s == scores[0]), "{table}");
    let lines = std::fs::read_to_string(&files[0]).expect("read");
    let few: Vec<&str> = lines.lines().take(40).collect();
    let text = format!("{}\n{{\"id\": \"elsewhere\", \"text\": \"x\"}}\n", few.join("\r\n"));
    let path = dir.path().join("few.jsonl");
    std::fs::write(&path, text).expect("written");
    let run = threshr()
        .args(["evaluate", "--overlap", "allow", "--data"])
        .arg(sample())
        .arg("--predictions")
        .arg(&path)
        .assert()
        .success();
    let said = String::from_utf8_lossy(&run.get_output().stderr).into_owned();
    assert!(said.contains("2 of 42 pages are missing"), "{said}");
    assert!(said.contains("1 ids match no page of the sets, such as elsewhere"), "{said}");
}

#[test]
fn unknown_charsets_are_said_once() {
    let dir = tempfile::tempdir().expect("a folder");
    for (name, head) in [
        ("a", "<meta charset=klingon-8>"),
        ("b", "<meta charset='klingon-8'>"),
        ("c", "<meta charset=utf-8>"),
    ] {
        let page = format!("{head}<p>It rained in the valley, and nobody went out of the house.");
        std::fs::write(dir.path().join(format!("{name}.html")), page).expect("written");
    }
    let said = |more: &[&str]| {
        let run = threshr().arg("predict").arg(dir.path()).args(more).assert().success();
        String::from_utf8_lossy(&run.get_output().stderr).into_owned()
    };
    let text = said(&[]);
    assert!(text.contains("2 of 3 pages declare an unknown charset, such as `klingon-8`"), "{text}");
    assert_eq!(text.matches("klingon").count(), 1, "{text}");
    assert_eq!(said(&["-q"]), "");
}

#[test]
fn arrays_of_records_are_pages_for_every_command() {
    let dir = tempfile::tempdir().expect("a folder");
    let path = dir.path().join("x.json");
    let page = |i: u32| serde_json::json!({"name": i, "body": format!("<p>Story {i} tells what happened in a few plain words."), "text": format!("Story {i} tells what happened in a few plain words.")});
    let pages = serde_json::Value::from((0..4).map(page).collect::<Vec<_>>());
    for text in [pages.to_string(), format!("{pages:#}")] {
        std::fs::write(&path, text).expect("written");
        let run = ["--html-field", "body", "--id-field", "name"];
        let found = output(threshr().arg("predict").arg(&path).args(run).args([
            "--system",
            "keep-everything",
            "--format",
            "jsonl",
        ]));
        assert!(found.lines().count() == 4 && found.contains("\"id\":\"3\""), "{found}");
        let checked = threshr().args(["data", "check"]).arg(&path).args(run).assert().success();
        assert!(String::from_utf8_lossy(&checked.get_output().stdout).contains('4'));
    }
    // a named field that does not occur in the file
    for (option, lines) in [("--id-field", 3), ("--url-field", 1), ("--date-field", 2_000)] {
        let path = dir.path().join("x.jsonl");
        std::fs::write(&path, "{\"html\": \"<p>x\", \"name\": 1}\n".repeat(lines)).expect("written");
        let error = failure(threshr().arg("predict").arg(&path).args([option, "nowhere"]), 2);
        assert!(
            error.contains("nowhere") && error.contains("html, name") && error.contains(option),
            "{error}"
        );
    }
}

#[test]
fn predictions_are_read_as_tolerantly_as_pages() {
    let dir = tempfile::tempdir().expect("a folder");
    let set = toy_set(dir.path(), 6);
    let path = dir.path().join("p.jsonl");
    let evaluate = |path: &std::path::Path| {
        let mut run = threshr();
        run.args(["evaluate", "--metrics", "token", "--data"]).arg(&set).arg("--predictions").arg(path);
        let run = run.assert().success();
        String::from_utf8_lossy(&run.get_output().stderr).into_owned()
    };
    std::fs::write(&path, "{\"id\": 0, \"text\": \"x\"}\n{\"id\": 1, \"te\n{\"id\": 2, \"text\": null}\n")
        .expect("written");
    let said = evaluate(&path);
    assert!(
        said.contains("1 malformed records are skipped") && said.contains("4 of 6 pages are missing"),
        "{said}"
    );
    std::fs::write(&path, "").expect("written");
    assert!(evaluate(&path).contains("has no records"));
}

#[test]
fn many_failed_pages_are_counted_by_kind() {
    let dir = tempfile::tempdir().expect("a folder");
    let path = dir.path().join("x.jsonl");
    let bad = ["%PDF-1.7 text", "{\\rtf1\\ansi text}", "GIF89a text"];
    let line = |i: usize| format!("{}\n", serde_json::json!({"id": i, "html": bad[i % 3]}));
    std::fs::write(&path, (0..3_000).map(line).collect::<String>()).expect("written");
    for format in ["text", "jsonl"] {
        let error = failure(threshr().args(["predict", "--format", format]).arg(&path), 2);
        assert!(error.lines().count() < 60, "{} lines", error.lines().count());
        for part in [
            "2980 more errors are not listed",
            "1000 this looks like a PDF",
            "1000 this looks like an RTF document",
            "1000 this looks like a GIF picture",
            "3000 of 3000 pages failed",
        ] {
            assert!(error.contains(part), "{part}: {error}");
        }
    }
    std::fs::write(&path, (0..20).map(line).collect::<String>()).expect("written");
    let error = failure(threshr().arg("predict").arg(&path), 2);
    assert!(!error.contains("not listed") && error.matches("page 19").count() == 1, "{error}");
}

#[test]
fn documents_of_other_programs_are_refused_by_name() {
    let dir = tempfile::tempdir().expect("a folder");
    let office = [&b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"[..], &[0; 600], b"W\0o\0r\0d\0"].concat();
    let tar = [&b"page.html"[..], &[0; 248], b"ustar\0", &[0; 300]].concat();
    for (name, bytes, kind) in [
        ("a.html", &b"{\\rtf1\\ansi\\deff0 {\\fonttbl} Some text of a letter.}"[..], "an RTF document"),
        ("b.html", &office, "old Office"),
        ("c.html", b"%!PS-Adobe-3.0\n%%Pages: 1", "a PostScript file"),
        ("d.html", b"Rar!\x1a\x07\x01\0text", "a RAR archive"),
        ("e.html", b"7z\xbc\xaf\x27\x1ctext", "a 7z archive"),
        ("f.html", b"\xfd7zXZ\0text", "an xz file"),
        ("g.html", b"\0\0\0\x18ftypmp42text", "a media file"),
        ("h.html", b"SQLite format 3\0text", "an SQLite database"),
        ("i.html", &tar, "a tar archive"),
        ("j.html", b"II*\0text of a picture", "a TIFF picture"),
    ] {
        let path = dir.path().join(name);
        std::fs::write(&path, bytes).expect("written");
        let error = failure(threshr().arg("predict").arg(&path), 2);
        assert!(error.contains(kind) && error.contains(name), "{kind}: {error}");
    }
}

#[test]
fn cut_pages_are_marked() {
    use std::io::Write;
    let dir = tempfile::tempdir().expect("a folder");
    let text: String =
        (0..400).map(|i| format!("<p>Sentence {} of the page tells what happened.", i * i)).collect();
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(text.as_bytes()).expect("written");
    let bytes = gzip.finish().expect("compressed");
    std::fs::write(dir.path().join("cut.html.gz"), &bytes[..bytes.len() / 2]).expect("written");
    std::fs::write(dir.path().join("whole.html"), &text).expect("written");
    let run = |strict: &[&str], out: &str, code: i32| {
        let mut run = threshr();
        run.arg("predict")
            .args(strict)
            .arg(dir.path().join("cut.html.gz"))
            .arg(dir.path().join("whole.html"));
        let run = run.arg("--force").arg("--out").arg(dir.path().join(out)).assert().code(code);
        String::from_utf8_lossy(&run.get_output().stderr).into_owned()
    };
    let said = run(&[], "o.jsonl", 0);
    assert!(said.contains("warning: ") && said.contains("1 of 2 pages may be incomplete"), "{said}");
    let rows = std::fs::read_to_string(dir.path().join("o.jsonl")).expect("read");
    let rows: Vec<serde_json::Value> =
        rows.lines().map(|row| serde_json::from_str(row).expect("JSON")).collect();
    assert!(rows[0]["defect"].as_str().is_some_and(|why| why.contains("truncated")), "{}", rows[0]);
    assert!(
        rows[0]["text"].as_str().is_some_and(|text| text.contains("Sentence 0"))
            && rows[0]["error"].is_null()
    );
    assert!(rows[1]["defect"].is_null());
    // the column of Parquet, read as if it were the page
    run(&[], "o.parquet", 0);
    let read = ["--format", "jsonl", "--html-field", "defect"];
    let columns = threshr().arg("predict").arg(dir.path().join("o.parquet")).args(read).assert();
    let columns = String::from_utf8_lossy(&columns.get_output().stdout).into_owned();
    assert!(columns.contains("truncated") && columns.contains("the value is missing"), "{columns}");
    let said = run(&["--strict"], "s.jsonl", 2);
    assert!(
        !said.contains("warning") && said.contains("truncated") && said.contains("may be incomplete"),
        "{said}"
    );
    assert_eq!(
        std::fs::read(dir.path().join("s.jsonl")).ok(),
        std::fs::read(dir.path().join("o.jsonl")).ok()
    );
}

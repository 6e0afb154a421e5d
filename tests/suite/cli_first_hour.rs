//! What people do in their first hour: other names for commands, addresses, annotated folders, gold of other tools.

use crate::support::{annotate_by_gold, failure, output, sample, threshr, toy_set};
use std::path::{Path, PathBuf};

/// Copies pages of the sample to a folder, without the addresses that they state.
fn pages(dir: &Path, num: usize) -> PathBuf {
    let folder = dir.join("P");
    std::fs::create_dir_all(&folder).expect("made");
    let mut paths: Vec<PathBuf> = std::fs::read_dir(sample().join("pages"))
        .expect("the sample")
        .map(|entry| entry.expect("a page").path())
        .collect();
    paths.sort();
    for path in paths.iter().take(num) {
        let html = String::from_utf8_lossy(&std::fs::read(path).expect("read")).into_owned();
        let html = html.replace("canonical", "other").replace("og:url", "other");
        std::fs::write(folder.join(path.file_name().expect("a name")), html).expect("written");
    }
    folder
}

/// Returns the standard error of a command that succeeds.
fn said(command: &mut assert_cmd::Command) -> String {
    String::from_utf8_lossy(&command.assert().success().get_output().stderr).into_owned()
}

#[test]
fn annotated_folders_and_predictions_have_the_same_ids() {
    let dir = tempfile::tempdir().expect("a folder");
    let folder = pages(dir.path(), 4);
    annotate_by_gold(&folder);
    let predict = |name: &str, options: &[&str]| {
        let out = dir.path().join(name);
        output(threshr().arg("predict").arg(&folder).args(options).arg("--out").arg(&out));
        out
    };
    let evaluate = |predictions: &Path| {
        let mut command = threshr();
        command.args(["evaluate", "--metrics", "token", "--format", "json", "--data"]).arg(&folder);
        command.arg("--predictions").arg(predictions);
        command
    };
    let row = |predictions: &Path| {
        let reports: serde_json::Value =
            serde_json::from_str(&output(&mut evaluate(predictions))).expect("JSON");
        reports[0]["rows"]
            .as_array()
            .expect("rows")
            .iter()
            .find(|row| row["row"] == "texts")
            .expect("a row")
            .clone()
    };
    let all = predict("texts.jsonl", &[]);
    assert!(!said(&mut evaluate(&all)).contains("missing"));
    assert_eq!(row(&all)["num_failed"], 0);
    // the ids of other tools are names of files
    let rename = |line: &str| {
        let mut row: serde_json::Value = serde_json::from_str(line).expect("JSON");
        row["id"] = format!("{}.html", row["id"].as_str().expect("an id")).into();
        format!("{row}\n")
    };
    let lines = std::fs::read_to_string(&all).expect("read");
    let renamed = dir.path().join("renamed/texts.jsonl");
    std::fs::create_dir_all(renamed.parent().expect("a parent")).expect("made");
    std::fs::write(&renamed, lines.lines().map(rename).collect::<String>()).expect("written");
    assert_eq!(row(&renamed)["num_failed"], 0);
    // pages without a prediction are failed pages
    std::fs::remove_file(&all).expect("removed");
    let some = predict("texts.jsonl", &["--limit", "1"]);
    assert_eq!(std::fs::read_to_string(&some).expect("read").lines().count(), 1);
    assert!(
        said(&mut evaluate(&some)).contains("3 of 4 pages are missing; they count as failed and score 0")
    );
    assert_eq!(row(&some)["num_failed"], 3);
}

#[test]
fn answers_name_the_command_that_helps() {
    let dir = tempfile::tempdir().expect("a folder");
    let page = sample().join("pages/4565.html");
    let page = page.to_str().expect("UTF-8");
    for (args, answer) in [
        (vec!["https://example.org/a"], "curl -fsSL 'https://example.org/a' | threshr predict -"),
        (vec![page], "a command comes first: threshr predict"),
        (vec!["extract", page], "the command is threshr predict"),
        (vec!["predict", "https://example.org/a"], "curl -fsSL 'https://example.org/a' | threshr predict -"),
        (vec!["features", "https://example.org/a"], "curl -fsSLo page.html 'https://example.org/a'"),
        (vec!["predict", page, "--model", "huge"], "a shipped model: default, fast, tiny"),
        (vec!["predict", page, "--limit", "0"], "expected 1 or more"),
        (vec!["predict", page, "--jsonl"], "--format jsonl"),
        (vec!["predict", "www.a.example/y"], "curl -fsSL 'https://www.a.example/y' | threshr predict -"),
        (vec!["predict", "ftp://a.example/y"], "curl -fsSL 'ftp://a.example/y'"),
        (vec!["predict", "file:///tmp/none.html"], "the path of the file: /tmp/none.html"),
        (vec!["train", "--data", "https://a.example/", "--out", "x.json"], "this is an address"),
        (vec!["annotate", "https://a.example/"], "curl -fsSLo pages/1.html ADDRESS"),
    ] {
        let error = failure(threshr().args(&args), 2);
        assert!(error.contains(answer), "{args:?}: {error}");
    }
    let addresses = "https://a.example/1\nhttps://a.example/2\n";
    let list = dir.path().join("urls.txt");
    std::fs::write(&list, addresses).expect("written");
    let of_file = failure(threshr().arg("predict").arg(&list), 2);
    let of_stdin = failure(threshr().args(["predict", "-"]).write_stdin(addresses), 2);
    for error in [of_file, of_stdin] {
        assert!(error.contains("2 addresses") && error.contains("threshr-render"), "{error}");
    }
    let empty = said(threshr().args(["predict", "-"]).write_stdin("\n"));
    assert!(empty.contains("the input is empty") && empty.contains("curl"), "{empty}");
    failure(threshr().args(["predict", "--strict", "-"]).write_stdin(""), 2);
    let names = dir.path().join("names.txt");
    std::fs::write(&names, "a.example\nb.example\n").expect("written");
    let text = said(threshr().arg("predict").arg(&names));
    assert!(
        text.contains("names.txt looks like a list of paths or hosts") && text.contains("--input-format"),
        "{text}"
    );
    let by_name = output(threshr().args(["predict", page, "--model", "tiny"]));
    assert_eq!(by_name, output(threshr().args(["predict", page, "--model", "models/tiny.json"])));
    assert!(output(threshr().args(["model", "show", "tiny"])).contains("leaves"));
    let lines = output(
        threshr()
            .args(["predict", "--format", "jsonl", "--jobs", "2", "--limit", "3"])
            .arg(sample().join("pages")),
    );
    assert_eq!(lines.lines().count(), 3);
}

#[test]
fn output_files_have_the_format_of_their_extension() {
    let dir = tempfile::tempdir().expect("a folder");
    let set = toy_set(dir.path(), 3);
    let at = |name: &str| dir.path().join(name);
    let features = |name: &str| {
        let mut command = threshr();
        command.args(["features", "--features", "shallow"]).arg(&set).arg("--out").arg(at(name));
        command
    };
    for name in ["x.csv", "x.tsv", "x.json", "x.jsonl"] {
        output(&mut features(name));
    }
    let read = |name: &str| std::fs::read_to_string(at(name)).expect("read");
    let head = "set,page,site,url,block,share,label,text,";
    assert!(read("x.csv").starts_with(head), "{}", read("x.csv"));
    assert!(read("x.csv").contains("\ntoy,0,site0.com,http://www.site0.com/a,0,"), "{}", read("x.csv"));
    assert!(read("x.tsv").starts_with(&head.replace(',', "\t")));
    assert_eq!(read("x.json"), read("x.jsonl"));
    let first: serde_json::Value =
        serde_json::from_str(read("x.json").lines().next().expect("a line")).expect("JSON");
    assert_eq!((first["set"].as_str(), first["site"].as_str()), (Some("toy"), Some("site0.com")));
    let evaluate = |option: &str, name: &str| {
        let mut command = threshr();
        command.args(["evaluate", "--metrics", "token", "--data"]).arg(&set).arg(option).arg(at(name));
        command
    };
    let mut train = threshr();
    train.args(["train", "--recipe", "models/default.toml", "--data"]).arg(&set);
    train.arg("--out").arg(at("m.json")).arg("--held-out").arg(at("held.json"));
    let mut list = threshr();
    list.args(["features", "list", "--out"]).arg(at("list.xlsx"));
    let mut bench = threshr();
    bench.arg("bench").arg(sample().join("pages/4565.html")).arg("--out").arg(at("bench.html"));
    for (mut command, name) in [
        (features("x.parquet"), "x.parquet"),
        (evaluate("--out", "x.xlsx"), "x.xlsx"),
        (evaluate("--per-page", "pages.json"), "pages.json"),
        (train, "held.json"),
        (list, "list.xlsx"),
        (bench, "bench.html"),
    ] {
        let error = failure(&mut command, 2);
        assert!(error.contains("expected one of .") && error.contains(name) && !at(name).exists(), "{error}");
    }
    output(&mut evaluate("--out", "x.md"));
    assert!(read("x.md").contains("| --- |"));
}

#[test]
fn gold_of_cleaneval_is_recognised_beside_pages() {
    let dir = tempfile::tempdir().expect("a folder");
    let set = dir.path().join("set");
    std::fs::create_dir_all(&set).expect("made");
    let html = "<ul><li><a href=/>Home</a></ul><h1>Rain in the north</h1><p>It rained all day in the town.</p><p>Nobody went out.</p>";
    for i in 1..4 {
        std::fs::write(set.join(format!("{i}.html")), html).expect("written");
        std::fs::write(set.join(format!("{i}.txt")), "Home Rain in the north").expect("written");
        let gold = format!(
            "URL: http://site{i}.example/a\n\n<h>Rain in the north\n<p>It rained all day in the town.\n<p>Nobody went out.\n"
        );
        std::fs::write(set.join(format!("{i}-cleaned.txt")), gold).expect("written");
    }
    let check = |set: &Path, options: &[&str]| {
        let out =
            threshr().args(["data", "check"]).args(options).arg(set).assert().success().get_output().clone();
        (String::from_utf8_lossy(&out.stdout).into_owned(), String::from_utf8_lossy(&out.stderr).into_owned())
    };
    for options in [&[][..], &["--gold-format", "cleaneval"]] {
        let (table, said) = check(&set, options);
        assert!(table.contains("good") && said.is_empty(), "{table}{said}");
    }
    let out = dir.path().join("converted");
    output(threshr().args(["data", "convert"]).arg(&set).arg("--out").arg(&out));
    let gold = std::fs::read_to_string(out.join("gold.jsonl")).expect("read");
    let first: serde_json::Value = serde_json::from_str(gold.lines().next().expect("a line")).expect("JSON");
    assert_eq!(first["gold"], "Rain in the north\nIt rained all day in the town.\nNobody went out.");
    assert_eq!(first["url"], "http://site1.example/a");
    // the reason of a doubt is named, and `train` repeats it
    std::fs::write(set.join("1-cleaned.txt"), "").expect("written");
    let reason = "1 of 3 gold texts are empty";
    assert!(check(&set, &[]).0.contains(reason));
    let mut train = threshr();
    train.args(["train", "--features", "shallow", "--classifier", "tree", "--data"]).arg(&set);
    let text = said(train.arg("--out").arg(dir.path().join("m.json")));
    assert!(text.contains(&format!("the gold of set is doubtful: {reason}")), "{text}");
}

#[test]
fn predictions_of_shipped_models_obey_the_overlap_rule() {
    let dir = tempfile::tempdir().expect("a folder");
    for name in ["texts.jsonl", "texts.parquet"] {
        let texts = dir.path().join(name);
        output(threshr().args(["predict", "--limit", "30", "--out"]).arg(&texts).arg(sample().join("pages")));
        let evaluate = || {
            let mut command = threshr();
            command
                .args(["evaluate", "--metrics", "token", "--data"])
                .arg(sample())
                .arg("--predictions")
                .arg(&texts);
            command
        };
        let error = failure(&mut evaluate(), 2);
        assert!(error.contains("the model was trained on") && error.contains("--overlap"), "{error}");
        output(evaluate().args(["--overlap", "allow"]));
    }
    let own = dir.path().join("own.jsonl");
    let line = serde_json::json!({"id": "4565", "text": "x", "model": "my@0123456789ab"});
    std::fs::write(&own, format!("{line}\n")).expect("written");
    let mut command = threshr();
    let text = said(
        command
            .args(["evaluate", "--metrics", "token", "--data"])
            .arg(sample())
            .arg("--predictions")
            .arg(&own),
    );
    assert!(text.contains("the training pages of the model `my@0123456789ab` are unknown"), "{text}");
}

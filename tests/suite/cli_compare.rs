//! `threshr compare`.

use crate::support::{edit_gold, failure, output, sample, threshr, toy_set};
use std::collections::BTreeMap;
use std::path::Path;

/// Returns the content of every file of a result folder, by its relative path.
fn files(dir: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    for part in ["", "pages", "cells"] {
        for entry in std::fs::read_dir(dir.join(part)).expect("listed") {
            let path = entry.expect("an entry").path();
            if path.is_file() {
                let name = format!("{part}/{}", path.file_name().expect("a name").to_string_lossy());
                found.insert(name, std::fs::read(&path).expect("read"));
            }
        }
    }
    found
}

/// Checks that HTML has no parse errors, closes every tag and loads no external resources.
fn assert_well_formed(html: &str) {
    let errors = scraper::Html::parse_document(html).errors;
    assert!(errors.is_empty(), "{errors:?}");
    let mut open: Vec<&str> = Vec::new();
    for tag in html.split('<').skip(2) {
        let tag = tag.split_once('>').expect("an end").0;
        let name = tag.trim_start_matches('/').split([' ', '\n', '/']).next().expect("a name");
        if tag.starts_with('/') {
            assert_eq!(open.pop(), Some(name), "{tag}");
        } else if !tag.ends_with('/') {
            open.push(name);
        }
    }
    assert!(open.is_empty(), "{open:?}");
    for part in ["<script", "http://", "https://", "src=", "@import", "url("] {
        assert!(!html.contains(part), "{part}");
    }
}

fn column(csv: &str, row: &str, name: &str, column: &str) -> String {
    let mut reader = csv::Reader::from_reader(csv.as_bytes());
    let head = reader.headers().expect("a head").clone();
    let at = |name: &str| head.iter().position(|h| h == name).expect("a column");
    let found = reader
        .records()
        .map(|r| r.expect("a record"))
        .find(|r| &r[at("row")] == row && &r[at("column")] == name);
    found.unwrap_or_else(|| panic!("{row} {name}"))[at(column)].to_owned()
}

#[test]
fn what_options_take_for_their_own_is_said() {
    let dir = tempfile::tempdir().expect("a folder");
    let set = toy_set(dir.path(), 3);
    let experiment = dir.path().join("x.toml");
    std::fs::write(&experiment, "folds = 2\n").expect("written");
    let out = dir.path().join("out");
    let stderr = |command: &mut assert_cmd::Command| failure(command.arg("--out").arg(&out), 2);
    let swallowed = stderr(threshr().args(["compare", "--data"]).arg(&set).arg(&experiment));
    assert!(swallowed.contains("before all options") && swallowed.contains("x.toml"), "{swallowed}");
    let twice = stderr(threshr().args(["train", "--data"]).arg(&set).arg(&set));
    assert!(twice.contains("given twice"), "{twice}");
    assert!(!out.exists());
    std::fs::write(&out, "").expect("written");
    let file = stderr(threshr().args(["compare", "--folds", "2", "--data"]).arg(&set));
    assert!(file.contains("--out is a file"), "{file}");
}

#[test]
fn learned_columns_and_augmentation_are_those_of_evaluate() {
    let dir = tempfile::tempdir().expect("a folder");
    let recipe = dir.path().join("recipe.toml");
    let text = "[features]\nset = 'shallow+thread+words+attribute_tokens'\nneighbours = []\n\
        [augmentation]\nwithout_attributes = 0.3\ninsert_comments = 0.5\ninsert_stories = 0.5\n[classifier]\nname = 'tree'\n";
    std::fs::write(&recipe, text).expect("written");
    let run = |command: &str, more: &[&str]| {
        let mut run = threshr();
        run.args([command, "--folds", "3", "--metrics", "token,auc", "--recipe"]).arg(&recipe);
        output(run.args(more).arg("--data").arg(sample()))
    };
    let out = dir.path().join("out");
    run("compare", &["--out", out.to_str().expect("UTF-8")]);
    let csv = String::from_utf8(files(&out)["/results.csv"].clone()).expect("UTF-8");
    let evaluate = run("evaluate", &["--format", "csv"]);
    for name in ["token_f1", "auc", "log_loss"] {
        let ours = column(&csv, "tree", name, "mean");
        assert_eq!(ours, column(&evaluate, "tree", name, "mean"), "{name}");
    }
}

#[test]
fn a_grid_is_run_once_and_its_rows_are_those_of_evaluate() {
    let dir = tempfile::tempdir().expect("a folder");
    let out = dir.path().join("new/out");
    std::fs::create_dir(dir.path().join("new")).expect("made");
    let run = || {
        let mut command = threshr();
        command.args([
            "compare",
            "--folds",
            "3",
            "--neighbours",
            "none",
            "--features",
            "shallow",
            "shallow,density",
            "--metrics",
            "token,auc",
        ]);
        command
            .args(["--filter", "none,tree", "--title", "A <b> & \"c\"", "--data"])
            .arg(sample())
            .arg("--out")
            .arg(&out);
        output(&mut command)
    };
    let table = run();
    for part in ["shallow / none", "shallow,density / tree:2", "keep-everything", "oracle", "3 folds by site"]
    {
        assert!(table.contains(part), "{part}: {table}");
    }
    let first = files(&out);
    let written = |name: &str| std::fs::metadata(out.join(name)).and_then(|m| m.modified()).expect("a time");
    let cells: Vec<&String> = first.keys().filter(|k| k.starts_with("pages/")).collect();
    let before: Vec<_> = cells.iter().map(|c| written(c)).collect();
    assert_eq!(run(), table);
    assert_eq!(files(&out), first);
    // no cell was computed again
    assert_eq!(cells.iter().map(|c| written(c)).collect::<Vec<_>>(), before);
    let csv = String::from_utf8(first["/results.csv"].clone()).expect("UTF-8");
    let evaluate = output(
        threshr()
            .args([
                "evaluate",
                "--folds",
                "3",
                "--neighbours",
                "none",
                "--features",
                "shallow,density",
                "--metrics",
                "token,auc",
            ])
            .args(["--format", "csv", "--data"])
            .arg(sample()),
    );
    for name in ["token_f1", "auc", "log_loss"] {
        for value in ["mean", "ci_low", "ci_high", "median", "pooled"] {
            let ours = column(&csv, "shallow,density / none", name, value);
            assert_eq!(ours, column(&evaluate, "tree", name, value), "{name} {value}");
        }
    }
    assert!(!column(&csv, "shallow,density / none", "token_f1", "wilcoxon_holm").is_empty());
    assert_well_formed(&String::from_utf8(first["/report.html"].clone()).expect("UTF-8"));
    // a cell whose file is lost or truncated is computed again, with the same result
    assert_eq!(cells.len(), 4 + 2);
    std::fs::remove_file(out.join(cells[0])).expect("removed");
    std::fs::write(out.join(cells[1]), &first[cells[1]][..300]).expect("written");
    assert_eq!(run(), table);
    assert_eq!(files(&out), first);
    assert!(cells.iter().zip(before).skip(2).all(|(c, time)| written(c) == time));
}

#[test]
fn an_experiment_file_asks_for_everything() {
    let dir = tempfile::tempdir().expect("a folder");
    for (name, num_pages) in [("one", 9), ("two", 12)] {
        let parent = dir.path().join(name);
        std::fs::create_dir(&parent).expect("made");
        let set = toy_set(&parent, num_pages);
        if name == "one" {
            // the two sets share only the site of the first page, and no page has the same bytes
            let gold = std::fs::read_to_string(set.join("gold.jsonl")).expect("read");
            let gold = gold.replace("www.site", "www.other").replace("www.other0.", "www.site0.");
            std::fs::write(set.join("gold.jsonl"), gold).expect("written");
            for i in 0..num_pages {
                let path = set.join(format!("pages/{i}.html"));
                let html = std::fs::read_to_string(&path).expect("read");
                std::fs::write(&path, html + "<!-- one -->").expect("written");
            }
        }
    }
    std::fs::write(dir.path().join("tool.jsonl"), "{\"id\": \"0\", \"text\": \"Story number 0\"}\n")
        .expect("written");
    let experiment = dir.path().join("experiment.toml");
    std::fs::write(
        &experiment,
        "data = [{path = 'one/toy', label = 'a'}, {path = 'two/toy', label = 'b'}]\nleave-one-set-out = true\nfolds = 3\n\
         features = [{label = 'few', set = 'shallow+density', neighbours = []}]\n\
         classifiers = ['tree', {label = 'shallow tree', name = 'tree', params = {max_depth = 2}}]\n\
         learning-curve = [4, 400]\nablation = 'leave-one-out'\nmetrics = ['token']\n\
         baseline = 'tool'\n[[predictions]]\nlabel = 'tool'\nfiles = {b = 'tool.jsonl'}\n",
    )
    .expect("written");
    let out = dir.path().join("out");
    let run = |jobs: &str| {
        let mut command = threshr();
        command.args(["compare", "--jobs", jobs]).arg(&experiment).arg("--data-root").arg(dir.path());
        output(command.arg("--fresh").arg("--out").arg(&out))
    };
    let table = run("1");
    assert!(table.contains("b: trained on the other sets (a)") && table.contains("shallow tree"), "{table}");
    let first = files(&out);
    assert_eq!(run("2"), table);
    assert_eq!(files(&out), first);
    let text = |name: &str| String::from_utf8(first[name].clone()).expect("UTF-8");
    let json: serde_json::Value = serde_json::from_str(&text("/results.json")).expect("JSON");
    let panels = json["panels"].as_array().expect("panels");
    assert_eq!(panels.len(), 4);
    let rows = panels[1]["rows"].as_array().expect("rows");
    let row = |name: &str| rows.iter().find(|r| r["row"] == name).unwrap_or_else(|| panic!("{name}"));
    // the page of the site that both sets share is excluded from training: 12 − 1 pages
    let loso = panels.iter().find(|p| p["trained_on"] == "b").expect("a panel");
    let rounds = |r: &serde_json::Value| r["rounds"][0].clone();
    let all =
        loso["rows"].as_array().expect("rows").iter().find(|r| r["row"] == "tree").expect("tree").clone();
    assert_eq!(
        (rounds(&all)["num_train"].as_u64(), rounds(&all)["num_overlapping"].as_u64()),
        (Some(11), Some(1))
    );
    assert_eq!(rounds(row("tree, 4 pages"))["num_train"].as_u64(), Some(4));
    assert!(row("tree, 400 pages")["note"].as_str().is_some_and(|n| n.contains("only 8 training pages")));
    assert!(row("tree, without density")["scores"]["token_f1"]["mean"].is_f64());
    assert!(row("tool")["scores"]["token_f1"]["mean"].as_f64().is_some_and(|f| f > 0.0 && f < 0.1));
    for part in ["Learning curve", "Ablation"] {
        assert!(text("/report.html").contains(part), "{part}");
    }
    let markdown = text("/results.md");
    assert!(markdown.contains("All models: features `"));
    assert!(markdown.contains("At most 1 training pages are left out"));
    assert!(row("tree")["blocks"]["calibration"].as_array().is_some_and(|bins| !bins.is_empty()));
    assert_well_formed(&text("/report.html"));
}

#[test]
fn a_cell_that_fails_does_not_stop_the_rest() {
    let dir = tempfile::tempdir().expect("a folder");
    let set = toy_set(dir.path(), 6);
    let experiment = dir.path().join("e.toml");
    std::fs::write(
        &experiment,
        "data = ['toy']\nfolds = 2\nmetrics = ['token']\n\
         classifiers = ['tree', {label = 'wrong <x>', name = 'tree', params = {max_dept = 2}}]\n",
    )
    .expect("written");
    let out = dir.path().join("out");
    let mut command = threshr();
    command.arg("compare").arg(&experiment).env_remove("DATA").arg("--out").arg(&out);
    let error = failure(&mut command, 2);
    assert!(error.contains("wrong <x>") && error.contains("max_dept"), "{error}");
    let html = std::fs::read_to_string(out.join("report.html")).expect("read");
    assert!(html.contains("wrong &lt;x&gt;") && html.contains("max_dept"));
    assert_well_formed(&html);
    let csv = std::fs::read_to_string(out.join("results.csv")).expect("read");
    assert!(csv.contains("max_dept") && column(&csv, "tree", "token_f1", "mean").parse::<f64>().is_ok());
    // a changed page invalidates the cached scores
    let before = files(&out);
    std::fs::write(set.join("pages/0.html"), "<p>Story number 0").expect("written");
    failure(&mut command, 2);
    assert_ne!(files(&out)["/results.csv"], before["/results.csv"]);
}

#[test]
fn a_set_without_gold_does_not_lose_the_others() {
    let dir = tempfile::tempdir().expect("a folder");
    let set = toy_set(dir.path(), 6);
    let other = toy_set(&dir.path().join("other"), 6);
    edit_gold(&other, |lines| lines.replace("\"gold\":", "\"silver\":"));
    let renamed = dir.path().join("bare");
    std::fs::rename(&other, &renamed).expect("renamed");
    let out = dir.path().join("out");
    let mut command = threshr();
    command.args(["compare", "--folds", "2", "--features", "shallow", "--metrics", "token", "--data"]);
    command.arg(&set).arg(&renamed).arg("--out").arg(&out);
    let error = failure(&mut command, 2);
    assert!(error.contains("`bare`"), "{error}");
    let csv = std::fs::read_to_string(out.join("results.csv")).expect("read");
    assert!(column(&csv, "tree", "token_f1", "mean").parse::<f64>().is_ok(), "{csv}");
    let html = std::fs::read_to_string(out.join("report.html")).expect("read");
    assert!(html.contains("<code>bare</code>"), "{html}");
}

#[test]
fn snippets_that_change_make_scores_stale() {
    let dir = tempfile::tempdir().expect("a folder");
    let set = toy_set(dir.path(), 6);
    let gold = set.join("gold.jsonl");
    let lines = std::fs::read_to_string(&gold).expect("read");
    let with = |snippet: &str| {
        let lines = lines.replace("\"lang\":\"en\"", &format!("\"lang\":\"en\",\"with\":[\"{snippet}\"]"));
        std::fs::write(&gold, lines).expect("written");
        let mut command = threshr();
        command.args(["compare", "--system", "bte", "--metrics", "snippet", "--data"]).arg(&set);
        output(command.arg("--out").arg(dir.path().join("out")));
        let csv = std::fs::read_to_string(dir.path().join("out/results.csv")).expect("read");
        column(&csv, "keep-everything", "sn_r", "mean").parse::<f64>().expect("a number")
    };
    assert_eq!((with("Story number"), with("not said here")), (1.0, 0.0));
}

#[test]
fn what_cannot_be_compared_is_an_error() {
    let dir = tempfile::tempdir().expect("a folder");
    let set = toy_set(dir.path(), 4);
    let bad = dir.path().join("bad.toml");
    std::fs::write(&bad, "folds = 2\nclassifers = ['tree']\n").expect("written");
    for (args, part) in [
        (vec![], "nothing to compare"),
        (vec!["--features", "all"], "need a split"),
        (vec!["--folds", "2", "--features", "x"], "unknown feature family"),
        (vec!["--folds", "2", "--classifier", "tree,tree"], "two rows"),
        (vec!["--leave-one-set-out"], "2 or more sets"),
        (vec![bad.to_str().expect("UTF-8")], "bad.toml:2"),
        (vec!["no.toml"], "no.toml"),
    ] {
        let mut command = threshr();
        command.arg("compare").args(&args).arg("--data").arg(&set).arg("--out").arg(dir.path().join("out"));
        let error = failure(&mut command, 2);
        assert!(error.contains(part), "{args:?}: {error}");
    }
}

#[test]
fn the_folder_of_results_has_no_name_of_a_file() {
    let dir = tempfile::tempdir().expect("a folder");
    let out = dir.path().join("grid.html");
    let mut compare = threshr();
    compare.args(["compare", "--folds", "2", "--features", "shallow", "--data"]).arg(sample());
    assert!(failure(compare.arg("--out").arg(&out), 2).contains("report.html"));
    assert!(!out.exists());
}

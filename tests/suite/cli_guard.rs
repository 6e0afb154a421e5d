//! No command writes over what it reads, over a data set, or over a file of another kind.

use crate::support::{failure, output, threshr, toy_set};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// All files below a folder, with their bytes.
fn snapshot(dir: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![dir.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("listed") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else {
                found.insert(path.clone(), std::fs::read(path).expect("read"));
            }
        }
    }
    found
}

/// Every output option of every command, in front of the output's path.
fn commands(set: &str, model: &str, page: &str) -> Vec<(bool, Vec<String>)> {
    let split = |line: String| line.split(' ').map(str::to_owned).collect::<Vec<_>>();
    let file = |line: String| (false, split(line));
    let folder = |line: String| (true, split(line));
    vec![
        file(format!("train --data {set} --features shallow --out")),
        file(format!("train --data {set} --features shallow --out NEW --cache")),
        file(format!("train --data {set} --recipe RECIPE --out")),
        file(format!("evaluate --data {set} --out")),
        file(format!("evaluate --data {set} --per-page")),
        file(format!("evaluate --data {set} --model {model} --overlap allow --cache")),
        file(format!("evaluate --data {set} --predictions PREDICTIONS --out")),
        file(format!("features {set} --features shallow --out")),
        file(
            format!("features {page} --features shallow --model {model} --out")
                .replace("--features shallow ", ""),
        ),
        file(format!("bench {page} --rounds 1 --model {model} --out")),
        file(format!("predict {page} --model {model} --format text --out")),
        file(format!("predict {page} --model {model} --format html --out")),
        file(format!("predict {page} --model {model} --explain --out")),
        file(format!("diff bte {model} {page} --out")),
        file("features list --out".to_owned()),
        folder(format!("compare --data {set} --folds 2 --features shallow --out")),
        folder(format!("evaluate --data {set} --write-predictions")),
        folder(format!("predict {page} --model {model} --format folder --out")),
        folder(format!("data convert {set} --out")),
    ]
}

#[test]
fn no_output_replaces_an_input_or_a_set() {
    let dir = tempfile::tempdir().expect("a folder");
    let dir = dir.path().canonicalize().expect("a path");
    let set = toy_set(&dir, 6);
    let other = dir.join("other");
    std::fs::create_dir(&other).expect("made");
    let other = toy_set(&other, 3);
    let [model, recipe, predictions] = ["model.json", "recipe.toml", "p.jsonl"].map(|name| dir.join(name));
    std::fs::write(&recipe, "seed = 7\nfeatures = { set = 'shallow' }\n").expect("written");
    std::fs::write(&predictions, "{\"id\": \"1\", \"text\": \"x\"}\n").expect("written");
    output(threshr().args(["train", "--features", "shallow", "--data"]).arg(&set).arg("--out").arg(&model));
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(&set, dir.join("soft")).expect("linked");
        std::fs::hard_link(set.join("gold.jsonl"), dir.join("hard.jsonl")).expect("linked");
        std::os::unix::fs::symlink(set.join("pages/1.html"), dir.join("page-link")).expect("linked");
    }
    let page = set.join("pages/1.html");
    let before = snapshot(&dir);
    let text = |path: &Path| path.display().to_string();
    let commands = commands(&text(&set), &text(&model), &text(&page));
    let mut outputs = vec![
        set.join("gold.jsonl"),
        page.clone(),
        other.join("gold.jsonl"),
        other.join("pages/0.html"),
        recipe.clone(),
    ];
    outputs.push(dir.join("x/../toy/./gold.jsonl").components().collect());
    outputs.push(set.join("pages/../gold.jsonl"));
    #[cfg(unix)]
    outputs.extend(
        ["soft/gold.jsonl", "hard.jsonl", "page-link", "soft/pages/2.html"].map(|name| dir.join(name)),
    );
    for (is_folder, command) in &commands {
        let place = |word: &String| match word.as_str() {
            "NEW" => text(&dir.join("new.json")),
            "RECIPE" => text(&recipe),
            "PREDICTIONS" => text(&predictions),
            word => word.to_owned(),
        };
        let args: Vec<String> = command.iter().map(place).collect();
        let folders = [
            set.clone(),
            set.join("pages"),
            other.clone(),
            other.join("pages"),
            set.join("new"),
            dir.join("soft"),
        ];
        let outputs: Vec<&PathBuf> =
            if *is_folder { folders.iter().collect() } else { outputs.iter().collect() };
        for out in outputs {
            // a new folder in a folder of pages is nobody's
            if *is_folder && args[0] == "predict" && out.ends_with("new") {
                continue;
            }
            let is_own_recipe = *out == recipe && !args.contains(&text(&recipe));
            // replacing one name of a file keeps the file under its other names
            let is_link_of_other = out.ends_with("hard.jsonl") && !args.contains(&text(&set));
            for force in [false, true] {
                if force && (is_own_recipe || is_link_of_other) {
                    continue;
                }
                let error = failure(threshr().args(&args).arg(out).args(force.then_some("--force")), 2);
                assert!(error.contains("expected"), "{args:?} {}: {error}", out.display());
                assert!(snapshot(&dir) == before, "{args:?} {}", out.display());
            }
        }
    }
}

#[test]
fn a_text_beside_a_page_makes_no_set_of_other_files() {
    let dir = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| {
        let path = dir.path().join(name);
        std::fs::write(&path, text).expect("written");
        path
    };
    let page = write("a.html", "<p>It rained all day.");
    write("a.txt", "It rained all day.");
    write("b.txt", "b");
    let (pair, other) = (write("b.html", "<p>b"), write("old.html", "<p>old"));
    let predict = |out: &Path| {
        let mut command = threshr();
        command.arg("predict").arg(&page).args(["--system", "keep-everything", "--force", "--out"]).arg(out);
        command
    };
    output(&mut predict(&other));
    assert!(failure(&mut predict(&pair), 2).contains("would write over a data set"));
    // the text of the pair is replaced only with --force
    let text = dir.path().join("b.txt");
    let mut unforced = threshr();
    unforced.arg("predict").arg(&page).args(["--system", "keep-everything", "--out"]).arg(&text);
    assert!(failure(&mut unforced, 2).contains("may be the gold of the page beside it"));
    assert_eq!(std::fs::read_to_string(&text).expect("read"), "b");
    output(&mut predict(&text));
    // gold in the folders of a layout, and sets in one file
    for folder in ["HTML", "Corrected"] {
        std::fs::create_dir(dir.path().join(folder)).expect("made");
    }
    let gold = write("Corrected/1.html.corrected.txt", "gold");
    assert!(failure(&mut predict(&gold), 2).contains("would write over a data set"));
    let table = write("table.csv", "path,text\na.html,It rained all day.\n");
    assert!(failure(predict(&table).args(["--format", "text"]), 2).contains("would write over a data set"));
    assert!(std::fs::read_to_string(&table).expect("read").starts_with("path,text"));
}

#[test]
fn files_of_another_kind_need_force() {
    let dir = tempfile::tempdir().expect("a folder");
    let set = toy_set(dir.path(), 6);
    let page = set.join("pages/1.html");
    let notes = dir.path().join("notes.json");
    std::fs::write(&notes, "{\"my\": \"notes\"}").expect("written");
    let report = dir.path().join("report.json");
    let evaluate = || {
        let mut command = threshr();
        command.args(["evaluate", "--metrics", "token", "--data"]).arg(&set).arg("--out");
        command
    };
    output(evaluate().arg(&report));
    // its own kind is replaced
    output(evaluate().arg(&report));
    output(evaluate().arg(dir.path().join("report.csv")));
    output(evaluate().arg(dir.path().join("report.csv")));
    for command in [
        vec!["train", "--features", "shallow", "--data"],
        vec!["features", "--features", "shallow"],
        vec!["evaluate", "--metrics", "token", "--data"],
    ] {
        let error = failure(threshr().args(&command).arg(&set).arg("--out").arg(&notes), 2);
        assert!(error.contains("other JSON") && error.contains("--force"), "{error}");
        assert_eq!(std::fs::read(&notes).expect("read"), b"{\"my\": \"notes\"}");
    }
    let error =
        failure(threshr().arg("predict").arg(&page).arg("--out").arg(dir.path().join("report.csv")), 2);
    assert!(error.contains("extension") || error.contains("a report"), "{error}");
    output(
        threshr()
            .args(["train", "--force", "--features", "shallow", "--data"])
            .arg(&set)
            .arg("--out")
            .arg(&notes),
    );
    let model = std::fs::read_to_string(&notes).expect("read");
    assert!(model.contains("threshr-model"));
    let error = failure(evaluate().arg(&notes), 2);
    assert!(error.contains("replace a model"), "{error}");
    for [a, b] in [["--out", "--per-page"], ["--per-page", "--cache"]] {
        let same = dir.path().join("SAME.csv");
        let other = dir.path().join("same.csv");
        let mut command = threshr();
        command.args(["evaluate", "--folds", "2", "--features", "shallow", "--data"]).arg(&set);
        let error = failure(command.arg(a).arg(same).arg(b).arg(other), 2);
        assert!(error.contains("the same file"), "{error}");
    }
}

#[test]
fn no_output_becomes_part_of_an_input() {
    let dir = tempfile::tempdir().expect("a folder");
    let dir = dir.path().canonicalize().expect("a path");
    let set = toy_set(&dir, 6);
    let pages = dir.join("pg");
    std::fs::create_dir_all(pages.join("deep")).expect("made");
    std::fs::write(pages.join("a.html"), "<p>It rained all day.").expect("written");
    let list = dir.join("x.list");
    std::fs::write(&list, pages.display().to_string()).expect("written");
    let gold = set.join("gold.jsonl");
    let text = |path: &Path| path.display().to_string();
    let before = snapshot(&dir);
    let commands = [
        (&set, format!("train --data {} --features shallow --out", text(&set))),
        (&set, format!("train --data {} --features shallow --out", text(&gold))),
        (&set, format!("evaluate --data {} --per-page", text(&set))),
        (&set, format!("features {} --features shallow --out", text(&set))),
        (&pages, format!("predict {} --format text --out", text(&pages))),
        (&pages, format!("predict {} --format text --out", text(&list))),
        (&pages, format!("predict {} --format folder --out", text(&pages))),
        (&pages, format!("bench {} --rounds 1 --out", text(&pages))),
        (&pages, format!("features {} --features shallow --out", text(&pages))),
    ];
    for (input, command) in &commands {
        // a folder cannot be packed
        let names = ["pages/new.html", "deep/new.json", "new.html", "new.txt", "new", "new.html.gz"];
        for name in names.into_iter().filter(|name| !command.contains("folder") || !name.ends_with(".gz")) {
            for force in [false, true] {
                let args = command.split(' ');
                let mut run = threshr();
                run.args(args).arg(input.join(name)).args(force.then_some("--force"));
                let error = failure(&mut run, 2);
                let named = format!("lies in an input, {}", input.display());
                assert!(error.contains(&named), "{command} {name}: {error}");
                assert!(snapshot(&dir) == before, "{command} {name}");
            }
        }
    }
    // beside a list of gold: what is neither a page nor gold
    let train = format!("train --data {} --features shallow --out {}", text(&set), text(&set.join("m.json")));
    let cache = text(&set.join("cache"));
    output(threshr().args(train.split(' ')).args(["--cache", &cache]));
    output(threshr().args(train.split(' ')).args(["--cache", &cache]));
    let found =
        output(threshr().args(["predict", &text(&set), "--system", "keep-everything", "--format", "jsonl"]));
    assert_eq!(found.lines().count(), 6, "{found}");
}

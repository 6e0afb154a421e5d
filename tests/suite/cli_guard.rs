//! An existing output needs `--force`. An output must not be an input, or be inside a folder that is read.

use crate::support::{failure, output, threshr, toy_set};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Returns the content of all files below a folder.
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

/// Commands that read `toy` and write a file. The path of the output is appended.
const FILES: [&str; 8] = [
    "train --data toy --features shallow --out",
    "adapt --data toy --always --out",
    "evaluate --data toy --out",
    "evaluate --data toy --per-page",
    "features toy --features shallow --out",
    "bench toy/pages --rounds 1 --model model.json --out",
    "predict toy/pages --model model.json --format text --out",
    "predict toy/pages --model model.json --explain --out",
];

/// Commands that read `toy` and write a folder. The path of the output is appended.
const FOLDERS: [&str; 4] = [
    "compare --data toy --folds 2 --features shallow --out",
    "evaluate --data toy --write-predictions",
    "predict toy/pages --model model.json --format folder --out",
    "data convert toy --out",
];

/// Creates a command that runs in `dir`. The words of `line` are separated by spaces.
fn run(dir: &Path, line: &str) -> assert_cmd::Command {
    let mut command = threshr();
    command.current_dir(dir).args(line.split(' '));
    command
}

/// Creates a folder with a set and a model.
fn folder() -> tempfile::TempDir {
    let dir = tempfile::tempdir().expect("a folder");
    toy_set(dir.path(), 6);
    output(&mut run(dir.path(), "train --data toy --features shallow --out model.json"));
    dir
}

#[test]
fn no_output_is_an_input() {
    let dir = folder();
    let path = |name: &str| dir.path().join(name);
    let mut files = vec!["toy/pages/1.html", "toy/pages/new.html", "model.json/../toy/./pages/deep/new.json"];
    let mut folders = vec!["toy/pages", "toy/pages/new", "missing/../toy/pages/new"];
    std::fs::create_dir(path("toy/pages/deep")).expect("made");
    std::fs::write(path("recipe.toml"), "seed = 7\nfeatures = { set = 'shallow' }\n").expect("written");
    std::fs::write(path("p.jsonl"), "{\"id\": \"1\", \"text\": \"x\"}\n").expect("written");
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(path("toy/pages"), path("soft")).expect("linked");
        std::os::unix::fs::symlink(path("toy/pages/1.html"), path("link")).expect("linked");
        std::fs::hard_link(path("toy/pages/1.html"), path("hard")).expect("linked");
        files.extend(["soft/1.html", "soft/new", "link", "hard"]);
        folders.push("soft");
    }
    let grid = |commands: &[&str], outputs: &[&str]| -> Vec<String> {
        commands.iter().flat_map(|c| outputs.iter().map(move |out| format!("{c} {out}"))).collect()
    };
    let mut lines = [grid(&FILES, &files), grid(&FOLDERS, &folders)].concat();
    for line in [
        "train --data toy --features shallow --out toy/gold.jsonl",
        "train --data toy/gold.jsonl --features shallow --out toy/new.json",
        "train --data toy --recipe recipe.toml --out recipe.toml",
        "evaluate --data toy --predictions p.jsonl --out p.jsonl",
        "diff bte model.json toy/pages/1.html --out toy/pages/1.html",
        "predict p.jsonl --html-field text --format jsonl --out p.jsonl",
        "features toy/pages/1.html --model model.json --out model.json",
    ] {
        lines.push(line.to_owned());
    }
    let before = snapshot(dir.path());
    for line in lines {
        for force in ["", " --force"] {
            let error = failure(&mut run(dir.path(), &format!("{line}{force}")), 2);
            // a command may first refuse the extension
            let is_refused = ["an input", "inside the input", "no format with the extension"]
                .iter()
                .any(|why| error.contains(why));
            assert!(is_refused, "{line}: {error}");
            assert!(snapshot(dir.path()) == before, "{line}");
        }
    }
}

#[test]
fn an_existing_output_needs_force() {
    let dir = folder();
    let old = dir.path().join("old");
    std::fs::create_dir(dir.path().join("other")).expect("made");
    std::fs::write(dir.path().join("other/old"), "old").expect("written");
    let others = ["features list --out", "diff bte model.json toy/pages --out"];
    for line in FILES.iter().chain(&others) {
        std::fs::write(&old, "old").expect("written");
        let error = failure(&mut run(dir.path(), &format!("{line} old")), 2);
        assert!(error.contains("old: ") && error.contains("--force"), "{line}: {error}");
        assert_eq!(std::fs::read(&old).expect("read"), b"old", "{line}");
        output(&mut run(dir.path(), &format!("{line} old --force")));
        assert_ne!(std::fs::read(&old).expect("read"), b"old", "{line}");
        let _ = std::fs::remove_file(dir.path().join("new.jsonl"));
    }
    for line in FOLDERS.iter().filter(|line| !line.starts_with("evaluate")) {
        let error = failure(&mut run(dir.path(), &format!("{line} other")), 2);
        assert!(error.contains("other: ") && error.contains("--force"), "{line}: {error}");
    }
    assert_eq!(std::fs::read_dir(dir.path().join("other")).expect("listed").count(), 1);
}

#[test]
fn a_command_goes_on_with_its_own_output() {
    let dir = folder();
    let again = |line: &str| (0..2).for_each(|_| drop(output(&mut run(dir.path(), line))));
    again("predict toy/pages --model model.json --out all.jsonl --resume");
    again("predict toy/pages --model model.json --format folder --out texts --resume");
    again("compare --data toy --folds 2 --features shallow --classifier majority --out grid");
    // predictions of other rows may be added to an existing folder
    again("evaluate --data toy --system bte --write-predictions texts/more --force");
    output(&mut run(dir.path(), "evaluate --data toy --predictions all.jsonl --write-predictions texts"));
    let twice = failure(&mut run(dir.path(), "evaluate --data toy --out x.csv --per-page toy/../x.csv"), 2);
    assert!(twice.contains("--out and --per-page are the same file"), "{twice}");
}

//! Functions that the tests share.

use assert_cmd::Command;
use std::path::{Path, PathBuf};
use threshr_sets::annotations::{BlockLabel, By, Label, Record, State, Store, hash};
use threshr_sets::gold::{DataSet, Gold, ReadOptions};

/// Returns the path of a file or folder of the repository.
pub(crate) fn repository(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path)
}

/// Returns the path of the sample set.
pub(crate) fn sample() -> PathBuf {
    repository("datasets/sample")
}

/// Returns the path of the demonstration page in the README.
pub(crate) fn demo_page() -> PathBuf {
    sample().join("pages/4565.html")
}

/// Creates a `threshr` command. If Cargo defines a runner for the target, the command is run by it.
pub(crate) fn threshr() -> Command {
    let mut command = Command::cargo_bin("threshr").expect("the program is built");
    command.current_dir(repository(""));
    command
}

/// Runs a command that must succeed. Returns its standard output.
pub(crate) fn output(command: &mut Command) -> String {
    let out = command.assert().success().get_output().stdout.clone();
    String::from_utf8(out).expect("UTF-8")
}

/// Runs a command that must exit with `code`. Returns its standard error.
pub(crate) fn failure(command: &mut Command, code: i32) -> String {
    let out = command.assert().code(code).get_output().stderr.clone();
    String::from_utf8(out).expect("UTF-8")
}

/// Writes a small annotated set. Each page is from a different site, with menus, a heading, paragraphs and
/// a footer.
pub(crate) fn toy_set(dir: &Path, num_pages: usize) -> PathBuf {
    let set = dir.join("toy");
    std::fs::create_dir_all(set.join("pages")).expect("made");
    let mut lines = String::new();
    for i in 0..num_pages {
        let body: Vec<String> = (0..3 + i % 4)
            .map(|p| {
                format!(
                    "Paragraph {p} of story {i} tells, in a few plain words, what happened to number {}.",
                    i * 7 + p
                )
            })
            .collect();
        let html = format!(
            "<title>Story {i}</title><ul class=menu><li><a href=/>Home</a><li><a href=/n>News</a></ul>\
             <div id=main><h1>Story number {i}</h1>{}</div><div class=footer>Copyright {i} | <a href=/c>Contact us</a></div>",
            body.iter().map(|b| format!("<p>{b}</p>")).collect::<String>()
        );
        std::fs::write(set.join(format!("pages/{i}.html")), html).expect("written");
        let gold = format!("Story number {i}\n{}", body.join("\n"));
        let line = serde_json::json!({"id": i.to_string(), "file": format!("pages/{i}.html"), "url": format!("http://www.site{i}.com/a"), "lang": "en", "gold": gold});
        lines.push_str(&format!("{line}\n"));
    }
    std::fs::write(set.join("gold.jsonl"), lines).expect("written");
    set
}

/// Edits the gold lines of a set.
pub(crate) fn edit_gold(set: &Path, edit: impl Fn(&str) -> String) {
    let gold = set.join("gold.jsonl");
    let lines = std::fs::read_to_string(&gold).expect("read");
    std::fs::write(gold, edit(&lines)).expect("written");
}

/// Labels the pages of the sample in a folder by their gold, as a person does it with `threshr annotate`.
pub(crate) fn annotate_by_gold(folder: &Path) {
    let sample = DataSet::open(&sample(), &ReadOptions::default()).expect("the sample");
    let extractor = threshr::Extractor::builder().build().expect("the shipped model");
    let mut store = Store::open(folder).expect("a folder");
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    for page in &sample.pages {
        let id = format!("{}.html", page.id);
        let (Ok(bytes), Some(Gold::Text { text: gold, .. })) = (std::fs::read(folder.join(&id)), &page.gold)
        else {
            continue;
        };
        let gold = words(gold);
        let extraction = extractor.extract(&bytes).expect("a page");
        let label = |text: &str| match gold.contains(&words(text)) {
            true => Label::Content,
            false => Label::Boilerplate,
        };
        let block = |text: &str| BlockLabel {
            source: None,
            text: text.to_owned(),
            label: label(text),
            by: By::Person,
        };
        let record = Record {
            id,
            url: None,
            sha256: hash(&bytes),
            annotator: "ada".to_owned(),
            time: "2026-11-28T10:00:00Z".to_owned(),
            state: State::Done,
            model: None,
            labels: extraction.blocks().map(|b| block(b.text)).collect(),
        };
        store.put(record).expect("written");
    }
}

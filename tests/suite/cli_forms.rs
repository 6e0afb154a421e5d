//! Formats of annotated pages: `tests/cases/forms` contains one page in each format.

use crate::support::{failure, output, repository, sample, threshr};
use std::path::{Path, PathBuf};

/// The sets in `tests/cases/forms` with the name of their format.
const FORMS: [(&str, &str); 9] = [
    ("inline.jsonl", "inline"),
    ("pairs", "pairs"),
    ("dragnet", "dragnet"),
    ("boilernet", "boilernet"),
    ("wcxb", "wcxb"),
    ("webmainbench.jsonl", "webmainbench"),
    ("label-studio.json", "label-studio"),
    ("table.csv", "csv"),
    ("annotations", "annotations"),
];

fn form(name: &str) -> PathBuf {
    repository("tests/cases/forms").join(name)
}

fn write(dir: &Path, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
    let path = dir.join(name);
    std::fs::create_dir_all(path.parent().expect("a parent")).expect("made");
    std::fs::write(&path, bytes).expect("written");
    path
}

/// Returns the gold lines of a converted set.
fn gold(set: &Path) -> Vec<serde_json::Value> {
    let text = std::fs::read_to_string(set.join("gold.jsonl")).expect("read");
    text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

/// Converts a set and returns its gold.
fn converted(set: &Path, options: &[&str]) -> Vec<serde_json::Value> {
    let dir = tempfile::tempdir().expect("a folder");
    let out = dir.path().join("out");
    output(threshr().args(["data", "convert"]).arg(set).args(options).arg("--out").arg(&out));
    gold(&out)
}

#[test]
fn every_form_is_read_by_every_command() {
    let dir = tempfile::tempdir().expect("a folder");
    let mut texts = Vec::new();
    for (name, form_name) in FORMS {
        let set = form(name);
        let table = output(threshr().args(["data", "check"]).arg(&set));
        let row = table.lines().nth(1).expect("a row");
        assert!(row.contains("1.0000–1.0000") && row.trim_end().ends_with("good"), "{name}: {table}");
        let out = dir.path().join(format!("from-{form_name}"));
        output(threshr().args(["data", "convert"]).arg(&set).arg("--out").arg(&out));
        let lines = gold(&out);
        assert_eq!(lines.len(), 1, "{name}");
        let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        texts.push(words(lines[0]["gold"].as_str().expect("gold")));
        let page =
            std::fs::read_to_string(out.join(lines[0]["file"].as_str().expect("a file"))).expect("read");
        for mark in ["cc-select", "__boilernet_label"] {
            assert!(!page.contains(mark), "{name}: {mark}");
        }
        // labels and features of the original and the converted set are identical
        let features = |set: &Path| {
            let table = output(threshr().arg("features").arg(set).args(["--features", "all"]));
            let rows = table.lines().skip(1).map(|row| row.splitn(3, ',').nth(2).unwrap_or("").to_owned());
            rows.collect::<Vec<_>>()
        };
        let (own, other) = (features(&set), features(&out));
        assert_eq!(own, other, "{name}");
        assert_eq!(own.iter().filter(|row| row.split(',').nth(4) == Some("1")).count(), 3, "{name}");
        let table = output(threshr().args(["evaluate", "--metrics", "token", "--data"]).arg(&set));
        assert!(table.contains("oracle"), "{name}: {table}");
    }
    assert!(texts.iter().all(|text| *text == texts[0]), "{texts:?}");
    let sets: Vec<PathBuf> = FORMS.iter().map(|(name, _)| form(name)).collect();
    let model = dir.path().join("model.json");
    output(
        threshr()
            .args(["train", "--features", "shallow", "--quiet", "--data"])
            .args(&sets)
            .arg("--out")
            .arg(&model),
    );
    assert!(model.is_file());
    let results = dir.path().join("results");
    let compare = ["compare", "--folds", "2", "--union", "--features", "shallow", "--quiet", "--data"];
    output(threshr().args(compare).args(&sets).arg("--out").arg(&results));
    assert!(results.join("report.html").is_file());
}

#[test]
fn a_matrix_does_not_depend_on_labels_in_the_page() {
    let matrix = |set: PathBuf| {
        let table = output(threshr().arg("features").arg(set).args(["--features", "all"]));
        let values =
            table.lines().skip(1).map(|row| row.rsplitn(300, ',').take(100).map(str::to_owned).collect());
        values.collect::<Vec<Vec<String>>>()
    };
    let plain = matrix(form("pairs"));
    for (name, _) in FORMS {
        assert_eq!(matrix(form(name)), plain, "{name}");
    }
}

/// Wraps a page in the `<text>` element of CleanEval.
fn wrapped(page: &str) -> String {
    format!("<text id=\"\" title=\"\" encoding=\"unset\">\n{page}\n</text>\n")
}

#[test]
fn a_matrix_does_not_depend_on_the_wrapper_of_cleaneval() {
    let dir = tempfile::tempdir().expect("a folder");
    let matrix = |set: &Path| output(threshr().arg("features").arg(set).args(["--features", "all"]));
    for name in ["pairs", "boilernet"] {
        let set = dir.path().join(name);
        for file in std::fs::read_dir(form(name)).expect("listed") {
            let path = file.expect("an entry").path();
            let text = std::fs::read_to_string(&path).expect("read");
            let is_page = path.extension().is_some_and(|end| end == "html");
            let text = if is_page { wrapped(&text) } else { text };
            write(&set, &path.file_name().expect("a name").to_string_lossy(), text);
        }
        assert_eq!(matrix(&set), matrix(&form(name)), "{name}");
    }
}

#[test]
fn a_plain_page_of_cleaneval_is_extracted_as_the_page_in_its_wrapper() {
    let dir = tempfile::tempdir().expect("a folder");
    let texts = |html: &str| {
        let extraction = threshr::extract(html).expect("extracted");
        extraction.blocks().map(|block| block.text.to_owned()).collect::<Vec<_>>()
    };
    let mut num_pages = 0;
    for file in std::fs::read_dir(sample().join("pages")).expect("listed") {
        let path = file.expect("an entry").path();
        let page = std::fs::read_to_string(&path).expect("UTF-8");
        // the library parses the wrapper as an unknown element
        assert_eq!(texts(&wrapped(&page)), texts(&page), "{}", path.display());
        write(dir.path(), &path.file_name().expect("a name").to_string_lossy(), wrapped(&page));
        num_pages += 1;
    }
    assert!(num_pages > 30);
    let blocks =
        |folder: &Path| output(threshr().arg("predict").arg(folder).args(["--format", "blocks", "--quiet"]));
    assert_eq!(blocks(dir.path()), blocks(&sample().join("pages")));
}

#[test]
fn records_may_be_packed_and_have_other_names() {
    let dir = tempfile::tempdir().expect("a folder");
    let line = |i: usize, text: &str| {
        format!("{{\"nr\": {i}, \"raw\": \"<p>Menu<p>Words of page {i}\", \"body\": {text}, \"x\": NaN}}\r\n")
    };
    let lines = format!("\u{feff}{}{}", line(1, "\"Words of page 1\""), line(2, "null"));
    let options = ["--html-field", "raw", "--text-field", "body", "--id-field", "nr"];
    for (name, bytes) in [
        ("a.jsonl", lines.clone().into_bytes()),
        ("a.jsonl.zst", zstd::encode_all(lines.as_bytes(), 1).expect("compressed")),
    ] {
        let lines = converted(&write(dir.path(), name, bytes), &options);
        assert_eq!((&lines[0]["id"], &lines[0]["gold"]), (&"1".into(), &"Words of page 1".into()), "{name}");
        assert!(lines[1].get("gold").is_none(), "{name}");
    }
    let error = failure(threshr().args(["data", "check"]).arg(dir.path().join("a.jsonl")), 2);
    assert!(error.contains("nr, raw, body"), "{error}");
    let error =
        failure(threshr().args(["data", "check"]).arg(dir.path().join("a.jsonl")).args(&options[..4]), 0);
    assert!(error.is_empty() || error.contains("no gold"), "{error}");
    let twice = write(dir.path(), "b.jsonl", line(1, "\"a\"") + "\n" + &line(1, "\"b\""));
    let error = failure(threshr().args(["data", "check"]).arg(twice).args(options), 2);
    assert!(error.contains("line 1") && error.contains("line 3") && error.contains("b.jsonl:3"), "{error}");
    let broken = write(dir.path(), "c.jsonl", line(1, "\"a\"") + "{\"nr\": 2,\n");
    let error = failure(threshr().args(["data", "check"]).arg(broken).args(options), 2);
    assert!(error.contains("c.jsonl:2") && error.contains("column"), "{error}");
}

#[test]
fn folders_may_have_other_files_and_pages_without_gold() {
    let dir = tempfile::tempdir().expect("a folder");
    let html = "<ul><li><a href=/>Home</a></ul><p>Words about the weather";
    for (name, text) in [
        ("p/html/1.HTML", html),
        ("p/text/1.txt", "\u{feff}Words about the weather\r\n"),
        ("p/html/2.html", html),
        ("p/README.md", "x"),
        ("p/text/notes.txt", "x"),
        ("p/html/.DS_Store", "x"),
        ("d/HTML/a.html", html),
        ("d/HTML/b.html", html),
        ("d/Corrected/a.html.corrected.txt", "Words about the weather\r\n!@#$%^&*()  COMMENTS\r\nHome\r\n"),
        ("d/Corrected/z.html.corrected.txt", "x"),
        ("w/html/1.html", html),
        ("w/html/2.html", html),
        ("w/ground-truth/1.json", "{\"ground_truth\": {\"main_content\": \"Words about the weather\"}}"),
        ("w/ground-truth/index.txt", "x"),
        (
            "b/1.html",
            "<p><span __boilernet_label=0>Home</span><p><span __boilernet_label='1'>Words about the weather</span>",
        ),
        ("b/2.html", html),
        ("t/table.tsv", "file\ttext\r\npages\\1.html\tWords about the weather\r\nC:\\x\\pages\\2.html\t\r\n"),
        ("t/pages/1.html", html),
        ("t/pages/2.html", html),
    ] {
        write(dir.path(), name, text);
    }
    for (set, options) in
        [("p", vec![]), ("d", vec![]), ("w", vec![]), ("b", vec![]), ("t/table.tsv", vec![])]
    {
        let lines = converted(&dir.path().join(set), &options);
        let golds: Vec<_> = lines.iter().map(|line| line.get("gold").and_then(|g| g.as_str())).collect();
        assert_eq!(golds, [Some("Words about the weather"), None], "{set}");
    }
    let lines = converted(&dir.path().join("d"), &["--gold-labels", "content,comments"]);
    assert_eq!(lines[0]["gold"], "Words about the weather\nHome");
    let said = threshr().args(["data", "check"]).arg(dir.path().join("p")).assert().success();
    let said = String::from_utf8_lossy(&said.get_output().stderr).into_owned();
    assert!(said.contains("notes.txt"), "{said}");
    let quiet = threshr().args(["data", "check", "-q"]).arg(dir.path().join("p")).assert().success();
    assert!(quiet.get_output().stderr.is_empty());
}

#[test]
fn exports_of_label_studio_have_many_shapes() {
    let dir = tempfile::tempdir().expect("a folder");
    let html = "<h1>Title</h1><p>First words</p><p>Second words</p>";
    let region = |n: usize, label: &str| {
        serde_json::json!({"type": "hypertextlabels", "value": {
            "start": format!("/p[{n}]/text()[1]"), "end": format!("/p[{n}]/text()[1]"),
            "startOffset": 0, "endOffset": 99, "hypertextlabels": [label]}})
    };
    let task = |result: serde_json::Value| {
        serde_json::json!({"id": 5, "data": {"page": html}, "annotations": [
        {"was_cancelled": true, "result": []}, {"result": result}]})
    };
    let export = |tasks: &[serde_json::Value]| serde_json::to_string_pretty(tasks).expect("JSON");
    // the gold contains the regions in the order of the page
    let set = write(
        dir.path(),
        "a.json",
        export(&[task(serde_json::json!([region(2, "Body"), region(1, "Body")]))]),
    );
    assert_eq!(converted(&set, &[])[0]["gold"], "First words\nSecond words");
    let set = write(
        dir.path(),
        "b.json",
        export(&[task(serde_json::json!([region(1, "Lead"), region(2, "Body")]))]),
    );
    let error = failure(threshr().args(["data", "check"]).arg(&set), 2);
    assert!(error.contains("Body, Lead") && error.contains("--gold-labels"), "{error}");
    assert_eq!(converted(&set, &["--gold-labels", "Body"])[0]["gold"], "Second words");
    let minimal = serde_json::json!([{"id": 5, "html": html, "label": [region(1, "x")["value"]]}, {"id": 6, "html": html}]);
    let lines = converted(&write(dir.path(), "c.json", minimal.to_string()), &[]);
    assert_eq!(lines[0]["gold"], "First words");
    assert!(lines[1].get("gold").is_none());
}

#[test]
fn annotations_follow_the_policy_of_their_folder() {
    let dir = tempfile::tempdir().expect("a folder");
    let from = form("annotations");
    for name in ["mill.html", "annotations.jsonl"] {
        write(dir.path(), name, std::fs::read(from.join(name)).expect("read"));
    }
    let texts = |options: &[&str]| {
        let lines = converted(dir.path(), options);
        assert_eq!(lines.len(), 1);
        lines[0]["gold"].as_str().expect("gold").lines().map(|line| line[..6].to_owned()).collect::<Vec<_>>()
    };
    let headline = "The mi";
    assert_eq!(texts(&[]), [headline, headline, "When t", "Today "]);
    assert_eq!(texts(&["--gold-labels", "comment"]), ["I was "]);
    write(dir.path(), "policy.toml", "policy = 'main+comments'");
    assert_eq!(texts(&[]), [headline, "When t", "Today ", "I was "]);
    let error = failure(threshr().args(["data", "check", "--gold-labels", "main"]).arg(dir.path()), 2);
    assert!(error.contains("caption") && error.contains("--gold-labels"), "{error}");
    let said = threshr().args(["data", "check"]).arg(from).assert().success();
    let said = String::from_utf8_lossy(&said.get_output().stderr).into_owned();
    assert!(said.contains("1 page is a draft"), "{said}");
}

#[test]
fn unknown_forms_are_answered_with_the_nearest() {
    let dir = tempfile::tempdir().expect("a folder");
    write(dir.path(), "pages/1.html", "<p>x");
    let lines = write(dir.path(), "x.jsonl", "{\"id\": 1, \"content\": \"<p>x\"}\n");
    for (set, expected) in [
        (dir.path().join("pages"), ["`pairs`", "threshr annotate"]),
        (lines, ["`inline`", "label-studio, csv"]),
    ] {
        for command in [vec!["data", "check"], vec!["evaluate", "--data"]] {
            let error = failure(threshr().args(command).arg(&set), 2);
            assert!(expected.iter().all(|text| error.contains(text)), "{error}");
            assert!(error.contains("--gold-format"), "{error}");
        }
    }
}

#[test]
fn gold_that_is_nowhere_read_is_an_error() {
    let dir = tempfile::tempdir().expect("a folder");
    let line = |gold: &str| format!("{{\"html\": \"<p>Some words here</p>\", \"text\": \"{gold}\"}}\n");
    let check = |text: String| {
        let set = write(dir.path(), "x.jsonl", text);
        failure(threshr().args(["data", "check"]).arg(set), 2)
    };
    assert!(check(line("")).contains("is empty"));
    assert!(check(line("Nothing of this is there at all")).contains("is not on its page"));
    let set = write(dir.path(), "y.jsonl", line("Some words here") + &line(""));
    let table = output(threshr().args(["data", "check"]).arg(&set));
    assert!(table.contains("doubtful") && table.contains("1 of 2 gold texts are empty"), "{table}");
}

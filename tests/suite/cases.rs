//! Small cases of structure and of content in `tests/cases`, with what must come out.

use crate::support::{output, repository, threshr};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The lines before and after the snippet of a structure case.
const BEFORE: &str =
    "Here the first half of this article comes to its end, and the passage in question stands below it.";
const AFTER: &str =
    "With this the passage in question is over, and the second half of this article begins and goes on.";

/// Structure cases of which the default model drops the snippet. Their form is tested with all blocks kept.
const DROPPED: [&str; 2] = ["i09-tweet", "t15-alignment"];

/// Content cases that fail, with the reason.
const FAILING: [(&str, &str); 10] = [
    (
        "17-embedded-tweets",
        "posts of other sites lose accuracy on the annotated sets if they are kept by their place",
    ),
    ("31-cookie-over-short-text", "the model keeps a cookie banner that has no known name"),
    ("33-related-at-end", "the model keeps the headline of a related story"),
    ("34-body-in-chunks", "the model keeps the headline of another story"),
    ("52-faq-closed", "the model drops closed answers"),
    ("59-ui-residue", "the model keeps messages of a form"),
    ("66-paywall", "the model keeps the text of a paywall"),
    ("84-mailing-list-pre", "the model keeps the navigation of an archive"),
    ("96-german-inserts", "the model keeps notices between paragraphs"),
    ("97-french-inserts", "the model keeps notices between paragraphs"),
];

/// Files of a folder of cases with an extension, by name without extension.
fn files(folder: &str, extension: &str) -> BTreeMap<String, PathBuf> {
    let entries = std::fs::read_dir(repository("tests/cases").join(folder)).expect("a folder");
    let paths = entries.map(|e| e.expect("an entry").path());
    let named = |path: PathBuf| {
        let name = path.file_name()?.to_str()?.strip_suffix(extension)?.to_owned();
        Some((name, path))
    };
    paths.filter_map(named).collect()
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).expect("UTF-8")
}

/// A long article with a snippet in its middle.
fn article(name: &str, snippet: &str) -> String {
    let template = read(&repository("tests/cases/structure.template"));
    let base = if name.contains("base") { "<base href=\"https://example.org/machines/\">" } else { "" };
    let mathjax = "<script src=\"https://cdn.example/mathjax@3/es5/tex-mml-chtml.js\"></script>";
    let script = if name.starts_with("m07") || name.starts_with("m08") { mathjax } else { "" };
    template.replace("{head}", &format!("{base}{script}")).replace("{snippet}", snippet)
}

/// The Markdown of all structure cases with some options, between the two lines.
fn markdown_of_cases(options: &[&str]) -> BTreeMap<String, String> {
    let pages = files("structure", ".html").into_iter().map(|(name, path)| {
        let html = article(&name, &read(&path));
        let url = "https://example.org/articles/threshing.html";
        serde_json::json!({"id": name, "url": url, "html": html}).to_string() + "\n"
    });
    let input: String = pages.collect();
    let mut command = threshr();
    command.args(["predict", "-", "--input-format", "jsonl", "--format", "jsonl", "--markdown", "-q"]);
    let lines = output(command.args(options).write_stdin(input));
    let page = |line: &str| {
        let value: serde_json::Value = serde_json::from_str(line).expect("JSON");
        let markdown = value["markdown"].as_str().expect("Markdown");
        let start = markdown.find(BEFORE).map_or(0, |at| at + BEFORE.len());
        let end = markdown.find(AFTER).unwrap_or(markdown.len());
        (value["id"].as_str().expect("an id").to_owned(), markdown[start..end].trim_matches('\n').to_owned())
    };
    lines.lines().map(page).collect()
}

#[test]
fn snippets_become_the_expected_markdown() {
    let by_model = markdown_of_cases(&["--captions"]);
    let with_all = markdown_of_cases(&["--system", "keep-everything"]);
    let cases = files("structure", ".md");
    assert!(cases.len() >= 60, "{} cases", cases.len());
    let mut failed = Vec::new();
    for (name, path) in cases {
        let expected = read(&path);
        let is_expected =
            |written: &str| expected.split("\n%%%%\n").any(|expected| expected.trim_matches('\n') == written);
        let is_dropped = DROPPED.contains(&name.as_str());
        let written = if is_dropped { &with_all[&name] } else { &by_model[&name] };
        if !is_expected(written) {
            failed.push(format!("{name}:\n{written}\n"));
        }
        if is_dropped && is_expected(&by_model[&name]) {
            failed.push(format!("{name} passes: remove it from DROPPED\n"));
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

/// Text with folded white space.
fn fold(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Markdown without links, images and signs of markup.
fn plain(markdown: &str) -> String {
    let link = regex::Regex::new(r"!?\[([^\]]*)\]\([^)]*\)").expect("a pattern");
    let escape = regex::Regex::new(r"\\([^\w\s])").expect("a pattern");
    let text = escape.replace_all(&link.replace_all(markdown, "$1"), "$1").into_owned();
    let text = ["<sup>", "</sup>", "<sub>", "</sub>"].iter().fold(text, |text, tag| text.replace(tag, ""));
    text.chars().filter(|c| !"*_`>#|~\\$".contains(*c)).collect()
}

/// Whether a line of a file of expectations holds. `+` lines must be there, `-` lines must not; `t` and `m` look at the
/// raw text or Markdown alone, and `xN` counts. Lines with `?` are debatable and always hold.
fn holds(line: &str, text: &str, markdown: &str) -> bool {
    if line.is_empty() || line.starts_with('#') || line.starts_with('?') {
        return true;
    }
    let (sign, rest) = line.split_at(1);
    let (kind, sought) = rest.split_once(' ').expect("a kind and a text");
    let raw = || sought.replace("\\\\", "\0").replace("\\n", "\n").replace('\0', "\\");
    let is_there = match kind {
        "t" => text.contains(&raw()),
        "m" => markdown.contains(&raw()),
        "" => {
            let sought = fold(sought);
            let in_text = fold(text).contains(&sought);
            let in_markdown = fold(&plain(markdown)).contains(&fold(&plain(&sought)));
            if sign == "+" { in_text && in_markdown } else { in_text || in_markdown }
        }
        count => {
            let count: usize = count.trim_start_matches('x').parse().expect("a count");
            return fold(text).matches(&fold(sought)).count() == count;
        }
    };
    is_there == (sign == "+")
}

#[test]
fn pages_after_public_bug_reports_give_the_expected_text() {
    let pages = files("content", ".html");
    assert!(pages.len() >= 69, "{} cases", pages.len());
    let mut failed = Vec::new();
    for (name, path) in pages {
        let [text, markdown] = ["text", "markdown"]
            .map(|format| output(threshr().arg("predict").arg(&path).args(["--format", format])));
        let expected = read(&path.with_file_name(format!("{name}.expect.txt")));
        let wrong: Vec<_> = expected.lines().filter(|line| !holds(line, &text, &markdown)).collect();
        let is_known = FAILING.iter().any(|(known, _)| *known == name);
        match (wrong.is_empty(), is_known) {
            (false, false) => failed.push(format!("{name}: {wrong:?}")),
            (true, true) => failed.push(format!("{name} passes: remove it from FAILING")),
            _ => {}
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

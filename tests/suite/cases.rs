//! Small test pages in `tests/cases` for document structure and content selection, with their expected
//! outputs.

use crate::support::{output, repository, threshr};
use std::collections::BTreeMap;
use std::path::Path;

/// Lines before and after the snippet of a structure case.
const BEFORE: &str =
    "Here the first half of this article comes to its end, and the passage in question stands below it.";
const AFTER: &str =
    "With this the passage in question is over, and the second half of this article begins and goes on.";

/// Structure cases whose snippet is dropped by the default model. Their structure is tested with all blocks
/// kept.
const DROPPED: [&str; 2] = ["83-posts-list", "i09-tweet"];

/// Content cases that are known to fail, with the reason.
const FAILING: [(&str, &str); 12] = [
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
    (
        "19-long-recommendations",
        "the model keeps descriptions of other posts that are ten times as long as the article",
    ),
    ("47-gist-table", "the model drops lines of code in the rows of a table"),
];

/// Splits a case file into sections, each after a line `==== NAME`. Returns the sections whose name ends
/// with `extension`, by name without the extension.
fn parts(file: &Path, extension: &str) -> BTreeMap<String, String> {
    let text = format!("\n{}", std::fs::read_to_string(file).expect("UTF-8"));
    let part = |part: &str| {
        let (name, content) = part.split_once('\n').expect("a name and a part");
        Some((name.strip_suffix(extension)?.to_owned(), content.to_owned()))
    };
    text.split("\n==== ").skip(1).filter_map(part).collect()
}

/// Returns the sections with an extension from all structure cases.
fn structure_parts(extension: &str) -> BTreeMap<String, String> {
    let entries = std::fs::read_dir(repository("tests/cases/structure")).expect("a folder");
    entries.flat_map(|entry| parts(&entry.expect("an entry").path(), extension)).collect()
}

/// A long article with a snippet in its middle.
fn article(name: &str, snippet: &str) -> String {
    let template = std::fs::read_to_string(repository("tests/cases/structure.template")).expect("UTF-8");
    let base = if name.contains("base") { "<base href=\"https://example.org/machines/\">" } else { "" };
    let mathjax = "<script src=\"https://cdn.example/mathjax@3/es5/tex-mml-chtml.js\"></script>";
    let script = if name.starts_with("m07") || name.starts_with("m08") { mathjax } else { "" };
    template.replace("{head}", &format!("{base}{script}")).replace("{snippet}", snippet)
}

/// Returns the Markdown of all structure cases, extracted with these options. Only the part between
/// [`BEFORE`] and [`AFTER`] is returned.
fn markdown_of_cases(options: &[&str]) -> BTreeMap<String, String> {
    let pages = structure_parts(".html").into_iter().map(|(name, snippet)| {
        let html = article(&name, &snippet);
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
    let cases = structure_parts(".md");
    assert!(cases.len() >= 60, "{} cases", cases.len());
    let mut failed = Vec::new();
    for (name, expected) in cases {
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

/// Collapses white space.
fn fold(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Removes links, images and markup characters from Markdown.
fn plain(markdown: &str) -> String {
    let link = regex::Regex::new(r"!?\[([^\]]*)\]\([^)]*\)").expect("a pattern");
    let escape = regex::Regex::new(r"\\([^\w\s])").expect("a pattern");
    let text = escape.replace_all(&link.replace_all(markdown, "$1"), "$1").into_owned();
    let text = ["<sup>", "</sup>", "<sub>", "</sub>"].iter().fold(text, |text, tag| text.replace(tag, ""));
    text.chars().filter(|c| !"*_`>#|~\\$".contains(*c)).collect()
}

/// What `predict` writes about a page of a case.
struct Written {
    text: String,
    markdown: String,
    /// The JSON line, if an expectation looks at it.
    json: serde_json::Value,
}

impl Written {
    fn new(page: &str, expected: &str) -> Self {
        let options: Vec<&str> = expected
            .lines()
            .filter_map(|line| line.strip_prefix("# options:"))
            .flat_map(str::split_whitespace)
            .collect();
        let written = |format: &str, more: &[&str]| {
            let mut command = threshr();
            command.args(["predict", "-", "-q", "--format", format]).args(&options).args(more);
            output(command.write_stdin(page.as_bytes()))
        };
        let json = match expected.contains("+j ") {
            true => serde_json::from_str(&written("jsonl", &["--metadata"])).expect("JSON"),
            false => serde_json::Value::Null,
        };
        Written { text: written("text", &[]), markdown: written("markdown", &[]), json }
    }

    /// Returns whether an expectation is satisfied. A `+` line requires its text, and a `-` line forbids it. `t`
    /// searches only the raw text, `m` only the raw Markdown, `xN` counts occurrences, and `j` compares a field. Lines
    /// with `?` are debatable and always satisfied.
    fn holds(&self, line: &str) -> bool {
        if line.is_empty() || line.starts_with('#') || line.starts_with('?') {
            return true;
        }
        let (sign, rest) = line.split_at(1);
        let (kind, sought) = rest.split_once(' ').expect("a kind and a text");
        let raw = || sought.replace("\\\\", "\0").replace("\\n", "\n").replace('\0', "\\");
        let is_there = match kind {
            "t" => self.text.contains(&raw()),
            "m" => self.markdown.contains(&raw()),
            "j" => {
                let (path, value) = sought.split_once('=').expect("a path and a value");
                // a field of a list is the list of the fields
                let field = |json: serde_json::Value, key: &str| match json {
                    serde_json::Value::Array(items) => items.iter().map(|item| item[key].clone()).collect(),
                    json => json[key].clone(),
                };
                let found = path.split('.').fold(self.json.clone(), field);
                let expected = serde_json::from_str(value).unwrap_or_else(|_| serde_json::Value::from(value));
                found == expected
            }
            "" => {
                let sought = fold(sought);
                let in_text = fold(&self.text).contains(&sought);
                let in_markdown = fold(&plain(&self.markdown)).contains(&fold(&plain(&sought)));
                if sign == "+" { in_text && in_markdown } else { in_text || in_markdown }
            }
            count => {
                let count: usize = count.trim_start_matches('x').parse().expect("a count");
                return fold(&self.text).matches(&fold(sought)).count() == count;
            }
        };
        is_there == (sign == "+")
    }
}

#[test]
fn pages_after_public_bug_reports_give_the_expected_text() {
    let mut failed = Vec::new();
    for (file, least) in [("content.txt", 69), ("reports.txt", 29)] {
        let file = repository("tests/cases").join(file);
        let (pages, expectations) = (parts(&file, ".html"), parts(&file, ".expect.txt"));
        assert!(pages.len() >= least, "{} cases", pages.len());
        for (name, page) in pages {
            let expected = &expectations[&name];
            let written = Written::new(&page, expected);
            let wrong: Vec<_> = expected.lines().filter(|line| !written.holds(line)).collect();
            let is_known = FAILING.iter().any(|(known, _)| *known == name);
            match (wrong.is_empty(), is_known) {
                (false, false) => failed.push(format!("{name}: {wrong:?}")),
                (true, true) => failed.push(format!("{name} passes: remove it from FAILING")),
                _ => {}
            }
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

/// Thread cases whose text with the policy `main` differs from the expected text, with the reason. Their
/// posts are correct.
const OTHER_TEXT: [(&str, &str); 1] = [("01-phpbb-table", "a signature in the block of a text is kept")];

/// Returns the fields of a post that are compared: author, day and text.
fn about(post: &serde_json::Value) -> (String, String, String) {
    let value = |name: &str| post[name].as_str().unwrap_or_default();
    let day: String = value("date").chars().take("2024-05-03".len()).collect();
    let unquoted: Vec<&str> = value("text").lines().map(|line| line.trim_start_matches("> ")).collect();
    (value("author").to_owned(), day, fold(&unquoted.join(" ")))
}

#[test]
fn threads_give_the_expected_posts() {
    let file = repository("tests/cases/threads.txt");
    let (pages, expectations) = (parts(&file, ".html"), parts(&file, ".expect.json"));
    let lines = pages.iter().map(|(id, html)| serde_json::json!({"id": id, "html": html}).to_string() + "\n");
    let mut command = threshr();
    command.args(["predict", "-", "--input-format", "jsonl", "--format", "jsonl", "--metadata", "-q"]);
    let lines = output(command.write_stdin(lines.collect::<String>()));
    let pages: Vec<serde_json::Value> =
        lines.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert!(pages.len() >= 11, "{} cases", pages.len());
    let mut failed = Vec::new();
    for page in &pages {
        let name = page["id"].as_str().expect("an id").to_owned();
        let expected: serde_json::Value = serde_json::from_str(&expectations[&name]).expect("JSON");
        let list = |value: &serde_json::Value| value.as_array().cloned().unwrap_or_default();
        let posts = match list(&page["posts"]) {
            posts if posts.is_empty() => list(&page["comments"]),
            posts => posts,
        };
        let found: Vec<_> = posts.iter().map(about).collect();
        let wanted: Vec<_> = list(&expected["posts"]).iter().map(about).collect();
        // extra lines with the author of a quotation are allowed
        let is_like = |(found, wanted): (&(String, String, String), &(String, String, String))| {
            let mut words = found.2.split(' ');
            let has_all = wanted.2.split(' ').all(|word| words.any(|w| w == word));
            found.0 == wanted.0 && found.1 == wanted.1 && has_all && found.2.len() < wanted.2.len() + 100
        };
        if found.len() != wanted.len() || !found.iter().zip(&wanted).all(is_like) {
            failed.push(format!("{name}: {found:#?}\nexpected {wanted:#?}"));
        }
        let text = fold(page["text"].as_str().expect("text"));
        let is_there = |string: &serde_json::Value| text.contains(&fold(string.as_str().expect("a string")));
        let has_all = list(&expected["kept"]).iter().all(is_there);
        let has_none = !list(&expected["dropped"]).iter().any(is_there);
        let is_listed = OTHER_TEXT.iter().any(|(listed, _)| *listed == name);
        if (has_all && has_none) == is_listed {
            failed.push(format!("{name}: text {has_all} {has_none}, listed {is_listed}\n{text}"));
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

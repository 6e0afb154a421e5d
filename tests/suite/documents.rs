//! The commands in documents run on the sample, and their links point to existing files and headings.
//!
//! - Every fenced block with the language `sh` is run line by line, in a separate folder for each document.
//! - A comment before a block changes this: `<!-- not run: REASON -->`, or `<!-- exits 1: REASON -->` for
//!   commands that are expected to fail, or `<!-- annotated: FOLDER -->` for commands that read the labels of the pages
//!   of the sample in a folder; before the block, the test labels them by their gold.
//! - A block with the language `text` directly after a block that is run is its expected output. Each line
//!   must occur in the output, in this order. `…` stands for any text.
//! - Repository paths in code spans must exist.

use crate::support::{annotate_by_gold, repository};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Documents outside `docs`.
const DOCUMENTS: &[&str] = &[
    "README.md",
    "ARCHITECTURE.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "datasets/README.md",
    "datasets/sample/README.md",
    "models/README.md",
    "notebooks-free-scripts/README.md",
];

/// Files and folders of the repository that commands find in their folder.
const LINKED: &[&str] =
    &["datasets/sample", "models", "notebooks-free-scripts/experiments", "tests/cases/forms"];

/// How documents call the program before it is installed.
const CARGO_RUN: &str = "cargo run --release -- ";

/// Programs that a test must not start, because they build code or need the network.
const NEVER_RUN: &[&str] = &["cargo", "curl", "git", "wget"];

/// A fenced block with the language `sh`.
#[derive(Debug, PartialEq)]
struct Block {
    /// Line of the fence, from 1.
    line: usize,
    mark: Mark,
    /// The commands, each with its line number.
    commands: Vec<(usize, String)>,
    /// Expected output: the lines of the `text` block after this block.
    printed: Vec<String>,
}

/// Directive in the comment before a block.
#[derive(Debug, PartialEq)]
enum Mark {
    None,
    ExitsOne,
    /// The pages of this folder are labelled before the block is run.
    Annotated(String),
    NotRun,
    /// A directive without a reason.
    Bare,
}

#[test]
fn commands_run() {
    let documents = documents();
    let problems: Vec<String> = std::thread::scope(|scope| {
        let threads: Vec<_> =
            documents.iter().map(|document| scope.spawn(move || run_document(document))).collect();
        threads.into_iter().flat_map(|thread| thread.join().expect("joined")).collect()
    });
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn the_guide_shows_the_program_outside_of_the_workspace() {
    let (guide, program) =
        (read(Path::new("docs/guide/own-parts.md")), read(Path::new("examples/own-parts/src/main.rs")));
    let shown: Vec<&str> =
        guide.split("```rust,ignore\n").skip(1).filter_map(|rest| rest.split("```").next()).collect();
    assert!(shown.len() >= 4, "{} parts", shown.len());
    let other = shown.iter().find(|part| !program.contains(part.trim_end()));
    assert!(other.is_none(), "this is not in the program:\n{}", other.unwrap_or(&""));
}

#[test]
fn every_block_runs_or_says_why_not() {
    let mut problems = Vec::new();
    for document in documents() {
        let text = read(&document);
        for block in blocks(&text) {
            let mut complain = |line: usize, what: &str| {
                problems.push(format!("{}:{line}: {what}", document.display()));
            };
            match block.mark {
                Mark::NotRun => continue,
                Mark::Bare => complain(block.line, "the mark has no reason"),
                Mark::None | Mark::ExitsOne | Mark::Annotated(_) => {}
            }
            if !block.commands.iter().any(|(_, command)| command.starts_with("threshr ")) {
                complain(block.line, "the block has no command of threshr and no mark");
            }
            for (line, command) in &block.commands {
                let program = command.split_whitespace().next().unwrap_or("");
                if NEVER_RUN.contains(&program) {
                    complain(*line, &format!("`{program}` is not run: mark the block"));
                }
            }
        }
        for (index, line) in text.lines().enumerate() {
            let fence = line.trim_start().strip_prefix("```").map(str::trim);
            if let Some(language @ ("bash" | "shell" | "console" | "zsh")) = fence {
                problems.push(format!(
                    "{}:{}: `{language}` is not run, `sh` is",
                    document.display(),
                    index + 1
                ));
            }
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn links_point_to_files_and_headings() {
    let mut problems = Vec::new();
    for document in documents() {
        let text = read(&document);
        let folder = document.parent().unwrap_or(Path::new(""));
        for (line, target) in links(&text) {
            let (path, heading) = target.split_once('#').unwrap_or((target.as_str(), ""));
            let file = if path.is_empty() { document.clone() } else { folder.join(path) };
            let is_missing = if !repository(&file.to_string_lossy()).exists() {
                true
            } else {
                let is_page = file.extension().is_some_and(|extension| extension == "md");
                is_page && !heading.is_empty() && !has_heading(&read(&file), heading)
            };
            if is_missing {
                problems.push(format!("{}:{line}: {target} is not there", document.display()));
            }
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn paths_in_code_spans_are_there() {
    let is_folder = |name: &str| repository(name).is_dir();
    // Paths that commands create.
    let is_made = |path: &str| path.starts_with("fuzz/artifacts") || path.starts_with("target/");
    // `NAME` and `*` are placeholders for names.
    let is_pattern = |path: &str| {
        let is_name =
            |part: &str| part.len() > 1 && part.bytes().all(|b| b.is_ascii_uppercase() || b == b'_');
        path.contains(['*', '{', '<', '…']) || path.split(['/', '.', '-']).any(is_name)
    };
    let mut problems = Vec::new();
    for document in documents() {
        let text = read(&document);
        for (line, span) in
            prose(&text).flat_map(|(line, text)| text.split('`').skip(1).step_by(2).map(move |s| (line, s)))
        {
            let path = span.split([' ', ':']).next().unwrap_or("").trim_end_matches('/');
            let Some((top, _)) = path.split_once('/') else { continue };
            let is_own = !top.is_empty() && top != "." && top != ".." && is_folder(top);
            let is_known = ["README.md", "SUMMARY.md"].iter().any(|name| path.ends_with(name));
            let is_checked = is_own && !is_made(path) && (is_known || !is_pattern(path));
            if is_checked && !repository(path).exists() {
                problems.push(format!("{}:{line}: `{path}` is not there", document.display()));
            }
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn printed_lines_are_compared_in_order() {
    let printed = |lines: &[&str]| lines.iter().map(|line| (*line).to_owned()).collect::<Vec<_>>();
    let output = "a 1\n  b 22 c\nd\n";
    assert_eq!(not_printed(&printed(&["a … ", "b … c", "…",]), output), None);
    assert_eq!(not_printed(&printed(&["d", "a 1"]), output), Some("a 1"));
    assert_eq!(not_printed(&printed(&["b 23"]), output), Some("b 23"));
}

#[test]
fn blocks_are_found_with_their_marks() {
    let text = "text\n```sh\nthreshr a \\\n  b  # c\n# a comment\n\ncargo run --release -- d\n```\n\
                <!-- exits 1: a bar -->\n\n```sh\nthreshr e\n```\n<!-- not run: -->\n```sh\nx\n```\n\
                <!-- not run: no network -->\n```sh\ncurl y\n```\n```text\nthreshr z\n```\n";
    let block = |line, mark, commands: &[(usize, &str)]| Block {
        line,
        mark,
        commands: commands.iter().map(|&(line, command)| (line, command.to_owned())).collect(),
        printed: Vec::new(),
    };
    let printed = vec!["threshr z".to_owned()];
    assert_eq!(
        blocks(text),
        [
            block(2, Mark::None, &[(3, "threshr a b  # c"), (7, "threshr d")]),
            block(11, Mark::ExitsOne, &[(12, "threshr e")]),
            block(15, Mark::Bare, &[(16, "x")]),
            Block { printed, ..block(19, Mark::NotRun, &[(20, "curl y")]) },
        ]
    );
}

#[test]
fn links_and_headings_are_found() {
    let text =
        "[a](b.md#c-d) `[no](x)` [e](https://example.com)\n```text\n[no](y)\n```\n![f](g.png) [h](#i)\n";
    let found: Vec<(usize, String)> = links(text);
    let expected = [(1, "b.md#c-d"), (5, "g.png"), (5, "#i")];
    assert_eq!(found, expected.map(|(line, target)| (line, target.to_owned())));
    assert!(has_heading("# A title\n\n## C, `d`\n", "c-d"));
    assert!(!has_heading("```sh\n# c d\n```\n", "c-d"));
}

/// Returns the paths of all documents, relative to the repository.
fn documents() -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = DOCUMENTS.iter().map(PathBuf::from).collect();
    let mut folders = vec![PathBuf::from("docs")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(repository(&folder.to_string_lossy())).expect("a folder of documents")
        {
            let entry = entry.expect("an entry");
            let path = folder.join(entry.file_name());
            if entry.path().is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "md") {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

fn read(document: &Path) -> String {
    let path = repository(&document.to_string_lossy());
    std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// Runs the commands of a document in order. Returns the problems. Stops at the first command that fails,
/// because later commands may need its files.
fn run_document(document: &Path) -> Vec<String> {
    let text = read(document);
    let blocks: Vec<Block> =
        blocks(&text).into_iter().filter(|b| !matches!(b.mark, Mark::NotRun | Mark::Bare)).collect();
    if blocks.is_empty() {
        return Vec::new();
    }
    let dir = tempfile::tempdir().expect("a folder");
    let (work, programs) = (dir.path().join("work"), dir.path().join("bin"));
    std::fs::create_dir_all(&programs).expect("made");
    link(Path::new(env!("CARGO_BIN_EXE_threshr")), &programs.join("threshr"));
    for name in LINKED {
        link(&repository(name), &work.join(name));
    }
    let mut path = programs.into_os_string();
    path.push(":");
    path.push(std::env::var_os("PATH").unwrap_or_default());
    for block in &blocks {
        let expected = if block.mark == Mark::ExitsOne { 1 } else { 0 };
        if let Mark::Annotated(folder) = &block.mark {
            annotate_by_gold(&work.join(folder));
        }
        let mut output = String::new();
        for (line, command) in &block.commands {
            // The test `every_block_runs_or_says_why_not` reports these commands.
            if NEVER_RUN.contains(&command.split_whitespace().next().unwrap_or("")) {
                continue;
            }
            let run = Command::new("bash")
                .args(["-euo", "pipefail", "-c", command])
                .current_dir(&work)
                .env("PATH", &path)
                .env("HOME", dir.path())
                .stdin(Stdio::null())
                .output()
                .expect("bash");
            if run.status.code() != Some(expected) {
                return vec![format!(
                    "{}:{line}: {command}\n  {}, expected exit code {expected}: {}",
                    document.display(),
                    run.status,
                    String::from_utf8_lossy(&run.stderr).trim_end()
                )];
            }
            output += &String::from_utf8_lossy(&run.stdout);
            output += &String::from_utf8_lossy(&run.stderr);
        }
        if let Some(line) = not_printed(&block.printed, &output) {
            return vec![format!(
                "{}:{}: `{line}` is not printed at this place, but:\n{output}",
                document.display(),
                block.line
            )];
        }
    }
    Vec::new()
}

/// Returns the first line of `printed` that does not occur in the output after the preceding lines. `…`
/// stands for any text.
fn not_printed<'a>(printed: &'a [String], output: &str) -> Option<&'a str> {
    let mut lines = output.lines();
    let is_like = |line: &str, pattern: &str| {
        let mut rest = Some(line.trim());
        for part in pattern.trim().split('…') {
            rest = rest.and_then(|rest| rest.split_once(part.trim())).map(|(_, after)| after);
        }
        rest.is_some()
    };
    printed.iter().map(String::as_str).find(|pattern| !lines.any(|line| is_like(line, pattern)))
}

fn link(target: &Path, at: &Path) {
    std::fs::create_dir_all(at.parent().expect("a parent")).expect("made");
    std::os::unix::fs::symlink(target, at).expect("linked");
}

/// Returns the blocks with the language `sh`. Joins lines that end in `\`, and skips empty lines and
/// comments.
fn blocks(text: &str) -> Vec<Block> {
    let mut found = Vec::new();
    let mut before = "";
    let mut is_after_block = false;
    let mut lines = text.lines().enumerate();
    while let Some((index, line)) = lines.next() {
        let Some(language) = line.trim_start().strip_prefix("```") else {
            if !line.trim().is_empty() {
                before = line.trim();
                is_after_block = false;
            }
            continue;
        };
        let mut commands = Vec::new();
        let mut open: Option<(usize, String)> = None;
        for (index, line) in lines.by_ref().take_while(|(_, line)| !line.trim_start().starts_with("```")) {
            let line = line.trim();
            if open.is_none() && (line.is_empty() || line.starts_with('#')) {
                continue;
            }
            let (start, mut command) = open.take().unwrap_or((index + 1, String::new()));
            match line.strip_suffix('\\') {
                Some(part) => {
                    command.push_str(part);
                    open = Some((start, command));
                }
                None => {
                    command.push_str(line);
                    commands.push((start, as_installed(command)));
                }
            }
        }
        match language.trim() {
            "sh" => found.push(Block { line: index + 1, mark: mark(before), commands, printed: Vec::new() }),
            // Only if it directly follows a `sh` block.
            "text" if is_after_block => {
                if let Some(block) = found.last_mut() {
                    block.printed = commands.into_iter().map(|(_, line)| line).collect();
                }
            }
            _ => {}
        }
        is_after_block = language.trim() == "sh";
        before = "";
    }
    found
}

/// Replaces `cargo run` in a command by the installed program.
fn as_installed(command: String) -> String {
    match command.strip_prefix(CARGO_RUN) {
        Some(arguments) => format!("threshr {arguments}"),
        None => command,
    }
}

/// Parses the directive in the line before a block.
fn mark(line: &str) -> Mark {
    let Some(comment) = line.strip_prefix("<!--").and_then(|rest| rest.strip_suffix("-->")) else {
        return Mark::None;
    };
    let (name, reason) = comment.split_once(':').unwrap_or((comment, ""));
    match (name.trim(), reason.trim()) {
        ("not run" | "exits 1" | "annotated", "") => Mark::Bare,
        ("not run", _) => Mark::NotRun,
        ("exits 1", _) => Mark::ExitsOne,
        ("annotated", folder) => Mark::Annotated(folder.to_owned()),
        _ => Mark::None,
    }
}

/// Returns the lines outside fenced blocks, each with its line number from 1.
fn prose(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut is_fenced = false;
    text.lines().enumerate().filter_map(move |(index, line)| {
        let is_fence = line.trim_start().starts_with("```");
        is_fenced ^= is_fence;
        (!is_fenced && !is_fence).then_some((index + 1, line))
    })
}

/// Returns the targets of links to files and headings, each with its line number. Skips links to other
/// hosts.
fn links(text: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    for (number, line) in prose(text) {
        // text between backticks is code
        let outside: String = line.split('`').step_by(2).collect();
        for rest in outside.split("](").skip(1) {
            let target = rest.split(')').next().unwrap_or("");
            if !target.contains("://") && !target.starts_with("mailto:") {
                found.push((number, target.to_owned()));
            }
        }
    }
    found
}

/// Returns whether a heading of the document has this anchor. The anchor of a heading is its text in lower
/// case, with hyphens for spaces and without other punctuation than hyphens and underscores.
fn has_heading(text: &str, anchor: &str) -> bool {
    let anchor_of = |heading: &str| -> String {
        let kept = |c: &char| c.is_alphanumeric() || matches!(c, '-' | '_' | ' ');
        heading
            .chars()
            .filter(kept)
            .flat_map(char::to_lowercase)
            .map(|c| if c == ' ' { '-' } else { c })
            .collect()
    };
    prose(text)
        .filter(|(_, line)| line.starts_with('#'))
        .any(|(_, line)| anchor_of(line.trim_start_matches('#').trim()) == anchor)
}

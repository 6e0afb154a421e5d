//! Imports go one way, only the command line prints, and files stay small.
//!
//! Source is read as text: comments, strings and the test module at a file's end are left out first.

use std::fs;
use std::path::{Path, PathBuf};

/// Modules that every other may import; among each other too.
const BASE: &[&str] = &["error", "atomic", "deadline", "progress", "registry", "text", "policy"];

/// Stages in order. A module may import itself, those on its line, those on earlier lines, and the base.
const STAGES: &[&[&str]] = &[
    &["page"],
    &["block"],
    &["features"],
    &["classifier"],
    &["rescore"],
    &["decision"],
    &["filter"],
    &["output"],
    &["gold"],
    &["metrics"],
    &["pipeline"],
    &["systems"],
    &["model_file"],
    &["experiment"],
    &["crawl"],
    &["cli"],
];

/// Modules that may import less than the order allows.
const NARROWED: &[(&str, &[&str])] = &[("gold", &["page", "block"])];

/// What the crate's root itself gives; everything else is imported from its module.
const ROOT_ITEMS: &[&str] = &["hex", "Error", "ErrorKind", "Result"];

const MAX_LINES: usize = 600;
const MAX_ARCHITECTURE_LINES: usize = 150;

/// A source file.
struct Source {
    /// Path below `src`, with `/`.
    name: String,
    text: String,
}

impl Source {
    /// The modules that lead to the file: `["gold", "split"]` for `gold/split.rs`, none for `lib.rs`.
    fn modules(&self) -> Vec<&str> {
        let path = self.name.trim_end_matches(".rs").trim_end_matches("/mod");
        if matches!(path, "lib" | "main") { Vec::new() } else { path.split('/').collect() }
    }

    fn may_print(&self) -> bool {
        self.name == "main.rs" || self.modules().first() == Some(&"cli")
    }
}

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn sources() -> Vec<Source> {
    fn collect(dir: &Path, prefix: &str, found: &mut Vec<Source>) {
        for entry in fs::read_dir(dir).expect("src is readable") {
            let path = entry.expect("an entry is readable").path();
            let name = format!("{prefix}{}", path.file_name().unwrap_or_default().to_string_lossy());
            if path.is_dir() {
                collect(&path, &format!("{name}/"), found);
            } else if name.ends_with(".rs") {
                let text = fs::read_to_string(&path).expect("a source file is UTF-8");
                found.push(Source { name, text });
            }
        }
    }
    let mut found = Vec::new();
    collect(&root().join("src"), "", &mut found);
    found.sort_by(|a, b| a.name.cmp(&b.name));
    assert!(found.len() > 10, "only {} source files were found", found.len());
    found
}

/// The code of a file without the test module at its end.
fn without_tests(text: &str) -> &str {
    let is_end = |at: &usize| {
        let rest = text[*at..].trim_start_matches('\n');
        let mut lines = rest.lines().skip(1).filter(|l| !l.starts_with("#["));
        lines.next().is_some_and(|l| l.starts_with("mod ") && l.ends_with('{')) && rest.ends_with("\n}\n")
    };
    let starts = text.match_indices("\n#[cfg(test)]\n").map(|(at, _)| at);
    starts.filter(is_end).last().map_or(text, |at| &text[..=at])
}

/// The code without comments and without what stands in strings. Line ends stay.
fn bare(text: &str) -> String {
    let chars: Vec<char> = text.chars().collect();
    let mut out = String::with_capacity(text.len());
    let mut i = 0;
    while i < chars.len() {
        let end = match (chars[i], chars.get(i + 1)) {
            ('/', Some('/')) => line_end(&chars, i),
            ('/', Some('*')) => comment_end(&chars, i),
            ('"', _) => string_end(&chars, i),
            ('r', Some('"' | '#')) if !chars[..i].last().is_some_and(|&c| is_name(c) && c != 'b') => {
                raw_string_end(&chars, i)
            }
            ('\'', _) => char_end(&chars, i),
            _ => i,
        };
        if end == i {
            out.push(chars[i]);
            i += 1;
        } else {
            out.push(' ');
            out.extend(chars[i..end].iter().filter(|&&c| c == '\n'));
            i = end;
        }
    }
    out
}

fn is_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

fn line_end(chars: &[char], from: usize) -> usize {
    (from..chars.len()).find(|&i| chars[i] == '\n').unwrap_or(chars.len())
}

fn comment_end(chars: &[char], from: usize) -> usize {
    let (mut depth, mut i) = (0, from);
    while i + 1 < chars.len() {
        match (chars[i], chars[i + 1]) {
            ('/', '*') => (depth, i) = (depth + 1, i + 2),
            ('*', '/') => (depth, i) = (depth - 1, i + 2),
            _ => i += 1,
        }
        if depth == 0 {
            return i;
        }
    }
    chars.len()
}

fn string_end(chars: &[char], from: usize) -> usize {
    let mut i = from + 1;
    while i < chars.len() {
        match chars[i] {
            '\\' => i += 2,
            '"' => return i + 1,
            _ => i += 1,
        }
    }
    chars.len()
}

/// The end of `r"…"` or `r#"…"#`; `from` where it is a raw identifier.
fn raw_string_end(chars: &[char], from: usize) -> usize {
    let hashes = chars[from + 1..].iter().take_while(|&&c| c == '#').count();
    let open = from + 1 + hashes;
    if chars.get(open) != Some(&'"') {
        return from;
    }
    let closes = |i: &usize| chars[*i] == '"' && chars[i + 1..].iter().take(hashes).all(|&c| c == '#');
    (open + 1..chars.len()).find(closes).map_or(chars.len(), |i| (i + 1 + hashes).min(chars.len()))
}

/// The end of a character literal; `from` where it is a lifetime.
fn char_end(chars: &[char], from: usize) -> usize {
    match (chars.get(from + 1), chars.get(from + 2)) {
        (Some('\\'), _) => (from + 3..chars.len()).find(|&i| chars[i] == '\'').map_or(chars.len(), |i| i + 1),
        (Some(_), Some('\'')) => from + 3,
        _ => from,
    }
}

/// The first names of paths that go out from `prefix` (`crate::` say), with their lines.
fn names_after(code: &str, prefix: &str) -> Vec<(usize, String)> {
    let mut names = Vec::new();
    for (at, _) in code.match_indices(prefix) {
        let before = code[..at].trim_end();
        if code[..at].ends_with(|c: char| is_name(c)) || before.ends_with("::") {
            continue;
        }
        let line = code[..at].matches('\n').count() + 1;
        names.extend(first_names(&code[at + prefix.len()..]).into_iter().map(|n| (line, n)));
    }
    names
}

/// `["a"]` for `a::b`, `["a", "c"]` for `{a::b, c}`.
fn first_names(path: &str) -> Vec<String> {
    let name = |part: &str| part.trim_start().chars().take_while(|&c| is_name(c)).collect::<String>();
    let Some(group) = path.trim_start().strip_prefix('{') else { return vec![name(path)] };
    let (mut depth, mut part_start, mut names) = (0u32, 0, Vec::new());
    for (at, c) in group.char_indices() {
        match c {
            '{' => depth += 1,
            '}' | ',' if depth == 0 => {
                names.push(name(&group[part_start..at]));
                part_start = at + 1;
                if c == '}' {
                    break;
                }
            }
            '}' => depth -= 1,
            _ => {}
        }
    }
    names.retain(|n| !n.is_empty());
    names
}

/// Every name that a file takes from the crate's root.
fn imports(source: &Source) -> Vec<(usize, String)> {
    let code = bare(without_tests(&source.text));
    let mut found = names_after(&code, "crate::");
    found.extend(names_after(&code, "threshr::"));
    // `super::` from a top module, `super::super::` from a file in it, reach the root as well.
    let depth = source.modules().len();
    if depth > 0 {
        let up = names_after(&code, &"super::".repeat(depth));
        found.extend(
            up.into_iter().filter(|(_, n)| is_module(n) && !source.modules()[1..].contains(&n.as_str())),
        );
    }
    found
}

fn stage(module: &str) -> Option<usize> {
    STAGES.iter().position(|line| line.contains(&module))
}

fn is_module(name: &str) -> bool {
    BASE.contains(&name) || stage(name).is_some()
}

fn may_import(importer: &str, imported: &str) -> bool {
    if importer == imported || BASE.contains(&imported) {
        return true;
    }
    if let Some((_, allowed)) = NARROWED.iter().find(|(module, _)| *module == importer) {
        return allowed.contains(&imported);
    }
    match (stage(importer), stage(imported)) {
        (Some(importer), Some(imported)) => imported <= importer,
        _ => false,
    }
}

/// What is wrong with a file's imports.
fn wrong_imports(source: &Source) -> Vec<String> {
    let importer = source.modules().first().copied();
    let judge = |(line, name): (usize, String)| {
        let place = format!("src/{}:{line}", source.name);
        match importer {
            _ if name == "cli" && !source.may_print() => Some(format!("{place} uses cli")),
            None | Some("cli") => None,
            Some(module) if is_module(&name) => {
                (!may_import(module, &name)).then(|| format!("{place}: {module} may not import {name}"))
            }
            Some(_) if ROOT_ITEMS.contains(&name.as_str()) => None,
            Some(_) => Some(format!("{place}: import `{name}` from its module, not from the crate's root")),
        }
    };
    imports(source).into_iter().filter_map(judge).collect()
}

/// Calls that print or end the process.
fn prints(source: &Source) -> Vec<String> {
    let code = bare(without_tests(&source.text));
    let calls = ["println!", "eprintln!", "print!", "eprint!", "process::exit"];
    let mut found = Vec::new();
    for (line, number) in code.lines().zip(1..) {
        for call in calls {
            let whole = |(at, _): (usize, &str)| !line[..at].ends_with(is_name);
            if line.match_indices(call).any(whole) {
                found.push(format!("src/{}:{number}: {call}", source.name));
            }
        }
    }
    found
}

fn assert_none(wrong: &[String]) {
    assert!(wrong.is_empty(), "\n{}\n", wrong.join("\n"));
}

#[test]
fn imports_go_one_way() {
    assert_none(&sources().iter().flat_map(wrong_imports).collect::<Vec<_>>());
}

#[test]
fn every_module_has_its_place() {
    let files = sources();
    let modules = files.iter().filter_map(|s| s.modules().first().copied());
    let unknown = modules.filter(|m| !is_module(m)).map(|m| format!("src/{m} is not in STAGES or BASE"));
    assert_none(&unknown.collect::<Vec<_>>());
}

#[test]
fn the_library_does_not_name_the_command_line() {
    let files = sources();
    let lib = files.iter().find(|s| s.name == "lib.rs").unwrap();
    assert!(!bare(&lib.text).contains("cli::"), "src/lib.rs uses cli");
}

#[test]
fn only_the_command_line_prints_or_exits() {
    let files = sources();
    assert_none(&files.iter().filter(|s| !s.may_print()).flat_map(prints).collect::<Vec<_>>());
}

#[test]
fn files_are_short_and_say_what_they_are() {
    let mut wrong = Vec::new();
    for source in sources() {
        let num_lines = source.text.lines().count();
        if num_lines > MAX_LINES {
            wrong.push(format!("src/{} has {num_lines} lines; at most {MAX_LINES}", source.name));
        }
        if !source.text.starts_with("//!") {
            wrong.push(format!("src/{} does not begin with `//!`", source.name));
        }
    }
    assert_none(&wrong);
}

#[test]
fn architecture_is_a_short_read() {
    let Ok(text) = fs::read_to_string(root().join("ARCHITECTURE.md")) else { return };
    let num_lines = text.lines().count();
    assert!(num_lines <= MAX_ARCHITECTURE_LINES, "{num_lines} lines; at most {MAX_ARCHITECTURE_LINES}");
}

#[test]
fn the_check_sees_wrong_imports() {
    let wrong = |name: &str, text: &str| {
        wrong_imports(&Source { name: name.to_owned(), text: text.to_owned() }).len()
    };
    assert_eq!(wrong("page/tree.rs", "use crate::features::Matrix;\n"), 1);
    assert_eq!(wrong("page/tree.rs", "use crate::{error::Error, block::{Blocks, x}, gold};\n"), 2);
    assert_eq!(wrong("page/tree.rs", "use super::super::features;\nuse super::block;\n"), 1);
    assert_eq!(wrong("page/mod.rs", "fn f(x: &'static str) { crate::cli::run('\"', \"crate::gold\") }\n"), 1);
    assert_eq!(wrong("gold/align.rs", "use crate::features::Matrix;\n"), 1);
    assert_eq!(wrong("block/mod.rs", "use crate::Pipeline;\n"), 1);
    assert_eq!(wrong("error.rs", "use crate::page;\n"), 1);
    let tests = "use crate::page::Document;\n#[cfg(test)]\nmod tests {\n    use crate::cli::x;\n}\n";
    assert_eq!(wrong("block/mod.rs", tests), 0);
    let harmless =
        "//! [`crate::cli`]\n/* crate::cli /* */ crate::cli */ const A: &str = r#\"\"crate::cli\"#;\n";
    assert_eq!(wrong("page/mod.rs", harmless), 0);
    assert_eq!(wrong("output/text.rs", "use crate::gold::Segment;\n"), 1);
    assert_eq!(wrong("model_file.rs", "use crate::pipeline::Pipeline;\nuse crate::hex;\n"), 0);
    assert_eq!(wrong("cli/train.rs", "use crate::cli::x;\nuse threshr::crawl::y;\n"), 0);
}

#[test]
fn the_check_sees_prints() {
    let found = |text: &str| prints(&Source { name: "page/mod.rs".to_owned(), text: text.to_owned() }).len();
    assert_eq!(found("fn f() { println!(\"x\"); std::process::exit(1) }\n"), 2);
    assert_eq!(found("// println!(\"x\")\nfn f() -> &'static str { \"println!\" }\n"), 0);
}

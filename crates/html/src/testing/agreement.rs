//! Compares our parsers with html5ever on random pages.

use crate::testing::random_pages::{PageGenerator, shrink};
use crate::{Build, Document, Kind, oracle, tree_builder};
use std::time::{Duration, Instant};
use threshr_core::Budget;

/// A tree as text: one line a node with its depth and its attributes or text.
fn outline(doc: &Document) -> String {
    let mut out = String::new();
    for node in doc.descendants(doc.root()) {
        let line = match doc.kind(node) {
            Kind::Text => {
                let parent = doc.parent(node).map_or("", |p| doc.name(p));
                let mut text = doc.text(node);
                // html5ever keeps a line end here if its tokenizer reports an error before it
                if matches!(parent, "pre" | "listing" | "textarea") {
                    text = text.trim_start_matches('\n');
                    if text.is_empty() {
                        continue;
                    }
                }
                format!("{text:?}")
            }
            _ => format!("<{} {:?}>", doc.name(node), doc.attributes(node).collect::<Vec<_>>()),
        };
        out.push_str(&format!("{}{line}\n", " ".repeat(doc.ancestors(node).count())));
    }
    out
}

fn tree(html: &str, build: Build<'_>, scripting: bool) -> String {
    let html = html.strip_prefix('\u{feff}').unwrap_or(html);
    outline(&build(html, None, scripting, &Budget::UNLIMITED).expect("no limit"))
}

/// Whether html5ever may keep a line end that is the first text of `<pre>` and its like: it forgets to drop it
/// if `</>`, an error of the tokenizer, stands before it.
fn keeps_line_end(html: &str) -> bool {
    html.match_indices("</>").any(|(at, error)| {
        let before = html[..at].trim_end_matches(error);
        let tag = before.rfind('<').map_or("", |start| &before[start + 1..]);
        let name = tag.split(|c: char| !c.is_ascii_alphabetic()).next().unwrap_or("");
        ["pre", "listing", "textarea"].iter().any(|known| name.eq_ignore_ascii_case(known))
            && html[at + error.len()..].starts_with(['\n', '\r'])
    })
}

/// Compares up to `num_pages` pages within a time. Returns the number compared and the differences.
fn compare(num_pages: usize, seed: u64, time: Duration) -> (usize, Vec<String>) {
    let started = Instant::now();
    let mut generator = PageGenerator::new(seed);
    let mut found = Vec::new();
    for page in 0..num_pages {
        if started.elapsed() > time || found.len() >= 20 {
            return (page, found);
        }
        let html = generator.page();
        let scripting = page % 4 > 0;
        let builders: [(&str, Build<'_>); 2] =
            [("ours", &tree_builder::build), ("our tokenizer", &oracle::build_conforming)];
        for (name, build) in builders {
            let differs = |html: &str| {
                tree(html, build, scripting) != tree(html, &oracle::build, scripting) && !keeps_line_end(html)
            };
            if differs(&html) {
                let html = shrink(&html, differs);
                let (ours, theirs) = (tree(&html, build, scripting), tree(&html, &oracle::build, scripting));
                found.push(format!("{name} {html:?}\n{ours}--- html5ever\n{theirs}"));
            }
        }
    }
    (num_pages, found)
}

#[test]
fn random_pages_have_html5evers_tree() {
    let (num_pages, found) = compare(2_000, 2, Duration::MAX);
    assert!(found.is_empty(), "{}", found.join("\n"));
    assert_eq!(num_pages, 2_000);
}

/// Runs for an hour or `$FUZZ_SECONDS`, with the seed `$FUZZ_SEED`:
/// `cargo test -p threshr-html long_fuzz -- --ignored --nocapture`.
#[test]
#[ignore = "takes an hour"]
fn long_fuzz_of_trees() {
    let number = |name: &str| std::env::var(name).ok().and_then(|v| v.parse::<u64>().ok());
    let seconds = number("FUZZ_SECONDS").unwrap_or(3_600);
    let (num_pages, found) =
        compare(usize::MAX, number("FUZZ_SEED").unwrap_or(3), Duration::from_secs(seconds));
    let report = format!("{num_pages} pages compared in {seconds} s, {} differ\n", found.len());
    std::io::Write::write_all(&mut std::io::stderr(), report.as_bytes()).expect("written");
    assert!(found.is_empty(), "{}", found.join("\n"));
}

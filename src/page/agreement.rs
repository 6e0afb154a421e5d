//! All parsers build html5ever's tree of made-up pages.

use super::fuzz::{Maker, shrink};
use super::{Document, Kind, ParseOptions, Parser, build};
use std::time::{Duration, Instant};

/// A tree as text: a line a node, with its depth, its attributes or its text.
fn outline(doc: &Document) -> String {
    let mut out = String::new();
    for node in doc.descendants(doc.root()) {
        out.push_str(&" ".repeat(doc.ancestors(node).count()));
        match doc.kind(node) {
            Kind::Text => {
                let parent = doc.parent(node).map_or("", |p| doc.name(p));
                let text = doc.text(node);
                // html5ever's tree builder forgets to leave out a line end where its tokenizer has told of an error
                let is_known = matches!(parent, "pre" | "listing" | "textarea");
                out.push_str(&format!("{:?}\n", if is_known { text.trim_start_matches('\n') } else { text }));
            }
            _ => out.push_str(&format!(
                "<{} {:?}>\n",
                doc.name(node),
                doc.attributes(node).collect::<Vec<_>>()
            )),
        }
    }
    out
}

fn tree(html: &str, parser: Parser, scripting: bool) -> String {
    let options = ParseOptions { parser, ..ParseOptions::default() };
    outline(&build(html.strip_prefix('\u{feff}').unwrap_or(html), &options, scripting))
}

/// Compares until all pages are done or the time is over; gives the number compared and what was found.
fn compare(num_pages: usize, seed: u64, time: Duration) -> (usize, Vec<String>) {
    let started = Instant::now();
    let mut maker = Maker::new(seed);
    let mut found = Vec::new();
    for page in 0..num_pages {
        if started.elapsed() > time || found.len() >= 20 {
            return (page, found);
        }
        let html = maker.page();
        let scripting = page % 4 > 0;
        for parser in [Parser::Fast, Parser::Conforming] {
            let differs =
                |html: &str| tree(html, parser, scripting) != tree(html, Parser::Html5ever, scripting);
            if differs(&html) {
                let html = shrink(&html, differs);
                let (ours, theirs) =
                    (tree(&html, parser, scripting), tree(&html, Parser::Html5ever, scripting));
                found.push(format!("{parser:?} {html:?}\n{ours}--- html5ever\n{theirs}"));
            }
        }
    }
    (num_pages, found)
}

#[test]
fn made_up_pages_have_html5evers_tree() {
    let (num_pages, found) = compare(2_000, 2, Duration::MAX);
    assert!(found.is_empty(), "{}", found.join("\n"));
    assert_eq!(num_pages, 2_000);
}

/// For an hour, or `$FUZZ_SECONDS`, from the seed `$FUZZ_SEED`:
/// `cargo test --lib long_fuzz -- --ignored --nocapture`.
#[test]
#[ignore = "takes an hour"]
fn long_fuzz_of_trees() {
    let number = |name: &str| std::env::var(name).ok().and_then(|v| v.parse::<u64>().ok());
    let seconds = number("FUZZ_SECONDS").unwrap_or(3_600);
    let (num_pages, found) =
        compare(usize::MAX, number("FUZZ_SEED").unwrap_or(3), Duration::from_secs(seconds));
    let said = format!("{num_pages} pages compared in {seconds} s, {} differ\n", found.len());
    std::io::Write::write_all(&mut std::io::stderr(), said.as_bytes()).expect("written");
    assert!(found.is_empty(), "{}", found.join("\n"));
}

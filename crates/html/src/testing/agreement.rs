//! Compares our parsers with html5ever on random pages.

use crate::oracle::agreement::{differs_from_html5ever, tree};
use crate::testing::random_pages::{PageGenerator, shrink};
use crate::{Build, oracle, tree_builder};
use std::time::{Duration, Instant};

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
            let differs = |html: &str| differs_from_html5ever(html, build, scripting).is_some();
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

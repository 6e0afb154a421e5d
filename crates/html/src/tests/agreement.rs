//! Compares our parsers with html5ever on random pages.

use crate::oracle;
use crate::tests::random_pages::{PageGenerator, shrink};
use std::time::{Duration, Instant};

/// Compares up to `num_pages` pages within a time limit. Returns the number of compared pages and the differences.
fn compare(num_pages: usize, seed: u64, time: Duration) -> (usize, Vec<String>) {
    let started = Instant::now();
    let mut generator = PageGenerator::new(seed);
    let mut found = Vec::new();
    for page in 0..num_pages {
        if started.elapsed() > time || found.len() >= 20 {
            return (page, found);
        }
        let mut html = generator.page();
        let (scripting, xml) = (page % 4 > 0, page % 3 == 0);
        if xml {
            // enough void elements for the page to count as written by an XML serialiser, whatever follows
            html.insert_str(0, &format!("<!--{}-->", "<br/>".repeat(1_000)));
        }
        let difference = |html: &str| oracle::difference(html, scripting, xml);
        if difference(&html).is_some() {
            found.extend(difference(&shrink(&html, |html| difference(html).is_some())));
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

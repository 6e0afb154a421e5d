//! Comparison of our parser with html5ever.

use crate::support::sample;
use std::collections::HashMap;
use std::path::Path;
use threshr_html::{ParseOptions, oracle, plain_html};
use threshr_sets::gold::{DataSet, ReadOptions};

/// Minimum share of the nodes that are identical to those of html5ever, over all pages.
const BAR: f64 = 0.999;

/// Number of compared and of identical nodes and pages.
#[derive(Default, Clone, Copy)]
struct Agreement {
    nodes: usize,
    same_nodes: usize,
    pages: usize,
    same_pages: usize,
}

impl Agreement {
    fn share(self) -> f64 {
        self.same_nodes as f64 / (self.nodes as f64).max(1.0)
    }

    /// Adds a page. Nodes are compared as a multiset, because otherwise one missing node could make all
    /// following nodes differ.
    fn add(&mut self, ours: &str, theirs: &str) {
        let mut counts: HashMap<&str, usize> = HashMap::new();
        theirs.lines().for_each(|node| *counts.entry(node).or_default() += 1);
        for node in ours.lines() {
            if let Some(n) = counts.get_mut(node).filter(|n| **n > 0) {
                *n -= 1;
                self.same_nodes += 1;
            }
        }
        self.nodes += ours.lines().count().max(theirs.lines().count());
        self.pages += 1;
        self.same_pages += usize::from(ours == theirs);
    }
}

#[allow(clippy::print_stdout)] // part of a test
fn compare_set(dir: &Path) -> Agreement {
    let set = DataSet::open(dir, &ReadOptions::default()).expect("an annotated set");
    let mut agreement = Agreement::default();
    for page in &set.pages {
        let bytes = std::fs::read(&page.path).expect("a page");
        let options = page.parse_options(ParseOptions::default());
        let html = plain_html(&bytes, &options).replace('\u{feff}', "");
        let Some([ours, theirs]) = oracle::trees(&html, true, false) else { continue };
        agreement.add(&ours, &theirs);
        if ours != theirs {
            println!("  differs on {}", page.path.display());
        }
    }
    agreement
}

#[test]
fn trees_are_html5evers_on_the_sample() {
    let agreement = compare_set(&sample());
    assert!(agreement.pages > 5, "{} pages", agreement.pages);
    assert_eq!(agreement.same_pages, agreement.pages);
}

/// Compares the annotated sets below the folder `$DATA`: `DATA=… cargo test --test suite parsers --
/// --ignored --nocapture`.
#[test]
#[ignore = "needs the data sets in $DATA"]
fn trees_are_html5evers_on_all_sets() {
    let Some(data) = std::env::var_os("DATA") else {
        println!("SKIPPED: $DATA names no folder of data sets, nothing was compared");
        return;
    };
    let mut dirs: Vec<_> =
        std::fs::read_dir(&data).expect("a folder").map(|e| e.expect("listed").path()).collect();
    dirs.sort();
    let mut total = Agreement::default();
    for dir in dirs.iter().filter(|d| d.is_dir()) {
        let a = compare_set(dir);
        println!(
            "{}: {} of {} nodes ({:.4} %), {} of {} pages",
            dir.file_name().unwrap_or_default().to_string_lossy(),
            a.same_nodes,
            a.nodes,
            100.0 * a.share(),
            a.same_pages,
            a.pages
        );
        total.nodes += a.nodes;
        total.same_nodes += a.same_nodes;
    }
    assert!(total.nodes > 0 && total.share() >= BAR, "{} of the nodes agree", total.share());
}

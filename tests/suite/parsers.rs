//! Our parser reads pages as html5ever does.

use crate::support::sample;
use std::collections::HashMap;
use std::path::Path;
use threshr_core::{Budget, Result};
use threshr_html::blocks::{self as block, Blocks};
use threshr_html::{Document, ParseOptions, Visibility, oracle, parse_within};
use threshr_io::gold::{DataSet, ReadOptions};

/// A parser with its name.
type Parser = (&'static str, fn(&[u8], &ParseOptions, &Budget) -> Result<Document>);

/// Our parser, and our tokenizer before html5ever's tree builder.
const PARSERS: [Parser; 2] = [("ours", parse_within), ("our tokenizer", oracle::parse_with_our_tokenizer)];

/// Least share of blocks that are html5ever's, text and path of elements, by parser.
const BARS: [f64; 2] = [0.999, 0.9999];

/// Blocks compared, those that agree, pages compared, those that agree.
#[derive(Default, Clone, Copy)]
struct Agreement {
    blocks: usize,
    same_blocks: usize,
    pages: usize,
    same_pages: usize,
}

impl Agreement {
    fn share(self) -> f64 {
        self.same_blocks as f64 / (self.blocks as f64).max(1.0)
    }
}

/// Text and path of every block.
fn blocks(doc: &Document) -> Vec<(String, String)> {
    let blocks = Blocks::of(doc, block::REGISTRY[0], Visibility::Visible);
    (0..blocks.len())
        .map(|i| (blocks.text(i).to_owned(), doc.path(blocks.iter().as_slice()[i].leaf)))
        .collect()
}

/// Compares a page; blocks in any order, since one that is missing must not make all others differ.
fn compare(agreement: &mut Agreement, a: &[(String, String)], b: &[(String, String)]) {
    let mut counts: HashMap<&(String, String), usize> = HashMap::new();
    a.iter().for_each(|block| *counts.entry(block).or_default() += 1);
    let mut same = 0;
    for block in b {
        if let Some(n) = counts.get_mut(block).filter(|n| **n > 0) {
            *n -= 1;
            same += 1;
        }
    }
    agreement.blocks += a.len().max(b.len());
    agreement.same_blocks += same;
    agreement.pages += 1;
    agreement.same_pages += usize::from(a == b);
}

#[allow(clippy::print_stdout)] // part of a test
fn compare_set(dir: &Path) -> Vec<(&'static str, Agreement)> {
    let set = DataSet::open(dir, &ReadOptions::default()).expect("an annotated set");
    let mut found: Vec<_> = PARSERS.iter().map(|p| (p.0, Agreement::default())).collect();
    for page in &set.pages {
        let bytes = std::fs::read(&page.path).expect("a page");
        let options = ParseOptions {
            annotation: page.annotation(),
            charset: page.charset.clone(),
            ..ParseOptions::default()
        };
        let oracle = oracle::parse(&bytes, &options, &Budget::UNLIMITED).expect("no limit");
        let expected = blocks(&oracle);
        for ((_, parse), (name, agreement)) in PARSERS.iter().zip(&mut found) {
            let doc = parse(&bytes, &options, &Budget::UNLIMITED).expect("no limit");
            let before = agreement.same_pages;
            compare(agreement, &expected, &blocks(&doc));
            let same_labels = label_texts(&doc) == label_texts(&oracle);
            if agreement.same_pages == before || !same_labels {
                println!(
                    "  {name} differs on {}{}",
                    page.path.display(),
                    if same_labels { "" } else { " (labels)" }
                );
            }
        }
    }
    found
}

/// What an annotation labels: the characters with their classes.
fn label_texts(doc: &Document) -> Vec<(char, u8)> {
    let text = doc.source_text();
    let chars = doc.labels().iter().flat_map(|(range, class)| {
        text[range.start as usize..range.end as usize].chars().map(|c| (c, *class))
    });
    chars.collect()
}

#[test]
fn parsers_agree_with_html5ever_on_the_sample() {
    for (parser, agreement) in compare_set(&sample()) {
        assert!(agreement.pages > 5, "{} pages", agreement.pages);
        assert_eq!(agreement.same_pages, agreement.pages, "{parser}");
    }
}

/// The annotated sets below the folder `$DATA`: `DATA=… cargo test --test suite parsers -- --ignored --nocapture`.
#[test]
#[ignore = "needs the data sets in $DATA"]
fn parsers_agree_with_html5ever_on_all_sets() {
    let Some(data) = std::env::var_os("DATA") else {
        println!("SKIPPED: $DATA names no folder of data sets, nothing was compared");
        return;
    };
    let mut dirs: Vec<_> =
        std::fs::read_dir(&data).expect("a folder").map(|e| e.expect("listed").path()).collect();
    dirs.sort();
    let mut total = vec![Agreement::default(); BARS.len()];
    for dir in dirs.iter().filter(|d| d.is_dir()) {
        for (sum, (parser, a)) in total.iter_mut().zip(compare_set(dir)) {
            println!(
                "{parser} {}: {} of {} blocks ({:.4} %), {} of {} pages",
                dir.file_name().unwrap_or_default().to_string_lossy(),
                a.same_blocks,
                a.blocks,
                100.0 * a.share(),
                a.same_pages,
                a.pages
            );
            sum.blocks += a.blocks;
            sum.same_blocks += a.same_blocks;
            sum.pages += a.pages;
            sum.same_pages += a.same_pages;
        }
    }
    for (((parser, _), bar), a) in PARSERS.iter().zip(BARS).zip(&total) {
        println!(
            "{parser}: {} of {} blocks ({:.5} %), {} of {} pages",
            a.same_blocks,
            a.blocks,
            100.0 * a.share(),
            a.same_pages,
            a.pages
        );
        assert!(a.blocks > 0 && a.share() >= bar, "{parser} agrees on {} of the blocks", a.share());
    }
}

//! Time of each stage on the sample pages: `cargo bench`. html5ever's own parse into scraper's tree stands beside.

use divan::counter::BytesCount;
use std::path::PathBuf;
use threshr::block::{self, Blocks};
use threshr::features::{FeatureSet, PageContext};
use threshr::model_file;
use threshr::page::{self, ParseOptions, Parser, Visibility};

fn main() {
    divan::main();
}

fn pages() -> Vec<Vec<u8>> {
    let dir = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("datasets/sample/pages");
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(dir).into_iter().flatten().flatten().map(|e| e.path()).collect();
    files.sort();
    files.iter().flat_map(std::fs::read).collect()
}

fn num_bytes(pages: &[Vec<u8>]) -> BytesCount {
    BytesCount::new(pages.iter().map(Vec::len).sum::<usize>())
}

#[divan::bench]
fn scraper_parse(bencher: divan::Bencher) {
    let pages = pages();
    let texts: Vec<_> = pages.iter().map(|p| page::decode(p, None).text.into_owned()).collect();
    bencher.counter(num_bytes(&pages)).bench_local(|| {
        texts.iter().map(|t| scraper::Html::parse_document(t).tree.nodes().count()).sum::<usize>()
    });
}

#[divan::bench]
fn page_parse(bencher: divan::Bencher) {
    let pages = pages();
    bencher.counter(num_bytes(&pages)).bench_local(|| {
        pages.iter().map(|p| page::parse(p, &ParseOptions::default()).num_nodes()).sum::<usize>()
    });
}

/// The ways to build a tree, html5ever's own among them.
#[divan::bench(args = Parser::NAMES)]
fn parser(bencher: divan::Bencher, name: &str) {
    let pages = pages();
    let Ok(parser) = Parser::parse(name) else { return };
    let options = ParseOptions { parser, ..ParseOptions::default() };
    bencher
        .counter(num_bytes(&pages))
        .bench_local(|| pages.iter().map(|p| page::parse(p, &options).num_nodes()).sum::<usize>());
}

#[divan::bench]
fn blocks(bencher: divan::Bencher) {
    let pages = pages();
    let docs: Vec<_> = pages.iter().map(|p| page::parse(p, &ParseOptions::default())).collect();
    bencher.counter(num_bytes(&pages)).bench_local(|| {
        docs.iter().map(|d| Blocks::of(d, block::REGISTRY[0], Visibility::Visible).len()).sum::<usize>()
    });
}

#[divan::bench]
fn features(bencher: divan::Bencher) {
    let pages = pages();
    let docs: Vec<_> = pages.iter().map(|p| page::parse(p, &ParseOptions::default())).collect();
    let blocks: Vec<_> =
        docs.iter().map(|d| Blocks::of(d, block::REGISTRY[0], Visibility::Visible)).collect();
    let Ok(set) = FeatureSet::parse("all", &[1, 2]) else { return };
    bencher.counter(num_bytes(&pages)).bench_local(|| {
        docs.iter()
            .zip(&blocks)
            .map(|(d, b)| set.extract(&PageContext::new(d, b)).num_blocks())
            .sum::<usize>()
    });
}

#[divan::bench]
fn whole_prediction(bencher: divan::Bencher) {
    let pages = pages();
    let Ok(model) = model_file::default_model() else { return };
    bencher.counter(num_bytes(&pages)).bench_local(|| {
        let predict = |p: &Vec<u8>| model.predict(&page::parse(p, &ParseOptions::default()));
        pages.iter().flat_map(predict).map(|p| p.blocks.join(|i| p.kept[i]).len()).sum::<usize>()
    });
}

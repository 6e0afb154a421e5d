//! Time of each stage on the sample pages: `cargo bench`. The reference is html5ever's parser, which builds
//! scraper's tree.

use divan::counter::BytesCount;
use std::path::PathBuf;
use threshr::{Extractor, default_model};
use threshr_features::{FeatureSet, PageContext};
use threshr_html::blocks::{self, Blocks};
use threshr_html::{self as page, Document, ParseOptions, Visibility};

fn main() {
    divan::main();
}

fn pages() -> Vec<Vec<u8>> {
    let dir = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../datasets/sample/pages");
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(dir).into_iter().flatten().flatten().map(|e| e.path()).collect();
    files.sort();
    files.iter().flat_map(std::fs::read).collect()
}

fn num_bytes(pages: &[Vec<u8>]) -> BytesCount {
    BytesCount::new(pages.iter().map(Vec::len).sum::<usize>())
}

fn parsed(pages: &[Vec<u8>]) -> Vec<Document> {
    pages.iter().map(|p| page::parse(p, &ParseOptions::default())).collect()
}

fn blocks_of(doc: &Document) -> Blocks {
    Blocks::new(doc, blocks::REGISTRY[0], Visibility::Visible)
}

#[divan::bench]
fn html5ever_parse(bencher: divan::Bencher) {
    let pages = pages();
    let texts: Vec<_> = pages.iter().map(|p| page::decode(p, None).text.into_owned()).collect();
    bencher.counter(num_bytes(&pages)).bench_local(|| {
        texts.iter().map(|t| scraper::Html::parse_document(t).tree.nodes().count()).sum::<usize>()
    });
}

#[divan::bench]
fn parse(bencher: divan::Bencher) {
    let pages = pages();
    bencher.counter(num_bytes(&pages)).bench_local(|| {
        pages.iter().map(|p| page::parse(p, &ParseOptions::default()).num_nodes()).sum::<usize>()
    });
}

#[divan::bench]
fn segment(bencher: divan::Bencher) {
    let pages = pages();
    let docs = parsed(&pages);
    bencher
        .counter(num_bytes(&pages))
        .bench_local(|| docs.iter().map(|doc| blocks_of(doc).len()).sum::<usize>());
}

#[divan::bench]
fn features(bencher: divan::Bencher) {
    let pages = pages();
    let docs = parsed(&pages);
    let blocks: Vec<_> = docs.iter().map(blocks_of).collect();
    let Ok(set) = FeatureSet::parse("all", &[1, 2]) else { return };
    bencher.counter(num_bytes(&pages)).bench_local(|| {
        docs.iter()
            .zip(&blocks)
            .map(|(doc, blocks)| set.extract(&PageContext::new(doc, blocks)).num_blocks())
            .sum::<usize>()
    });
}

#[divan::bench]
fn extract(bencher: divan::Bencher) {
    let pages = pages();
    let extractor = default_model().and_then(|model| Extractor::builder().model(model).build());
    let Ok(extractor) = extractor else { return };
    bencher.counter(num_bytes(&pages)).bench_local(|| {
        let extract = |page: &Vec<u8>| extractor.extract(page).map(|e| e.text().len());
        pages.iter().flat_map(extract).sum::<usize>()
    });
}

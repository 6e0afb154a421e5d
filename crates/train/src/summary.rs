//! The summary of a training run, and the overlap of its training pages with other sets.

use crate::corpus::Corpus;
use crate::corpus::page::CorpusPage;
use rustc_hash::FxHashSet;
use sha2::{Digest, Sha256};
use threshr_core::hex;
use threshr_extract::Recipe;
use threshr_extract::correction::Corrections;
use threshr_extract::model::{HeldOut, TrainingSummary};

/// Number of hexadecimal digits that hashes are cut to. Two different hashes collide in one of 281 trillion
/// pairs.
const DIGITS: usize = 12;

/// Returns the summary of a training run on `pages`.
pub(crate) fn of(corpus: &Corpus, pages: &[usize], recipe: &Recipe, held_out: HeldOut) -> TrainingSummary {
    let mut sites: Vec<&str> = pages.iter().map(|&p| corpus.pages[p].site.as_str()).collect();
    sites.sort_unstable();
    sites.dedup();
    let blocks = pages.iter().map(|&p| &corpus.pages[p].labels);
    TrainingSummary {
        sets: corpus.sets.clone(),
        num_pages: pages.len(),
        num_left_out: corpus.num_left_out(),
        num_blocks: blocks.clone().map(Vec::len).sum(),
        num_content: blocks.map(|l| l.iter().filter(|&&l| l).count()).sum(),
        num_sites: sites.len(),
        seed: recipe.seed,
        held_out,
        page_hashes: page_hashes(corpus, pages.iter().copied()),
        site_hashes: site_hashes(corpus, pages),
    }
}

/// Returns the hashes of the pages' bytes, sorted and joined.
pub(crate) fn page_hashes(corpus: &Corpus, pages: impl Iterator<Item = usize>) -> String {
    join(pages.map(|p| hex(&corpus.pages[p].hash)).collect())
}

/// Returns the hashes of the pages' known sites, sorted and joined.
pub(crate) fn site_hashes(corpus: &Corpus, pages: &[usize]) -> String {
    let known = pages.iter().map(|&p| &corpus.pages[p]).filter(|p| p.has_known_site());
    join(known.map(|p| site_hash(&p.site)).collect())
}

/// Returns the pages of a corpus that a correction was learned from. Other pages of the same site are not
/// included, since the correction is meant for them.
pub fn overlap_with_corrections(corrections: &Corrections, corpus: &Corpus) -> Vec<usize> {
    let learned = corrections.sites.values().map(|site| &site.learned);
    let pages: FxHashSet<&str> = learned.flat_map(|learned| split(&learned.page_hashes)).collect();
    (0..corpus.pages.len()).filter(|&i| pages.contains(&hex(&corpus.pages[i].hash)[..DIGITS])).collect()
}

/// Returns the pages of a corpus that are training pages of a model, or whose site is one of its training
/// sites.
pub fn overlap(summary: &TrainingSummary, corpus: &Corpus) -> Vec<usize> {
    let (pages, sites) = (split(&summary.page_hashes), split(&summary.site_hashes));
    let overlaps = |p: &CorpusPage| {
        let has_site = || p.has_known_site() && sites.contains(&site_hash(&p.site)[..DIGITS]);
        pages.contains(&hex(&p.hash)[..DIGITS]) || has_site()
    };
    (0..corpus.pages.len()).filter(|&i| overlaps(&corpus.pages[i])).collect()
}

fn site_hash(site: &str) -> String {
    hex(&Sha256::digest(site))
}

fn join(mut hashes: Vec<String>) -> String {
    hashes.sort();
    hashes.dedup();
    hashes.iter().map(|h| &h[..DIGITS.min(h.len())]).collect()
}

fn split(hashes: &str) -> FxHashSet<&str> {
    // a truncated or corrupt list may end within a hash or a character
    (0..hashes.len() / DIGITS).filter_map(|i| hashes.get(i * DIGITS..(i + 1) * DIGITS)).collect()
}

//! The summary of a training run.

use crate::corpus::Corpus;
use sha2::{Digest, Sha256};
use threshr_core::hex;
use threshr_extract::Recipe;
use threshr_extract::model::{HeldOut, TrainingSummary};

/// Number of hexadecimal digits to which hashes are truncated. The probability that two different values
/// collide is 1 in 281 trillion.
pub(crate) const DIGITS: usize = 12;

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

pub(crate) fn site_hash(site: &str) -> String {
    hex(&Sha256::digest(site))
}

fn join(mut hashes: Vec<String>) -> String {
    hashes.sort();
    hashes.dedup();
    hashes.iter().map(|h| &h[..DIGITS.min(h.len())]).collect()
}

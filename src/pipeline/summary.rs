//! What a model was trained on.

use super::{Corpus, CorpusPage, Recipe, SetInfo};
use crate::hex;
use rustc_hash::FxHashSet;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// What a model was trained on, and how well it did on pages held out.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TrainingSummary {
    /// The sets.
    pub sets: Vec<SetInfo>,
    /// Pages trained on.
    pub num_pages: usize,
    /// Pages with gold that were left out because too little of it was found in them.
    pub num_left_out: usize,
    /// Blocks trained on.
    pub num_blocks: usize,
    /// Content blocks among them.
    pub num_content: usize,
    /// Sites.
    pub num_sites: usize,
    /// Seed.
    pub seed: u64,
    /// Scores on held-out pages.
    pub held_out: HeldOut,
    /// Hashes of the pages' bytes, 12 hexadecimal digits each, sorted: to find overlap with test pages.
    pub page_hashes: String,
    /// The same of the sites, where pages have one.
    pub site_hashes: String,
}

/// Scores of the same recipe on pages held out in turn, with which scores were calibrated and the threshold chosen.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct HeldOut {
    /// Number of folds, grouped by site; 0 where there were too few pages to hold any out.
    pub folds: usize,
    /// Mean token F1 of the pages at the chosen threshold, counted from the blocks' aligned tokens.
    pub token_f1: f64,
    /// Log loss of the calibrated scores, nats a block, blocks weighted as in training but for class weights.
    pub log_loss: f64,
}

/// Hexadecimal digits a hash is cut to: one false alarm in 281 million million pairs.
const DIGITS: usize = 12;

impl TrainingSummary {
    pub(crate) fn of(corpus: &Corpus, pages: &[usize], recipe: &Recipe, held_out: HeldOut) -> Self {
        let page_hashes: Vec<String> = pages.iter().map(|&p| hex(&corpus.pages[p].hash)).collect();
        let mut sites: Vec<&str> = pages.iter().map(|&p| corpus.pages[p].site.as_str()).collect();
        sites.sort_unstable();
        sites.dedup();
        let known = pages.iter().map(|&p| &corpus.pages[p]).filter(|p| p.has_known_site());
        let site_hashes = known.map(|p| site_hash(&p.site)).collect();
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
            page_hashes: join(page_hashes),
            site_hashes: join(site_hashes),
        }
    }

    /// The pages of a corpus that were trained on, or whose site was.
    pub fn overlap(&self, corpus: &Corpus) -> Vec<usize> {
        let (pages, sites) = (split(&self.page_hashes), split(&self.site_hashes));
        let seen = |p: &CorpusPage| {
            let is_of_site = || p.has_known_site() && sites.contains(&site_hash(&p.site)[..DIGITS]);
            pages.contains(&hex(&p.hash)[..DIGITS]) || is_of_site()
        };
        (0..corpus.pages.len()).filter(|&i| seen(&corpus.pages[i])).collect()
    }
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
    // a damaged list may end anywhere, also inside a character
    (0..hashes.len() / DIGITS).filter_map(|i| hashes.get(i * DIGITS..(i + 1) * DIGITS)).collect()
}

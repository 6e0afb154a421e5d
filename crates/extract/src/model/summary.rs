//! What a model was trained on.

use serde::{Deserialize, Serialize};
use threshr_core::policy::Policy;

/// A set that a model was trained on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SetInfo {
    /// Its name.
    pub name: String,
    /// Hash over ids, bytes and gold of its pages.
    pub sha256: String,
    /// Number of its pages.
    pub pages: usize,
    /// The policy that it declares.
    #[serde(skip)]
    pub policy: Option<Policy>,
}

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

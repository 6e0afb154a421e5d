//! Summary of the training data and of the results on held-out pages.

use serde::{Deserialize, Serialize};
use threshr_core::policy::Policy;

/// A training set.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SetInfo {
    /// The name.
    pub name: String,
    /// Hash over the ids, bytes and gold standard of the pages of the set.
    pub sha256: String,
    /// Number of pages.
    pub pages: usize,
    /// The policy that the set declares, if any.
    #[serde(skip)]
    pub policy: Option<Policy>,
    /// A sentence about gold that consists of labels of a model, if there is any.
    #[serde(skip)]
    pub labels_of_models: Option<String>,
}

/// Summary of a training run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TrainingSummary {
    /// The training sets.
    pub sets: Vec<SetInfo>,
    /// Number of training pages.
    pub num_pages: usize,
    /// Number of pages that are excluded because they contain too little of their gold text.
    pub num_left_out: usize,
    /// Number of training blocks.
    pub num_blocks: usize,
    /// Number of training blocks that are content.
    pub num_content: usize,
    /// Number of sites.
    pub num_sites: usize,
    /// Random seed.
    pub seed: u64,
    /// Results on held-out pages.
    pub held_out: HeldOut,
    /// Hashes of the bytes of the pages, 12 hexadecimal digits each, sorted. They reveal overlap with test
    /// pages.
    pub page_hashes: String,
    /// Hashes of the sites, in the same format.
    pub site_hashes: String,
}

/// Results of cross-validation on the training pages. The cross-validation also calibrates the scores and tunes
/// the decision rule.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct HeldOut {
    /// Number of folds, grouped by site; 0 if there are too few pages.
    pub folds: usize,
    /// Mean token F1 per page with the tuned decision rule, computed from the aligned tokens of the blocks.
    pub token_f1: f64,
    /// Log loss of the calibrated scores, in nats per block. Blocks have their training weights, except for
    /// class weights.
    pub log_loss: f64,
}

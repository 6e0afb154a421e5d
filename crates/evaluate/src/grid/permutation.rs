//! Permutation importance: how much worse a model is on held-out pages if one column is permuted.
//!
//! Source: Breiman 2001, "Random forests"; model-agnostic as in Fisher, Rudin & Dominici 2019. A column's
//! neighbours (`name@+1`) are separate columns and are not permuted with it, so information that they share
//! does not count.

use crate::grid::train::Trained;
use crate::metrics::pooled_auc;
use ndarray::Array2;
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use threshr_core::Result;
use threshr_extract::decision::DecisionOptions;
use threshr_extract::filters::FilterChoice;
use threshr_fit::calibration::log_loss;
use threshr_train::Corpus;

/// Importance of a column: mean and standard deviation over rounds and repeats. Positive: the model uses the
/// column.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Importance {
    /// Column name.
    pub column: String,
    /// Increase of the mean log loss of blocks, in nats.
    pub log_loss: f64,
    /// Standard deviation of that increase.
    pub log_loss_sd: f64,
    /// Decrease of the ROC AUC over all blocks; missing if a round has blocks of one class only.
    pub auc: Option<f64>,
    /// Decrease of the mean token F1 of pages, counted from aligned tokens.
    pub token_f1: f64,
    /// Standard deviation of that decrease.
    pub token_f1_sd: f64,
}

/// Changes of log loss, AUC and token F1 in a round, for every column and repeat.
pub(crate) type Changes = Vec<Vec<[f64; 3]>>;

/// Permutes every column among the blocks of `pages`, `repeats` times each, and scores the blocks again.
pub(crate) fn permute(
    trained: &Trained,
    corpus: &Corpus,
    pages: &[usize],
    filter: FilterChoice,
    repeats: usize,
    (seed, round): (u64, usize),
) -> Result<Changes> {
    let x = trained.values(corpus, pages)?;
    let quality = |x: &Array2<f32>| -> Result<[f64; 3]> { quality(trained, corpus, pages, filter, x) };
    let base = quality(&x)?;
    let of_column = |copy: &mut Array2<f32>, column: usize| -> Result<Vec<[f64; 3]>> {
        let original = x.column(column).to_vec();
        let mut values = original.clone();
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        // one random stream for each round and column: results do not depend on the number of threads
        rng.set_stream(((round as u64) << 32) | column as u64);
        let mut changes = Vec::with_capacity(repeats);
        for _ in 0..repeats {
            values.shuffle(&mut rng);
            copy.column_mut(column).iter_mut().zip(&values).for_each(|(to, from)| *to = *from);
            let permuted = quality(copy)?;
            changes.push([permuted[0] - base[0], base[1] - permuted[1], base[2] - permuted[2]]);
        }
        copy.column_mut(column).iter_mut().zip(&original).for_each(|(to, from)| *to = *from);
        Ok(changes)
    };
    (0..x.ncols()).into_par_iter().map_init(|| x.clone(), of_column).collect()
}

/// Log loss, AUC, mean token F1.
fn quality(
    trained: &Trained,
    corpus: &Corpus,
    pages: &[usize],
    filter: FilterChoice,
    x: &Array2<f32>,
) -> Result<[f64; 3]> {
    let scored = trained.score(corpus, pages, x.view())?;
    let labels = corpus.labels_of(pages);
    let f1 = pages.iter().zip(&scored).map(|(&page, scored)| {
        let kept = scored.keep(corpus, page, &DecisionOptions::default(), filter);
        corpus.pages[page].alignment.token_prf(&kept)[2]
    });
    let f1: f64 = f1.sum();
    let scores: Vec<f32> = scored.into_iter().flat_map(|s| s.scores).collect();
    let weight = vec![1.0; scores.len()];
    let loss = log_loss(&scores, &labels, &weight);
    Ok([loss, pooled_auc(&scores, &labels), f1 / pages.len().max(1) as f64])
}

/// Mean and standard deviation over rounds and repeats.
pub(crate) fn summarise(columns: &[String], rounds: &[Changes]) -> Vec<Importance> {
    let of = |i: usize, k: usize| -> (f64, f64) {
        let all: Vec<f64> = rounds.iter().flat_map(|r| r[i].iter().map(|c| c[k])).collect();
        let mean = all.iter().sum::<f64>() / all.len().max(1) as f64;
        let variance = all.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / all.len().max(1) as f64;
        (mean, variance.sqrt())
    };
    let row = |(i, column): (usize, &String)| {
        let ((log_loss, log_loss_sd), (auc, _), (token_f1, token_f1_sd)) = (of(i, 0), of(i, 1), of(i, 2));
        let auc = Some(auc).filter(|a| a.is_finite());
        Importance { column: column.clone(), log_loss, log_loss_sd, auc, token_f1, token_f1_sd }
    };
    columns.iter().enumerate().map(row).collect()
}

//! Token precision, recall and F1: are the right words extracted, in any order?

use crate::metrics::{Case, Column, Metric, prf};
use threshr_html::text::Interner;

/// Overlap of the token multisets. Pooled values are computed from the summed counts of all pages.
pub static TOKEN: Metric = Metric {
    name: "token",
    summary: "precision, recall and F1 of the multisets of tokens",
    source: "Barbaresi & Lejeune 2020; checked against an independent scorer (`token`)",
    columns: &[
        Column {
            name: "token_p",
            unit: "ratio",
            definition: "share of predicted tokens that are in the gold, counted with repetition",
            pooled: true,
        },
        Column {
            name: "token_r",
            unit: "ratio",
            definition: "share of gold tokens that are in the prediction, counted with repetition",
            pooled: true,
        },
        Column {
            name: "token_f1",
            unit: "ratio",
            definition: "harmonic mean of token_p and token_r; 1 if both texts are empty, 0 if one is",
            pooled: true,
        },
    ],
    num_counts: 3,
    score,
    pool: Some(pool),
};

fn score(case: &Case, counts: &mut [f64], values: &mut [f64]) {
    let mut interner = Interner::new();
    let (gold, predicted) = (interner.encode(case.gold), interner.encode(case.predicted));
    let hits = overlap(&gold, &predicted, interner.len());
    counts.copy_from_slice(&[hits as f64, predicted.len() as f64, gold.len() as f64]);
    pool(counts, values);
}

fn pool(counts: &[f64], values: &mut [f64]) {
    values.copy_from_slice(&prf(counts[0], counts[1], counts[2]));
}

/// Size of the intersection of two multisets of ids below `num_ids`.
pub(crate) fn overlap(a: &[u32], b: &[u32], num_ids: usize) -> usize {
    let mut left = vec![0u32; num_ids];
    for &t in a {
        left[t as usize] += 1;
    }
    let mut hits = 0;
    for &t in b {
        if left[t as usize] > 0 {
            left[t as usize] -= 1;
            hits += 1;
        }
    }
    hits
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::tests::{close, values};

    #[test]
    fn repeated_tokens_count_as_often_as_in_both_texts() {
        // gold: the×2 cat; predicted: the×3 dog; 2 hits, so precision is 2/4 and recall 2/3
        close(&values(&TOKEN, "the cat the", "The the THE dog"), &[0.5, 2.0 / 3.0, 4.0 / 7.0]);
    }

    #[test]
    fn empty_texts() {
        assert_eq!(values(&TOKEN, "", "—"), [1.0; 3]);
        assert_eq!(values(&TOKEN, "", "a"), [0.0, 1.0, 0.0]);
        assert_eq!(values(&TOKEN, "a", ""), [0.0; 3]);
    }
}

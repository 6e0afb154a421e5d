//! Similarity of the token sequences: are the right words extracted in the right order?

use crate::metrics::edit_distance::edit_distance;
use crate::metrics::{Case, Column, Metric, ratio_or};
use threshr_core::lcs::lcs_len;
use threshr_html::text::Interner;

/// Similarity by longest common subsequence and by word edit distance, both sensitive to order. Pooled values are
/// computed from the summed counts of all pages.
pub static ORDER: Metric = Metric {
    name: "order",
    summary: "similarity of the token sequences, order matters",
    source: "Bevendorff et al. 2023 (\"Levenshtein ratio\"); checked against an independent scorer (`lcs`, `lev`)",
    columns: &[
        Column {
            name: "lcs",
            unit: "ratio",
            definition: "2 · longest common subsequence / (gold tokens + predicted tokens); 1 if both are empty",
            pooled: true,
        },
        Column {
            name: "lev",
            unit: "ratio",
            definition: "1 - word edit distance (unit costs) / tokens of the longer text; 1 if both are empty",
            pooled: true,
        },
    ],
    num_counts: 4,
    score,
    pool: Some(pool),
};

fn score(case: &Case, counts: &mut [f64], values: &mut [f64]) {
    let mut interner = Interner::new();
    let (gold, predicted) = (interner.encode(case.gold), interner.encode(case.predicted));
    let longer = gold.len().max(predicted.len());
    counts[0] = 2.0 * lcs_len(&gold, &predicted) as f64;
    counts[1] = (gold.len() + predicted.len()) as f64;
    counts[2] = (longer - edit_distance(&gold, &predicted)) as f64;
    counts[3] = longer as f64;
    pool(counts, values);
}

fn pool(counts: &[f64], values: &mut [f64]) {
    values[0] = ratio_or(counts[0], counts[1], 1.0);
    values[1] = ratio_or(counts[2], counts[3], 1.0);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::tests::values;

    #[test]
    fn order_counts() {
        // "b a c" against "a b c": LCS 2 of 3; two substitutions
        let got = values(&ORDER, "a b c", "b a c");
        assert_eq!(got, [2.0 / 3.0, 1.0 / 3.0]);
    }

    #[test]
    fn empty_texts() {
        assert_eq!(values(&ORDER, "", "!"), [1.0, 1.0]);
        assert_eq!(values(&ORDER, "a", ""), [0.0, 0.0]);
    }
}

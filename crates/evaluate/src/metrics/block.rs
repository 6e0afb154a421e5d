//! Precision, recall, F1 and error rate of block labels, unweighted and weighted by tokens.

use crate::metrics::{BlockCase, Case, Column, Metric, prf, ratio_or};

/// Precision, recall, F1 and error rate of the kept blocks. Pooled values are computed from the summed counts of
/// all pages.
pub static BLOCK: Metric = Metric {
    name: "block",
    summary: "precision, recall, F1 and error rate of kept blocks, unweighted and weighted by tokens",
    source: "Kohlschütter et al. 2010; error rate: Pal 2009",
    columns: &[
        column("block_p", "share of kept blocks that are content"),
        column("block_r", "share of content blocks that are kept"),
        column(
            "block_f1",
            "harmonic mean of block_p and block_r; 1 without kept and content blocks, 0 if only one kind is missing",
        ),
        column("block_tok_p", "share of the tokens of kept blocks that are in content blocks"),
        column("block_tok_r", "share of the tokens of content blocks that are in kept blocks"),
        column("block_tok_f1", "harmonic mean of block_tok_p and block_tok_r"),
        column(
            "block_error_rate",
            "share of blocks with the wrong label; left out for a page without blocks",
        ),
    ],
    num_counts: 8,
    score,
    pool: Some(pool),
};

const fn column(name: &'static str, definition: &'static str) -> Column {
    Column { name, unit: "ratio", definition, pooled: true }
}

fn score(case: &Case, counts: &mut [f64], values: &mut [f64]) {
    let Some(blocks) = case.blocks else { return };
    count(&blocks, counts);
    pool(counts, values);
}

/// Fills `counts` with the numbers of true positives, kept blocks and content blocks, these three numbers weighted
/// by tokens, the number of wrong labels, and the number of blocks.
fn count(blocks: &BlockCase, counts: &mut [f64]) {
    let mut tokens = blocks.num_tokens.iter();
    for (&kept, &gold) in blocks.kept.iter().zip(blocks.gold) {
        let weight = f64::from(tokens.next().copied().unwrap_or(0));
        for (k, is) in [kept && gold, kept, gold].into_iter().enumerate() {
            counts[k] += f64::from(is);
            counts[3 + k] += if is { weight } else { 0.0 };
        }
        counts[6] += f64::from(kept != gold);
        counts[7] += 1.0;
    }
}

fn pool(counts: &[f64], values: &mut [f64]) {
    values[..3].copy_from_slice(&prf(counts[0], counts[1], counts[2]));
    values[3..6].copy_from_slice(&prf(counts[3], counts[4], counts[5]));
    values[6] = ratio_or(counts[6], counts[7], f64::NAN);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::score_page;

    #[test]
    fn counts_blocks_and_tokens() {
        let blocks = BlockCase {
            scores: None,
            kept: &[true, true, false, false],
            gold: &[true, false, true, false],
            num_tokens: &[30, 10, 10, 5],
        };
        let got = score_page(&[&BLOCK], &Case { blocks: Some(blocks), ..Case::default() });
        assert_eq!(got.values, [0.5, 0.5, 0.5, 0.75, 0.75, 0.75, 0.5]);
        assert!(score_page(&[&BLOCK], &Case::default()).values[0].is_nan());
    }
}

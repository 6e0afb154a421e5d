//! Ranking (ROC AUC) and calibration (log loss, table) of block scores, before any threshold.

use serde::{Deserialize, Serialize};

use crate::metrics::statistics::midranks;
use crate::metrics::{Case, Column, Metric, ratio_or};

/// The log loss clips scores to this distance from 0 and 1, about the precision of the scores.
const CLIP: f64 = 1e-7;

/// ROC AUC and log loss of the block scores of a page. [`pooled_auc`] is the AUC over the blocks of all
/// pages.
pub static AUC: Metric = Metric {
    name: "auc",
    summary: "ranking and calibration of the block scores",
    source: "Fawcett 2006; pooled AUC as in Vogels et al. 2018",
    columns: &[
        Column {
            name: "auc",
            unit: "ratio",
            definition: "probability that a content block scores above a boilerplate block (ties count half); needs both classes",
            pooled: false,
        },
        Column {
            name: "log_loss",
            unit: "nats",
            definition: "mean over blocks of -ln of the score of the right label, scores clipped to 1e-7..1-1e-7",
            pooled: true,
        },
    ],
    num_counts: 2,
    score,
    pool: Some(pool),
};

fn score(case: &Case, counts: &mut [f64], values: &mut [f64]) {
    let Some((blocks, scores)) = case.blocks.and_then(|blocks| Some((blocks, blocks.scores?))) else {
        return;
    };
    let loss = |(&score, &gold): (&f32, &bool)| {
        let right = if gold { f64::from(score) } else { 1.0 - f64::from(score) };
        -right.clamp(CLIP, 1.0 - CLIP).ln()
    };
    counts[0] = scores.iter().zip(blocks.gold).map(loss).sum();
    counts[1] = scores.len().min(blocks.gold.len()) as f64;
    pool(counts, values);
    values[0] = pooled_auc(scores, blocks.gold);
}

fn pool(counts: &[f64], values: &mut [f64]) {
    values[1] = ratio_or(counts[0], counts[1], f64::NAN);
}

/// Area under the ROC curve of blocks: the rank sum statistic; ties count half. O(n log n).
///
/// NaN if a class is missing or a score is NaN.
pub fn pooled_auc(scores: &[f32], gold: &[bool]) -> f64 {
    let num = scores.len().min(gold.len());
    let scores: Vec<f64> = scores[..num].iter().map(|&x| f64::from(x)).collect();
    if scores.iter().any(|x| x.is_nan()) {
        return f64::NAN;
    }
    let ranks = midranks(&scores).0;
    let sum: f64 = ranks.iter().zip(gold).filter(|&(_, &is)| is).map(|(rank, _)| rank).sum();
    let num_content = gold[..num].iter().filter(|&&is| is).count() as f64;
    let num_pairs = num_content * (num as f64 - num_content);
    ratio_or(sum - num_content * (num_content + 1.0) / 2.0, num_pairs, f64::NAN)
}

/// Blocks whose scores lie in one interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct CalibrationBin {
    /// Lower end of the scores, included.
    pub low: f64,
    /// Upper end, excluded except in the last bin.
    pub high: f64,
    /// Number of blocks in the bin.
    pub n: usize,
    /// Sum of the blocks' weights.
    pub weight: f64,
    /// Weighted mean of the scores; NaN without weight.
    pub mean_score: f64,
    /// Weighted share of content blocks; NaN without weight.
    pub share_content: f64,
}

/// Blocks by score in `num_bins` (at least one) bins of equal width. Blocks have the given `weights` (their
/// tokens, for example) or weight 1. NaN scores are left out; scores outside of 0..1 are in the first or last
/// bin.
pub fn calibration_table(
    scores: &[f32],
    gold: &[bool],
    weights: Option<&[u32]>,
    num_bins: usize,
) -> Vec<CalibrationBin> {
    let num_bins = num_bins.max(1);
    let mut sums = vec![(0, 0.0, 0.0, 0.0); num_bins];
    for (i, (&score, &gold)) in scores.iter().zip(gold).enumerate().filter(|(_, (score, _))| !score.is_nan())
    {
        let weight = weights.map_or(1.0, |weights| weights.get(i).map_or(0.0, |&w| f64::from(w)));
        // a negative number becomes 0 in the cast
        let sum = &mut sums[((f64::from(score) * num_bins as f64) as usize).min(num_bins - 1)];
        sum.0 += 1;
        sum.1 += weight;
        sum.2 += weight * f64::from(score);
        sum.3 += if gold { weight } else { 0.0 };
    }
    let bin = |(i, (n, weight, score, content)): (usize, (usize, f64, f64, f64))| CalibrationBin {
        low: i as f64 / num_bins as f64,
        high: (i + 1) as f64 / num_bins as f64,
        n,
        weight,
        mean_score: ratio_or(score, weight, f64::NAN),
        share_content: ratio_or(content, weight, f64::NAN),
    };
    sums.into_iter().enumerate().map(bin).collect()
}

/// Weighted mean over bins of the distance between mean score and share of content blocks (Naeini et al.
/// 2015).
///
/// NaN if no bin has weight.
pub fn expected_calibration_error(bins: &[CalibrationBin]) -> f64 {
    let filled = bins.iter().filter(|bin| bin.weight > 0.0);
    let (sum, weight) = filled.fold((0.0, 0.0), |(sum, weight), bin| {
        (sum + bin.weight * (bin.mean_score - bin.share_content).abs(), weight + bin.weight)
    });
    ratio_or(sum, weight, f64::NAN)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::{BlockCase, score_page};

    #[test]
    fn agrees_with_scikit_learn() {
        let scores = [0.1, 0.4, 0.35, 0.8, 0.4, 0.9];
        let gold = [false, false, true, true, true, false];
        let blocks = BlockCase { scores: Some(&scores), kept: &gold, gold: &gold, num_tokens: &[] };
        let got = score_page(&[&AUC], &Case { blocks: Some(blocks), ..Case::default() }).values;
        // roc_auc_score, log_loss
        assert_eq!(got[0], 0.5);
        assert!((got[1] - 0.8513379400174843).abs() < 1e-6);
    }

    #[test]
    fn one_class_has_no_auc() {
        assert!(pooled_auc(&[0.1, 0.2], &[true, true]).is_nan());
        assert!(pooled_auc(&[0.1, f32::NAN], &[true, false]).is_nan());
        assert_eq!(pooled_auc(&[0.1, 0.2, 0.3], &[false, true]), 1.0);
    }

    #[test]
    fn bins_scores() {
        let scores = [0.0, 0.1, 0.5, 1.0, 7.0, f32::NAN];
        let gold = [false, true, true, true, false, true];
        let bins = calibration_table(&scores[..4], &gold, Some(&[1, 3, 2, 2]), 2);
        assert_eq!((bins[0].n, bins[0].weight, bins[0].share_content), (2, 4.0, 0.75));
        assert_eq!((bins[1].n, bins[1].mean_score, bins[1].share_content), (2, 0.75, 1.0));
        let error = expected_calibration_error(&bins);
        assert!((error - (4.0 * 0.675 + 4.0 * 0.25) / 8.0).abs() < 1e-6, "{error}");
        assert_eq!(calibration_table(&scores, &gold, None, 0)[0].n, 5);
        assert!(expected_calibration_error(&calibration_table(&[], &[], None, 3)).is_nan());
    }
}

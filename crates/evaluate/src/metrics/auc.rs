//! Ranking (ROC AUC) and calibration (log loss, table) of block scores, before any threshold.

use serde::{Deserialize, Serialize};

use crate::metrics::statistics::midranks;
use crate::metrics::{Case, Column, Metric, ratio_or};

/// For the log loss, scores are clipped to at least this distance from 0 and 1, which is about the precision
/// of the scores.
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

/// Area under the ROC curve over blocks, computed by the rank sum statistic in O(n log n). Ties count half.
///
/// Returns NaN if a class is missing or a score is NaN.
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

/// Statistics of the blocks whose scores are in one interval of a calibration table.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct CalibrationBin {
    /// Lower bound of the scores, inclusive.
    pub low: f64,
    /// Upper bound of the scores, exclusive except in the last bin.
    pub high: f64,
    /// Number of blocks in the bin.
    pub n: usize,
    /// Mean of the scores.
    pub mean_score: f64,
    /// Share of content blocks.
    pub share_content: f64,
}

/// Number of bins, all of equal width.
const NUM_BINS: usize = 10;

/// Groups blocks by score into ten bins of equal width and returns the bins that are not empty. NaN scores are
/// ignored. Scores outside 0..1 are counted in the first or last bin.
pub fn calibration_table(scores: &[f32], gold: &[bool]) -> Vec<CalibrationBin> {
    let mut sums = [(0, 0.0, 0.0); NUM_BINS];
    for (&score, &gold) in scores.iter().zip(gold).filter(|(score, _)| !score.is_nan()) {
        // the cast maps negative numbers to 0
        let sum = &mut sums[((f64::from(score) * NUM_BINS as f64) as usize).min(NUM_BINS - 1)];
        sum.0 += 1;
        sum.1 += f64::from(score);
        sum.2 += f64::from(gold);
    }
    let bin = |(i, (n, score, content)): (usize, (usize, f64, f64))| CalibrationBin {
        low: i as f64 / NUM_BINS as f64,
        high: (i + 1) as f64 / NUM_BINS as f64,
        n,
        mean_score: score / n as f64,
        share_content: content / n as f64,
    };
    sums.into_iter().enumerate().filter(|(_, sum)| sum.0 > 0).map(bin).collect()
}

/// Expected calibration error (Naeini et al. 2015): the distance between a bin's mean score and its share of
/// content blocks, averaged over blocks.
///
/// Returns NaN if there are no blocks.
pub fn expected_calibration_error(bins: &[CalibrationBin]) -> f64 {
    let distance = |bin: &CalibrationBin| bin.n as f64 * (bin.mean_score - bin.share_content).abs();
    let num_blocks: usize = bins.iter().map(|bin| bin.n).sum();
    bins.iter().map(distance).sum::<f64>() / num_blocks as f64
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
        // expected values: `roc_auc_score` and `log_loss`
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
        let bins = calibration_table(&scores, &gold);
        let of = |b: &CalibrationBin| (b.low, b.high, b.n, b.mean_score, b.share_content);
        assert_eq!(of(&bins[0]), (0.0, 0.1, 1, 0.0, 0.0));
        assert_eq!(of(&bins[3]), (0.9, 1.0, 2, 4.0, 0.5));
        assert_eq!(bins.iter().map(|b| b.n).sum::<usize>(), 5);
        let error = expected_calibration_error(&calibration_table(&scores[..4], &gold));
        assert!((error - (0.9 + 0.5) / 4.0).abs() < 1e-6, "{error}");
        assert!(expected_calibration_error(&calibration_table(&[], &[])).is_nan());
    }
}

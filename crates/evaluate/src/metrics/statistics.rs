//! Statistics of page scores: bootstrap intervals, quartiles, tests, correction for multiple comparisons.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

pub use crate::metrics::significance::{TestResult, mann_whitney, wilcoxon_signed_rank};

/// Number of bootstrap resamples.
const NUM_RESAMPLES: usize = 2_000;

/// Confidence level of intervals.
const LEVEL: f64 = 0.95;

/// Mean; NaN if there are no values.
pub fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// The quantile `q` (0..1) of sorted values, interpolated linearly between neighbours (Hyndman & Fan's type 7, the
/// default of numpy and R). Returns NaN if there are no values.
pub fn quantile(sorted: &[f64], q: f64) -> f64 {
    let Some(last) = sorted.len().checked_sub(1) else { return f64::NAN };
    let place = q.clamp(0.0, 1.0) * last as f64;
    let below = sorted[place as usize];
    let above = sorted[(place as usize + 1).min(last)];
    below + (above - below) * place.fract()
}

/// First quartile, median, third quartile; NaN if there are no values.
pub fn quartiles(values: &[f64]) -> [f64; 3] {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    [0.25, 0.5, 0.75].map(|q| quantile(&sorted, q))
}

/// Ends of the 95 % percentile bootstrap interval of the mean, from 2,000 resamples. Returns NaN if there are no
/// values. Equal seeds give equal intervals.
pub fn bootstrap_mean(values: &[f64], seed: u64) -> [f64; 2] {
    if values.is_empty() {
        return [f64::NAN; 2];
    }
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut mean = || (0..values.len()).map(|_| values[pick(&mut rng, values.len())]).sum::<f64>();
    percentiles((0..NUM_RESAMPLES).map(|_| mean() / values.len() as f64).collect())
}

/// A random index below `n`, by multiply and shift; the bias is below n / 2^32. The range functions of the
/// crate `rand` are not used, because a new version of the crate could change published intervals.
fn pick(rng: &mut ChaCha8Rng, n: usize) -> usize {
    ((u64::from(rng.next_u32()) * n as u64) >> 32) as usize
}

/// Ends of the interval that contains the middle 95 % of resampled values; NaN if there are no values.
pub(crate) fn percentiles(mut values: Vec<f64>) -> [f64; 2] {
    values.sort_unstable_by(f64::total_cmp);
    let tail = (1.0 - LEVEL) / 2.0;
    [quantile(&values, tail), quantile(&values, 1.0 - tail)]
}

/// Sums over pages drawn with replacement, one vector of sums for each resample. A resample has as many pages as
/// the input. Equal seeds draw the same pages.
pub(crate) fn resampled_sums<'a>(pages: impl Iterator<Item = &'a [f64]>, seed: u64) -> Vec<Vec<f64>> {
    let pages: Vec<&[f64]> = pages.collect();
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut sums = || {
        let mut sums = vec![0.0; pages.first().map_or(0, |p| p.len())];
        for _ in 0..pages.len() {
            sums.iter_mut().zip(pages[pick(&mut rng, pages.len())]).for_each(|(sum, x)| *sum += x);
        }
        sums
    };
    (0..NUM_RESAMPLES).map(|_| sums()).collect()
}

/// Mean of `a - b` over pages, and its bootstrap interval. Resamples are drawn from the pairs.
///
/// `a[i]` and `b[i]` belong to the same page. Pairs with a NaN are ignored.
pub fn bootstrap_difference(a: &[f64], b: &[f64], seed: u64) -> (f64, [f64; 2]) {
    let differences = differences(a, b);
    (mean(&differences), bootstrap_mean(&differences, seed))
}

/// Returns `a - b` for each page. Pairs with a NaN are skipped.
pub fn differences(a: &[f64], b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(x, y)| x - y).filter(|d| !d.is_nan()).collect()
}

/// Adjusts p-values by Holm's step-down correction. Returns them in the input order.
///
/// Rejecting every hypothesis whose adjusted p-value is below alpha bounds the family-wise error rate by alpha.
/// Source: Holm 1979.
pub fn holm(p_values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p_values.len()).collect();
    order.sort_by(|&i, &j| p_values[i].total_cmp(&p_values[j]));
    let (mut out, mut highest) = (vec![f64::NAN; p_values.len()], 0.0f64);
    for (rank, &i) in order.iter().enumerate() {
        if p_values[i].is_nan() {
            continue;
        }
        highest = highest.max(p_values[i] * (p_values.len() - rank) as f64).min(1.0);
        out[i] = highest;
    }
    out
}

/// Returns ranks that start at 1, where equal values get their mean rank, and the tie term: the sum of t³ - t over
/// groups of t equal values.
pub(crate) fn midranks(values: &[f64]) -> (Vec<f64>, f64) {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_unstable_by(|&i, &j| values[i].total_cmp(&values[j]));
    let (mut ranks, mut ties, mut first) = (vec![0.0; values.len()], 0.0, 0);
    // compared by value, not by `total_cmp`, so that -0 equals 0
    for group in order.chunk_by(|&i, &j| values[i] == values[j]) {
        let num = group.len() as f64;
        for &i in group {
            ranks[i] = first as f64 + (num + 1.0) / 2.0;
        }
        ties += num * num * num - num;
        first += group.len();
    }
    (ranks, ties)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quartiles_as_numpy() {
        assert_eq!(quartiles(&[3.0, 1.0, 4.0, 1.0, 5.0]), [1.0, 3.0, 4.0]);
        assert_eq!(quartiles(&[1.0, 2.0]), [1.25, 1.5, 1.75]);
        assert!(quartiles(&[])[1].is_nan());
    }

    #[test]
    fn bootstrap_is_seeded_and_close_to_the_normal_interval() {
        let values: Vec<f64> = (0..400).map(|i| f64::from(i * 37 % 101) / 100.0).collect();
        let got = bootstrap_mean(&values, 1);
        assert_eq!(got, bootstrap_mean(&values, 1));
        assert_ne!(got, bootstrap_mean(&values, 2));
        let m = mean(&values);
        let deviation = (values.iter().map(|x| (x - m).powi(2)).sum::<f64>() / 400.0).sqrt();
        let half = 1.96 * deviation / 20.0;
        assert!((got[0] - (m - half)).abs() < half * 0.15 && (got[1] - (m + half)).abs() < half * 0.15);
        assert!(bootstrap_mean(&[], 1)[0].is_nan());
    }

    #[test]
    fn a_constant_difference_has_no_width() {
        let (d, interval) = bootstrap_difference(&[1.0, 2.0, f64::NAN], &[0.5, 1.5, 0.0], 3);
        assert_eq!((d, interval), (0.5, [0.5; 2]));
    }

    #[test]
    fn holm_steps_down() {
        assert_eq!(holm(&[0.5, 0.125, 0.25]), [0.5, 0.375, 0.5]);
        assert_eq!(holm(&[0.03, 0.9, 0.01, 0.04])[..2], [0.09, 0.9]);
        assert!(holm(&[f64::NAN])[0].is_nan());
    }
}

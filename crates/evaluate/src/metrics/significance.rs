//! Rank tests. p-values are exact for small samples; otherwise they are normal approximations.

use crate::metrics::statistics::midranks;

/// Maximum number of pairs for the exact signed-rank test. The exact test also needs ranks without ties.
const MAX_EXACT: usize = 25;

/// Outcome of a two-sided test.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TestResult {
    /// Statistic of the test, defined by the test's function.
    pub statistic: f64,
    /// Probability of a statistic at least as extreme if there is no difference; 1 if there is not enough data.
    pub p_value: f64,
}

/// Wilcoxon's signed-rank test of paired differences, two-sided; the statistic is the smaller rank sum.
///
/// Zero differences (Wilcoxon's treatment, scipy's default) and NaN are dropped first. The test is exact for
/// up to 25 differences without ties. Otherwise it is the normal approximation with tie correction, without
/// continuity correction. Source: Wilcoxon 1945.
pub fn wilcoxon_signed_rank(differences: &[f64]) -> TestResult {
    let left: Vec<f64> = differences.iter().copied().filter(|&d| d != 0.0 && !d.is_nan()).collect();
    let (ranks, ties) = midranks(&left.iter().map(|d| d.abs()).collect::<Vec<_>>());
    let n = left.len() as f64;
    let positive: f64 = ranks.iter().zip(&left).filter(|&(_, &d)| d > 0.0).map(|(rank, _)| rank).sum();
    let statistic = positive.min(n * (n + 1.0) / 2.0 - positive);
    let p_value = if left.len() <= MAX_EXACT && ties == 0.0 {
        exact_signed_rank(statistic as usize, left.len())
    } else {
        let variance = n * (n + 1.0) * (2.0 * n + 1.0) / 24.0 - ties / 48.0;
        two_sided(statistic - n * (n + 1.0) / 4.0, variance)
    };
    TestResult { statistic, p_value }
}

/// Two-sided p-value of a rank sum: the share of the 2^n sign assignments with a rank sum at most `statistic`,
/// doubled.
fn exact_signed_rank(statistic: usize, n: usize) -> f64 {
    let top = n * (n + 1) / 2;
    let mut ways = vec![0.0; top + 1];
    ways[0] = 1.0;
    for rank in 1..=n {
        for sum in (rank..=top).rev() {
            ways[sum] += ways[sum - rank];
        }
    }
    let below: f64 = ways.iter().take(statistic + 1).sum();
    (2.0 * below / ways.iter().sum::<f64>()).min(1.0)
}

/// The Mann-Whitney U test of two independent samples, two-sided; the statistic is U of `a`.
///
/// Normal approximation with tie and continuity correction; NaN are dropped. Source: Mann & Whitney 1947.
pub fn mann_whitney(a: &[f64], b: &[f64]) -> TestResult {
    let present = |xs: &[f64]| xs.iter().copied().filter(|x| !x.is_nan()).collect::<Vec<_>>();
    let mut all = present(a);
    let num_a = all.len();
    all.extend(present(b));
    let (n, m, total) = (num_a as f64, (all.len() - num_a) as f64, all.len() as f64);
    let (ranks, ties) = midranks(&all);
    let statistic = ranks[..num_a].iter().sum::<f64>() - n * (n + 1.0) / 2.0;
    // fewer than two values would divide 0 by 0
    let correction = if total < 2.0 { 0.0 } else { ties / (total * (total - 1.0)) };
    let variance = n * m / 12.0 * (total + 1.0 - correction);
    let distance = ((statistic - n * m / 2.0).abs() - 0.5).max(0.0);
    TestResult { statistic, p_value: two_sided(distance, variance) }
}

/// Two-sided p-value of a distance from the mean under a normal distribution; 1 if the variance is 0.
fn two_sided(distance: f64, variance: f64) -> f64 {
    if variance > 0.0 { libm::erfc(distance.abs() / (2.0 * variance).sqrt()) } else { 1.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(got: f64, want: f64) {
        assert!((got - want).abs() <= 1e-9 * want.abs(), "{got} {want}");
    }

    #[test]
    fn wilcoxon_as_scipy() {
        let differences = [0.1, 0.5, -0.2, 0.9, 0.33, -0.05, 0.71, 0.0, 0.12, 0.44, -0.61, 0.27];
        let got = wilcoxon_signed_rank(&differences);
        assert_eq!(got.statistic, 14.0);
        close(got.p_value, 0.1015625);
        let tied =
            [1, 1, 2, -1, 3, 0, 0, 2, -2, 4, 5, 1, -1, 2, 2, 3, -3, 1, 1, 1, 2, 0, 4, 5, -1, 2, 2, 1, 3, 3];
        let got = wilcoxon_signed_rank(&tied.map(f64::from));
        assert_eq!(got.statistic, 52.0);
        close(got.p_value, 0.0008870990657958461);
        assert_eq!(wilcoxon_signed_rank(&[0.0, f64::NAN]).p_value, 1.0);
    }

    #[test]
    fn mann_whitney_as_scipy() {
        let got = mann_whitney(&[0.1, 0.5, 0.5, 0.9, 0.33, 0.7, 0.8], &[0.2, 0.5, 0.4, 0.1, 0.05, 0.3]);
        assert_eq!(got.statistic, 34.5);
        close(got.p_value, 0.06147952877355991);
        assert_eq!(mann_whitney(&[], &[1.0]).p_value, 1.0);
        assert_eq!(mann_whitney(&[1.0, 1.0], &[1.0]).p_value, 1.0);
    }
}

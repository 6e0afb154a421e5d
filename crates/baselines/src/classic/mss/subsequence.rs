//! Finds the maximum-sum contiguous subsequence in one pass (Ruzzo and Tompa 1999; Kadane).

use std::ops::Range;

/// Returns the contiguous subsequence with the largest sum. Ties are broken by length, then by the first position.
/// The result is empty if no sum is above 0.
pub(crate) fn maximum(scores: &[f32]) -> Range<usize> {
    let (mut best, mut best_sum) = (0..0, 0.0);
    let (mut start, mut sum) = (0, 0.0);
    for (i, &score) in scores.iter().enumerate() {
        if sum < 0.0 {
            (start, sum) = (i, 0.0);
        }
        sum += f64::from(score);
        let longer = sum == best_sum && !best.is_empty() && i + 1 - start > best.len();
        if sum > best_sum || longer {
            (best, best_sum) = (start..i + 1, sum);
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn sums_are_those_worked_out_by_hand() {
        // 2 - 1 + 2 = 3 is more than 2 alone; -4 separates the 3 after it
        assert_eq!(maximum(&[-1.0, 2.0, -1.0, 2.0, -4.0, 3.0, -0.5]), 1..4);
        // 1 - 1 + 1 equals 1 alone, so the longer subsequence is taken
        assert_eq!(maximum(&[1.0, -1.0, 1.0, -1.0]), 0..3);
        assert_eq!(maximum(&[-1.0, 0.0]), 0..0);
        assert_eq!(maximum(&[]), 0..0);
    }

    proptest! {
        #[test]
        fn no_stretch_is_better(values in prop::collection::vec(-3i8..=3, 0..40)) {
            // sums of halves are exact
            let scores: Vec<f32> = values.iter().map(|&v| f32::from(v) / 2.0).collect();
            let sum = |r: &Range<usize>| scores[r.clone()].iter().sum::<f32>();
            let all = (0..scores.len()).flat_map(|a| (a + 1..=scores.len()).map(move |b| a..b));
            // largest sum, then longest, then first
            let mut expected = 0..0;
            for range in all {
                let better = sum(&range) > sum(&expected)
                    || (sum(&range) == sum(&expected) && !expected.is_empty() && range.len() > expected.len());
                if better {
                    expected = range;
                }
            }
            prop_assert_eq!(maximum(&scores), expected);
        }
    }
}
